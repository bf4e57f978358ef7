import CapsuleCore
import CapsuleEngine
import CapsulePropertyList
import CapsuleRules

extension TextReporter {
    func compared(_ diff: ContainerDiff, _ style: DiffStyle, _ result: ExpectationResult?) -> [UInt8] {
        let entries = EntryText(reporter: self, isFull: style.isFull, showsNoise: style.showsNoise)
        var report: [UInt8] = []
        for entry in diff.entries { report += entries.lines(of: entry) }
        return report + judged(diff, style) + noise(in: diff, style)
    }

    /// Returns the time and the changes that are not hidden; nothing if all are noise, which the end counts.
    func settled(_ diff: ContainerDiff, at time: Timestamp, _ style: DiffStyle) -> [UInt8] {
        guard style.showsNoise || diff.isDifferent else { return [] }
        return text(styled(time.iso8601(), 1) + "\n") + compared(diff, style, nil)
    }

    private func judged(_ diff: ContainerDiff, _ style: DiffStyle) -> [UInt8] {
        let counts = diff.counts
        let unshown = diff.entries.reduce(0) { $0 + (style.showsNoise ? $1.unshown.count : $1.unshown.signals) }
        guard unshown > 0 else { return [] }
        let all = counts.changes + (style.showsNoise ? counts.noiseChanges : 0)
        let way = style.isFull ? "" : "; --full shows all"
        return text(
            styled(
                "\(Quantity.changes(all, isExact: diff.isExact)), \(Quantity.grouped(UInt64(all - unshown))) of them shown\(way)",
                2)
                + "\n")
    }

    /// - Parameter command: the command that made the changes. If it failed, nothing passed.
    func judged(
        _ result: ExpectationResult, of diff: ContainerDiff, by file: [UInt8], command: CommandResult? = nil
    ) -> [UInt8] {
        let findings = result.report(on: diff)
        guard !findings.isEmpty else {
            let changes = Quantity.changes(diff.counts.changes, isExact: diff.isExact)
            let verdict = command?.failure == nil ? styled("passed", 32) : "no findings"
            return name(file) + text(": \(verdict): \(changes)\n")
        }
        var report: [UInt8] = []
        for finding in findings {
            report += text(styled("! ", 31) + DetailText.shown(finding.headline) + "\n")
            for line in finding.lines(limit: Self.shownChanges) { report += text("    " + DetailText.shown(line) + "\n") }
        }
        let count = Quantity.counted(result.findingCount, "finding", "findings")
        let all = result.findingCount
        let shown = all > findings.count ? ", \(Quantity.grouped(UInt64(findings.count))) shown" : ""
        return report + name(file) + text(": \(styled("failed", 31)): \(count)\(shown)\n")
    }

    private static let shownChanges = 3

    func noise(in diff: ContainerDiff, _ style: DiffStyle) -> [UInt8] {
        let counts = diff.counts
        guard counts.noiseChanges > 0, !style.showsNoise else { return [] }
        let classes = counts.noise.map { "\(QuotedBytes($0.noise.rawValue).text) \($0.changes)" }
        return text(
            styled(
                "\(Quantity.changes(counts.noiseChanges, isExact: diff.isExact)) hidden as noise "
                    + "(\(classes.joined(separator: ", "))); --all shows them", 2) + "\n")
    }
}

/// Formats the entries of a diff as lines for people: the change of the entry, then the differences inside, indented.
private struct EntryText {
    let reporter: TextReporter
    let isFull: Bool
    let showsNoise: Bool

