import CapsuleCore
import CapsulePropertyList

/// The lines that tell what an overlay makes of files: a letter, the path, and what changes.
struct RecordText {
    /// What becomes of a path.
    enum Change {
        case added, deleted, modified, type
        /// Nothing: it only has to be so.
        case precondition

        /// As the name-status form of a diff has it; `=` for a precondition.
        var letter: String {
            switch self {
            case .added: "A"
            case .deleted: "D"
            case .modified: "M"
            case .type: "T"
            case .precondition: "="
            }
        }

        /// For machines.
        var word: String {
            switch self {
            case .added: "added"
            case .deleted: "deleted"
            case .modified: "modified"
            case .type: "type"
            case .precondition: "precondition"
            }
        }
    }

    /// Whether digests are written whole.
    let isFull: Bool

    static func change(of record: FileRecord) -> Change {
        if record.isGuard { return .precondition }
        guard let old = record.old else { return .added }
        guard let new = record.new else { return .deleted }
        return old.kind == new.kind ? .modified : .type
    }

    /// `M  Documents/a.db: 8,192 → 12,288 bytes, 4,096 carried, mode 0600 → 0644`
    func line(of record: FileRecord) -> String {
        let change = Self.change(of: record)
        let facts: [String] =
            switch change {
            case .added: self.facts(of: record.new)
            case .deleted: self.facts(of: record.old)
            case .precondition: record.old == nil ? ["must not exist"] : ["must exist"] + self.facts(of: record.old)
            case .type: ["\(words(record.old)) \u{2192} \(words(record.new))"]
            case .modified: differences(record)
            }
        let tail = facts.isEmpty ? "" : ": " + facts.joined(separator: ", ")
        return "\(change.letter)  \(QuotedBytes(record.path.bytes).text)\(tail)"
    }

    private func words(_ state: FileState?) -> String {
        guard let state else { return "nothing" }
        return ((state.kind == .file ? [state.kind.word] : []) + facts(of: state)).joined(separator: ", ")
    }

    private func facts(of state: FileState?) -> [String] {
        guard let state else { return [] }
        var facts: [String] = []
        switch state.kind {
        case .directory: facts.append("directory")
        case .link: facts.append("link to \(QuotedBytes(state.target).text)")
        case .file, .identity: if let content = state.content { facts.append(size(content.size)) }
        }
        if let mode = state.mode { facts.append("mode \(mode.octal)") }
        if let content = state.content { facts.append("digest \(digest(content.digest))") }
        if let attributes = state.attributes, !attributes.isEmpty { facts.append(count(attributes)) }
        return facts
    }

    private func differences(_ record: FileRecord) -> [String] {
        guard let old = record.old, let new = record.new else { return [] }
        var facts: [String] = []
        if let content = new.content, content.digest != old.content?.digest {
            if let before = old.content, before.size != content.size {
                facts.append("\(Quantity.grouped(before.size)) \u{2192} \(size(content.size))")
            } else {
                facts.append(size(content.size))
            }
            facts.append("digest \(old.content.map { digest($0.digest) + " \u{2192} " } ?? "")\(digest(content.digest))")
            if let carried = content.recipe?.carriedSize { facts.append("\(Quantity.grouped(carried)) of them carried") }
        }
        if old.target != new.target {
            facts.append("link to \(QuotedBytes(old.target).text) \u{2192} \(QuotedBytes(new.target).text)")
        }
        if let mode = new.mode, mode != old.mode {
            facts.append("mode \(old.mode.map { $0.octal + " \u{2192} " } ?? "")\(mode.octal)")
        }
        if let attributes = new.attributes, attributes != old.attributes {
            facts.append(old.attributes.map { "\(count($0)) \u{2192} \(attributes.count)" } ?? count(attributes))
        }
        return facts
    }

    private func size(_ size: UInt64) -> String { Quantity.counted(size, "byte", "bytes") }

    private func count(_ attributes: [ExtendedAttribute]) -> String {
        Quantity.counted(UInt64(attributes.count), "attribute", "attributes")
    }

    private func digest(_ digest: ContentDigest) -> String { isFull ? digest.hex : String(digest.hex.prefix(12)) }
}
