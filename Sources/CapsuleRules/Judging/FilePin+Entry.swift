import CapsuleCore
import CapsulePropertyList

extension FilePin {
    /// - Returns: nil for a deleted entry, for a file whose content is not known, and for a database that can't be read: its bytes may
    ///   differ from run to run.
    init?(_ entry: EntryChange) {
        if case .renamed(let from) = entry.kind { source = PlistString(validating: from.bytes) }
        mode = entry.facts.mode.map { PlistString($0.octal) }
        attributes = entry.facts.attributes.map(Self.digests)
        switch entry.new?.kind {
        case .directory?: isDirectory = true
        case .link?:
            // A target with a password in it is not written.
            var cover = SecretCover()
            target = entry.new.flatMap { cover.hidingTargets(nil, $0).new == $0 ? PlistString(validating: $0.target) : nil }
        case .file?:
            guard let file = entry.new, file.digest != .zero else { break }
            content = entry.content?.digest
            if content == nil, entry.content?.isDatabase != true { (digest, size) = (file.digest, file.size) }
        default: return nil
        }
        if self == FilePin() { return nil }
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
