import CapsuleEngine

/// The form of messages: for a terminal, for Xcode, or for GitHub's CI.
enum MessageStyle {
    /// `capsule: error: …`
    case terminal
    /// `error: …`: Xcode's log parser would take `capsule` for a file.
    case xcode
    /// `::error file=…::…`, which GitHub shows beside the file. (GitHub Actions, "Workflow commands")
    case github

    /// The form that the environment variables select.
    static var current: MessageStyle {
        if HostProcess.environment("XCODE_VERSION_ACTUAL") != nil { return .xcode }
        return HostProcess.environment("GITHUB_ACTIONS") == Array("true".utf8) ? .github : .terminal
    }

    /// A message that is about no place in a file, as a line.
    ///
    /// - Parameter text: without control characters.
    func line(_ kind: String, _ text: String) -> String {
        switch self {
        case .terminal: "capsule: \(kind): \(text)\n"
        case .xcode: "\(kind == "hint" ? "note" : kind): \(text)\n"
        case .github: Self.command(for: kind).map { "::\($0)::\(Self.escaped(text))\n" } ?? "capsule: \(kind): \(text)\n"
        }
    }

    /// A message about a place in a file.
    ///
    /// - Parameter place: `LINE:COLUMN`, or another place.
    func line(_ kind: String, _ text: String, file: String, place: String) -> String {
        guard self == .github, let command = Self.command(for: kind) else { return "\(file):\(place): \(kind): \(text)\n" }
        var properties = ["file=\(Self.escapedProperty(file))"]
        for (name, number) in zip(["line", "col"], place.split(separator: ":")) where Int(number) != nil {
            properties.append("\(name)=\(number)")
        }
        return "::\(command) \(properties.joined(separator: ","))::\(Self.escaped(text))\n"
    }

    /// A finding of a check, where such are shown apart from the report; nil where the report is enough.
    func finding(_ text: String, title: String) -> String? {
        self == .github ? "::error title=\(Self.escapedProperty(title))::\(Self.escaped(text))\n" : nil
    }

    private static func command(for kind: String) -> String? {
        ["error", "warning"].contains(kind) ? kind : nil
    }

    private static func escaped(_ text: String) -> String {
        text.replacing("%", with: "%25").replacing("\r", with: "%0D").replacing("\n", with: "%0A")
    }

    private static func escapedProperty(_ text: String) -> String {
        escaped(text).replacing(":", with: "%3A").replacing(",", with: "%2C")
    }
}
