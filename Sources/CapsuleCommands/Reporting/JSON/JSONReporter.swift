import CapsuleContainers
import CapsuleCore
import CapsuleEngine
import CapsuleOverlay
import CapsulePropertyList

/// Reports for machines, as JSON lines. Each line is an object; the first one names the schema and its version.
struct JSONReporter: Reporter {
    func packed(_ outcome: Packer.Outcome) -> [UInt8] {
        var report = JSONObject(
            schema: "pack",
            ["file": JSONName(outcome.path.bytes), "bytesWritten": outcome.added, "fileBytes": outcome.length])
        report.add(members(of: outcome.manifest))
        return report.line
    }

    func unpacked(_ outcome: UnpackOutcome) -> [UInt8] {
        JSONObject(
            schema: "unpack",
            [
                "path": JSONName(outcome.path.bytes), "entries": outcome.entries, "bytes": outcome.bytes, "notes": outcome.notes,
            ]
        ).line
    }

    func verified(_ outcome: Verifier.Outcome, as argument: [UInt8]) -> [UInt8] {
        let findings: [JSONObject] = outcome.findings.map { finding in
            ["version": finding.version, "path": finding.path.map(JSONName.init), "message": finding.message]
        }
        let signatures: [JSONObject] = outcome.signatures.map { signature in
            [
                "version": signature.version, "file": signature.file.map { JSONName($0.bytes) },
                "signer": signature.signer.map { JSONName($0) },
            ]
        }
        return JSONObject(
            schema: "verify",
            [
                "file": JSONName(argument), "whole": outcome.isWhole, "streamCompared": outcome.isStreamCompared,
                "versions": outcome.versions, "entries": outcome.entries, "bytes": outcome.bytes,
                "warnings": outcome.warnings, "findings": findings,
                "signatures": outcome.signatures.isEmpty ? nil : signatures,
            ]
        ).line
    }

    func signed(_ outcome: VersionSigner.Outcome) -> [UInt8] {
        JSONObject(
            schema: "sign",
            [
                "file": JSONName(outcome.file.bytes), "number": outcome.version,
                "signature": JSONName(outcome.signature.bytes),
            ]
        ).line
    }

    func listingStart(as argument: [UInt8]) -> [UInt8] {
        JSONObject(header: "ls", ["source": JSONName(argument)]).line
    }

    func listed(_ entries: ArraySlice<TreeEntry>, of listing: ContainerListing, isLong: Bool, isReadable: Bool) -> [UInt8] {
        var report: [UInt8] = []
        report.reserveCapacity(entries.count * 256)
        for entry in entries { line(of: entry, isDigested: listing.isDigested).appendLine(to: &report) }
        return report
    }

    func listingEnd(entries: UInt64) -> [UInt8] {
        (["kind": "end", "entries": entries] as JSONObject).line
    }

    /// Returns the line of an entry. There may be millions: members that are added one by one are not boxed first.
    private func line(of entry: TreeEntry, isDigested: Bool) -> JSONObject {
        let hasContent = entry.kind.hasContent
        var line: JSONObject = ["kind": "entry"]
        line.add("path", value: JSONName(entry.path.bytes))
        line.add("type", value: entry.kind.word)
        line.add("mode", value: entry.mode.octal)
        line.add("modified", value: JSONTime(entry.modified))
        if hasContent { line.add("size", value: entry.size) }
        if hasContent, isDigested { line.add("digest", value: entry.digest) }
        if entry.kind == .link { line.add("target", value: JSONName(entry.target)) }
        if !entry.attributes.isEmpty {
            let attributes: [JSONObject] = entry.attributes.map { attribute in
                ["name": JSONName(attribute.name), "value64": JSONData(attribute.value)]
            }
            line.add("attributes", value: attributes)
        }
        return line
    }

