import CapsuleCore
import CapsuleEngine

/// Why a command failed, as the last line of its JSON (docs/json.md, "Errors").
struct JSONError {
    private let status: ExitStatus
    private let code: CapsuleError.Code
    private let message: String
    private let hint: String?
    private var path: HostPath?
    private var place: String?
    private var details: [String] = []

    init(_ error: CapsuleError, _ status: ExitStatus) {
        self.init(error.code, error.message, error.shownHint, status)
        path = error.path
        place = error.place
        details = error.details
    }

    init(_ error: UsageError) {
        self.init(.usage, error.message, error.hint, .usage)
    }

    private init(_ code: CapsuleError.Code, _ message: String, _ hint: String?, _ status: ExitStatus) {
        self.status = status
        self.code = code
        self.message = message
        self.hint = hint
    }

    /// Nothing was asked for.
    static let noVerb = JSONError(.usage, "a verb is missing", "'capsule -h' lists the verbs", .usage)

    /// The line.
    var line: [UInt8] {
        var line = JSONText()
        line.add("kind", "error")
        line.add("schema", "capsule.error")
        line.add("version", UInt64(1))
        line.add("status", UInt64(max(0, status.code)))
        line.add("code", code.word)
        line.add("message", message)
        if let path, !path.bytes.isEmpty { line.add("path", name: path.bytes) }
        line.add("place", place)
        line.add("hint", hint)
        if !details.isEmpty { line.add("details", names: details.map { Array($0.utf8) }) }
        return line.closed + [JSONReporter.newline]
    }

    /// Writes the line; what can't be written is lost, as standard output may be what failed.
    func write(to output: StandardOutput) { try? output.write(line) }
}
