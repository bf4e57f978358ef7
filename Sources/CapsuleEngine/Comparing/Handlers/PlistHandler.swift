import CapsuleCore
import CapsulePropertyList

/// Compares property lists in any encoding, keyed archives among them, and JSON.
struct PlistHandler: ContentHandler {
    let word: String
    private let formats: Set<PlistFormat>
    private let identities: ArrayIdentities
    private let limit: Int

    /// Changes of one file that are told, unless all are.
    private static let changeLimit = 10_000

    /// - Parameter formats: what is read; JSON has a word of its own.
    init(_ formats: Set<PlistFormat>, _ options: ComparisonOptions) {
        word = formats == [.json] ? "json" : "plist"
        self.formats = formats
        identities = ArrayIdentities(options.arrays)
        limit = options.isFull ? PlistDiff.changeLimit : Self.changeLimit
    }

    func compare(_ old: ComparedContent, _ new: ComparedContent) throws(HandlerFailure) -> ContentFinding {
        let (oldBytes, newBytes) = try HandlerFailure.wholes(old, new)
        let before = try read(oldBytes, .a)
        let after = try read(newBytes, .b)
        let diff: PlistDiff
        do throws(OverlayError) {
            diff = try PlistDiff(before.value, after.value, identities: identities, limit: limit)
        } catch {
            throw .unfit(.both, reason: error.message)
        }
        var finding = ContentFinding(word, diff.changes.map { ChangeDetail(.value($0)) })
        if diff.isEmpty, before.format == after.format, before.value != after.value {
            // Keyed archives that number their objects in another way.
            finding.isUnchanged = true
            return finding
        }
        if before.format != after.format || diff.isEmpty {
            finding.details.append(
                ChangeDetail(.encoding(EncodingChange(old: before.format.lowerWord, new: after.format.lowerWord))))
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
            return try PlistReader.read(bytes, accepting: formats)
        } catch {
            throw .unfit(side, reason: error.message)
        }
    }
}

extension PlistFormat {
    /// How reports call it.
    fileprivate var lowerWord: String { rawValue.lowercased() }
}
