import CapsuleContainers
import CapsuleCore
import CapsuleDatabases
import CapsuleHashing
import CapsuleMerge
import CapsulePropertyList
import CapsuleSQLite
import CapsuleSystem

/// Merges the contents of files that both sides changed, according to their format, and keeps the results.
struct ContentMerger {
    let inputs: [OpenedContainer]
    private let labels: MergeLabels
    private let options: MergeOptions
    private var folded: CheckpointStore?
    /// The number of bytes that are kept in memory.
    private var kept = 0
    private static let mostKept = 16 << 20
    var made: [EntryContents.Origin] = []
    var notes: [String] = []

    /// - Parameter inputs: base, ours, theirs.
    init(_ inputs: [OpenedContainer], labels: MergeLabels, _ options: MergeOptions) {
        self.inputs = inputs
        self.labels = labels
        self.options = options
    }

    struct Contents {
        let base: ComparedContent?
        let ours: ComparedContent
        let theirs: ComparedContent
    }

    mutating func merge(
        _ request: TreeMerge.Request, _ decisions: inout MergeDecisions
    ) throws(CapsuleError) -> TreeMerge.ContentMergeResult {
        try CapsuleError.checkInterruption()
        guard let ours = try content(.ours, request), let theirs = try content(.theirs, request) else {
            return .unfit("one side deleted it")
        }
        let own = ContentKind.candidates(try ours.head(), size: ours.size).first
        let other = ContentKind.candidates(try theirs.head(), size: theirs.size).first
        if request.isUnit || (own == .sqlite && other == .sqlite) { return try mergeRows(request, &decisions) }
        return try merge(Contents(base: try content(.base, request), ours: ours, theirs: theirs), request.path, &decisions)
    }

    mutating func merge(
        _ files: Contents, _ path: RelativePath, _ decisions: inout MergeDecisions
    ) throws(CapsuleError) -> TreeMerge.ContentMergeResult {
        let own = ContentKind.candidates(try files.ours.head(), size: files.ours.size)
        let other = ContentKind.candidates(try files.theirs.head(), size: files.theirs.size)
        var reason = files.base == nil ? "both created it" : "both changed it"
        for kind in ContentKind.shared(own, other) {
            switch kind {
            case .plist, .json:
                switch try mergePropertyLists(files, path, &decisions) {
                case .success(let merged): return merged
                case .failure(let failure):
                    reason = failure.reason
                    // If only one side is a property list, the contents are not merged line by line: the result might not be a
                    // property list.
                    if failure.isOneSided { return .unfit(reason) }
                }
            case .text:
                if let merged = try mergeTexts(files, path, &decisions) { return merged }
            case .sqlite, .cookies, .gzip, .zlib, .image, .bytes: continue
            }
        }
        return .unfit(reason)
    }

    /// Returns a file's content; nil if there is none. An empty base is nil, too, as it is the beginning of every content.
    private func content(_ side: TreeMerge.Side, _ request: TreeMerge.Request) throws(CapsuleError) -> ComparedContent? {
        guard let number = request.files[side] else { return nil }
        let opened = inputs[side.rawValue]
        let entry = opened.entries[number]
        if side == .base, entry.size == 0 { return nil }
        return ComparedContent(try opened.open(number), size: entry.size)
    }

    /// Keeps the bytes of a result: in memory up to a limit, after that in a file.
    private mutating func keep(_ bytes: [UInt8]) throws(CapsuleError) -> TreeMerge.ContentMergeResult {
        if kept + bytes.count <= Self.mostKept {
            kept += bytes.count
            made.append(.bytes(bytes))
        } else {
            let folded = try store()
            made.append(Self.source(in: folded, at: try folded.add(bytes), size: UInt64(bytes.count)))
        }
        return .made(made.count - 1, size: UInt64(bytes.count), digest: SHA256Hasher.digest(of: bytes))
    }

    mutating func store() throws(CapsuleError) -> CheckpointStore {
        if let folded { return folded }
        let store = try CheckpointStore()
        folded = store
        return store
    }

    static func source(in store: CheckpointStore, at place: CheckpointStore.Location, size: UInt64) -> EntryContents.Origin {
        let file = CheckpointedFile(
            store, at: place, ContentStatus(size: size, mode: FileMode(0o600), modified: .epoch, live: nil), attributes: nil)
        return .opened { file }
    }

    private struct ReadFailure: Error {
        let reason: String
        let isOneSided: Bool
    }

