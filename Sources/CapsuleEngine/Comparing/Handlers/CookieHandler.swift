import CapsuleCore

/// Compares binary cookies by domain, path and name.
struct CookieHandler: ContentHandler {
    let showsSecrets: Bool
    let judge: EntryJudge

    func compare(_ old: ComparedContent, _ new: ComparedContent) throws(HandlerFailure) -> ContentFinding {
        let bytes = try HandlerFailure.wholes(old, new)
        var judge = judge
        let comparison = CookieComparison(
            try Self.read(bytes.old, .a), try Self.read(bytes.new, .b), showsSecrets: showsSecrets
        ) { judge.take(.cookie($0)) }
        var finding = ContentFinding("cookies", comparison.details)
        finding.unshown = judge.unshown
        finding.isComplete = comparison.total == comparison.changes.count
        return finding
    }

    private static func read(_ bytes: [UInt8], _ side: HandlerFallback.Side) throws(HandlerFailure) -> BinaryCookies {
        do throws(ContentError) {
            return try BinaryCookies(bytes)
        } catch {
            throw .unfit(side, reason: error.message)
        }
    }
}