    /// Returns all lines of an entry; none for noise, unless noise is shown.
    func lines(of entry: EntryChange) -> [UInt8] {
        if entry.isNoise, !showsNoise { return [] }
        var text = headline(of: entry)
        let details = DetailText(reporter: reporter, isFull: isFull, showsNoise: showsNoise)
        text += details.lines(of: entry.details.filter { showsNoise || $0.noise == nil }, in: entry.handler)
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

    private static func facts(of entry: TreeEntry?) -> String {
        guard let entry else { return "" }
        switch entry.kind {
        case .directory: return "/"
        case .link: return " -> \(QuotedBytes(entry.target).text)"
        case .file, .identity: return " (\(Quantity.bytes(entry.size)))"
        }
    }

    private static func sizes(of entry: EntryChange) -> String {
        guard let old = entry.old, let new = entry.new, old.kind == .file, old.digest != new.digest else { return "" }
        let words = [Quantity.bytes(old.size), Quantity.bytes(new.size)]
        return words[0] == words[1] ? " (\(words[0]))" : " (\(words.joined(separator: " \u{2192} ")))"
    }
}

/// Formats one line for each entry that differs, with the number of its changes, and one line for all of them.
struct StatText {
    let reporter: TextReporter
    let showsNoise: Bool

    func text(of diff: ContainerDiff) -> [UInt8] {
        let entries = diff.entries.filter { showsNoise || !$0.isNoise }
        var report: [UInt8] = []
        for entry in entries {
            if case .renamed(let old) = entry.kind { report += reporter.name(old.bytes) + reporter.text(" \u{2192} ") }
            report += reporter.name(entry.path.bytes) + reporter.text(" | \(summary(of: entry))\n")
        }
        return entries.isEmpty ? report : report + reporter.text(Self.total(of: entries) + "\n")
    }

    /// `3 entries differ: 1 added, 2 modified`
    static func total(of entries: [EntryChange]) -> String {
        let words = ["added", "deleted", "modified", "renamed", "type"].compactMap { word -> String? in
            let count = entries.count { $0.word == word }
            return count == 0 ? nil : "\(count) \(word == "type" ? "with another type" : word)"
        }
        return "\(Quantity.counted(UInt64(entries.count), "entry differs", "entries differ")): " + words.joined(separator: ", ")
    }

    func summary(of entry: EntryChange) -> String {
        let details = entry.details.filter { $0.isChange && (showsNoise || $0.noise == nil) }
        let count = details.count + (showsNoise ? entry.unshown.count : entry.unshown.signals)
        let isExact = !entry.details.contains { $0.isGap }
        let counted = count == 0 ? nil : Quantity.changes(count, isExact: isExact)
        let parts = [
            word(of: entry) ?? (details.isEmpty ? entry.new?.kind.word : nil), counted, operations(entry, details),
            sizes(of: entry),
        ]
        return parts.compactMap { $0 }.joined(separator: ", ")
    }

    private func word(of entry: EntryChange) -> String? {
        switch entry.kind {
        case .added, .deleted, .renamed: entry.word
        case .type: "type changed"
        case .modified: entry.handler
        }
    }

    /// `+2 -1 ~3`
    private func operations(_ entry: EntryChange, _ details: [ChangeDetail]) -> String? {
        let marks = [("added", "+", 32), ("deleted", "-", 31), ("modified", "~", 33)]
        let parts = marks.compactMap { word, mark, color -> String? in
            let count = details.count { $0.operation == word } + entry.unshown.count(of: word, countsNoise: showsNoise)
            return count == 0 ? nil : reporter.styled("\(mark)\(count)", color)
        }
        let lines = details.compactMap { detail -> String? in
            guard case .text(let change) = detail.content else { return nil }
            return "\(reporter.styled("+\(change.added)", 32)) \(reporter.styled("-\(change.deleted)", 31)) lines"
        }
        let all = parts + lines
        return all.isEmpty ? nil : all.joined(separator: " ")
    }

    private func sizes(of entry: EntryChange) -> String? {
        let sizes = [entry.old, entry.new].map { $0?.kind == .file ? $0?.size : nil }
        switch (sizes[0], sizes[1]) {
        case (let old?, let new?):
            let words = [Quantity.bytes(old), Quantity.bytes(new)]
            return words[0] == words[1] ? nil : words.joined(separator: " \u{2192} ")
        case (let size?, nil), (nil, let size?): return Quantity.bytes(size)
        case (nil, nil): return nil
        }
    }
}

/// The differences inside an entry, as lines for people below the entry's own line.
struct DetailText {
    let reporter: TextReporter
    let showsNoise: Bool
    /// True to show additions to nothing as what is there, without signs.
    private let isState: Bool
    private let values: DisplayValueText
    private let changes: PlistChangeText

