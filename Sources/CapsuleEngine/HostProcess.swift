public import CapsuleCore
import CapsuleFileSystem

/// The process around a command: its signals, environment and terminal.
public enum HostProcess {
    /// Notes signals instead of ending at once, and reads what must be read before there are threads. Call it first.
    public static func prepare() {
        Interruption.watch()
        CreationMask.prepare()
    }

    /// Lets signals end the process at once until there is something to be cleaned up: for work that writes nothing before it
    /// is done, and does not ask meanwhile.
    public static func letSignalsEnd() { Interruption.pause() }

    /// The signal by which the user asked to stop, or nil.
    public static var interruption: Int32? { Interruption.noted }

    /// A variable of the environment, as raw bytes.
    public static func environment(_ name: String) -> [UInt8]? { Terminal.environment(name) }

    /// All variables of the environment that are UTF-8.
    public static var wholeEnvironment: [String: String] { Terminal.wholeEnvironment }

    /// Whether standard error is a terminal.
    public static var isErrorTerminal: Bool { Terminal.isTerminal(2) }

    /// The width of the terminal that standard output is, in columns; nil where it is none.
    public static var outputWidth: Int? { Terminal.width(of: 1) }

    /// The width of the terminal that standard error is, in columns; nil where it is none.
    public static var errorWidth: Int? { Terminal.width(of: 2) }

    /// How many processors there are.
    public static var processors: Int { Terminal.processors }

    /// The moment, to the second.
    public static var now: Timestamp { Timestamp(seconds: Terminal.now) }

    /// Writes to standard error; what can't be written is lost.
    public static func writeError(_ text: String) {
        Array(text.utf8).withUnsafeBytes { bytes in
            try? Syscall.write(2, bytes, path: HostPath("standard error"))
        }
    }
}
