import CapsuleCore
import CapsuleEngine
import CapsulePropertyList

extension JSONReporter {
    func compacted(_ outcome: Compactor.Outcome, as argument: [UInt8]) -> [UInt8] {
        var report = object("compact")
        report.add("file", name: argument)
        report.add("output", name: outcome.path.bytes)
        report.add("changed", outcome.isChanged)
        report.add("bytesBefore", outcome.lengthBefore)
        report.add("fileBytes", outcome.length)
        report.add("kept", numbers: outcome.kept.map(UInt64.init))
        report.add("dropped", numbers: outcome.dropped.map(UInt64.init))
        return report.closed + [Self.newline]
    }

    func logged(_ log: VersionLog, as argument: [UInt8]) -> [UInt8] {
        var report = object("log")
        report.add("file", name: argument)
        report.add("whole", log.isWhole)
        report.add("versions", list: log.versions.map(item))
        report.add("warnings", names: log.warnings.map { Array($0.message.utf8) })
        report.add("problems", names: log.failures.map { Array($0.message.utf8) })
        return report.closed + [Self.newline]
    }

    private func item(_ version: VersionLog.Version) -> JSONText {
        var item = JSONText()
        item.add("number", UInt64(version.number))
        item.add("bytesAdded", version.added)
        item.add("problem", version.problem)
        guard let manifest = version.manifest else { return item }
        item.add("name", name: manifest.name)
        item.add("label", manifest.label?.text)
        item.add("note", manifest.note?.string)
        item.add("captured", manifest.captured.iso8601())
        item.add("layout", manifest.layout.rawValue)
        add(manifest.source, to: &item)
        item.add("entries", manifest.entries)
        item.add("bytes", manifest.bytes)
        item.add("treeDigest", manifest.treeDigest.hex)
        item.add("contentDigest", manifest.contentDigest.hex)
        return item
    }

    func recovered(_ outcome: RecoveryOutcome, as argument: [UInt8]) -> [UInt8] {
        var report = object("recover")
        report.add("target", name: argument)
        report.add("recovered", list: outcome.directories.map(Self.recovered))
        report.add(
            "leftovers",
            list: outcome.leftovers.map { leftover in
                var item = JSONText()
                item.add("path", name: leftover.path.bytes)
                item.add("state", leftover.state.rawValue)
                return item
            })
        return report.closed + [Self.newline]
    }

    /// A directory in which something was unfinished.
    static func recovered(_ directory: RecoveryOutcome.Directory) -> JSONText {
        var item = JSONText()
        item.add("path", name: directory.path.bytes)
        item.add("outcome", directory.result.rawValue)
        return item
    }

    func repaired(_ outcome: RepairOutcome, as argument: [UInt8]) -> [UInt8] {
        var report = object("repair")
        report.add("file", name: argument)
        report.add("tail", outcome.tail.rawValue)
        report.add("bytes", outcome.offset)
        report.add("dropped", outcome.dropped)
        if let saved = outcome.saved { report.add("saved", name: saved.bytes) }
        report.add("versions", numbers: outcome.versions.map(UInt64.init))
        report.add("whole", outcome.remaining.isWhole)
        report.add(
            "lost",
            list: outcome.lost.map { manifest in
                var item = JSONText()
                item.add("number", UInt64(manifest.version))
                item.add("label", manifest.label?.text)
                item.add("note", manifest.note?.string)
                item.add("captured", manifest.captured.iso8601())
                item.add("entries", manifest.entries)
                item.add("bytes", manifest.bytes)
                return item
            })
        return report.closed + [Self.newline]
    }
}