    private static let indent = "    "

    init(reporter: TextReporter, isFull: Bool, showsNoise: Bool, isState: Bool = false) {
        self.reporter = reporter
        self.showsNoise = showsNoise
        self.isState = isState
        changes = PlistChangeText(reporter: reporter, isFull: isFull, isState: isState)
        values = DisplayValueText(values: changes)
    }

    static func mark(_ noise: NoiseClass?) -> [UInt8] {
        guard let noise else { return [] }
        return Array("  [\(QuotedBytes(noise.rawValue).text)]".utf8)
    }

    func lines(of details: [ChangeDetail], in handler: String?) -> [UInt8] {
        var text: [UInt8] = []
        var table: String?
        for detail in details {
            if case .row(let row) = detail.content {
                if row.table != table {
                    let entity = row.entity.map { " (\(Self.shown($0)))" } ?? ""
                    text += line(Self.shown(row.table) + entity)
                    table = row.table
                }
                text += line(Self.indent + self.row(row), noise: detail.noise, hanging: hanging(below: row))
                text += nested(row)
                continue
            }
            table = nil
            // Lines of a text are never wrapped, since they are the lines of a file.
            let isText = if case .text = detail.content { true } else { false }
            for part in self.text(of: detail.content, in: handler, isAlone: details.count == 1) {
                text += line(part, noise: detail.noise, hanging: isText ? nil : 2)
            }
        }
        return text
    }

    /// Returns a line of the report.
    /// - Parameter hanging: the indentation of continuation lines on a narrow terminal; nil to keep the line whole.
    private func line(_ text: String, noise: NoiseClass? = nil, hanging: Int? = nil) -> [UInt8] {
        let whole = Self.indent + text + String(decoding: Self.mark(noise), as: UTF8.self)
        guard let hanging else { return Array((whole + "\n").utf8) }
        return Array((reporter.wrapped(whole, indent: Self.indent.count + hanging) + "\n").utf8)
    }

    /// Returns the indentation for continuation lines of a row: they start below its first column.
    private func hanging(below row: RowChange) -> Int {
        let key = self.key(of: row)
        return Self.indent.count + 2 + (key.isEmpty ? 0 : WrappedLine.columns(of: key) + 2)
    }

    private func key(of row: RowChange) -> String {
        row.key.map { "\(Self.shown($0.column)) \(values.text($0.value))" }.joined(separator: ", ")
    }

    static func shown(_ name: String) -> String { QuotedBytes(name).text }

    private func text(of content: ChangeDetail.Content, in handler: String?, isAlone: Bool) -> [String] {
        switch content {
        case .value(let change): [changes.line(change, in: handler)]
        case .row: []
        case .schema(let change): [schema(change)]
        case .text(let change) where isState: change.hunks.flatMap(\.lines).map { Self.shown($0.text) }
        case .text(let change): TextHunkText(reporter: reporter).lines(of: change)
        case .bytes(let change): [bytes(change)]
        case .image(let change) where isState: [image(change.new)]
        case .image(let change): ["\(image(change.old)) \u{2192} \(image(change.new))"]
        case .cookie(let change): [cookie(change)]
        case .metadata(let change): [metadata(change)]
        case .encoding(let change):
            [
                reporter.styled(
                    "~ encoding\(isAlone ? " only" : ""): \(Self.shown(change.old)) \u{2192} \(Self.shown(change.new))", 33)
            ]
        case .fallback(let fallback): [self.fallback(fallback)]
        case .limit(let limit): [self.limit(limit)]
        }
    }

    /// Returns what a detail says, without the place that it is at.
    func words(_ content: ChangeDetail.Content) -> String {
        switch content {
        case .value(let change): changes.value(change)
        case .row(var row):
            { () -> String in
                row.key = []
                return self.row(row)
            }()
        default: text(of: content, in: nil, isAlone: true).first ?? ""
        }
    }

