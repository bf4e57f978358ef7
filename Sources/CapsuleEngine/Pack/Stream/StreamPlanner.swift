import CapsuleArchive
import CapsuleCore
import CapsuleFileSystem

/// Cuts a container's stream into jobs, in order. What it hands out it may be sent back to.
final class StreamPlanner {
    private let plan: PackPlan
    private let skipsUnreadable: Bool
    private let watches: [Int: DatabaseWatch]
    private let sights: DatabaseSights
    private var position = 0
    private var large: (file: LargeFile, next: Int)?
    private var hasEnded = false
    /// How often files turned out to have changed while they were read.
    private var changes: [Int: Int] = [:]
    /// How many groups were handed out.
    private var groups = 0
    /// Of files that had grown when they were read.
    private var sizes: [Int: UInt64] = [:]
    /// Large files that could not be opened, and why.
    private(set) var unreadable: [Int: String] = [:]

    /// - Parameters:
    ///   - watches: databases with logs, by their first file's position.
    ///   - sights: takes what the databases looked like before they are read.
    init(_ plan: PackPlan, watches: [Int: DatabaseWatch], sights: DatabaseSights, skipsUnreadable: Bool) {
        self.plan = plan
        self.watches = watches
        self.sights = sights
        self.skipsUnreadable = skipsUnreadable
    }

    /// The next job; nil once the stream's end is handed out.
    func next() throws(CapsuleError) -> PackJob? {
        if let (file, next) = large {
            large = next + 1 < file.slices ? (file, next + 1) : nil
            return .slice(file, number: next)
        }
        let start = position
        var length = 0
        while position < plan.order.count {
            if let watch = watches[position], !sights.hasLooked(at: position) {
                // Its files begin a job of their own, to which a change goes back.
                if position > start { break }
                sights.note(try watch.look(plan), at: position)
            } else if watches[position] != nil, position > start {
                break
            }
            let number = Int(plan.order[position])
            let needed = plan.streamLength(of: plan.entries[number], size: sizes[number] ?? plan.entries[number].size)
            if needed > plan.groupLength {
                if position > start { break }
                if let job = try openLarge(number) { return job }
                // Left out: nothing of it is in the stream.
                position += 1
                return try next()
            }
            if length + needed > plan.groupLength { break }
            length += needed
            position += 1
        }
        if position > start {
            groups += 1
            return .group(positions: start..<position, turn: groups - 1)
        }
        if hasEnded || !plan.isArchive { return nil }
        hasEnded = true
        return .end
    }

    private func openLarge(_ number: Int) throws(CapsuleError) -> PackJob? {
        if unreadable[number] != nil { return nil }
        let entry = plan.entries[number]
        do throws(CapsuleError) {
            let file = try largeFile(entry, number)
            position += 1
            large = file.slices > 1 ? (file, 1) : nil
            return .slice(file, number: 0)
        } catch {
            guard skipsUnreadable, error.code != .interrupted else { throw error }
            unreadable[number] = Omission.unreadable(error.message)
            return nil
        }
    }

    private func largeFile(_ entry: TreeEntry, _ number: Int) throws(CapsuleError) -> LargeFile {
        let content = plan.read(try plan.content.open(entry, number: number))
        guard case .contents(let additions) = plan.form else {
            return try LargeFile(
                entry, number: number, position: position, content: content, path: plan.names.path(of: entry),
                sliceLength: plan.groupLength)
        }
        // What changes again and again is stored as it is read last: its digest is then that of those very bytes.
        guard let stored = additions.stored, changes[number, default: 0] + 1 < PackWorker.tries else {
            return try LargeFile(whole: content, number: number, position: position, sliceLength: plan.groupLength)
        }
        let prepared = try preparation(content, number, additions, stored)
        let size = prepared.status.size
        let extents = try stored.find(prepared.digest, size: size, for: entry, number: number)
        return try LargeFile(
            prepared, number: number, position: position, content: content, extents: extents,
            // What has shrunk meanwhile may be a small file's content too, which claims it in its turn.
            isDuplicate: extents == nil && size > UInt64(plan.groupLength)
                && !additions.claims.claim(prepared.digest, at: position),
            sliceLength: plan.groupLength)
    }

    /// What was found out before, if the file is still as it was.
    private func preparation(
        _ content: any OpenContent, _ number: Int, _ additions: PackPlan.Additions, _ stored: StoredContents
    ) throws(CapsuleError) -> LargePreparation {
        if changes[number] == nil, let known = additions.prepared[number], known.status.isSameState(as: try content.status()) {
            return known
        }
        return try LargePreparation(content, number: number, in: stored, aligningWith: nil)
    }

    /// Goes back to the entry at a position of the stream's order.
    ///
    /// - Parameters:
    ///   - grown: an entry whose size is now known to be another.
    ///   - changed: an entry that changed while it was read.
    ///   - disowned: a content that the file which was to bring it has no more.
    func goBack(to position: Int, grown: (entry: Int, size: UInt64)?, changed: Int?, disowned: ContentDigest?) {
        self.position = position
        large = nil
        hasEnded = false
        sights.forget(from: position)
        if case .contents(let additions) = plan.form {
            additions.claims.forget(from: position)
            if let disowned { additions.claims.forget(disowned) }
        }
        if let grown { sizes[grown.entry] = grown.size }
        if let changed { changes[changed, default: 0] += 1 }
    }
}

/// A stretch of the tar stream for one thread to make and compress.
enum PackJob: Sendable {
    /// Whole entries, one behind the other.
    ///
    /// - Parameters:
    ///   - positions: of the entries in the stream's order.
    ///   - turn: how many groups were made before.
    case group(positions: Range<Int>, turn: Int)
    /// A part of a large file's own stretch.
    case slice(LargeFile, number: Int)
    /// The two zero blocks that end an archive, and the member of zeros behind them.
    case end
}
