/// The arguments of a program as a report shows them: without what their names call a secret.
///
/// Names are all that can be judged, so a secret without one is shown. Whoever runs a program hands it secrets in the
/// environment or in a file.
struct ProgramArguments {
    /// With an ellipsis in place of each secret.
    let shown: [[UInt8]]

    private static let secretWords = ["auth", "bearer", "cookie", "credential", "key", "pass", "secret", "token"]
    private static let hidden = "…"

    init(_ words: [[UInt8]]) {
        var isNextHidden = false
        shown = words.map { word in
            // A word may be a command line itself, as behind 'sh -c'.
            guard let text = String(validating: word, as: UTF8.self) else { return word }
            let parts = text.split(separator: " ", omittingEmptySubsequences: false)
            return Array(parts.map { Self.shown($0, &isNextHidden) }.joined(separator: " ").utf8)
        }
    }

    private static func shown(_ part: Substring, _ isNextHidden: inout Bool) -> String {
        if part.isEmpty { return "" }
        // `Authorization: Bearer abc`
        let isScheme = ["basic", "bearer"].contains(part.lowercased())
        if isNextHidden || isScheme {
            isNextHidden = isScheme
            return isScheme ? String(part) : hidden
        }
        if let equals = part.firstIndex(of: "="), isSecret(part[..<equals]) { return "\(part[...equals])\(hidden)" }
        isNextHidden = (part.hasPrefix("-") || part.hasSuffix(":")) && isSecret(part) && !part.contains("=")
        return String(part)
    }

    private static func isSecret(_ name: Substring) -> Bool {
        let name = name.lowercased()
        return secretWords.contains { name.contains($0) }
    }
}
