import CSystem
package import CapsuleCore
import Synchronization

/// The user's request to stop: ^C or another ending signal. Long work checks for it at each step and cleans up after itself.
package enum Interruption {
    private static let signal = Atomic<Int32>(0)
    /// The time of the first signal in milliseconds, on the clock that never jumps; 0 before.
    private static let since = Atomic<Int64>(0)
    private static let isWatching = Atomic<Bool>(false)
    private static let isPaused = Atomic<Bool>(false)
    private static let watched = [SIGINT, SIGTERM, SIGHUP, SIGQUIT]
    /// The program that is being waited for; 0 for none.
    private static let child = Atomic<Int32>(0)

    /// The signals that this process ignores, but programs that it runs must not.
    private static let ignored = [SIGPIPE, SIGXFSZ]

    static var defaultsForPrograms: sigset_t {
        var defaults = sigset_t()
        sigemptyset(&defaults)
        for number in ignored { sigaddset(&defaults, number) }
        return defaults
    }

    /// The milliseconds after a signal in which another one means the same: timeout(1) sends one to the program and one to its group.
    private static let patience: Int64 = 1_000

    /// Starts to record SIGINT, SIGTERM, SIGHUP and SIGQUIT instead of ending the process; one that comes more than a second after
    /// the first ends it at once. Also ignores SIGPIPE and SIGXFSZ, so that a closed pipe, and a file that grows past a limit, are
    /// errors of the write.
    package static func watch() {
        isWatching.store(true, ordering: .relaxed)
        for number in watched {
            // Without SA_RESTART, so that a blocked read returns.
            var action = action({ Interruption.handle($0) })
            // If the parent process ignored a signal, as nohup does, it stays ignored.
            var before = sigaction()
            sigaction(number, nil, &before)
            if isIgnored(before) { continue }
            sigaction(number, &action, nil)
        }
        var ignore = action(SIG_IGN)
        for number in ignored { sigaction(number, &ignore, nil) }
        // If the parent process ignored SIGCHLD, programs that we run could not be waited for.
        var usual = action(SIG_DFL)
        sigaction(SIGCHLD, &usual, nil)
    }

    /// Restores the default action of the signals until ``resume()``: they end the process. A closed pipe stays an error.
    package static func pause() {
        // A program that never called `watch`, such as one that links the library, keeps its own signal handling.
        if !isWatching.load(ordering: .relaxed) { return }
        isPaused.store(true, ordering: .relaxed)
        for number in watched {
            var before = sigaction()
            sigaction(number, nil, &before)
            if isIgnored(before) { continue }
            var action = action(SIG_DFL)
            sigaction(number, &action, nil)
        }
        // A signal that came before this would be recorded and never checked.
        if let noted { kill(getpid(), noted) }
    }

    /// Watches again if ``pause()`` was called, since there is something to clean up from now on.
    package static func resume() {
        if isPaused.exchange(false, ordering: .relaxed) { watch() }
    }

    private static func action(_ handler: (@convention(c) (Int32) -> Void)?) -> sigaction {
        var action = sigaction()
        #if canImport(Glibc)
        action.__sigaction_handler.sa_handler = handler
        #else
        action.__sigaction_u.__sa_handler = handler
        #endif
        return action
    }

    private static func isIgnored(_ action: sigaction) -> Bool {
        #if canImport(Glibc)
        let handler = action.__sigaction_handler.sa_handler
        #else
        let handler = action.__sigaction_u.__sa_handler
        #endif
        // Handlers can't be compared. SIG_IGN is the address 1.
        return unsafeBitCast(handler, to: UInt.self) == 1
    }

    /// Records a signal, or lets a late one end the process. It runs in a signal handler, so it uses only atomics and calls that are
    /// allowed there (signal-safety(7)).
    private static func handle(_ number: Int32) {
        var clock = timespec()
        clock_gettime(CLOCK_MONOTONIC, &clock)
        let now = Int64(clock.tv_sec) * 1_000 + Int64(clock.tv_nsec) / 1_000_000
        let first = since.load(ordering: .sequentiallyConsistent)
        // Users repeat ^C for the sake of a program that is waited for, and ending this process would skip the cleanup.
        if first == 0 || child.load(ordering: .sequentiallyConsistent) > 0 {
            since.store(now, ordering: .sequentiallyConsistent)
        } else if now - first > patience {
            var usual = action(SIG_DFL)
            sigaction(number, &usual, nil)
            kill(getpid(), number)
        }
        signal.store(number, ordering: .sequentiallyConsistent)
        pass(number)
    }

    /// Passes a signal on to the program. The terminal sends ^C and ^\ to every program in it; the other signals reach only this process.
    private static func pass(_ number: Int32) {
        let child = child.load(ordering: .sequentiallyConsistent)
        if child > 0, number != SIGINT, number != SIGQUIT { kill(child, number) }
    }

    /// Passes signals on to a program that is being waited for, including one that came before; nil ends that. Meanwhile, any number of
    /// signals only asks to stop.
    static func passOn(to program: pid_t?) {
        child.store(program ?? 0, ordering: .sequentiallyConsistent)
        if let noted { pass(noted) }
    }

    package static var noted: Int32? {
        let number = signal.load(ordering: .relaxed)
        return number == 0 ? nil : number
    }

    package static func check() throws(CapsuleError) {
        if noted != nil { throw CapsuleError(errno: EINTR, "continue", HostPath("")) }
    }
}

