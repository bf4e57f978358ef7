import CapsuleArchive
import CapsuleContainers
import CapsuleCore
import CapsulePropertyList
import CapsuleRules

/// Compares contents of one kind.
protocol ContentHandler {
    /// Compares two contents that seem to be of the kind.
    /// - Throws: ``HandlerFailure`` if a content turns out not to be of the kind.
    func compare(_ old: ComparedContent, _ new: ComparedContent) throws(HandlerFailure) -> ContentFinding
}

/// Compares property lists in any encoding, keyed archives among them, and JSON.
struct PlistHandler: ContentHandler {
    private let isJSON: Bool
    private let sink: EntryJudge
    private let identities: ArrayIdentities
    private let limit: Int

    /// The most changes of one file that are kept, unless more are requested.
    private static let changeLimit = 10_000

    /// - Parameter isJSON: true if both contents are JSON; otherwise one of them may be.
    init(_ options: DiffOptions, _ sink: EntryJudge, isJSON: Bool = false) {
        self.isJSON = isJSON
        self.sink = sink
        identities = ArrayIdentities(options.arrays)
        limit = options.isFull ? PlistDiff.changeLimit : Self.changeLimit
    }

    func compare(_ old: ComparedContent, _ new: ComparedContent) throws(HandlerFailure) -> ContentFinding {
        let bytes = try HandlerFailure.readBoth(old, new)
        let before = try read(bytes.old, .a)
        let after = try read(bytes.new, .b)
        // Two documents have no more differences than bytes, unless they share objects.
        let workLimit = max(PlistDiff.changeLimit, bytes.old.count + bytes.new.count)
        // Noise and other changes have separate limits, so that noise displaces nothing else.
        var (kept, unshown) = ((signals: 0, noise: 0), 0)
        let diff: PlistDiff
        do throws(OverlayError) {
            diff = try PlistDiff(before.value, after.value, identities: identities, limit: workLimit) { change in
                let detail = sink.classified(.value(change))
                guard (detail.noise == nil ? kept.signals : kept.noise) < limit else {
                    sink.add(detail)
                    if detail.noise == nil { unshown += 1 }
                    return false
                }
                if detail.noise == nil { kept.signals += 1 } else { kept.noise += 1 }
                return true
            }
        } catch {
            throw .unfit(.both, reason: error.message)
        }
        var finding = ContentFinding(
            isJSON ? "json" : "plist",
            diff.changes.map { ChangeDetail(.value($0)) })
        if sink.asksForPlaces { finding.documents = [before.value, after.value] }
        if diff.isEmpty, before.format == after.format, before.value != after.value {
            // These are keyed archives that number their objects differently.
            finding.isUnchanged = true
            return finding
        }
        finding.details += diff.unresolved.map { place in
            let reason = "\(place.pointer.steps.isEmpty ? "" : "\(place.pointer): ")\(place.gap.archiveText)"
            return ChangeDetail(
                .fallback(
                    HandlerFallback(side: .both, from: "archive", to: "plist", reason: reason, archive: place.pointer)))
        }
        if before.format != after.format || diff.isEmpty {
            finding.details.append(ChangeDetail(.encoding(EncodingChange(old: before.format.word, new: after.format.word))))
        }
        let limits = Self.limits(of: diff, kept: kept.signals, unshown: unshown, workLimit: workLimit)
        finding.details += limits.map { ChangeDetail(.limit($0)) }
        finding.isComplete = limits.isEmpty
        return finding
    }

    private static func limits(of diff: PlistDiff, kept: Int, unshown: Int, workLimit: Int) -> [Truncation] {
        var limits = diff.bounds.sorted { $0.rawValue < $1.rawValue }.map { bound in
            bound == .changes
                ? Truncation(bound.rawValue, shown: UInt64(kept), limit: UInt64(workLimit)) : Truncation(bound.rawValue)
        }
        if !diff.bounds.contains(.changes), unshown > 0 {
            limits.append(Truncation("changes", shown: UInt64(kept), total: UInt64(kept + unshown), isJudged: true))
        }
        return limits
    }

