import CapsuleCore
import CapsulePropertyList

/// Compares the contents of one changed file by what both are, and by lesser means where that fails.
struct ContentComparer {
    private let options: ComparisonOptions

    init(_ options: ComparisonOptions) {
        self.options = options
    }

    /// What differs between two contents that are not the same bytes.
    func compare(_ old: ComparedContent, _ new: ComparedContent) throws(CapsuleError) -> ContentFinding {
        var fallbacks: [HandlerFallback] = []
        let handlers: [any ContentHandler] = [PlistHandler(PlistFormat.xmlOrBinary, options)]
        for handler in handlers {
            do throws(HandlerFailure) {
                var finding = try handler.compare(old, new)
                finding.details = fallbacks.map { ChangeDetail(.fallback($0)) } + finding.details
                return finding
            } catch {
                switch error {
                case .stopped(let error): throw error
                case .unfit(let side, let reason):
                    fallbacks.append(HandlerFallback(side: side, from: handler.word, to: BytesHandler.word, reason: reason))
                }
            }
        }
        var finding = try BytesHandler().compare(old, new)
        finding.details = fallbacks.map { ChangeDetail(.fallback($0)) } + finding.details
        return finding
    }
}
