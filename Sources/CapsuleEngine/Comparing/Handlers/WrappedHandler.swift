import CapsuleArchive
import CapsuleCore

/// Takes compression off two contents, and compares what was in them.
struct WrappedHandler: ContentHandler {
    private let kind: ContentKind
    private let inner: ContentComparer

    init(_ kind: ContentKind, _ inner: ContentComparer) {
        self.kind = kind
        self.inner = inner
    }

    func compare(_ old: ComparedContent, _ new: ComparedContent) throws(HandlerFailure) -> ContentFinding {
        let bytes = try HandlerFailure.wholes(old, new)
        let (before, after) = (try inflate(bytes.old, .a), try inflate(bytes.new, .b))
        if before == after {
            return ContentFinding(
                kind.rawValue, [ChangeDetail(.encoding(EncodingChange(old: kind.rawValue, new: kind.rawValue)))])
        }
        do throws(CapsuleError) {
            var finding = try inner.compare(ComparedContent(before), ComparedContent(after))
            finding.handler = [kind.rawValue, finding.handler].compactMap { $0 }.joined(separator: "/")
            return finding
        } catch {
            throw .stopped(error)
        }
    }

    private func inflate(_ bytes: [UInt8], _ side: HandlerFallback.Side) throws(HandlerFailure) -> [UInt8] {
        guard let inflated = CompressedData.inflate(bytes, limit: Int(ComparedContent.longest)) else {
            throw .unfit(
                side, reason: "not zlib data, damaged, or larger than \(ComparedContent.longest >> 20) MiB")
        }
        return inflated
    }
}
