import CapsuleContainers
import CapsuleCore
import CapsulePropertyList
import CapsuleRules

/// Compares two contents by their format, and falls back to simpler comparisons where that fails.
struct ContentDiffer {
    private let options: DiffOptions
    private let judge: EntryJudge
    private let depth: Int

    static let deepest = 3

    init(_ options: DiffOptions, _ judge: EntryJudge, depth: Int = 0) {
        self.options = options
        self.judge = judge
        self.depth = depth
    }

    /// Compares two contents that are not the same bytes.
    /// - Parameter fallbacks: the fallbacks from handlers that failed before.
    func compare(
        _ old: ComparedContent, _ new: ComparedContent, after fallbacks: [HandlerFallback] = []
    ) throws(CapsuleError) -> ContentFinding {
        let finding = try find(old, new, after: fallbacks)
        // Some handlers read only the beginning. Nothing may be reported about bytes that don't match the file's digest.
        try old.compare()
        try new.compare()
        return finding
    }

    private func find(
        _ old: ComparedContent, _ new: ComparedContent, after fallbacks: [HandlerFallback]
    ) throws(CapsuleError) -> ContentFinding {
        var fallbacks = fallbacks
        let kinds = try candidates(old, new, &fallbacks)
        for (number, kind) in kinds.enumerated() {
            let next = kinds[(number + 1)...].first { self.handler(for: $0) != nil } ?? .bytes
            guard let handler = handler(for: kind) else {
                if let reason = reasonForNone(kind, fallbacks) {
                    fallbacks.append(HandlerFallback(side: .both, from: kind.rawValue, to: next.rawValue, reason: reason))
                }
                continue
            }
            do throws(HandlerFailure) {
                return try handler.compare(old, new).telling(fallbacks)
            } catch {
                switch error {
                case .stopped(let error): throw error
                case .unfit(let side, let reason):
                    judge.restart()
                    fallbacks.append(HandlerFallback(side: side, from: kind.rawValue, to: next.rawValue, reason: reason))
                }
            }
        }
        return try BytesHandler().compare(old, new).telling(fallbacks)
    }

    /// Returns the formats that both contents may have, in order. Adds a fallback if they seem to have different formats.
    private func candidates(
        _ old: ComparedContent, _ new: ComparedContent, _ fallbacks: inout [HandlerFallback]
    ) throws(CapsuleError) -> [ContentKind] {
        let oldKinds = ContentKind.candidates(try old.head(), size: old.size)
        let newKinds = ContentKind.candidates(try new.head(), size: new.size)
        if old.size == 0 || new.size == 0 {
            // Empty content is the beginning of every text, and of no other format.
            let kinds = old.size == 0 ? newKinds : oldKinds
            let rest = kinds.filter { $0 == .text }
            if let kind = kinds.first, kind != .text, kind != .bytes {
                fallbacks.append(
                    HandlerFallback(
                        side: old.size == 0 ? .a : .b, from: kind.rawValue, to: (rest.first ?? .bytes).rawValue,
                        reason: kind.absence))
            }
            return rest
        }
        let kinds = ContentKind.shared(oldKinds, newKinds)
        let telling = [oldKinds, newKinds].map { $0.first ?? .bytes }
        if telling[0] != telling[1], kinds.first != .plist {
            let (side, kind): (HandlerFallback.Side, ContentKind) =
                telling[0] == .bytes || telling[0] == .text && telling[1] != .bytes ? (.a, telling[1]) : (.b, telling[0])
            fallbacks.append(
                HandlerFallback(side: side, from: kind.rawValue, to: (kinds.first ?? .bytes).rawValue, reason: kind.absence))
        }
        return kinds
    }

    /// Returns the reason why no handler compares contents of a kind; nil if there is nothing more to find, or the reason is
    /// already reported.
    private func reasonForNone(_ kind: ContentKind, _ fallbacks: [HandlerFallback]) -> String? {
        switch kind {
        case .gzip, .zlib: "compressed more than \(Self.deepest) times"
        case .sqlite where depth > 0: "in compressed data"
        // A unit that can't be compared as one has its own fallback.
        case .sqlite where fallbacks.isEmpty: "part of another database"
        default: nil
        }
    }

    /// Returns the handler for contents of a kind; nil for kinds that only a unit can be compared by, for bytes, and for too many
    /// layers.
    private func handler(for kind: ContentKind) -> (any ContentHandler)? {
        switch kind {
        case .plist: PlistHandler(options, judge)
        case .json: PlistHandler(options, judge, isJSON: true)
        case .cookies: CookieHandler(sink: judge)
        case .gzip, .zlib: depth < Self.deepest ? WrappedHandler(kind, ContentDiffer(options, judge, depth: depth + 1)) : nil
        case .image: ImageHandler()
        case .text: TextHandler(context: options.context, lines: options.lines)
        case .sqlite, .bytes: nil
        }
    }
}

extension ContentFinding {
    fileprivate func telling(_ fallbacks: [HandlerFallback]) -> ContentFinding {
        var finding = self
        finding.details = fallbacks.map { ChangeDetail(.fallback($0)) } + details
        return finding
    }
}

extension ContentKind {
    fileprivate var absence: String {
        switch self {
        case .sqlite: "not a SQLite database"
        case .plist: "not a property list"
        case .json: "not JSON"
        case .cookies: "no cookies"
        case .gzip, .zlib: "not compressed"
        case .image: "not an image"
        case .text: "not text"
        case .bytes: "not of this kind"
        }
    }
}
