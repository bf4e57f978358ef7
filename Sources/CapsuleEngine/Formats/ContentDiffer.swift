import CapsuleContainers
import CapsuleCore
import CapsuleRules

/// Compares two contents by their format, and falls back to simpler comparisons where that fails.
struct ContentDiffer {
    private let options: ContentOptions
    private let judge: EntryJudge
    private let depth: Int

    init(_ options: ContentOptions, _ judge: EntryJudge, depth: Int = 0) {
        self.options = options
        self.judge = judge
        self.depth = depth
    }

    /// Compares two contents that are not the same bytes.
    /// - Parameter fallbacks: the fallbacks from formats that failed before.
    func compare(
        _ old: ComparedContent, _ new: ComparedContent, after fallbacks: [HandlerFallback] = []
    ) throws(CapsuleError) -> ContentFinding {
        let finding = try find(old, new, after: fallbacks)
        // Some formats read only the beginning. Nothing may be reported about bytes that don't match the file's digest.
        try old.compare()
        try new.compare()
        return finding
    }

    private func find(
        _ old: ComparedContent, _ new: ComparedContent, after fallbacks: [HandlerFallback]
    ) throws(CapsuleError) -> ContentFinding {
        var fallbacks = fallbacks
        let formats = try candidates(old, new, &fallbacks)
        for (number, format) in formats.enumerated() {
            do throws(ContentFailure) {
                judge.restart(fallbacks)
                let comparison = ContentComparison(options: options, judge: judge, depth: depth, fallbacks: fallbacks)
                if let finding = try format.compare(old, new, comparison) { return finding }
            } catch {
                switch error {
                case .stopped(let error): throw error
                case .unfit(let side, let reason):
                    let next = formats[(number + 1)...].first ?? BytesContents()
                    fallbacks.append(HandlerFallback(side: side, from: format.word, to: next.word, reason: reason))
                }
            }
        }
        throw CapsuleError("no format fits")
    }

    /// Returns the formats that both contents may have, in order, bytes last. Adds a fallback if they seem to have different formats.
    private func candidates(
        _ old: ComparedContent, _ new: ComparedContent, _ fallbacks: inout [HandlerFallback]
    ) throws(CapsuleError) -> [any ContentFormat] {
        let (before, after) = (try ContentFormats.candidates(old), try ContentFormats.candidates(new))
        if old.size == 0 || new.size == 0 {
            // Empty content is the beginning of every text, and of no other format.
            let formats = old.size == 0 ? after : before
            let rest = formats.filter { $0 is TextContents || $0 is BytesContents }
            if let format = formats.first, !(format is TextContents || format is BytesContents) {
                tell(&fallbacks, format, isMissingIn: old.size == 0 ? .a : .b, rest)
            }
            return rest
        }
        let formats = ContentFormats.shared(before, after)
        if let first = before.first, let other = after.first, first.word != other.word, formats.first?.isPropertyList != true {
            let isSimpler = first is BytesContents || first is TextContents && !(other is BytesContents)
            tell(&fallbacks, isSimpler ? other : first, isMissingIn: isSimpler ? .a : .b, formats)
        }
        return formats
    }

    private func tell(
        _ fallbacks: inout [HandlerFallback], _ format: any ContentFormat, isMissingIn side: HandlerFallback.Side,
        _ rest: [any ContentFormat]
    ) {
        let next = rest.first ?? BytesContents()
        fallbacks.append(HandlerFallback(side: side, from: format.word, to: next.word, reason: format.absence))
    }
}
