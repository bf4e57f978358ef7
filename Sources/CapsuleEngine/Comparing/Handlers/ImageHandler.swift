import CapsuleCore

/// Compares images by their headers; that their bytes differ is known.
struct ImageHandler: ContentHandler {
    func compare(_ old: ComparedContent, _ new: ComparedContent) throws(HandlerFailure) -> ContentFinding {
        let change = ImageChange(old: try Self.side(old, .a), new: try Self.side(new, .b))
        return ContentFinding("image", [ChangeDetail(.image(change))])
    }

    private static func side(
        _ content: ComparedContent, _ side: HandlerFallback.Side
    ) throws(HandlerFailure) -> ImageChange.Side {
        do throws(CapsuleError) {
            if let header = ImageHeader(try content.head()) { return header.side(bytes: content.size) }
        } catch {
            throw HandlerFailure(error, side)
        }
        throw .unfit(side, reason: "not an image")
    }
}
