import CapsuleCore
import CapsuleFileSystem
import CapsuleSQLite

extension ContentMerger {
    /// Merges databases row by row, with their logs.
    mutating func mergeRows(
        _ request: TreeMerge.Request, _ decisions: inout MergeDecisions
    ) throws(CapsuleError) -> TreeMerge.Merged {
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
        // As for folding: slow disks take less, and hostile pages must not take more.
        let limits = WorkLimits(time: .seconds(60 + Int64(clamping: largest >> 22)))
        func copy(_ side: TreeMerge.Side, _ number: Int) throws(DatabaseError) -> DatabaseCopy {
            let opened = all[side.rawValue]
            return try UnitReader(opened.content, opened.entries, database: number).copy()
        }
        do throws(DatabaseError) {
            var base: DatabaseCopy?
            if let number = files.base, all[0].entries[number].size > 0 {
                guard all[0].content.isDatabase(all[0].entries[number], number: number) else {
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
            switch error.code {
            case .interrupted, .fileSystem: throw CapsuleError(error)
            case .unread: throw CapsuleError("can't be merged: \(error.message)", path: HostPath(request.path.bytes))
            case .resolution:
                throw CapsuleError(
                    error.message, path: HostPath(request.path.bytes), hint: "resolve its conflicts differently")
            default: return .unfit("both changed it, and its rows can't be merged: \(error.message)")
            }
        }
    }
}
