import CapsuleContainers
import CapsuleCore
import CapsuleHashing
import CapsuleMerge
import CapsulePropertyList
import CapsuleRules

/// Property lists in any encoding, keyed archives among them, and JSON.
struct PlistContents: ContentFormat {
    /// True if all contents are JSON; otherwise one of two may be.
    let isJSON: Bool

    struct Value {
        let value: PlistValue
        /// The encoding; nil for a format that is none of a property list.
        let format: PlistFormat?
        /// The length in bytes.
        let length: Int
    }

    private struct EndOfList: Error {}

    /// The most changes of one file that are kept, unless more are requested.
    private static let changeLimit = 10_000

    var word: String { isJSON ? "json" : "plist" }
    var absence: String { isJSON ? "not JSON" : "not a property list" }
    var isPropertyList: Bool { true }
    var isMergeable: Bool { true }

    func isLikely(_ head: ContentHead) -> Bool { isJSON ? head.isJSON : head.isPropertyList }

    func read(_ content: ComparedContent, _ side: HandlerFallback.Side) throws(ContentFailure) -> Value {
        let bytes = try content.all(side)
        do throws(PlistError) {
            if isJSON { return Value(value: try JSONContent.read(bytes), format: .json, length: bytes.count) }
            let reading = try PlistReader.readLeniently(bytes)
            return Value(value: reading.value, format: reading.format, length: bytes.count)
        } catch {
            throw .unfit(side, reason: error.message)
        }
    }

    func tell(_ value: Value, isNew: Bool, _ sink: any ChangeSink) {
        let root = PlistPointer(steps: [])
        sink.add(.value(PlistChange(isNew ? .added(value.value) : .deleted(value.value), at: root)))
    }

    func list(_ value: Value, _ sink: any ChangeSink, depth: Int) throws(ContentFailure) -> String? {
        let end = Self.forEachPlace(in: value) { pointer, _, leaf, naming in
            if let leaf { sink.add(.value(PlistChange(.added(leaf), at: pointer, naming: naming))) }
        }
        if let end { sink.add(.limit(end)) }
        return word
    }

    /// Calls `take` as ``PlistLeaves/forEachPlace(in:_:)`` does. Objects that a binary property list shares are told wherever they are
    /// used, up to a limit.
    /// - Returns: the limit, if it was reached.
    static func forEachPlace(in value: Value, _ take: (PlistPointer, PlistString?, PlistValue?, SecretName) -> Void)
        -> Truncation?
    {
        let limit = max(PlistDiff.changeLimit, value.length)
        // The places around the values are as many at most.
        var (count, places) = (0, 0)
        do throws(EndOfList) {
            try PlistLeaves.forEachPlace(in: value.value) { (pointer, key, leaf, naming) throws(EndOfList) in
                guard count < limit, places < 2 * limit else { throw EndOfList() }
                places += 1
                if leaf != nil { count += 1 }
                take(pointer, key, leaf, naming)
            }
            return nil
        } catch {
            return Truncation("values", shown: UInt64(count), isJudged: true)
        }
    }

    func digest(of value: Value) -> ContentDigest? { StableValue.digest(of: value.value) }

    func compare(_ old: Value, _ new: Value, _ comparison: ContentComparison) throws(ContentFailure) -> ContentFinding? {
        try Self.compare(old, new, comparison, as: word)
    }

