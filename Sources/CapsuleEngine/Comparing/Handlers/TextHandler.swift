import CapsuleCore

/// Compares texts line by line.
struct TextHandler: ContentHandler {
    let context: Int
    let lines: Int?

    func compare(_ old: ComparedContent, _ new: ComparedContent) throws(HandlerFailure) -> ContentFinding {
        let bytes = try HandlerFailure.wholes(old, new)
        let comparison = TextComparison(
            try Self.read(bytes.old, .a), try Self.read(bytes.new, .b), context: context, lines: lines)
        var finding = ContentFinding("text", comparison.details)
        finding.isComplete = comparison.limit == nil
        return finding
    }

    private static func read(_ bytes: [UInt8], _ side: HandlerFallback.Side) throws(HandlerFailure) -> TextContent {
        do throws(ContentError) {
            return try TextContent(bytes)
        } catch {
            throw .unfit(side, reason: error.message)
        }
    }
}
