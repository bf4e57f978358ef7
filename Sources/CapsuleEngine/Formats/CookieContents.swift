import CapsuleContainers
import CapsuleCore

/// Binary cookies, which are compared by domain, path and name.
struct CookieContents: ContentFormat {
    var word: String { "cookies" }
    var absence: String { "no cookies" }

    func isLikely(_ head: ContentHead) -> Bool { BinaryCookies.isLikely(head.bytes) }

    func read(_ content: ComparedContent, _ side: HandlerFallback.Side) throws(ContentFailure) -> BinaryCookies {
        let bytes = try content.all(side)
        do throws(ContentError) {
            return try BinaryCookies(bytes)
        } catch {
            throw .unfit(side, reason: error.message)
        }
    }

    func list(_ value: BinaryCookies, _ sink: any ChangeSink, depth: Int) throws(ContentFailure) -> String? {
        for detail in CookieDiff(.none, value).details { sink.add(detail.content) }
        return word
    }

    func compare(
        _ old: BinaryCookies, _ new: BinaryCookies, _ comparison: ContentComparison
    ) throws(ContentFailure) -> ContentFinding? {
        let difference = CookieDiff(old, new) { comparison.judge.add(.cookie($0), isKept: false) }
        for detail in difference.details { comparison.judge.add(detail.content, noise: detail.noise) }
        return ContentFinding(word)
    }
}
