import CapsuleCore

extension HTMLPageWriter {
    /// What differs inside an entry: details of one kind that follow each other make one section.
    mutating func details(of entry: EntryChange) {
        var rest = entry.details[...]
        while let first = rest.first {
            let section = Self.section(of: first)
            let end = rest.firstIndex { Self.section(of: $0) != section } ?? rest.endIndex
            let details = rest[rest.startIndex..<end]
            rest = rest[end...]
            write(details, of: section, in: entry)
        }
        hiddenNoise(in: entry)
    }

    private enum Section: Hashable {
        case values
        case rows(table: String)
        case schema
        case cookies
        case metadata
        case single
    }

    private static func section(of detail: ChangeDetail) -> Section {
        switch detail.content {
        case .value: .values
        case .row(let row): .rows(table: row.table)
        case .schema: .schema
        case .cookie: .cookies
        case .metadata: .metadata
        default: .single
        }
    }

    private mutating func write(_ details: ArraySlice<ChangeDetail>, of section: Section, in entry: EntryChange) {
        switch section {
        case .values: values(details)
        case .rows(let table): rows(details, of: Self.total(of: table, in: entry))
        case .schema: schema(details)
        case .cookies: cookies(details)
        case .metadata: metadata(details)
        case .single: for detail in details { single(detail, in: entry) }
        }
    }

    /// How many rows of a table differ, where the entry says that not all are shown.
    private static func total(of table: String, in entry: EntryChange) -> UInt64? {
        entry.details.lazy.compactMap { detail -> UInt64? in
            guard case .limit(let limit) = detail.content, limit.table == table, limit.what == "rows" else { return nil }
            return limit.total
        }
        .first
    }

    private mutating func single(_ detail: ChangeDetail, in entry: EntryChange) {
        markLine(detail.content)
        switch detail.content {
        case .text(let change): text(change, noise: detail.noise)
        case .bytes(let change): bytes(change, noise: detail.noise)
        case .image(let change): image(change, of: entry, noise: detail.noise)
        case .encoding(let change): encoding(change, noise: detail.noise)
        case .fallback(let fallback): note(fallback)
        case .limit(let limit): note(limit)
        default: break
        }
    }

    /// Begins a section; one whose lines are all noise is hidden with them.
    mutating func openSection(isNoise: Bool) {
        out.raw(isNoise ? "<section class=\"nz\">" : "<section>")
    }

    mutating func openSection(_ details: ArraySlice<ChangeDetail>) {
        openSection(isNoise: details.allSatisfy { $0.noise != nil })
    }

    /// Says how many lines the noise filter hides, since they are always counted.
    private mutating func hiddenNoise(in entry: EntryChange) {
        guard !entry.isNoise else { return }
        let hidden = entry.details.count { $0.isChange && $0.noise != nil }
        guard hidden > 0 else { return }
        out.raw("<p class=\"hid off-only\">")
        out.text(counted(hidden, "change", "changes"))
        out.raw(" hidden as noise</p>\n")
    }
}
