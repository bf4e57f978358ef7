import CapsuleCommands

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

// Everything is written and closed by now. The exit handlers of the libraries would only take time.
_exit(CapsuleProgram.run())