    private func row(_ row: RowChange) -> String {
        let key = self.key(of: row)
        let columns = row.columns.filter { showsNoise || $0.noise == nil }.map { column in
            let name = Self.shown(column.attribute ?? column.name)
            switch row.operation {
            case .added: return "\(name) \(values.text(column.new))"
            case .deleted: return "\(name) \(values.text(column.old))"
            case .modified:
                if !column.nested.isEmpty { return "\(name) differs inside" }
                return "\(name) \(typed(column.old, column.new)) \u{2192} \(typed(column.new, column.old))"
            }
        }
        let text = [key, columns.joined(separator: ", ")].filter { !$0.isEmpty }.joined(separator: ": ")
        return styled(text, row.operation)
    }

    /// Returns a value, with its type if the other one has a different type.
    private func typed(_ value: DisplayValue?, _ other: DisplayValue?) -> String {
        guard let own = value?.whole, let other = other?.whole, own.typeName != other.typeName, own != .null, other != .null
        else { return values.text(value) }
        return changes.typed(own)
    }

    private func nested(_ row: RowChange) -> [UInt8] {
        row.columns.filter { showsNoise || $0.noise == nil }.flatMap { column in
            column.nested.flatMap { change in
                line(
                    Self.indent + Self.indent + Self.shown(column.attribute ?? column.name) + " " + changes.line(change),
                    hanging: 2 * Self.indent.count + 2)
            }
        }
    }

    private func schema(_ change: SchemaChange) -> String {
        let name = "\(Self.shown(change.object)) \(Self.shown(change.name))"
        let (old, new) = (change.old.map(Self.shown), change.new.map(Self.shown))
        switch change.operation {
        case .added: return styled(name + (new.map { ": \($0)" } ?? ""), .added)
        case .deleted: return styled(name + (old.map { ": \($0)" } ?? ""), .deleted)
        case .modified: return styled("\(name): \(old ?? "nothing") \u{2192} \(new ?? "nothing")", .modified)
        }
    }

    private func styled(_ text: String, _ operation: ChangeOperation) -> String {
        if isState { return text }
        return switch operation {
        case .added: reporter.styled("+ " + text, 32)
        case .deleted: reporter.styled("- " + text, 31)
        case .modified: reporter.styled("~ " + text, 33)
        }
    }

    private func bytes(_ change: BytesChange) -> String {
        var parts = [
            change.oldSize == change.newSize
                ? Quantity.counted(change.newSize, "byte", "bytes")
                : "\(Quantity.grouped(change.oldSize)) \u{2192} \(Quantity.counted(change.newSize, "byte", "bytes"))"
        ]
        if let first = change.first { parts.append("first difference at byte \(Quantity.grouped(first))") }
        if let equal = change.equal { parts.append("\(Quantity.share(equal)) of the new content is in the old") }
        return parts.joined(separator: ", ")
    }

    private func image(_ side: ImageChange.Side) -> String {
        let pixels = side.width.flatMap { width in side.height.map { " \(width)\u{D7}\($0)" } } ?? ""
        return "\(side.format)\(pixels), \(Quantity.bytes(side.bytes))"
    }

    private func cookie(_ change: CookieChange) -> String {
        let name = "cookie \(Self.shown(change.cookie)) of \(Self.shown(change.domain))\(Self.shown(change.path))"
        let fields = change.fields.map { field in
            switch change.operation {
            case .added: "\(field.name) \(values.text(field.new))"
            case .deleted: "\(field.name) \(values.text(field.old))"
            case .modified: "\(field.name) \(values.text(field.old)) \u{2192} \(values.text(field.new))"
            }
        }
        return styled(
            ([name] + [fields.joined(separator: ", ")]).filter { !$0.isEmpty }.joined(separator: ": "), change.operation)
    }

    private func metadata(_ change: MetadataChange) -> String {
        var field = change.field.word
        if case .attribute(let name) = change.field { field += " \(QuotedBytes(name).text)" }
        let member = change.member.map { "\(QuotedBytes(Array($0.name)).text): " } ?? ""
        return reporter.styled("~ \(member)\(field) \(plain(change.old)) \u{2192} \(plain(change.new))", 33)
    }

