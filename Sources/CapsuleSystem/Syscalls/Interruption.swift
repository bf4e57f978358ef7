import CapsuleCore
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The user's wish to stop: ^C, or a polite kill. Long work asks at each step and cleans up after itself.
package enum Interruption {
    private static let signal = Atomic<Int32>(0)
    private static let isWatched = Atomic<Bool>(false)
    private static let isPaused = Atomic<Bool>(false)
    /// What asks to stop.
    private static let watched = [SIGINT, SIGTERM, SIGHUP, SIGQUIT]
    /// The program that is waited for; 0 for none.
    private static let child = Atomic<Int32>(0)

    /// What is ignored here, and no program that is run should find ignored.
    private static let ignored = [SIGPIPE, SIGXFSZ]

    /// The signals that a program which is run has to have their usual effect of (posix_spawnattr_setsigdefault(3)).
    static var defaultsForPrograms: sigset_t {
        var defaults = sigset_t()
        sigemptyset(&defaults)
        for number in ignored { sigaddset(&defaults, number) }
        return defaults
    }

    /// From here on SIGINT, SIGTERM, SIGHUP and SIGQUIT are noted instead of ending the process; a second one ends it at once.
    /// SIGPIPE and SIGXFSZ are ignored, so that a closed pipe, and a file that grows past a limit, are errors of the write.
    package static func watch() {
        isWatched.store(true, ordering: .relaxed)
        install(isOnce: true)
        var ignore = action(SIG_IGN)
        for number in ignored { sigaction(number, &ignore, nil) }
        // Where whoever started us ignores it, programs that we run could not be waited for.
        var usual = action(SIG_DFL)
        sigaction(SIGCHLD, &usual, nil)
    }

    /// - Parameter isOnce: whether a second signal does what it always did.
    private static func install(isOnce: Bool) {
        for number in watched {
            // No SA_RESTART: a blocked read must come back.
            let flags = isOnce ? Int32(truncatingIfNeeded: Int(SA_RESETHAND)) : 0
            var action = action({ Interruption.note($0) }, flags: flags)
            // Whoever started us with a signal ignored, as nohup does, wants it to stay so.
            var before = sigaction()
            sigaction(number, nil, &before)
            if isIgnored(before) { continue }
            sigaction(number, &action, nil)
        }
    }

    /// From here on the signals end the process again, as they do where nobody watches, until ``resume()``; a closed pipe stays
    /// an error.
    package static func pause() {
        isPaused.store(true, ordering: .relaxed)
        for number in watched {
            var before = sigaction()
            sigaction(number, nil, &before)
            if isIgnored(before) { continue }
            var action = action(SIG_DFL)
            sigaction(number, &action, nil)
        }
        // One that came while they were watched would be noted and never asked for.
        if let noted { kill(getpid(), noted) }
    }

    /// Watches again, if it was watched before: there is something to be cleaned up now.
    package static func resume() {
        // A program that never asked for it, as one that links the library, keeps its signals.
        if isPaused.exchange(false, ordering: .relaxed) { watch() }
    }

    private static func action(_ handler: (@convention(c) (Int32) -> Void)?, flags: Int32 = 0) -> sigaction {
        var action = sigaction()
        #if canImport(Glibc)
        action.__sigaction_handler.sa_handler = handler
        #else
        action.__sigaction_u.__sa_handler = handler
        #endif
        action.sa_flags = flags
        return action
    }

    private static func isIgnored(_ action: sigaction) -> Bool {
        #if canImport(Glibc)
        let handler = action.__sigaction_handler.sa_handler
        #else
        let handler = action.__sigaction_u.__sa_handler
        #endif
        // Handlers can't be compared: SIG_IGN is the address 1.
        return unsafeBitCast(handler, to: UInt.self) == 1
    }

    /// Runs in a signal's handler: nothing but atomics and kill(2).
    private static func note(_ number: Int32) {
        signal.store(number, ordering: .sequentiallyConsistent)
        pass(number)
    }

    /// ^C and ^\ reach every program of the terminal by themselves; the others come to us alone.
    private static func pass(_ number: Int32) {
        let child = child.load(ordering: .sequentiallyConsistent)
        if child > 0, number != SIGINT, number != SIGQUIT { kill(child, number) }
    }

    /// Passes signals on to a program that is waited for, one that came before too; nil ends that. Meanwhile any number of them
    /// asks to stop: users repeat ^C for the program's sake, and what is to be cleaned up here would stay.
    static func passOn(to program: pid_t?) {
        if isWatched.load(ordering: .relaxed), !isPaused.load(ordering: .relaxed) { install(isOnce: program == nil) }
        child.store(program ?? 0, ordering: .sequentiallyConsistent)
        if let noted { pass(noted) }
    }

    /// The signal that was noted, or nil.
    package static var noted: Int32? {
        let number = signal.load(ordering: .relaxed)
        return number == 0 ? nil : number
    }

    /// - Throws: ``FileSystemError`` with the code `interrupted` once a signal was noted.
    package static func check() throws(FileSystemError) {
        if noted != nil { throw FileSystemError(errno: EINTR, "continue", HostPath("")) }
    }
}

/// An end that comes whatever the process is waiting for.
package enum Alarm {
    /// alarm(2): ends the process with status 0 after so many seconds, without a word.
    package static func endProcess(afterSeconds seconds: UInt32) {
        signal(SIGALRM) { _ in _exit(0) }
        alarm(seconds)
    }
}
