import CapsuleCore

/// The line of an entry that differs (docs/json.md, "diff").
enum JSONEntry {
    static func line(_ entry: EntryChange, _ style: DiffStyle) -> JSONText {
        var line = JSONText()
        line.add("kind", entry.word)
        line.add("path", name: entry.path.bytes)
        if case .renamed(let old) = entry.kind { line.add("from", name: old.bytes) }
        line.add("handler", entry.handler)
        let details = entry.details.filter { style.showsNoise || $0.noise == nil }.count
        if details > 0 { line.add("details", UInt64(details)) }
        if let old = entry.old { line.add("old", facts(old)) }
        if let new = entry.new { line.add("new", facts(new)) }
        if style.showsNoise, entry.countsItself { line.add("noise", entry.noise?.rawValue) }
        return line
    }

    private static func facts(_ entry: TreeEntry) -> JSONText {
        var facts = JSONText()
        facts.add("type", entry.kind.word)
        switch entry.kind {
        case .link:
            facts.add("target", name: entry.target)
        case .directory:
            facts.add("mode", entry.mode.octal)
        case .file, .identity:
            facts.add("mode", entry.mode.octal)
            facts.add("size", entry.size)
            if entry.digest != .zero { facts.add("digest", entry.digest.hex) }
        }
        return facts
    }
}
