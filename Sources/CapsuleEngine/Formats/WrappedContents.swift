import CapsuleArchive
import CapsuleContainers
import CapsuleCore

/// Compressed contents. What is inside is compared by its own format.
struct WrappedContents: ContentFormat {
    let isGzip: Bool

    private static let deepest = 3

    var word: String { isGzip ? "gzip" : "zlib" }
    var absence: String { "not compressed" }

    /// zlib's header has only two bytes, and many texts begin with them too.
    func isLikely(_ head: ContentHead) -> Bool {
        isGzip ? GzipHeader(head.bytes) != nil : !head.isText && WrappedContent(head.bytes) == .zlib
    }

    func read(_ content: ComparedContent, _ side: HandlerFallback.Side) throws(ContentFailure) -> [UInt8] {
        guard let inflated = CompressedData.inflate(try content.all(side), limit: Int(ComparedContent.longest)) else {
            throw .unfit(side, reason: "not zlib data, damaged, or larger than \(ComparedContent.longest >> 20) MiB")
        }
        return inflated
    }

    func list(_ value: [UInt8], _ sink: any ChangeSink, depth: Int) throws(ContentFailure) -> String? {
        guard depth < Self.deepest else { return nil }
        do throws(CapsuleError) {
            return try ContentFormats.list(ComparedContent(value), sink, depth: depth + 1).map { "\(word)/\($0)" }
        } catch {
            throw .stopped(error)
        }
    }

    func compare(_ old: [UInt8], _ new: [UInt8], _ comparison: ContentComparison) throws(ContentFailure) -> ContentFinding? {
        guard comparison.depth < Self.deepest else {
            throw .unfit(.both, reason: "compressed more than \(Self.deepest) times")
        }
        if old == new {
            comparison.judge.add(.encoding(EncodingChange(old: word, new: word)))
            return ContentFinding(word)
        }
        do throws(CapsuleError) {
            let inner = ContentDiffer(comparison.options, comparison.judge, depth: comparison.depth + 1)
            var finding = try inner.compare(ComparedContent(old), ComparedContent(new), after: comparison.fallbacks)
            finding.handler = [word, finding.handler].compactMap { $0 }.joined(separator: "/")
            return finding
        } catch {
            throw .stopped(error)
        }
    }
}
