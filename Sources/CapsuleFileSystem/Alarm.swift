#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// An end that comes whatever the process is waiting for.
package enum Alarm {
    /// alarm(2): ends the process with status 0 after so many seconds, without a word.
    package static func endProcess(afterSeconds seconds: UInt32) {
        signal(SIGALRM) { _ in _exit(0) }
        alarm(seconds)
    }
}
