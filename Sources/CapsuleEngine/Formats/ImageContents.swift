import CapsuleContainers
import CapsuleCore

/// Images, which are compared by their headers. Their bytes are already known to differ.
struct ImageContents: ContentFormat {
    var word: String { "image" }
    var absence: String { "not an image" }

    func isLikely(_ head: ContentHead) -> Bool { ImageHeader(head.bytes) != nil }

    func read(_ content: ComparedContent, _ side: HandlerFallback.Side) throws(ContentFailure) -> ImageChange.Side {
        do throws(CapsuleError) {
            if let header = ImageHeader(try content.head()) { return header.side(bytes: content.size) }
        } catch {
            throw ContentFailure(error, side)
        }
        throw .unfit(side, reason: absence)
    }

    func compare(
        _ old: ImageChange.Side, _ new: ImageChange.Side, _ comparison: ContentComparison
    ) throws(ContentFailure) -> ContentFinding? {
        comparison.judge.add(.image(ImageChange(old: old, new: new)))
        return ContentFinding(word)
    }

    func list(_ value: ImageChange.Side, _ sink: any ChangeSink, depth: Int) throws(ContentFailure) -> String? {
        sink.add(.image(ImageChange(old: value, new: value)))
        return word
    }
}