    private func read(
        _ bytes: [UInt8], _ side: HandlerFallback.Side
    ) throws(HandlerFailure) -> (value: PlistValue, format: PlistFormat) {
        do throws(PlistError) {
            if isJSON { return (try JSONContent.read(bytes), .json) }
            let reading = try PlistReader.readLeniently(bytes)
            return (reading.value, reading.format)
        } catch {
            throw .unfit(side, reason: error.message)
        }
    }
}

/// Compares texts line by line.
struct TextHandler: ContentHandler {
    let context: Int
    let lines: Int?

    func compare(_ old: ComparedContent, _ new: ComparedContent) throws(HandlerFailure) -> ContentFinding {
        let bytes = try HandlerFailure.readBoth(old, new)
        let comparison = TextDiff(try Self.read(bytes.old, .a), try Self.read(bytes.new, .b), context: context, lines: lines)
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

/// Compares images by their headers. Their bytes are already known to differ.
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

/// Compares binary cookies by domain, path and name.
struct CookieHandler: ContentHandler {
    let sink: any ChangeSink

    func compare(_ old: ComparedContent, _ new: ComparedContent) throws(HandlerFailure) -> ContentFinding {
        let bytes = try HandlerFailure.readBoth(old, new)
        let comparison = CookieDiff(
            try Self.read(bytes.old, .a), try Self.read(bytes.new, .b)
        ) { sink.add(.cookie($0)) }
        var finding = ContentFinding("cookies", comparison.details)
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

/// Decompresses two contents and compares the results.
struct WrappedHandler: ContentHandler {
    private let kind: ContentKind
    private let inner: ContentDiffer

    init(_ kind: ContentKind, _ inner: ContentDiffer) {
        self.kind = kind
        self.inner = inner
    }

    func compare(_ old: ComparedContent, _ new: ComparedContent) throws(HandlerFailure) -> ContentFinding {
        let bytes = try HandlerFailure.readBoth(old, new)
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
            throw .unfit(side, reason: "not zlib data, damaged, or larger than \(ComparedContent.longest >> 20) MiB")
        }
        return inflated
    }
}

/// Compares contents as bytes. This never fails because of the content's format.
struct BytesHandler {
    static let word = "bytes"
    private static let longestMatched: UInt64 = 1 << 30

    func compare(_ old: ComparedContent, _ new: ComparedContent) throws(CapsuleError) -> ContentFinding {
        let comparison = DeltaMatcher(
            old: old.window(capacity: DeltaTuning.standard.windowLength),
            new: new.window(capacity: DeltaTuning.standard.windowLength), tuning: .standard)
        let shorter = min(old.size, new.size)
        let prefix = try comparison.commonPrefix(new: 0, old: 0, limit: shorter)
        let change = BytesChange(
            oldSize: old.size, newSize: new.size, first: prefix == shorter ? nil : prefix,
            equal: try share(comparison, old, new, prefix: prefix))
        return ContentFinding(Self.word, [ChangeDetail(.bytes(change))])
    }

    /// Returns the share of the newer content that is also in the older one; nil if the newer one is empty or the contents are too
    /// long.
    private func share(
        _ comparison: DeltaMatcher, _ old: ComparedContent, _ new: ComparedContent, prefix: UInt64
    ) throws(CapsuleError) -> Double? {
        guard new.size > 0 else { return nil }
        let rest = min(old.size, new.size) - prefix
        let suffix = try comparison.commonSuffix(new: new.size, old: old.size, limit: rest)
        var equal = prefix + suffix
        // If the ends don't cover the shorter content, the part between them may have moved.
        if equal < min(old.size, new.size) {
            guard max(old.size, new.size) <= Self.longestMatched else { return nil }
            equal = max(equal, try comparison.matches().reduce(0) { $0 + $1.length })
        }
        return min(1, Double(equal) / Double(new.size))
    }
}