    func described(_ description: ContainerDescription, as argument: [UInt8]) -> [UInt8] {
        var report = JSONObject(schema: "info", ["source": JSONName(argument)])
        if let capsule = description.capsule {
            let file: JSONObject = [
                "format": capsule.format, "codec": capsule.codec, "bytes": capsule.length, "versions": capsule.versions,
            ]
            let overlay: JSONObject = [
                "records": capsule.overlay?.files.count, "targets": capsule.overlay?.targets.count,
                "carriedBytes": description.bytes,
            ]
            report.add(["capsule": file, "overlay": capsule.manifest.overlay == nil ? nil : overlay])
            report.add(members(of: capsule.manifest, labels: capsule.labels))
            report.add("signature", capsule.signature.map { JSONName($0.bytes) })
        } else {
            report.add([
                "name": JSONName(description.name), "layout": description.layout.rawValue,
                "from": Self.source(description.source), "groups": Self.texts(description.groups),
                "entries": description.entries, "bytes": description.bytes, "omitted": Self.omitted(description.omitted),
            ])
        }
        report.add("evidence", description.evidence)
        return report.line
    }

    /// - Parameter labels: the labels that name the version now; nil for a version that was just made.
    private func members(of manifest: Manifest, labels: [VersionLabel]? = nil) -> JSONObject {
        [
            "number": manifest.version, "name": JSONName(manifest.name),
            "label": labels == nil ? manifest.label?.text : labels?.first?.text, "labels": labels?.map(\.text),
            "note": manifest.note?.string, "captured": manifest.captured.iso8601(), "layout": manifest.layout.rawValue,
            "from": Self.source(manifest.source), "groups": Self.texts(manifest.groups), "entries": manifest.entries,
            "bytes": manifest.bytes, "treeDigest": manifest.treeDigest, "contentDigest": manifest.contentDigest,
            "indexDigest": manifest.indexDigest,
            "overlays": manifest.overlays.isEmpty ? nil : PlistValue.array(manifest.overlays).json(),
            "omitted": Self.omitted(manifest.omitted), "redactedValues": manifest.redactedValues.map { Int($0) },
        ]
    }

    private static func source(_ source: SourceDescription) -> JSONObject {
        [
            "kind": source.kind.rawValue, "archive": source.archive?.string, "bundleIdentifier": source.bundleIdentifier?.string,
        ]
    }

    private static func omitted(_ omitted: [Omission]) -> [JSONObject] {
        omitted.map { ["path": JSONName($0.path), "reason": $0.reason] }
    }

    /// Returns names as texts. Bytes that are not UTF-8 are replaced.
    static func texts(_ names: [[UInt8]]) -> [String] { names.map { String(decoding: $0, as: UTF8.self) } }

    func compacted(_ outcome: Compactor.Outcome, as argument: [UInt8]) -> [UInt8] {
        JSONObject(
            schema: "compact",
            [
                "file": JSONName(argument), "output": JSONName(outcome.path.bytes), "changed": outcome.isChanged,
                "bytesBefore": outcome.lengthBefore, "fileBytes": outcome.length, "kept": outcome.kept,
                "dropped": outcome.dropped,
            ]
        ).line
    }

    func pushed(_ outcome: Pusher.Outcome) -> [UInt8] {
        JSONObject(
            schema: "push",
            [
                "address": outcome.address, "digest": outcome.digest, "pinned": outcome.pinnedAddress, "number": outcome.version,
                "bytesSent": outcome.sent, "fileBytes": outcome.length, "changed": !outcome.isUnchanged,
            ]
        ).line
    }

    func pulled(_ outcome: Puller.Outcome, from argument: [UInt8]) -> [UInt8] {
        JSONObject(
            schema: "pull",
            [
                "address": JSONName(argument), "file": JSONName(outcome.file.bytes), "number": outcome.version,
                "added": outcome.added,
                "bytesFetched": outcome.fetched, "fileBytes": outcome.length, "changed": !outcome.isUnchanged,
            ]
        ).line
    }

    func tagged(_ tags: [String], at argument: [UInt8]) -> [UInt8] {
        JSONObject(schema: "tags", ["address": JSONName(argument), "tags": tags]).line
    }

