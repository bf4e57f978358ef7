import CapsuleCore
import CapsulePropertyList

/// Compares property lists in any encoding, keyed archives among them, and JSON.
struct PlistHandler: ContentHandler {
    private let isJSON: Bool
    private let judge: EntryJudge
    private let identities: ArrayIdentities
    private let limit: Int
    private let showsSecrets: Bool

    /// Changes of one file that are kept, unless more are wanted.
    private static let changeLimit = 10_000

    /// - Parameter isJSON: whether both are JSON; else one of them may be.
    init(_ options: ComparisonOptions, _ judge: EntryJudge, isJSON: Bool = false) {
        self.isJSON = isJSON
        self.judge = judge
        showsSecrets = options.showsSecrets
        identities = ArrayIdentities(options.arrays)
        limit = options.isFull ? PlistDiff.changeLimit : Self.changeLimit
    }

    func compare(_ old: ComparedContent, _ new: ComparedContent) throws(HandlerFailure) -> ContentFinding {
        let bytes = try HandlerFailure.wholes(old, new)
        let before = try read(bytes.old, .a)
        let after = try read(bytes.new, .b)
        // Two documents differ in no more places than they have bytes, unless they name what they share again and again.
        let workLimit = max(PlistDiff.changeLimit, bytes.old.count + bytes.new.count)
        var judge = judge
        // What is noise takes no room from what is not.
        var kept = (signals: 0, noise: 0)
        let diff: PlistDiff
        do throws(OverlayError) {
            diff = try PlistDiff(before.value, after.value, identities: identities, limit: workLimit) { change in
                let content = ChangeDetail.Content.value(shown(change))
                let isNoise = judge.isNoise(content)
                guard (isNoise ? kept.noise : kept.signals) < limit else {
                    judge.take(content)
                    return false
                }
                if isNoise { kept.noise += 1 } else { kept.signals += 1 }
                return true
            }
        } catch {
            throw .unfit(.both, reason: error.message)
        }
        var finding = ContentFinding(
            isJSON ? "json" : "plist",
            diff.changes.map { ChangeDetail(.value(shown($0))) })
        finding.unshown = judge.unshown
        if diff.isEmpty, before.format == after.format, before.value != after.value {
            // Keyed archives that number their objects in another way.
            finding.isUnchanged = true
            return finding
        }
        finding.details += diff.unresolved.map { place in
            let reason = "\(place.pointer.steps.isEmpty ? "" : "\(place.pointer): ")\(place.gap.archiveText)"
            return ChangeDetail(
                .fallback(
                    HandlerFallback(side: .both, from: "archive", to: "plist", reason: reason, archive: place.pointer)))
        }
        if before.format != after.format || diff.isEmpty {
            finding.details.append(
                ChangeDetail(.encoding(EncodingChange(old: before.format.word, new: after.format.word))))
        }
        let limits = Self.limits(of: diff, kept: kept.signals, unshown: judge.unshown.signals, workLimit: workLimit)
        finding.details += limits.map { ChangeDetail(.limit($0)) }
        finding.isComplete = limits.isEmpty && judge.unshown.isEmpty
        return finding
    }

    /// What of a comparison is not kept, and what was not looked at.
    private static func limits(of diff: PlistDiff, kept: Int, unshown: Int, workLimit: Int) -> [DetailLimit] {
        var limits = diff.bounds.sorted { $0.rawValue < $1.rawValue }.map { bound in
            bound == .changes
                ? DetailLimit(bound.rawValue, shown: UInt64(kept), limit: UInt64(workLimit)) : DetailLimit(bound.rawValue)
        }
        if !diff.bounds.contains(.changes), unshown > 0 {
            limits.append(DetailLimit("changes", shown: UInt64(kept), total: UInt64(kept + unshown), isJudged: true))
        }
        return limits
    }

    private func shown(_ change: PlistChange) -> PlistChange {
        showsSecrets ? change : SecretData.hiding(in: change)
    }

    private func read(
        _ bytes: [UInt8], _ side: HandlerFallback.Side
    ) throws(HandlerFailure) -> (value: PlistValue, format: PlistFormat) {
        do throws(PlistError) {
            if isJSON { return (try JSONContent.read(bytes), .json) }
            let reading = try PlistReader.readLeniently(bytes)
            return (reading.value, reading.format)
        } catch {
            throw .unfit(side, reason: error.message)
        }
    }
}
