import CapsuleCore
import CapsuleEngine

/// Messages on standard error: `capsule: error: …`, then `capsule: hint: …`.
struct Diagnostics {
    /// Under Xcode messages begin with what they are: its log parser would take `capsule` for a file.
    private let prefix: String
    private let isQuiet: Bool

    init(isQuiet: Bool = false) {
        prefix = HostProcess.environment("XCODE_VERSION_ACTUAL") == nil ? "capsule: " : ""
        self.isQuiet = isQuiet
    }

    func error(_ text: String, hint: String? = nil) {
        write("error", text)
        if let hint { write("hint", hint) }
    }

    func error(_ error: CapsuleError) {
        var hint = error.hint
        if let misspelt = error.misspelt {
            hint = Suggestions(for: misspelt.typed, among: misspelt.known).hint ?? hint
        }
        if let place = error.place, let path = error.path {
            // As compilers say it, so that editors and Xcode find the place.
            HostProcess.writeError(
                "\(QuotedBytes(path.bytes).text):\(place): error: \(QuotedBytes(Array(error.message.utf8)).text)\n")
        } else {
            self.error(Self.text(of: error))
        }
        for detail in error.details { write("note", detail) }
        if let hint { write("hint", hint) }
    }

    /// A warning with the place in the file, if it has one.
    func warning(_ error: CapsuleError) {
        guard let place = error.place, let path = error.path else { return warning(Self.text(of: error), hint: error.hint) }
        let message = QuotedBytes(Array(error.message.utf8)).text
        HostProcess.writeError("\(QuotedBytes(path.bytes).text):\(place): warning: \(message)\n")
        if let hint = error.hint { write("hint", hint) }
    }

    func warning(_ text: String, hint: String? = nil) {
        write("warning", text)
        if let hint { write("hint", hint) }
    }

    func hint(_ text: String) { write("hint", text) }

    func note(_ text: String) {
        if !isQuiet { write("note", text) }
    }

    /// The message with the path it is about before it.
    static func text(of error: CapsuleError) -> String {
        guard let path = error.path, !path.bytes.isEmpty else { return error.message }
        return "\(QuotedBytes(path.bytes).text): \(error.message)"
    }

    private func write(_ kind: String, _ text: String) {
        // Messages quote what files hold, which must not get to act on a terminal.
        let text = QuotedBytes(Array(text.utf8)).text
        HostProcess.writeError("\(kind == "hint" && prefix.isEmpty ? "note" : prefix + kind): \(text)\n")
    }
}