    private mutating func mergePropertyLists(
        _ files: Contents, _ path: RelativePath, _ decisions: inout MergeDecisions
    ) throws(CapsuleError) -> Result<TreeMerge.ContentMergeResult, ReadFailure> {
        var documents: [PlistDocument] = []
        var failures: [String] = []
        for content in [files.ours, files.theirs] {
            guard let bytes = try content.all() else {
                return .failure(ReadFailure(reason: "larger than \(ComparedContent.longest >> 20) MiB", isOneSided: true))
            }
            do throws(PlistError) {
                documents.append(try PlistDocument.read(bytes))
            } catch {
                failures.append(error.message)
            }
        }
        guard documents.count == 2 else {
            return .failure(
                ReadFailure(reason: "both changed it, and it can't be read: \(failures[0])", isOneSided: documents.count == 1))
        }
        let base: PlistDocument?
        switch try baseDocument(files) {
        case .success(let document): base = document
        case .failure(let failure): return .failure(failure)
        }
        for (side, document) in [("the base", base), ("ours", documents[0]), ("theirs", documents[1])] {
            guard let document else { continue }
            notes += document.warnings.map { "\(side): " + CapsuleError.note(of: $0, in: HostPath(path.bytes)) }
        }
        let merge = PlistDocumentMerge(identities: ArrayIdentities(options.arrays), path: path)
        let merged: [UInt8]
        do throws(OverlayError) {
            let outcome = try merge.merge(base: base, ours: documents[0], theirs: documents[1], &decisions)
            notes += outcome.notes.map { "\(path): \($0.text)" }
            merged = outcome.bytes
        } catch {
            // A decided value doesn't fit in its place. This is reported as an error, and not as a conflict with another number.
            if error.code == .invalid { throw CapsuleError(error, inMergeOf: path) }
            return .failure(ReadFailure(reason: "both changed it, and it can't be merged: \(error)", isOneSided: true))
        }
        return .success(try keep(merged))
    }

    /// Returns the base's property list; nil if there is no base. A base of another format, or one that can't be read, is a
    /// failure: if it counted as empty, what both sides put in its place would be joined, and a deletion on one side would look
    /// like an addition on the other.
    private func baseDocument(_ files: Contents) throws(CapsuleError) -> Result<PlistDocument?, ReadFailure> {
        guard let content = files.base else { return .success(nil) }
        guard let bytes = try content.all() else {
            return .failure(ReadFailure(reason: "the base is larger than \(ComparedContent.longest >> 20) MiB", isOneSided: true))
        }
        do throws(PlistError) {
            return .success(try PlistDocument.read(bytes))
        } catch {
            if error.code == .notPropertyList {
                return .failure(ReadFailure(reason: "both changed it, and the base is not a property list", isOneSided: true))
            }
            return .failure(
                ReadFailure(reason: "both changed it, and the base can't be read: \(error.message)", isOneSided: true))
        }
    }

    private mutating func mergeTexts(
        _ files: Contents, _ path: RelativePath, _ decisions: inout MergeDecisions
    ) throws(CapsuleError) -> TreeMerge.ContentMergeResult? {
        guard let ours = try text(files.ours), let theirs = try text(files.theirs) else { return nil }
        var base: TextContent?
        if let content = files.base {
            guard let bytes = try content.all() else { return nil }
            base = try? TextContent(bytes)
        }
        var merge = TextMerge(base: base, ours: ours, theirs: theirs, path: path)
        let bytes = merge.merge(&decisions)
        guard options.hasMarks, !merge.isClean else { return try keep(bytes) }
        return try keep(merge.marked(ours: labels.ours, base: labels.base, theirs: labels.theirs))
    }

    private func text(_ content: ComparedContent) throws(CapsuleError) -> TextContent? {
        guard let bytes = try content.all() else { return nil }
        return try? TextContent(bytes)
    }

    mutating func mergeRows(
        _ request: TreeMerge.Request, _ decisions: inout MergeDecisions
    ) throws(CapsuleError) -> TreeMerge.ContentMergeResult {
        let folded = try store()
        guard let ours = request.files.ours, let theirs = request.files.theirs else {
            return .unfit("it is missing on one side")
        }
        let files = request.files
        let all = inputs
        var largest: UInt64 = 0
        for side in TreeMerge.Side.allCases {
            if let number = files[side] { largest = max(largest, all[side.rawValue].entries[number].size) }
        }
        // This is the same limit as for checkpoints: slow disks stay below it, and hostile pages must not exceed it.
        let limits = WorkLimits(time: .seconds(60 + Int64(clamping: largest >> 22)))
        func copy(_ side: TreeMerge.Side, _ number: Int) throws(CapsuleError) -> DatabaseCopy {
            let opened = all[side.rawValue]
            return try UnitReader(opened.contents, opened.entries, database: number).copy()
        }
        do throws(CapsuleError) {
            var base: DatabaseCopy?
            if let number = files.base, all[0].entries[number].size > 0 {
                guard all[0].isDatabase(number) else {
                    return .unfit("both changed it, and the base is not a database")
                }
                base = try copy(.base, number)
            }
            let outcome = try DatabaseMerge.merge(
                base: base, ours: copy(.ours, ours), theirs: copy(.theirs, theirs), path: request.path, limits: limits,
                &decisions)
            switch consume outcome {
            case .wholeUnit(let reason):
                return .unfit(reason)
            case .merged(let database, let facts):
                notes += facts.notes.map { "\(request.path): \($0)" }
                let length = database.length
                let (place, digest) = try folded.add(database)
                made.append(Self.source(in: folded, at: place, size: length))
                let blobs = DatabaseUnit.externalData(of: request.path)
                let needed = facts.externalFiles.compactMap { name in blobs.flatMap { try? $0.appending(Array(name.utf8)) } }
                return .made(made.count - 1, size: length, digest: digest, needed: Set(needed))
            }
        } catch {
            if error.errno != nil { throw error }
            switch error.code {
            case .interrupted, .io: throw error
            case .unread: throw CapsuleError("can't be merged: \(error.message)", path: HostPath(request.path.bytes))
            case .resolution:
                throw CapsuleError(error.message, path: HostPath(request.path.bytes), hint: "resolve its conflicts differently")
            default: return .unfit("both changed it, and its rows can't be merged: \(error.message)")
            }
        }
    }
}
