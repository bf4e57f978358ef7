import CapsuleArguments
import CapsuleCore
import CapsuleEngine

extension TextReporter {
    /// Returns a table, the largest row first. The first row of a table of directories is the total; others have the total as another row.
    func measured(_ usage: SpaceUsage, by choice: UsageChoice, as argument: [UInt8]) -> [UInt8] {
        let isStored = usage.total.stored != nil
        let count = choice == .version ? "entries" : choice == .file ? "kind" : "files"
        var lines = [(["size"] + (isStored ? ["stored"] : []) + [count], text(choice.rawValue))]
        if choice != .directory {
            var total = columns(of: usage.total)
            if choice == .file { total[total.count - 1] = Quantity.counted(usage.total.files, "file", "files") }
            lines.append((total, text("total")))
        }
        lines += usage.rows.map { (columns(of: $0), name(of: $0)) }
        let widths = lines[0].0.indices.map { column in lines.map { $0.0[column].count }.max() ?? 0 }
        return lines.flatMap { columns, name in
            text(zip(columns, widths).map { $0.paddedLeft(to: $1) }.joined(separator: "  ") + "  ") + name + text("\n")
        }
    }

    private func columns(of row: SpaceUsage.Row) -> [String] {
        [Quantity.bytes(row.bytes)] + (row.stored.map { [Quantity.bytes($0)] } ?? []) + [
            row.kind?.rawValue ?? Quantity.grouped(row.files)
        ]
    }

    private func name(of row: SpaceUsage.Row) -> [UInt8] {
        switch row.name {
        case .path(let path): path.isEmpty ? text(".") : name(path)
        case .word(let word): text(word ?? "no class")
        case .version(let number, let labels):
            text(([String(number)] + labels.map(\.text)).joined(separator: "  "))
        }
    }
}

extension JSONReporter {
    func measured(_ usage: SpaceUsage, by choice: UsageChoice, as argument: [UInt8]) -> [UInt8] {
        var report = JSONObject(header: "du", ["source": JSONName(argument), "by": choice.rawValue]).line
        let count = choice == .version ? "entries" : "files"
        for row in usage.rows {
            var line: JSONObject = ["kind": choice.rawValue]
            switch row.name {
            case .path(let path): line.add("path", JSONName(path.isEmpty ? Array(".".utf8) : path))
            case .word(let word): line.add("name", word)
            case .version(let number, let labels): line.add(["number": number, "labels": labels.map(\.text)])
            }
            if let kind = row.kind { line.add("content", kind.rawValue) }
            line.add(["bytes": row.bytes, "stored": row.stored, count: row.files])
            report += line.line
        }
        let total = usage.total
        return report + (["kind": "end", "bytes": total.bytes, "stored": total.stored, count: total.files] as JSONObject).line
    }
}
