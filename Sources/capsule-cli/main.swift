import CapsuleCommands

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

// Everything is written and closed by now; the libraries' own farewells only cost time.
_exit(CapsuleProgram.run())
