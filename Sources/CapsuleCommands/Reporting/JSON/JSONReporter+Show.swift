import CapsuleCore
import CapsuleEngine
import CapsulePropertyList
import CapsuleRules

extension JSONReporter {
    func showStart(as argument: [UInt8]) -> [UInt8] { JSONObject(header: "show", ["source": JSONName(argument)]).line }

    func shown(_ file: ShownFile, isFull: Bool) -> [UInt8] {
        let entry: JSONObject = [
            "kind": "file", "path": JSONName(file.entry.path.bytes), "format": file.format, "size": file.entry.size,
            "value": file.value?.json(),
            "head": file.head.isEmpty ? nil : String(decoding: Base64.encode(file.head), as: UTF8.self),
        ]
        var report = entry.line
        for table in file.tables { report += line(of: table, in: file.entry.path) }
        let style = DiffStyle(isFull: isFull, showsNoise: false)
        let details = JSONDetail(file.entry.path, style)
        if file.value == nil { for detail in file.details { details.line(detail).appendLine(to: &report) } }
        return report
    }

    private func line(of table: TableSummary, in path: RelativePath) -> [UInt8] {
        let columns: [JSONObject] = table.columns.map { ["name": $0.name, "attribute": $0.attribute] }
        let line: JSONObject = [
            "kind": "table", "path": JSONName(path.bytes), "table": table.table, "entity": table.entity, "rows": table.rows,
            "columns": columns,
        ]
        return line.line
    }

    func overviewed(_ overview: ContainerOverview, as argument: [UInt8]) -> [UInt8] {
        let origin = overview.origin
        let directories: [JSONObject] = overview.directories.map { ["path": JSONName($0.path), "bytes": $0.bytes] }
        let files: [JSONObject] = overview.largest.map { ["path": JSONName($0.path.bytes), "bytes": $0.bytes] }
        let preferences: [JSONObject] = overview.preferences.map { ["path": JSONName($0.path.bytes), "keys": $0.keys] }
        let facts: JSONObject = [
            "kind": "overview", "name": JSONName(overview.name), "bundleIdentifier": origin.bundleIdentifier?.string,
            "appVersion": origin.appVersion?.string, "version": origin.version, "label": origin.label?.text,
            "captured": origin.captured?.iso8601(), "entries": overview.entries, "bytes": overview.bytes,
            "groups": overview.groups.map(JSONName.init), "omitted": overview.omitted, "directories": directories,
            "files": files,
            "preferences": preferences, "more": overview.more,
        ]
        var report = showStart(as: argument) + facts.line
        for database in overview.databases {
            let line: JSONObject = [
                "kind": "database", "path": JSONName(database.path.bytes), "readable": database.tables != nil,
            ]
            report += line.line
            for table in database.tables ?? [] { report += self.line(of: table, in: database.path) }
        }
        return report
    }
}

extension JSONReporter {
    func searchStart(as argument: [UInt8]) -> [UInt8] { JSONObject(header: "grep", ["source": JSONName(argument)]).line }

    func found(_ hits: [ContainerSearch.Hit], in version: UInt32?, isFull: Bool) -> [UInt8] {
        let text = TextReporter(escapesNames: false, isStyled: false)
        let details = DetailText(reporter: text, isFull: isFull, showsNoise: true, isState: true)
        return hits.flatMap { hit in
            let line: JSONObject = [
                "kind": "hit", "version": version, "path": JSONName(hit.path.bytes), "place": hit.place,
                "text": hit.line ?? hit.detail.map(details.words),
            ]
            return line.line
        }
    }

    func scanned(_ outcome: SecretScan.Outcome, of argument: [UInt8], written: Packer.Outcome?) -> [UInt8] {
        var report = JSONObject(header: "redact", ["source": JSONName(argument)]).line
        for finding in outcome.findings {
            let line: JSONObject = [
                "kind": "finding", "path": JSONName(finding.path.bytes), "place": finding.place, "why": finding.reason.rawValue,
                "count": finding.count,
            ]
            report += line.line
        }
        for path in outcome.opaque { report += (["kind": "opaque", "path": JSONName(path.bytes)] as JSONObject).line }
        let end: JSONObject = [
            "kind": "end", "findings": outcome.findings.reduce(0) { $0 + $1.count },
            "files": Set(outcome.findings.map(\.path)).count, "opaque": outcome.opaque.count,
            "complete": outcome.failures.isEmpty, "file": written.map { JSONName($0.path.bytes) }, "fileBytes": written?.length,
            "values": written?.redaction?.values,
        ]
        return report + end.line
    }

    func found(_ files: [(path: RelativePath, count: Int?)], in version: UInt32?) -> [UInt8] {
        files.flatMap { file in
            let line: JSONObject = [
                "kind": "file", "version": version, "path": JSONName(file.path.bytes), "count": file.count,
            ]
            return line.line
        }
    }
}

extension JSONReporter {
    func changed(_ history: VersionHistory, as argument: [UInt8], _ style: DiffStyle, isPatch: Bool) -> [UInt8] {
        let start = JSONObject(
            header: "log",
            ["file": JSONName(argument), "path": history.path.map { JSONName($0.bytes) }, "place": history.place])
        return history.changes.reduce(start.line) { report, change in
            let counts = Dictionary(grouping: change.diff.entries, by: \.word).mapValues(\.count)
            let version: JSONObject = [
                "kind": "version", "number": change.version, "label": change.labels.first?.text,
                "labels": change.labels.map(\.text), "captured": change.captured.iso8601(), "added": counts["added"] ?? 0,
                "deleted": counts["deleted"] ?? 0, "modified": counts["modified"] ?? 0, "renamed": counts["renamed"] ?? 0,
                "type": counts["type"] ?? 0,
            ]
            return report + version.line + (isPatch || history.path != nil ? lines(of: change.diff, style) : [])
        }
    }
}

extension JSONReporter {
    func serving(at port: UInt16, file: HostPath) -> [UInt8] {
        JSONObject(schema: "serve", ["kind": "start", "port": Int(port), "portFile": JSONName(file.bytes)]).line
    }

    /// Returns the reply to a request of `capsule serve`.
    /// - Parameter lines: what the command printed, each an object.
    func served(status: Int32, _ lines: [JSONText], messages: [UInt8], page: [UInt8]?) -> [UInt8] {
        JSONObject(
            schema: "serve",
            [
                "kind": "reply", "status": UInt64(max(0, status)), "lines": lines,
                "messages": String(decoding: messages, as: UTF8.self), "page": page.map { String(decoding: $0, as: UTF8.self) },
            ]
        ).line
    }
}

/// Text in JSON.
struct JSONText: JSONValue {
    private let bytes: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) { self.bytes = bytes }

    func append(to json: inout [UInt8]) { json += bytes }
}
