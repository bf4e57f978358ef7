import CapsuleContainers
import CapsuleCore
import CapsuleEngine
import CapsulePropertyList

/// Reports for machines, as JSON lines. Each line is an object; the first one names the schema and its version.
struct JSONReporter: Reporter {
    static let newline = UInt8(ascii: "\n")

    func object(_ schema: String) -> JSONText {
        var object = JSONText()
        object.add("schema", "capsule.\(schema)")
        object.add("version", UInt64(1))
        return object
    }

    func packed(_ outcome: Packer.Outcome) -> [UInt8] {
        var report = object("pack")
        report.add("file", name: outcome.path.bytes)
        report.add("bytesWritten", outcome.added)
        report.add("fileBytes", outcome.length)
        add(outcome.manifest, to: &report)
        return report.closed + [Self.newline]
    }

    func unpacked(_ outcome: UnpackOutcome) -> [UInt8] {
        var report = object("unpack")
        report.add("path", name: outcome.path.bytes)
        report.add("entries", outcome.entries)
        report.add("bytes", outcome.bytes)
        report.add("notes", names: outcome.notes.map { Array($0.utf8) })
        return report.closed + [Self.newline]
    }

    func verified(_ outcome: Verifier.Outcome, as argument: [UInt8]) -> [UInt8] {
        var report = object("verify")
        report.add("file", name: argument)
        report.add("whole", outcome.isWhole)
        report.add("streamCompared", outcome.isStreamCompared)
        report.add("versions", UInt64(outcome.versions))
        report.add("entries", outcome.entries)
        report.add("bytes", outcome.bytes)
        report.add("warnings", names: outcome.warnings.map { Array($0.utf8) })
        report.add(
            "findings",
            list: outcome.findings.map { finding in
                var item = JSONText()
                if let version = finding.version { item.add("version", UInt64(version)) }
                if let path = finding.path { item.add("path", name: path) }
                item.add("message", finding.message)
                return item
            })
        return report.closed + [Self.newline]
    }

    func listingStart(as argument: [UInt8]) -> [UInt8] {
        var header = JSONText()
        header.add("kind", "header")
        header.add("schema", "capsule.ls")
        header.add("version", UInt64(1))
        header.add("source", name: argument)
        return header.closed + [Self.newline]
    }

    func listed(_ entries: ArraySlice<TreeEntry>, of listing: ContainerListing, isLong: Bool) -> [UInt8] {
        var report: [UInt8] = []
        report.reserveCapacity(entries.count * 256)
        var line = JSONText()
        for entry in entries {
            line.restart()
            add(entry, listing.isDigested, to: &line)
            report += line.bytes
            report += Self.lineEnd
        }
        return report
    }

    func listingEnd(entries: UInt64) -> [UInt8] {
        var end = JSONText()
        end.add("kind", "end")
        end.add("entries", entries)
        return end.closed + [Self.newline]
    }

    private static let lineEnd = [UInt8(ascii: "}"), newline]

    private func add(_ entry: TreeEntry, _ isDigested: Bool, to line: inout JSONText) {
        line.add("kind", "entry")
        line.add("path", name: entry.path.bytes)
        line.add("type", entry.kind.word)
        line.add("mode", entry.mode.octal)
        line.add("modified") { entry.modified.appendISO8601(fraction: true, to: &$0) }
        if entry.kind.hasContent {
            line.add("size", entry.size)
            if isDigested { line.add("digest") { entry.digest.appendHex(to: &$0) } }
        }
        if entry.kind == .link { line.add("target", name: entry.target) }
        if !entry.attributes.isEmpty {
            line.add(
                "attributes",
                list: entry.attributes.map { attribute in
                    var item = JSONText()
                    item.add("name", name: attribute.name)
                    item.add("value64", base64: attribute.value)
                    return item
                })
        }
    }

