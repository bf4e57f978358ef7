import CapsuleCore
import CapsulePropertyList

/// Compares property lists in any encoding, keyed archives among them, and JSON.
struct PlistHandler: ContentHandler {
    private let isJSON: Bool
    private let identities: ArrayIdentities
    private let limit: Int
    private let showsSecrets: Bool

    /// Changes of one file that are told, unless all are.
    private static let changeLimit = 10_000

    /// - Parameter isJSON: whether both are JSON; else one of them may be.
    init(_ options: ComparisonOptions, isJSON: Bool = false) {
        self.isJSON = isJSON
        showsSecrets = options.showsSecrets
        identities = ArrayIdentities(options.arrays)
        limit = options.isFull ? PlistDiff.changeLimit : Self.changeLimit
    }

    func compare(_ old: ComparedContent, _ new: ComparedContent) throws(HandlerFailure) -> ContentFinding {
        let bytes = try HandlerFailure.wholes(old, new)
        let before = try read(bytes.old, .a)
        let after = try read(bytes.new, .b)
        let diff: PlistDiff
        do throws(OverlayError) {
            diff = try PlistDiff(before.value, after.value, identities: identities, limit: limit)
        } catch {
            throw .unfit(.both, reason: error.message)
        }
        var finding = ContentFinding(
            isJSON ? "json" : "plist",
            diff.changes.map { change in
                ChangeDetail(.value(showsSecrets ? change : SecretData.hiding(in: change)))
            })
        if diff.isEmpty, before.format == after.format, before.value != after.value {
            // Keyed archives that number their objects in another way.
            finding.isUnchanged = true
            return finding
        }
        if before.format != after.format || diff.isEmpty {
            finding.details.append(
                ChangeDetail(.encoding(EncodingChange(old: before.format.word, new: after.format.word))))
        }
        for bound in diff.bounds.sorted(by: { $0.rawValue < $1.rawValue }) {
            finding.details.append(
                ChangeDetail(.limit(DetailLimit(bound.rawValue, shown: bound == .changes ? UInt64(diff.changes.count) : nil))))
            finding.isComplete = false
        }
        return finding
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
