import CapsuleContainers
import CapsuleCore

/// SQLite databases. ``DatabaseUnitDiffer`` compares them, because their logs and external blobs belong to them; alone, their
/// bytes say nothing.
struct DatabaseContents: ContentFormat {
    var word: String { "sqlite" }
    var absence: String { "not a SQLite database" }

    func isLikely(_ head: ContentHead) -> Bool { head.bytes.starts(with: DatabaseUnit.magic) }

    func read(_ content: ComparedContent, _ side: HandlerFallback.Side) throws(ContentFailure) {}

    func compare(_ old: Void, _ new: Void, _ comparison: ContentComparison) throws(ContentFailure) -> ContentFinding? {
        if comparison.depth > 0 { throw .unfit(.both, reason: "in compressed data") }
        // A unit that can't be compared as one has its own fallback.
        if comparison.fallbacks.isEmpty { throw .unfit(.both, reason: "part of another database") }
        return nil
    }
}
