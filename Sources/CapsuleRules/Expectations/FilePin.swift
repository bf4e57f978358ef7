import CapsuleCore
package import CapsuleHashing
package import CapsulePropertyList

/// The state that an entry must have after the change for a clause to match: the keys `Digest`, `Size` and `ContentDigest` of a file, `Target` of a
/// link, `Type` of a directory, and `Mode` and `Attributes` of any; and `Source`, the path that it was moved from.
/// (docs/diff.md, section 5)
package struct FilePin: Hashable, Sendable {
    package var digest: ContentDigest?
    package var size: UInt64?
    /// The digest of what a property list, JSON or a database holds, however it is stored: see ``FileContent``.
    package var content: ContentDigest?
    package var target: PlistString?
    package var isDirectory = false
    package var source: PlistString?
    /// The mode as four octal digits.
    package var mode: PlistString?
    /// The SHA-256 digests of the values of all attributes, by name.
    package var attributes: [PlistString: ContentDigest]?

    static let keys = ["Digest", "Size", "ContentDigest", "Target", "Type", "Source", "Mode", "Attributes"]

    init() {}

    init?(_ part: DocumentPart) throws(OverlayError) {
        digest = try Self.digest(part, "Digest")
        content = try Self.digest(part, "ContentDigest")
        if let value = part.entries["Size"] {
            guard let size = value.integer?.uint64 else { throw part.error("Size", "must be an integer, 0 or more") }
            self.size = size
        }
        target = try part.string("Target").map { PlistString($0) }
        if let type = try part.string("Type") {
            guard type == "directory" else {
                throw part.error("Type", "\(PlistString(type).quoted) is unknown", hint: "write 'directory'")
            }
            isDirectory = true
        }
        source = try part.string("Source").map { PlistString($0) }
        mode = try part.string("Mode").map { PlistString($0) }
        if let found = try part.dictionary("Attributes") {
            let inner = DocumentPart(found, at: part.place("Attributes"))
            var digests: [PlistString: ContentDigest] = [:]
            for name in found.keys { digests[name] = try Self.digest(inner, name) }
            attributes = digests
        }
        if self == FilePin() { return nil }
    }

    private static func digest(_ part: DocumentPart, _ key: PlistString) throws(OverlayError) -> ContentDigest? {
        guard let text = try part.string(key) else { return nil }
        guard let digest = ContentDigest(hex: text) else { throw part.error(key, "must be 64 hexadecimal digits") }
        return digest
    }

    static func digests(of attributes: [ExtendedAttribute]) -> [PlistString: ContentDigest] {
        let pairs = attributes.map { (PlistString(String(decoding: $0.name, as: UTF8.self)), SHA256Hasher.digest(of: $0.value)) }
        return Dictionary(pairs) { first, _ in first }
    }

    var entries: PlistDictionary {
        var entries = PlistDictionary()
        if let digest { entries["Digest"] = .string(PlistString(digest.hex)) }
        if let size { entries["Size"] = .integer(PlistInteger(size)) }
        if let content { entries["ContentDigest"] = .string(PlistString(content.hex)) }
        if let target { entries["Target"] = .string(target) }
        if isDirectory { entries["Type"] = "directory" }
        if let source { entries["Source"] = .string(source) }
        if let mode { entries["Mode"] = .string(mode) }
        if let attributes {
            let digests = attributes.sorted { $0.key < $1.key }.map { ($0.key, PlistValue.string(PlistString($0.value.hex))) }
            entries["Attributes"] = .dictionary(PlistDictionary(digests))
        }
        return entries
    }

    /// The pin in words: `content 1b4f0e98, 9 bytes`.
    var text: String {
        let parts = [
            (digest ?? content).map { "content \($0.hex.prefix(8))" }, size.map { Quantity.counted($0, "byte", "bytes") },
            target.map { "target \($0.quoted)" }, isDirectory ? "a directory" : nil, source.map { "moved from \($0.quoted)" },
            mode.map { "mode \($0)" },
            attributes.flatMap { $0.isEmpty ? nil : "attributes \($0.keys.sorted().map(\.string).joined(separator: " "))" },
        ]
        return parts.compactMap { $0 }.joined(separator: ", ")
    }
}