    func described(_ description: ContainerDescription, as argument: [UInt8]) -> [UInt8] {
        var report = object("info")
        report.add("source", name: argument)
        if let capsule = description.capsule {
            var file = JSONText()
            file.add("format", capsule.format)
            file.add("codec", capsule.codec)
            file.add("bytes", capsule.length)
            file.add("versions", UInt64(capsule.versions))
            report.add("capsule", file)
            if capsule.manifest.overlay != nil {
                var overlay = JSONText()
                if let read = capsule.overlay {
                    overlay.add("records", UInt64(read.files.count))
                    overlay.add("targets", UInt64(read.targets.count))
                }
                overlay.add("carriedBytes", description.bytes)
                report.add("overlay", overlay)
            }
            add(capsule.manifest, to: &report)
        } else {
            report.add("name", name: description.name)
            report.add("layout", description.layout.rawValue)
            add(description.source, to: &report)
            report.add("groups", names: description.groups)
            report.add("entries", description.entries)
            report.add("bytes", description.bytes)
            add(description.omitted, to: &report)
        }
        report.add("evidence", names: description.evidence.map { Array($0.utf8) })
        return report.closed + [Self.newline]
    }

    private func add(_ manifest: Manifest, to report: inout JSONText) {
        report.add("number", UInt64(manifest.version))
        report.add("name", name: manifest.name)
        report.add("label", manifest.label?.text)
        report.add("note", manifest.note?.string)
        report.add("captured", manifest.captured.iso8601())
        report.add("layout", manifest.layout.rawValue)
        add(manifest.source, to: &report)
        report.add("groups", names: manifest.groups)
        report.add("entries", manifest.entries)
        report.add("bytes", manifest.bytes)
        report.add("treeDigest", manifest.treeDigest.hex)
        report.add("contentDigest", manifest.contentDigest.hex)
        report.add("indexDigest", manifest.indexDigest.hex)
        if !manifest.overlays.isEmpty { report.add("overlays", .array(manifest.overlays), isFull: true) }
        add(manifest.omitted, to: &report)
    }

    func add(_ source: SourceDescription, to report: inout JSONText) {
        var item = JSONText()
        item.add("kind", source.kind.rawValue)
        item.add("archive", source.archive?.string)
        item.add("bundleIdentifier", source.bundleIdentifier?.string)
        report.add("from", item)
    }

    private func add(_ omitted: [Omission], to report: inout JSONText) {
        report.add(
            "omitted",
            list: omitted.map { omission in
                var item = JSONText()
                item.add("path", name: omission.path)
                item.add("reason", omission.reason)
                return item
            })
    }
}

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

    /// Returns a directory with an unfinished transaction.
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

extension JSONReporter {
    func located(_ containers: [LocatedContainer], in devices: HostPath, printsPathOnly: Bool) -> [UInt8] {
        var header = JSONText()
        header.add("kind", "header")
        header.add("schema", "capsule.locate")
        header.add("version", UInt64(1))
        header.add("devices", name: devices.bytes)
        var report = header.closed + [Self.newline]
        for container in containers {
            var line = JSONText()
            line.add("kind", container.kind.rawValue)
            line.add("identifier", container.identifier)
            line.add("name", container.name)
            line.add("uuid", container.uuid)
            line.add("path", name: container.path.bytes)
            var simulator = JSONText()
            simulator.add("udid", container.simulator.udid)
            simulator.add("name", container.simulator.name)
            simulator.add("runtime", container.simulator.runtime)
            simulator.add("state", container.simulator.state.word)
            line.add("simulator", simulator)
            report += line.closed + [Self.newline]
        }
        return report
    }
}

extension JSONReporter {
    /// Returns the result of a command that was run between two versions.
    func ran(_ command: [[UInt8]], _ ran: CommandRecording.Execution) -> [UInt8] {
        var report = object("run")
        report.add("command", names: command)
        report.add("status", UInt64(ran.status))
        report.add("milliseconds", UInt64(ran.milliseconds))
        return report.closed + [Self.newline]
    }
}
