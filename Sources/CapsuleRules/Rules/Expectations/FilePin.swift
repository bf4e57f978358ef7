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

    private init() {}

    /// - Returns: nil for a deleted entry, for a file whose content is not known, and for a database that can't be read: its bytes may
    ///   differ from run to run.
    init?(_ entry: EntryChange) {
        if case .renamed(let from) = entry.kind { source = PlistString(validating: from.bytes) }
        mode = entry.facts.mode.map { PlistString($0.octal) }
        attributes = entry.facts.attributes.map(Self.digests)
        switch entry.new?.kind {
        case .directory?: isDirectory = true
        case .link?:
            target = entry.new.flatMap { PlistString(validating: $0.target) }
        case .file?:
            guard let file = entry.new, file.digest != .zero else { break }
            content = entry.content?.digest
            if content == nil, entry.content?.isDatabase != true { (digest, size) = (file.digest, file.size) }
        default: return nil
        }
        if self == FilePin() { return nil }
    }

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

    private static func digests(of attributes: [ExtendedAttribute]) -> [PlistString: ContentDigest] {
        let pairs = attributes.map { (PlistString(String(decoding: $0.name, as: UTF8.self)), SHA256Hasher.digest(of: $0.value)) }
        return Dictionary(pairs) { first, _ in first }
    }

    func fits(_ entry: EntryChange) -> Bool {
        guard let file = entry.new, fitsFacts(of: entry) else { return false }
        let isContentPinned = digest != nil || size != nil || content != nil || target != nil || isDirectory
        if !isContentPinned { return true }
        if isDirectory || target != nil {
            return isDirectory == (file.kind == .directory)
                && target.map { file.kind == .link && $0.utf8.elementsEqual(file.target) } ?? true
        }
        guard file.kind == .file else { return false }
        return digest.map { $0 == file.digest } ?? true && size.map { $0 == file.size } ?? true
            && content.map { $0 == entry.content?.digest } ?? true
    }

    /// A side that can't hold modes or attributes may have any.
    private func fitsFacts(of entry: EntryChange) -> Bool {
        if let source {
            guard case .renamed(let from) = entry.kind, source.utf8.elementsEqual(from.bytes) else { return false }
        }
        if let mode, let found = entry.facts.mode, mode != PlistString(found.octal) { return false }
        if let attributes, let found = entry.facts.attributes, attributes != Self.digests(of: found) { return false }
        return true
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

    /// Returns what an entry became, in the words of this pin; nil for a deleted entry.
    func found(in entry: EntryChange) -> String? {
        guard let file = entry.new else { return nil }
        guard file.kind == .file, target == nil, !isDirectory else { return FilePin(entry)?.text ?? "a \(file.kind.word)" }
        var found = FilePin()
        if digest != nil { found.digest = file.digest }
        if content != nil { found.content = entry.content?.digest }
        if size != nil { found.size = file.size }
        if source != nil, case .renamed(let from) = entry.kind { found.source = PlistString(validating: from.bytes) }
        if mode != nil { found.mode = entry.facts.mode.map { PlistString($0.octal) } }
        if attributes != nil { found.attributes = entry.facts.attributes.map(Self.digests) }
        return found.text.isEmpty ? "other content" : found.text
    }
}

/// The identity of the content of a file, for an expectation that asks for it.
package struct FileContent: Hashable, Sendable {
    /// True for a database, whose bytes differ even if it has the same rows.
    package let isDatabase: Bool
    /// The digest of the value of a property list or of JSON, or of the rows of a database; nil if it can't be read, and for any other
    /// file. Dates, times, UUIDs and container paths count as such, not by their value, because they differ in every run.
    package let digest: ContentDigest?

    package init(isDatabase: Bool, digest: ContentDigest?) {
        self.isDatabase = isDatabase
        self.digest = digest
    }
}

/// Replaces what differs in every run with what kind of value it is, for digests.
package enum StableValue {
    /// Returns the digest of a value without what differs in every run; nil if it is too large.
    package static func digest(of value: PlistValue) -> ContentDigest? {
        DeepThread.run(for: [value]) {
            (try? JSONPlistWriter.write(of(value), options: .typed)).map { SHA256Hasher.digest(of: $0) }
        }
    }

    /// Returns a value without what differs in every run. Dictionaries become arrays of keys and values, sorted by key.
    package static func of(_ value: PlistValue) -> PlistValue {
        switch value {
        case .dictionary(let entries):
            let pairs = entries.map { (key, value) -> (key: PlistValue, value: PlistValue) in (of(.string(key)), of(value)) }
            let lines = pairs.map { ($0.key.line(length: nil), $0) }.sorted { $0.0.utf8.lexicographicallyPrecedes($1.0.utf8) }
            return .array([.string("dictionary")] + lines.map { .array([$0.1.key, $0.1.value]) })
        case .array(let elements): return .array([.string("array")] + elements.map { of($0) })
        case .string, .real, .date, .data:
            guard let form = DescribedForm(.value(value), .value(value)), !form.isExact else { return value }
            return form.value
        case .integer, .boolean, .uid, .null: return value
        }
    }
}
