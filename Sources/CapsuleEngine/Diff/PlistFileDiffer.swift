import CapsuleContainers
package import CapsuleCore
import CapsuleOverlay
import CapsulePropertyList
package import CapsuleRules

/// Compares two property lists in files.
package struct PlistFileDiffer: Sendable {
    package struct Outcome: Sendable {
        package let old: PlistFile
        package let new: PlistFile
        /// The differences, with `encodingsDiffer` set.
        package private(set) var diff: PlistDiff
        package private(set) var hiddenSecrets: Int?
        let identities: ArrayIdentities

        init(old: PlistFile, new: PlistFile, diff: PlistDiff, identities: ArrayIdentities) {
            (self.old, self.new, self.diff, self.identities) = (old, new, diff, identities)
        }

        package func hidingSecrets() -> Outcome {
            var outcome = self
            (outcome.diff, outcome.hiddenSecrets) = diff.hidingSecrets()
            return outcome
        }

        /// True if anything differs, even if it is only the encoding.
        package var isDifferent: Bool { !diff.isEmpty || diff.encodingsDiffer }

        /// The number of changes. A different encoding counts as one.
        package var changes: Int { diff.changes.count + (diff.encodingsDiffer ? 1 : 0) }
    }

    private let identities: ArrayIdentities

    /// The number of changes at which a comparison ends, however long the files are. All changes up to it are kept.
    package static let changeLimit = 1_000_000

    package init(arrays: [ArrayIdentities.Rule] = []) {
        identities = ArrayIdentities(arrays)
    }

    /// Compares two property lists. One of them may be `-`, standard input.
    package func compare(_ old: HostPath, _ new: HostPath) throws(CapsuleError) -> Outcome {
        if old == .standardStream, new == .standardStream {
            throw CapsuleError(.usage, "standard input can't be compared with itself", hint: "only one of the two can be '-'")
        }
        let files = (old: try PlistFile(old), new: try PlistFile(new))
        do throws(OverlayError) {
            let (old, new) = (files.old.document, files.new.document)
            let bytes = old.bytes.count + new.bytes.count
            var diff = try PlistDiff(
                old.value, new.value, identities: identities, limit: min(max(PlistDiff.changeLimit, bytes), Self.changeLimit))
            // Keyed archives with equal graphs have equal values only if they number their objects alike.
            diff.encodingsDiffer =
                old.format != new.format || diff.isEmpty && old.value == new.value && old.bytes != new.bytes
            return Outcome(old: files.old, new: files.new, diff: diff, identities: identities)
        } catch {
            throw CapsuleError(error, in: files.old)
        }
    }
}

extension PlistFileDiffer.Outcome {
    /// Writes the overlay that turns the old property list into the new one.
    /// - Parameters:
    ///   - isPlain: true to write a partial property list, which is merged deeply.
    /// - Throws: an error with the places if no partial property list can express the changes.
    package func writeOverlay(to output: OutputFile, isPlain: Bool) throws(CapsuleError) {
        try InputPaths([old.path.bytes, new.path.bytes]).refuse(output.path, flag: "--overlay")
        let (before, after) = (old.document, new.document)
        var overlay: Overlay
        do throws(OverlayError) {
            overlay =
                isPlain
                ? try Overlay(plainTurning: before.value, into: after.value, identities: identities)
                : try Overlay(turning: before.value, into: after.value, identities: identities)
        } catch {
            throw CapsuleError(error, in: old, applyingTo: old)
        }
        if !isPlain { overlay.arrays = identities.rules }
        try output.limited(to: [old, new].compactMap(\.mode)).write(overlay)
    }

    /// The same result in the form of a comparison of two containers, each with one property list under the newer one's name.
    package var containerDiff: ContainerDiff {
        var details = diff.changes.map { ChangeDetail(.value($0)) }
        if diff.encodingsDiffer {
            let words = [old, new].map { $0.document.format.word }
            details.append(ChangeDetail(.encoding(EncodingChange(old: words[0], new: words[1]))))
        }
        for bound in diff.bounds.sorted(by: { $0.rawValue < $1.rawValue }) {
            details.append(
                ChangeDetail(.limit(Truncation(bound.rawValue, limit: bound == .changes ? UInt64(diff.changes.count) : nil))))
        }
        let name = (try? RelativePath(validating: new.name)) ?? .root
        var entry = EntryChange(.modified, at: name, handler: "plist", details: details)
        entry.documents = [old.document.value, new.document.value]
        return ContainerDiff(
            old: ContainerDiff.Side(source: old.path.bytes), new: ContainerDiff.Side(source: new.path.bytes),
            entries: details.isEmpty ? [] : [entry],
            isComplete: diff.bounds.isEmpty)
    }
}
