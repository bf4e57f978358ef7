import CapsuleCore

/// Compares bytes that nothing more is known of: never fails to.
struct BytesHandler {
    static let word = "bytes"

    /// Contents of which more is not looked through for what they have in common.
    private static let longestMatched: UInt64 = 1 << 30
    private static let windowLength = 1 << 20

    func compare(_ old: ComparedContent, _ new: ComparedContent) throws(CapsuleError) -> ContentFinding {
        let comparison = ContentComparison(
            old: old.window(capacity: DeltaTuning.standard.windowLength),
            new: new.window(capacity: DeltaTuning.standard.windowLength), tuning: .standard)
        let shorter = min(old.size, new.size)
        let prefix = try comparison.commonPrefix(new: 0, old: 0, limit: shorter)
        let change = BytesChange(
            oldSize: old.size, newSize: new.size, first: prefix == shorter ? nil : prefix,
            equal: try share(comparison, old, new, prefix: prefix))
        return ContentFinding(Self.word, [ChangeDetail(.bytes(change))])
    }

    /// The share of the newer content that the older one has too.
    private func share(
        _ comparison: ContentComparison, _ old: ComparedContent, _ new: ComparedContent, prefix: UInt64
    ) throws(CapsuleError) -> Double? {
        guard new.size > 0 else { return nil }
        let rest = min(old.size, new.size) - prefix
        let suffix = try comparison.commonSuffix(new: new.size, old: old.size, limit: rest)
        var equal = prefix + suffix
        // Where both ends do not say it all, what lies between may have moved.
        if equal < min(old.size, new.size) {
            guard max(old.size, new.size) <= Self.longestMatched else { return nil }
            equal = max(equal, try comparison.matches().reduce(0) { $0 + $1.length })
        }
        return min(1, Double(equal) / Double(new.size))
    }
}