    /// Compares values of any format that holds some. Equal ones differ in their encoding.
    /// - Parameters:
    ///   - word: the word for the format.
    ///   - isWhole: returns true for the place of a dictionary that is compared as one value.
    static func compare(
        _ before: Value, _ after: Value, _ comparison: ContentComparison, as word: String,
        isWhole: @escaping (PlistPointer) -> Bool = { _ in false }
    ) throws(ContentFailure) -> ContentFinding {
        let judge = comparison.judge
        let limit = comparison.options.keepsAllValues ? PlistDiff.changeLimit : Self.changeLimit
        // Two documents have no more differences than bytes, unless they share objects.
        let workLimit = max(PlistDiff.changeLimit, before.length + after.length)
        // Noise and other changes have separate limits, so that noise displaces nothing else.
        var (kept, unshown) = ((signals: 0, noise: 0), 0)
        let diff: PlistDiff
        do throws(OverlayError) {
            diff = try PlistDiff(
                before.value, after.value, identities: ArrayIdentities(comparison.options.arrays), limit: workLimit,
                isWhole: isWhole
            ) { change in
                let detail = judge.classified(ChangeDetail(.value(change)))
                let isKept = (detail.noise == nil ? kept.signals : kept.noise) < limit
                judge.take(detail, isKept: isKept)
                if detail.noise != nil { kept.noise += 1 } else if isKept { kept.signals += 1 } else { unshown += 1 }
                return false
            }
        } catch {
            throw .unfit(.both, reason: error.message)
        }
        let isSame = kept == (0, 0) && diff.isEmpty
        var finding = ContentFinding(word)
        if judge.asksForPlaces { finding.documents = [before.value, after.value] }
        if isSame, before.format == after.format, before.value != after.value {
            // These are keyed archives that number their objects differently.
            finding.isUnchanged = true
            return finding
        }
        for place in diff.unresolved {
            let reason = "\(place.pointer.steps.isEmpty ? "" : "\(place.pointer): ")\(place.gap.archiveText)"
            judge.add(
                .fallback(HandlerFallback(side: .both, from: "archive", to: "plist", reason: reason, archive: place.pointer)))
        }
        if before.format != after.format || isSame {
            judge.add(.encoding(EncodingChange(old: before.format?.word ?? word, new: after.format?.word ?? word)))
        }
        for limit in Self.limits(of: diff, kept: kept.signals, unshown: unshown, workLimit: workLimit) {
            judge.add(.limit(limit))
        }
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
}

extension PlistContents {
    /// Merges the values, and the way they are written. If only one side is a property list, the contents are not merged line by
    /// line either: the result might not be a property list.
    func merge(
        _ files: MergedContents, _ settings: ContentMerging, _ decisions: inout MergeDecisions
    ) throws(CapsuleError) -> ContentMerging.Result? {
        var documents: [PlistDocument] = []
        var failures: [String] = []
        for content in [files.ours, files.theirs] {
            guard let bytes = try content.all() else { return .unfit("larger than \(ComparedContent.longest >> 20) MiB") }
            do throws(PlistError) {
                documents.append(try PlistDocument.read(bytes))
            } catch {
                failures.append(error.message)
            }
        }
        guard documents.count == 2 else {
            let reason = "both changed it, and it can't be read: \(failures[0])"
            return documents.isEmpty ? .notRead(reason) : .unfit(reason)
        }
        var base: PlistDocument?
        if let content = files.base {
            switch try Self.base(content) {
            case .success(let document): base = document
            case .failure(let failure): return .unfit(failure.reason)
            }
        }
        var notes: [String] = []
        for (side, document) in [("the base", base), ("ours", documents[0]), ("theirs", documents[1])] {
            guard let document else { continue }
            notes += document.warnings.map { "\(side): " + CapsuleError.note(of: $0, in: HostPath(files.path.bytes)) }
        }
        let merge = PlistDocumentMerge(identities: ArrayIdentities(settings.arrays), path: files.path)
        do throws(OverlayError) {
            let outcome = try merge.merge(base: base, ours: documents[0], theirs: documents[1], &decisions)
            return .made(outcome.bytes, notes: notes + outcome.notes.map { "\(files.path): \($0.text)" })
        } catch {
            // A decided value doesn't fit in its place. This is reported as an error, and not as a conflict with another number.
            if error.code == .invalid { throw CapsuleError(error, inMergeOf: files.path) }
            return .unfit("both changed it, and it can't be merged: \(error)")
        }
    }

    private struct BaseFailure: Error {
        let reason: String
    }

    /// Returns the base's property list. A base of another format, or one that can't be read, is a failure: if it counted as empty,
    /// what both sides put in its place would be joined, and a deletion on one side would look like an addition on the other.
    private static func base(_ content: ComparedContent) throws(CapsuleError) -> Result<PlistDocument, BaseFailure> {
        guard let bytes = try content.all() else {
            return .failure(BaseFailure(reason: "the base is larger than \(ComparedContent.longest >> 20) MiB"))
        }
        do throws(PlistError) {
            return .success(try PlistDocument.read(bytes))
        } catch {
            return .failure(
                BaseFailure(
                    reason: error.code == .notPropertyList
                        ? "both changed it, and the base is not a property list"
                        : "both changed it, and the base can't be read: \(error.message)"))
        }
    }
}
