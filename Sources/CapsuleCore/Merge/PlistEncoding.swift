import CapsulePropertyList

/// How a property list is written: its format, and the encoding of its characters if it is a text.
struct PlistEncoding: Hashable, Sendable {
    let format: PlistFormat
    /// nil for a binary one.
    let text: PlistText.Encoding?

    /// What a format is written in where nothing else is said.
    init(_ format: PlistFormat) {
        self.format = format
        text = format == .binary ? nil : .standard
    }

    init(_ format: PlistFormat, _ text: PlistText.Encoding?) {
        self.format = format
        self.text = text
    }

    /// `xml` and the like; `xml utf-16le` where another one has this format and other characters.
    func name(among others: [PlistEncoding]) -> String {
        let isAlone = !others.contains { $0.format == format && $0.text != text }
        return isAlone ? format.word : ([format.word] + [text?.name].compactMap { $0 }).joined(separator: " ")
    }
}
