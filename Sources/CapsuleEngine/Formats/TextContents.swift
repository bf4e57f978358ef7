import CapsuleContainers
import CapsuleCore
import CapsuleMerge

/// Texts, which are compared and merged line by line.
struct TextContents: ContentFormat {
    var word: String { "text" }
    var absence: String { "not text" }
    var isMergeable: Bool { true }

    func isLikely(_ head: ContentHead) -> Bool { head.isText }

    func read(_ content: ComparedContent, _ side: HandlerFallback.Side) throws(ContentFailure) -> TextContent {
        let bytes = try content.all(side)
        do throws(ContentError) {
            return try TextContent(bytes)
        } catch {
            throw .unfit(side, reason: error.message)
        }
    }

    func compare(
        _ old: TextContent, _ new: TextContent, _ comparison: ContentComparison
    ) throws(ContentFailure) -> ContentFinding? {
        let difference = TextDiff(old, new, context: comparison.options.context, lines: comparison.options.lines)
        for detail in difference.details { comparison.judge.add(detail.content) }
        return ContentFinding(word)
    }

    func list(_ value: TextContent, _ sink: any ChangeSink, depth: Int) throws(ContentFailure) -> String? {
        guard let nothing = try? TextContent(utf8: []) else { return nil }
        for detail in TextDiff(nothing, value, lines: nil).details { sink.add(detail.content) }
        return word
    }

    func merge(
        _ files: MergedContents, _ settings: ContentMerging, _ decisions: inout MergeDecisions
    ) throws(CapsuleError) -> ContentMerging.Result? {
        guard let ours = try Self.text(files.ours), let theirs = try Self.text(files.theirs) else { return nil }
        var base: TextContent?
        if let content = files.base {
            guard let bytes = try content.all() else { return nil }
            base = try? TextContent(bytes)
        }
        var merge = TextMerge(base: base, ours: ours, theirs: theirs, path: files.path)
        let bytes = merge.merge(&decisions)
        guard settings.hasMarks, !merge.isClean else { return .made(bytes, notes: []) }
        let labels = settings.labels
        return .made(merge.marked(ours: labels.ours, base: labels.base, theirs: labels.theirs), notes: [])
    }

    private static func text(_ content: ComparedContent) throws(CapsuleError) -> TextContent? {
        try content.all().flatMap { try? TextContent($0) }
    }
}