/// A time limit that ends the process whatever it is waiting for.
package enum Alarm {
    package static func endProcess(afterSeconds seconds: UInt32) {
        signal(SIGALRM) { _ in _exit(0) }
        alarm(seconds)
    }
}

/// The arguments of this process.
package enum ProcessArguments {
    nonisolated(unsafe) fileprivate(set) static var atStart:
        (count: Int32, list: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?) = (0, nil)

    /// The arguments as raw bytes, without the program's own name; nil if the system doesn't report them. Names need not be UTF-8, and
    /// the standard library would repair them.
    package static var raw: [[UInt8]]? {
        // On Linux, the standard library reads them from /proc, which may not be mounted.
        let (count, list) = CommandLine.argc > 0 ? (CommandLine.argc, CommandLine.unsafeArgv) : atStart
        guard count > 0, let list else { return nil }
        return (1..<max(1, Int(count))).compactMap { index in
            list[index].map { [UInt8](UnsafeRawBufferPointer(start: $0, count: strlen($0))) }
        }
    }
}

#if canImport(Glibc) && compiler(>=6.3)
/// Keeps the arguments, which glibc passes to each function of this section before `main`.
@section(".init_array") @used
private let keepArguments: @convention(c) (Int32, UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?) -> Void = {
    ProcessArguments.atStart = ($0, $1)
}
#endif

/// Facts about the terminal, the environment and the machine.
package enum Terminal {
    package static func isTerminal(_ descriptor: Int32) -> Bool {
        isatty(descriptor) == 1
    }

    package static func width(of descriptor: Int32) -> Int? { size(of: descriptor).flatMap { $0.columns > 0 ? $0.columns : nil } }
    package static func height(of descriptor: Int32) -> Int? { size(of: descriptor).flatMap { $0.lines > 0 ? $0.lines : nil } }

    private static func size(of descriptor: Int32) -> (columns: Int, lines: Int)? {
        var size = winsize()
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0 else { return nil }
        return (Int(size.ws_col), Int(size.ws_row))
    }
}

/// The machine that the program runs on: its environment, its processors and its clock.
package enum Host {
    package static func environment(_ name: String) -> [UInt8]? {
        guard let value = getenv(name) else { return nil }
        return [UInt8](UnsafeRawBufferPointer(start: value, count: strlen(value)))
    }

    /// All environment variables that are UTF-8. If a name occurs twice, the first counts, as with getenv(3).
    package static var wholeEnvironment: [String: String] {
        var values: [String: String] = [:]
        guard var place = capsule_environment() else { return values }
        while let entry = place.pointee {
            let bytes = UnsafeRawBufferPointer(start: entry, count: strlen(entry))
            if let equals = bytes.firstIndex(of: UInt8(ascii: "=")),
                let name = String(validating: bytes[..<equals], as: UTF8.self),
                let value = String(validating: bytes[(equals + 1)...], as: UTF8.self), values[name] == nil
            {
                values[name] = value
            }
            place += 1
        }
        return values
    }

    /// Makes a directory the current one (chdir(2)). Paths of all threads depend on it.
    package static func enter(_ directory: HostPath) throws(CapsuleError) {
        _ = try Syscall.withCString(directory.bytes, "enter") { (path) throws(CapsuleError) in
            try Syscall.repeating("enter", directory) { chdir(path) }
        }
    }

    package static var processors: Int { max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN)))) }

    /// The current time, in seconds since 1970.
    package static var now: Int64 { Int64(time(nil)) }
}

/// Memory that was freed but still belongs to the process.
package enum Memory {
    /// Returns free memory to the system, where the C library does not do so by itself (malloc_trim(3)). Takes a millisecond for some
    /// megabytes. Useful after many small allocations were freed and before large ones are made.
    package static func trim() { capsule_trim_memory() }
}
