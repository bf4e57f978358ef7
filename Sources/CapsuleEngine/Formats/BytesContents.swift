import CapsuleContainers
import CapsuleCore

/// Contents of any format, compared as bytes. This never fails because of the content's format.
struct BytesContents: ContentFormat {
    private static let longestMatched: UInt64 = 1 << 30

    var word: String { "bytes" }
    var absence: String { "not of this kind" }

    func isLikely(_ head: ContentHead) -> Bool { true }

    func read(_ content: ComparedContent, _ side: HandlerFallback.Side) throws(ContentFailure) -> ComparedContent { content }

    func list(_ content: ComparedContent, _ sink: any ChangeSink, depth: Int) throws(ContentFailure) -> String? { nil }

    func compare(
        _ old: ComparedContent, _ new: ComparedContent, _ comparison: ContentComparison
    ) throws(ContentFailure) -> ContentFinding? {
        do throws(CapsuleError) {
            comparison.judge.add(.bytes(try Self.change(old, new)))
            return ContentFinding(word)
        } catch {
            throw .stopped(error)
        }
    }

    private static func change(_ old: ComparedContent, _ new: ComparedContent) throws(CapsuleError) -> BytesChange {
        let comparison = DeltaMatcher(
            old: old.window(capacity: DeltaTuning.standard.windowLength),
            new: new.window(capacity: DeltaTuning.standard.windowLength), tuning: .standard)
        let shorter = min(old.size, new.size)
        let prefix = try comparison.commonPrefix(new: 0, old: 0, limit: shorter)
        return BytesChange(
            oldSize: old.size, newSize: new.size, first: prefix == shorter ? nil : prefix,
            equal: try share(comparison, old, new, prefix: prefix))
    }

    /// Returns the share of the newer content that is also in the older one; nil if the newer one is empty or the contents are too
    /// long.
    private static func share(
        _ comparison: DeltaMatcher, _ old: ComparedContent, _ new: ComparedContent, prefix: UInt64
    ) throws(CapsuleError) -> Double? {
        guard new.size > 0 else { return nil }
        let rest = min(old.size, new.size) - prefix
        let suffix = try comparison.commonSuffix(new: new.size, old: old.size, limit: rest)
        var equal = prefix + suffix
        // If the ends don't cover the shorter content, the part between them may have moved.
        if equal < min(old.size, new.size) {
            guard max(old.size, new.size) <= longestMatched else { return nil }
            equal = max(equal, try comparison.matches().reduce(0) { $0 + $1.length })
        }
        return min(1, Double(equal) / Double(new.size))
    }
}
