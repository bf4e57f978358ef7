import CapsulePropertyList

extension ChangeMatch: CustomStringConvertible {
    /// `Library/Preferences/com.x.plist /onboarding/done: false → true (modified)`, as far as it names those.
    public var description: String {
        var words: [String] = []
        for key: PlistString in ["Path", "Pointer", "Table", "Row", "Column"] {
            switch entries[key] {
            case nil: break
            case .string(let text)?: words.append(text.isEmpty ? "(root)" : text.string)
            case let value?: words.append(value.line(length: 64, values: 12))
            }
        }
        var text = words.joined(separator: " ")
        if from != nil || to != nil {
            let sides = [entries["From"], entries["To"] ?? entries["Value"]].map { $0.map(Self.text) ?? "…" }
            text += (text.isEmpty ? "" : ": ") + sides.joined(separator: " → ")
        }
        if let kinds { text += (text.isEmpty ? "" : " ") + "(\(Suggestions.alternatives(kinds.words)))" }
        return text
    }

    private static func text(of form: PlistValue) -> String {
        guard let entries = form.dictionary else { return form.line(length: 64, values: 12) }
        let words = entries.map { key, value in
            switch key {
            case "Is": value.string?.string ?? ""
            case "Like": "like \(value.line(length: 64))"
            case "Min": "at least \(value.line())"
            case "Max": "at most \(value.line())"
            default: value.line(length: 64, values: 12)
            }
        }
        return words.joined(separator: ", ")
    }
}
