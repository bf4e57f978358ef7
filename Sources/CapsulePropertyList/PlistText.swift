/// The text of a property list in XML, OpenStep or JSON, taken out of its encoding.
package struct PlistText: Hashable, Sendable {
    /// How its characters are written as bytes.
    package struct Encoding: Hashable, Sendable {
        let encoding: PlistTextEncoding
        let hasMark: Bool

        /// What a document is written in where nothing else is said.
        package static let standard = Encoding(encoding: .utf8, hasMark: false)

        /// `utf-8`, `utf-16le` and the like, with `-bom` behind it where a byte order mark stands in front.
        package var name: String {
            let name =
                switch encoding {
                case .utf8: "utf-8"
                case .utf16(let isBigEndian): isBigEndian ? "utf-16be" : "utf-16le"
                case .utf32(let isBigEndian): isBigEndian ? "utf-32be" : "utf-32le"
                }
            return hasMark ? name + "-bom" : name
        }

        /// The bytes of a document of this text, which is valid UTF-8 without a mark.
        package func bytes(of utf8: [UInt8]) -> [UInt8] {
            let mark: [UInt8] = hasMark ? [0xEF, 0xBB, 0xBF] : []
            return encoding.encode(utf8: mark + utf8, after: UnsafeRawBufferPointer(start: nil, count: 0))
        }
    }

    /// All of it in UTF-8, without the mark.
    package let utf8: [UInt8]
    /// What it was in.
    package let encoding: Encoding
}

extension PlistDocument {
    /// The document's text; nil for a binary one.
    package var text: PlistText? {
        guard format != .binary else { return nil }
        return try? withText { text, mark, encoding throws(PlistError) in
            PlistText(utf8: [UInt8](text), encoding: PlistText.Encoding(encoding: encoding, hasMark: !mark.isEmpty))
        }
    }
}
