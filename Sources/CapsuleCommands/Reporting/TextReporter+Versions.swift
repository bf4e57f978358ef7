import CapsuleCore
import CapsuleEngine

extension TextReporter {
    func compacted(_ outcome: Compactor.Outcome, as argument: [UInt8]) -> [UInt8] {
        let kept = VersionNumbers(outcome.kept)
        let length = Quantity.bytes(outcome.length)
        guard outcome.isChanged else {
            let count = Quantity.counted(UInt64(outcome.kept.count), "version", "versions")
            return name(argument) + text(": nothing to drop: \(count), \(length)\n")
        }
        var report = name(outcome.path.bytes) + text(": \(kept) kept")
        if !outcome.dropped.isEmpty { report += text(", \(VersionNumbers(outcome.dropped)) dropped") }
        report += text(": \(Quantity.bytes(outcome.lengthBefore)) before, \(length) now")
        if outcome.length < outcome.lengthBefore {
            report += text(", \(Quantity.bytes(outcome.lengthBefore - outcome.length)) saved")
        }
        return report + text("\n")
    }

    func logged(_ log: VersionLog, as argument: [UInt8]) -> [UInt8] {
        VersionTable(log).lines.flatMap { text($0) }
    }

    func recovered(_ outcome: RecoveryOutcome, as argument: [UInt8]) -> [UInt8] {
        let leftovers = outcome.leftovers.flatMap { leftover in
            let word =
                switch leftover.state {
                case .abandoned: styled("left behind", 33)
                case .deleted: styled("deleted", 32)
                case .inUse: "in use by a running command"
                case .unproven: "possibly a temporary file"
                }
            return text("\(word): ") + name(leftover.path.bytes) + text("\n")
        }
        if outcome.directories.isEmpty { return name(argument) + text(": nothing to recover\n") + leftovers }
        let directories = outcome.directories.flatMap { directory in
            switch directory.result {
            case .rolledBack:
                text("\(styled("rolled back", 33)): ") + name(directory.path.bytes) + text(" is in its old state\n")
            case .finished:
                text("\(styled("finished", 32)): ") + name(directory.path.bytes) + text(" is in its new state\n")
            }
        }
        return directories + leftovers
    }

    func repaired(_ outcome: RepairOutcome, as argument: [UInt8]) -> [UInt8] {
        let versions = VersionNumbers(outcome.versions)
        if outcome.tail == .whole {
            let count = Quantity.counted(UInt64(outcome.versions.count), "version", "versions")
            return outcome.remaining.isWhole
                ? name(argument) + text(": nothing to repair: \(count)\n")
                : name(argument) + text(": nothing to remove: \(count)\n")
        }
        var report = name(argument) + text(": \(styled("repaired", 32)): ")
        let bytes = Quantity.counted(outcome.dropped, "byte", "bytes")
        let place = "at byte \(Quantity.grouped(outcome.offset))"
        if let saved = outcome.saved {
            report += text("moved \(bytes) \(place) to ") + name(saved.bytes)
        } else {
            report += text("removed an incomplete tail of \(bytes) \(place)")
        }
        report += text("; \(versions) \(versions.isOne ? "remains" : "remain")\n")
        for manifest in outcome.lost {
            report += name(argument) + text(": removed: version \(manifest.version)")
            if let label = manifest.label { report += text(" '\(label.text)'") }
            report += text(
                ", captured \(manifest.captured.iso8601()), \(Quantity.counted(manifest.entries, "entry", "entries"))\n")
        }
        if outcome.tail == .damaged, outcome.lost.isEmpty {
            report += name(argument) + text(": the removed data names no version\n")
        }
        return report
    }
}