    /// Returns modes and times without quotation marks.
    private func plain(_ value: DisplayValue?) -> String {
        if case .value(.string(let text)) = value { return Self.shown(text.string) }
        return values.text(value)
    }

    private func fallback(_ fallback: HandlerFallback) -> String {
        let side = fallback.side == .both ? "both sides" : fallback.side == .a ? "the old side" : "the new side"
        if fallback.from == HandlerFallback.content { return reporter.styled("! \(side) \(Self.shown(fallback.reason))", 35) }
        if fallback.to == HandlerFallback.nothing {
            return reporter.styled("! not fully compared: \(side): \(Self.shown(fallback.reason))", 35)
        }
        return reporter.styled("! not compared as \(fallback.from): \(side): \(Self.shown(fallback.reason))", 35)
    }

    private func limit(_ limit: Truncation) -> String {
        guard limit.isJudged else { return reporter.styled("! not fully compared: \(Self.shown(limit.reason))", 35) }
        let table = limit.table.map { " of \(Self.shown($0))" } ?? ""
        guard let shown = limit.shown else { return reporter.styled("! not everything is shown: \(limit.what)\(table)", 35) }
        let total = limit.total.map { " of \(Quantity.grouped($0))" } ?? ""
        let way = isState && limit.what == "rows" ? "; '--limit N' shows more" : ""
        return reporter.styled("! \(Quantity.grouped(shown))\(total) \(limit.what)\(table) are shown\(way)", 35)
    }
}

/// Formats values of changes on one line, for people.
private struct DisplayValueText {
    let values: PlistChangeText

    func text(_ value: DisplayValue?) -> String {
        if let image = value?.imageText { return image }
        return switch value {
        case nil: "nothing"
        case .value(.null): "NULL"
        case .value(let value): values.text(value)
        case .dataHead(let head, let count, _): PlistValue.line(ofData: head, count: count, length: values.length)
        case .textHead(let head, let count, _): PlistValue.string(head).line(length: shown) + " (of \(count) bytes)"
        case .external(let name, let size, let digest): Self.external(name, size, digest)
        case .hidden(let kind): "hidden (\(kind))"
        }
    }

    /// The number of characters that are shown of a value of which only the beginning is known.
    private var shown: Int { values.length ?? .max }

    private static func external(_ name: String, _ size: UInt64?, _ digest: ContentDigest?) -> String {
        let place = QuotedBytes(name).text
        guard let size else { return "external file \(place), which is missing" }
        let sum = digest.map { ", SHA-256 \($0.hex.prefix(8))…" } ?? ""
        return "external file \(place), \(Quantity.bytes(size))\(sum)"
    }
}

/// Lines of texts as a unified diff.
struct TextHunkText {
    let reporter: TextReporter

    func lines(of change: TextChange) -> [String] {
        var lines: [String] = []
        for hunk in change.hunks where !hunk.lines.isEmpty {
            lines.append(reporter.styled("@@ -\(Self.range(hunk.old)) +\(Self.range(hunk.new)) @@", 36))
            for line in hunk.lines {
                for text in Self.lines(of: line).map(DetailText.shown) {
                    switch line.kind {
                    case .context: lines.append(text)
                    case .deleted: lines.append(reporter.styled(text, 31))
                    case .added: lines.append(reporter.styled(text, 32))
                    }
                }
            }
        }
        return lines
    }

    /// Returns a line as in a unified diff, and the line that says that it has no newline at its end.
    static func lines(of line: TextChange.Line) -> [String] {
        let mark =
            switch line.kind {
            case .context: " "
            case .deleted: "-"
            case .added: "+"
            }
        return [mark + line.text] + (line.lacksNewline ? [missingNewline] : [])
    }

    private static let missingNewline = "\\ no newline at the end"

    /// Formats a range as GNU diff does: a count of 1 is omitted.
    private static func range(_ range: TextChange.LineRange) -> String {
        range.count == 1 ? "\(range.start)" : "\(range.start),\(range.count)"
    }
}
