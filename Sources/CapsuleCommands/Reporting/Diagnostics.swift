import CapsuleCore
import CapsuleEngine

/// Messages on standard error: `capsule: error: …`, then `capsule: hint: …`.
struct Diagnostics {
    private let style: MessageStyle
    private let isQuiet: Bool

    init(isQuiet: Bool = false) {
        style = .current
        self.isQuiet = isQuiet
    }

    func error(_ text: String, hint: String? = nil) {
        write("error", text)
        if let hint { write("hint", hint) }
    }

    func error(_ error: CapsuleError) {
        let hint = error.shownHint
        if let place = error.place, let path = error.path {
            // As compilers say it, so that editors and Xcode find the place.
            write("error", error.message, path, place)
        } else {
            self.error(Self.text(of: error))
        }
        for detail in error.details { write("note", detail) }
        if let hint { write("hint", hint) }
    }

    /// A warning with the place in the file, if it has one.
    func warning(_ error: CapsuleError) {
        guard let place = error.place, let path = error.path else { return warning(Self.text(of: error), hint: error.hint) }
        write("warning", error.message, path, place)
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

    /// A note that `--quiet` does not silence: without it nobody would know that nothing was done.
    func noteAlways(_ text: String) { write("note", text) }

    /// The message with the path it is about before it.
    static func text(of error: CapsuleError) -> String {
        guard let path = error.path, !path.bytes.isEmpty else { return error.message }
        return "\(QuotedBytes(path.bytes).text): \(error.message)"
    }

    private func write(_ kind: String, _ text: String) {
        // Messages quote what files hold, which must not get to act on a terminal.
        let text = QuotedBytes(Array(text.utf8)).text
        HostProcess.writeError(style.line(kind, text))
    }

    private func write(_ kind: String, _ text: String, _ path: HostPath, _ place: String) {
        let text = QuotedBytes(Array(text.utf8)).text
        HostProcess.writeError(style.line(kind, text, file: QuotedBytes(path.bytes).text, place: place))
    }

    /// Shows a finding of a check where it is seen, if the report is not that place.
    func finding(_ text: String, title: String) {
        let line = style.finding(QuotedBytes(Array(text.utf8)).text, title: QuotedBytes(Array(title.utf8)).text)
        if let line { HostProcess.writeError(line) }
    }
}

extension CapsuleError {
    /// What to do about it: first what a word may have been meant for.
    var shownHint: String? { misspelt.flatMap { Suggestions(for: $0.typed, among: $0.known).hint } ?? hint }
}
