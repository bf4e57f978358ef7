import CapsuleCore

/// Entries of a diff as lines for people: what became of the entry, then what differs inside, indented.
struct EntryText {
    let reporter: TextReporter
    let isFull: Bool
    /// Whether noise is told, too.
    let showsNoise: Bool

    /// All lines of an entry; none for what is noise, unless that is told.
    func lines(of entry: EntryChange) -> [UInt8] {
        if entry.isNoise, !showsNoise { return [] }
        var text = headline(of: entry)
        let details = DetailText(reporter: reporter, isFull: isFull, showsNoise: showsNoise)
        text += details.lines(of: entry.details.filter { showsNoise || $0.noise == nil })
        return text
    }

    private func headline(of entry: EntryChange) -> [UInt8] {
        let name = reporter.name(entry.path.bytes)
        let kind: String
        let color: Int
        var place = name
        switch entry.kind {
        case .added: (kind, color) = ("+", 32)
        case .deleted: (kind, color) = ("-", 31)
        case .modified, .type: (kind, color) = ("~", 33)
        case .renamed(let old):
            (kind, color) = (">", 36)
            place = reporter.name(old.bytes) + reporter.text(" \u{2192} ") + name
        }
        let line = reporter.text(kind + " ") + place + reporter.text(remarks(on: entry))
        let noise = showsNoise ? entry.noise ?? (entry.isNoise ? entry.details.compactMap(\.noise).first : nil) : nil
        return reporter.styled(line, noise == nil ? color : 2) + DetailText.mark(noise) + [UInt8(ascii: "\n")]
    }

    /// What else there is to say of the entry itself.
    private func remarks(on entry: EntryChange) -> String {
        switch entry.kind {
        case .added: return Self.facts(of: entry.new)
        case .deleted: return Self.facts(of: entry.old)
        case .type: return ": \(entry.old?.kind.word ?? "nothing") \u{2192} \(entry.new?.kind.word ?? "nothing")"
        case .renamed: return ""
        case .modified:
            if let old = entry.old, let new = entry.new, new.kind == .link {
                let targets = [old.target, new.target].map { QuotedBytes($0).text }
                return targets[0] == targets[1] ? "" : ": link to \(targets[0]) \u{2192} \(targets[1])"
            }
            return entry.handler.map { " (\($0))" } ?? Self.sizes(of: entry)
        }
    }

    /// What is added or gone: a file with its size, a link with its target.
    private static func facts(of entry: TreeEntry?) -> String {
        guard let entry else { return "" }
        switch entry.kind {
        case .directory: return "/"
        case .link: return " -> \(QuotedBytes(entry.target).text)"
        case .file, .identity: return " (\(Quantity.bytes(entry.size)))"
        }
    }

    /// Of a content that was not looked into.
    private static func sizes(of entry: EntryChange) -> String {
        guard let old = entry.old, let new = entry.new, old.kind == .file, old.digest != new.digest else { return "" }
        let words = [Quantity.bytes(old.size), Quantity.bytes(new.size)]
        return words[0] == words[1] ? " (\(words[0]))" : " (\(words.joined(separator: " \u{2192} ")))"
    }
}
