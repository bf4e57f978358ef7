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

    mutating func merge(
        _ request: TreeMerge.Request, _ decisions: inout MergeDecisions
    ) throws(CapsuleError) -> TreeMerge.ContentMergeResult {
        try CapsuleError.checkInterruption()
        guard let ours = try content(.ours, request), let theirs = try content(.theirs, request) else {
            return .unfit("one side deleted it")
        }
        let formats = [try ContentFormats.candidates(ours), try ContentFormats.candidates(theirs)]
        if request.isUnit || formats.allSatisfy({ $0.first is DatabaseContents }) { return try mergeRows(request, &decisions) }
        return try merge(
            MergedContents(path: request.path, base: try content(.base, request), ours: ours, theirs: theirs), &decisions)
    }

    mutating func merge(
        _ files: MergedContents, _ decisions: inout MergeDecisions
    ) throws(CapsuleError) -> TreeMerge.ContentMergeResult {
        let settings = ContentMerging(labels: labels, arrays: options.arrays, hasMarks: options.hasMarks)
        var reason = files.base == nil ? "both created it" : "both changed it"
        let formats = ContentFormats.shared(
            try ContentFormats.candidates(files.ours), try ContentFormats.candidates(files.theirs))
        for format in formats {
            switch try format.merge(files, settings, &decisions) {
            case nil: continue
            case .notRead(let failure)?: reason = failure
            case .unfit(let failure)?: return .unfit(failure)
            case .made(let bytes, let added)?:
                notes += added
                return try keep(bytes)
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
