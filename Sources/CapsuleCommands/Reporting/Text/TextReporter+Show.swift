import CapsuleCore
import CapsuleEngine
import CapsulePropertyList
import CapsuleRules

extension TextReporter {
    func showStart(as argument: [UInt8]) -> [UInt8] { [] }

    func shown(_ file: ShownFile, isFull: Bool) -> [UInt8] {
        let entry = file.entry
        var report = styled(name(entry.path.bytes), 1) + text(" (\(file.format), \(Quantity.bytes(entry.size)))\n")
        if file.details.isEmpty {
            for table in file.tables { report += text("    " + DetailText.shown(Self.line(of: table)) + "\n") }
            for line in HexadecimalLines(file.head).lines { report += text("    \(line)\n") }
            if entry.size > UInt64(file.head.count), !file.head.isEmpty {
                report += text("    \u{2026}\n")
            }
        }
        let details = DetailText(reporter: self, isFull: isFull, showsNoise: true, isState: true)
        report += details.lines(of: file.details, in: file.format)
        return report + secrets(file.hiddenSecrets)
    }

    /// `ZGIF (Gif), 12 rows: Z_PK, title, favourite`
    private static func line(of table: TableSummary) -> String {
        let columns = table.columns.map { $0.attribute ?? $0.name }.joined(separator: ", ")
        let entity = table.entity.map { " (\($0))" } ?? ""
        return "\(table.table)\(entity), \(Quantity.counted(table.rows, "row", "rows")): \(columns)"
    }

    func overviewed(_ overview: ContainerOverview, as argument: [UInt8]) -> [UInt8] {
        let origin = overview.origin
        let app = [origin.bundleIdentifier?.string, origin.appVersion?.string].compactMap { $0 }.joined(separator: " ")
        var report = styled(name(app.isEmpty ? overview.name : Array(app.utf8)), 1) + text("\n")
        var facts: [String] = []
        if let version = origin.version { facts.append("version \(version)" + (origin.label.map { " (\($0.text))" } ?? "")) }
        if let captured = origin.captured { facts.append("captured \(captured.iso8601())") }
        facts.append(Quantity.counted(overview.entries, "entry", "entries"))
        facts.append(Quantity.bytes(overview.bytes))
        if !overview.groups.isEmpty { facts.append(Quantity.counted(UInt64(overview.groups.count), "app group", "app groups")) }
        if overview.omitted > 0 { facts.append("\(Quantity.counted(UInt64(overview.omitted), "path", "paths")) left out") }
        report += text(facts.map(DetailText.shown).joined(separator: ", ") + "\n")
        report += section(
            "Largest directories",
            overview.directories.prefix(8).map { directory in
                text(Quantity.bytes(directory.bytes).leftPadded(to: 10) + "  ") + name(directory.path)
            })
        report += section(
            "Largest files",
            overview.largest.map { file in
                text(Quantity.bytes(file.bytes).leftPadded(to: 10) + "  ") + name(file.path.bytes)
            })
        report += section(
            "Databases",
            overview.databases.map { database in
                let tables = database.tables.map { tables in
                    let words = tables.sorted { ($1.rows, $0.table) < ($0.rows, $1.table) }.prefix(8).map {
                        "\($0.entity ?? $0.table) \(Quantity.grouped($0.rows))"
                    }
                    return words.joined(separator: ", ") + (tables.count > 8 ? ", and \(tables.count - 8) more tables" : "")
                }
                return name(database.path.bytes) + text(": " + DetailText.shown(tables ?? "can't be read"))
            })
        report += section(
            "Preferences",
            overview.preferences.map { file in
                name(file.path.bytes)
                    + text(": " + (file.keys.map { Quantity.counted(UInt64($0), "key", "keys") } ?? "can't be read"))
            })
        if overview.more > 0 { report += text("  and \(Quantity.counted(UInt64(overview.more), "more file", "more files"))\n") }
        let container = HostPath(argument).shellWord
        let database = overview.databases.first { $0.tables != nil }.map { "\($0.path)" }
        report += text("\n'capsule show \(container) PATH' shows a file")
        if let database {
            report += text(
                ", 'capsule show \(container) \(HostPath(Array(database.utf8) + Array(":TABLE".utf8)).shellWord)' the rows of a table"
            )
        }
        return report + text("\n")
    }

    private func section(_ title: String, _ lines: some Collection<[UInt8]>) -> [UInt8] {
        guard !lines.isEmpty else { return [] }
        return text("\n" + styled(title, 1) + "\n") + lines.flatMap { text("  ") + $0 + text("\n") }
    }
}

extension TextReporter {
    func searchStart(as argument: [UInt8]) -> [UInt8] { [] }

    /// `PATH:PLACE: what is there`, behind `VERSION:` if several are searched.
    func found(_ hits: [ContainerSearch.Hit], in version: UInt32?, isFull: Bool) -> [UInt8] {
        let details = DetailText(reporter: self, isFull: isFull, showsNoise: true, isState: true)
        return hits.flatMap { hit in
            let place = hit.place.map { text(":" + DetailText.shown($0)) } ?? []
            let words = hit.line.map(DetailText.shown) ?? hit.detail.map(details.words)
            return prefix(version) + styled(name(hit.path.bytes), 35) + place + text((words.map { ": \($0)" } ?? "") + "\n")
        }
    }

    func found(_ files: [(path: RelativePath, count: Int?)], in version: UInt32?) -> [UInt8] {
        files.flatMap { file in
            prefix(version) + styled(name(file.path.bytes), 35) + text((file.count.map { ": \($0)" } ?? "") + "\n")
        }
    }

    /// `PATH:PLACE: what was found`, and a summary.
    func scanned(_ outcome: SecretScan.Outcome, of argument: [UInt8], written: Packer.Outcome?) -> [UInt8] {
        var report = outcome.findings.flatMap { finding in
            let place = finding.place.map { text(":" + DetailText.shown($0)) } ?? []
            return styled(name(finding.path.bytes), 35) + place + text(": \(finding.words)\n")
        }
        let count = UInt64(outcome.findings.reduce(0) { $0 + $1.count })
        let files = UInt64(Set(outcome.findings.map(\.path)).count)
        report += text(
            count == 0
                ? "nothing found"
                : "\(Quantity.counted(count, "finding", "findings")) in \(Quantity.counted(files, "entry", "entries"))")
        if !outcome.opaque.isEmpty {
            let opaque = Quantity.counted(
                UInt64(outcome.opaque.count), "file is a picture or has no known format and was",
                "files are pictures or have no known format and were")
            report += text("; \(opaque) not searched for secrets")
        }
        return report + text("\n") + (written.map(packed) ?? [])
    }

    private func prefix(_ version: UInt32?) -> [UInt8] { text(version.map { "\($0):" } ?? "") }
}

extension SecretScan.Finding {
    /// `secret`, `2 secrets`, `cookie`
    fileprivate var words: String {
        switch reason {
        case .secret: count == 1 ? "secret" : "\(count) secrets"
        case .cookie: "cookie"
        case .keychain: "keychain"
        case .text: "text of --find"
        }
    }
}
