import CapsuleCore
import CapsuleEngine
import CapsuleOverlay
import CapsulePropertyList

extension TextReporter {
    func checked(
        _ inspection: OverlayInspection, _ carried: OverlayInspection.Payload, _ repetition: PlistApplier.Repetition?,
        as argument: [UInt8]
    ) -> [UInt8] {
        let overlay = inspection.overlay
        let steps = UInt64(overlay.targets.map(\.steps.count).reduce(0, +))
        var parts = [inspection.isCapsule ? "an overlay capsule" : overlay.form.nameWithArticle]
        if steps > 0 || overlay.files.isEmpty { parts.append(Quantity.counted(steps, "step", "steps")) }
        if !overlay.files.isEmpty { parts.append(Quantity.counted(UInt64(overlay.files.count), "record", "records")) }
        if carried.contents > 0 { parts.append(Quantity.counted(carried.bytes, "byte", "bytes") + " carried") }
        var report = name(argument) + text(": \(styled("OK", 32)), \(parts.joined(separator: ", "))\n")
        if carried.withoutOld > 0 {
            report += text(
                "one-way: it does not include the old contents of \(Quantity.counted(carried.withoutOld, "file", "files"))\n")
        }
        switch repetition {
        case .nothing: report += text("idempotent: applied again, it changes nothing\n")
        case .change: report += text("not idempotent: applied again, it makes further changes\n")
        case .failure(let message): report += text("not idempotent: applied again, it fails: \(message)\n")
        case nil: break
        }
        return report
    }

    func shown(_ inspection: OverlayInspection, as argument: [UInt8], isFull: Bool) -> [UInt8] {
        let overlay = inspection.overlay
        let change = PlistChangeText(reporter: self, isFull: isFull)
        var rows: [(indent: Int, term: String, text: String)] = []
        func add(_ indent: Int, _ term: String, _ text: String?) {
            if let text { rows.append((indent, term, QuotedBytes(text).text)) }
        }
        func list(_ conditions: [Condition]) -> String? {
            conditions.isEmpty ? nil : conditions.map(\.description).joined(separator: ", ")
        }
        add(0, "form", inspection.isCapsule ? "an overlay capsule" : overlay.form.nameWithArticle)
        add(0, "name", overlay.name)
        add(0, "note", overlay.note)
        add(0, "when", list(overlay.conditions))
        for rule in overlay.arrays { add(0, "arrays", "\(rule.pattern) \(rule.identity)") }
        for target in overlay.targets {
            let isNamed = target.path != nil || overlay.targets.count > 1
            if isNamed {
                add(0, "target", (target.root == .appData ? "" : "\(target.root):") + (target.path ?? "(the property list)"))
            }
            let indent = isNamed ? 2 : 0
            add(indent, "when", list(target.conditions))
            add(indent, "create", target.create?.word)
            for step in target.steps {
                var line = PlistChangeText.place(step.place)
                if let value = step.value { line += ": \(change.text(value))" }
                if let from = step.from { line += " from \(PlistChangeText.place(from))" }
                if let conditions = list(step.conditions) { line += ", if \(conditions)" }
                rows.append((indent, step.name, line))
            }
            add(indent, "encode", target.encode?.word)
        }
        let width = (rows.map { $0.indent + $0.term.count }.max() ?? 0) + 2
        let lines = rows.flatMap { row in
            text((String(repeating: " ", count: row.indent) + row.term).padded(to: width) + row.text + "\n")
        }
        let records = RecordText(isFull: isFull)
        return lines + overlay.files.flatMap { record in text(records.line(of: record) + "\n") }
    }

    func identities(_ table: [ArrayIdentities.BuiltIn]) -> [UInt8] {
        let first = (table.map(\.pattern.count).max() ?? 0) + 2
        let second = (table.map(\.identity.description.count).max() ?? 0) + 2
        return table.flatMap { line in
            text(line.pattern.padded(to: first) + line.identity.description.padded(to: second) + line.source + "\n")
        }
    }
}

/// Formats the effects of an overlay on files, as lines with a letter, the path and the changes.
struct RecordText {
    enum Change: String {
        case added, deleted, modified, type
        /// No change: the state is only required.
        case precondition

        /// The letter in the name-status form of a diff; `=` for a precondition.
        var letter: String { self == .precondition ? "=" : rawValue.prefix(1).uppercased() }
    }

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

extension TextReporter {
    private static let shownDeletions = 20

    func applied(_ outcome: ApplyOutcome, to argument: [UInt8], _ style: DiffStyle) -> [UInt8] {
        let changes = outcome.changes.map { compared($0, style, nil) } ?? []
        let word =
            !outcome.isChanged && outcome.remaining > 0
            ? "nothing can be changed" : state(isChanged: outcome.isChanged, isWritten: outcome.isWritten)
        var counts = outcome.counts.words
        if outcome.remaining > 0 {
            let staying = Quantity.counted(UInt64(outcome.remaining), "directory remains", "directories remain")
            counts += counts.isEmpty ? staying : ", \(staying)"
        }
        var deletions: [UInt8] = []
        if outcome.changes == nil {
            for path in outcome.deletions.prefix(Self.shownDeletions) {
                deletions += text("\(styled("-", 31)) ") + name(path.bytes) + text("\n")
            }
            let more = outcome.deletions.count - min(outcome.deletions.count, Self.shownDeletions)
            if more > 0 { deletions += text("- and \(Quantity.counted(UInt64(more), "more entry", "more entries"))\n") }
        }
        let groups = outcome.groups.flatMap { group in
            text(group.identifier == ContainerNames.keychain ? "  the device's keychain" : "  app group ")
                + (group.identifier == ContainerNames.keychain ? [] : name(group.identifier))
                + text(": \(group.counts.isEmpty ? "nothing to change" : group.counts.words)\n")
        }
        return changes + deletions + name(argument) + text(": \(word)\(counts.isEmpty ? "" : ": \(counts)")\n") + groups
    }
}

extension ApplyCounts {
    /// `3 files written (1.2 MB), 2 entries deleted`
    fileprivate var words: String {
        var parts: [String] = []
        if written > 0 {
            parts.append("\(Quantity.counted(UInt64(written), "file", "files")) written (\(Quantity.bytes(bytes)))")
        }
        if made > 0 { parts.append("\(Quantity.counted(UInt64(made), "directory or link", "directories or links")) created") }
        if deleted > 0 { parts.append("\(Quantity.counted(UInt64(deleted), "entry", "entries")) deleted") }
        if facts > 0 { parts.append("mode or attributes changed on \(Quantity.counted(UInt64(facts), "entry", "entries"))") }
        return parts.joined(separator: ", ")
    }
}