    func labeled(_ outcome: Labeler.Outcome, as argument: [UInt8]) -> [UInt8] {
        JSONObject(
            schema: "label",
            [
                "file": JSONName(argument), "label": outcome.label.text, "number": outcome.version, "previous": outcome.previous,
                "changed": outcome.isChanged,
            ]
        ).line
    }

    func logged(_ log: VersionLog, as argument: [UInt8]) -> [UInt8] {
        JSONObject(
            schema: "log",
            [
                "file": JSONName(argument), "whole": log.isWhole, "versions": log.versions.map(item),
                "warnings": log.warnings.map(\.message), "problems": log.failures.map(\.message),
            ]
        ).line
    }

    private func item(_ version: VersionLog.Version) -> JSONObject {
        let details = version.details
        return [
            "number": version.number, "bytesAdded": version.added, "problem": version.problem,
            "name": details?.name.map { JSONName($0) }, "label": version.labels.first?.text,
            "labels": version.labels.map(\.text), "note": details?.note?.string,
            "signature": version.signature.map { JSONName($0.bytes) },
            "captured": details?.captured.iso8601(), "layout": details?.layout?.rawValue,
            "from": details.map { Self.source($0.source) }, "entries": details?.entries, "bytes": details?.bytes,
            "treeDigest": details?.treeDigest, "contentDigest": details?.contentDigest,
        ]
    }

    func recovered(_ outcome: RecoveryOutcome, as argument: [UInt8]) -> [UInt8] {
        let leftovers: [JSONObject] = outcome.leftovers.map { leftover in
            ["path": JSONName(leftover.path.bytes), "state": leftover.state.rawValue]
        }
        return JSONObject(
            schema: "recover",
            [
                "target": JSONName(argument), "recovered": outcome.directories.map(Self.recovered), "leftovers": leftovers,
            ]
        ).line
    }

    static func recovered(_ directory: RecoveryOutcome.Directory) -> JSONObject {
        ["path": JSONName(directory.path.bytes), "outcome": directory.result.rawValue]
    }

    func repaired(_ outcome: RepairOutcome, as argument: [UInt8]) -> [UInt8] {
        let lost: [JSONObject] = outcome.lost.map { manifest in
            [
                "number": manifest.version, "label": manifest.label?.text, "note": manifest.note?.string,
                "captured": manifest.captured.iso8601(), "entries": manifest.entries, "bytes": manifest.bytes,
            ]
        }
        return JSONObject(
            schema: "repair",
            [
                "file": JSONName(argument), "tail": outcome.tail.rawValue, "bytes": outcome.offset, "dropped": outcome.dropped,
                "saved": outcome.saved.map { JSONName($0.bytes) }, "versions": outcome.versions,
                "whole": outcome.remaining.isWhole, "lost": lost,
            ]
        ).line
    }

    func located(_ containers: [LocatedContainer], in devices: HostPath, printsPathOnly: Bool) -> [UInt8] {
        JSONObject(header: "locate", ["devices": JSONName(devices.bytes)]).line + containers.flatMap { line(of: $0) }
    }

    private func line(of container: LocatedContainer) -> [UInt8] {
        let simulator: JSONObject = [
            "udid": container.simulator.udid, "name": container.simulator.name, "runtime": container.simulator.runtime,
            "state": container.simulator.state.word,
        ]
        let line: JSONObject = [
            "kind": container.kind.rawValue, "identifier": container.identifier, "name": container.name, "uuid": container.uuid,
            "path": JSONName(container.path.bytes), "simulator": simulator,
        ]
        return line.line
    }

    func ran(_ command: [[UInt8]], _ ran: CommandRecording.Execution) -> [UInt8] {
        let members: JSONObject = [
            "command": Self.texts(command), "passed": ran.status == 0, "status": UInt64(ran.status),
            "signal": ran.signal.map { UInt64($0) }, "milliseconds": UInt64(ran.milliseconds),
        ]
        return JSONObject(schema: "run", members).line
    }
}
