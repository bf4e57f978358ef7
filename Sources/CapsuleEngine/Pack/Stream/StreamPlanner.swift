import CapsuleArchive
import CapsuleContainers
import CapsuleCore
import CapsuleHashing
import CapsuleSystem

/// Cuts a container's stream into jobs, in order. It can be sent back to an earlier position.
final class StreamPlanner {
    private let plan: PackPlan
    private let skipsUnreadable: Bool
    private let watches: [Int: DatabaseWatch]
    private let snapshots: UnitSnapshots
    private var position = 0
    private var large: (file: LargeFile, next: Int)?
    private var hasEnded = false
    private var changes: [Int: Int] = [:]
    private var groups = 0
    /// The new sizes of files that had grown when they were read.
    private var sizes: [Int: UInt64] = [:]
    private(set) var unreadable: [Int: String] = [:]

    /// - Parameters:
    ///   - watches: the databases with logs, by the position of their first file.
    ///   - snapshots: receives the states of the databases before they are read.
    init(_ plan: PackPlan, watches: [Int: DatabaseWatch], snapshots: UnitSnapshots, skipsUnreadable: Bool) {
        self.plan = plan
        self.watches = watches
        self.snapshots = snapshots
        self.skipsUnreadable = skipsUnreadable
    }

    func next() throws(CapsuleError) -> PackJob? {
        if let (file, next) = large {
            large = next + 1 < file.slices ? (file, next + 1) : nil
            return .slice(file, number: next)
        }
        let start = position
        var length = 0
        while position < plan.order.count {
            if let watch = watches[position], !snapshots.hasSnapshot(at: position) {
                // The files of a database begin a job of their own, so that a change can go back to it.
                if position > start { break }
                snapshots.record(try watch.capture(plan), at: position)
            } else if watches[position] != nil, position > start {
                break
            }
            let number = Int(plan.order[position])
            let needed = plan.streamLength(of: plan.entries[number], size: sizes[number] ?? plan.entries[number].size)
            if needed > plan.groupLength {
                if position > start { break }
                if let job = try openLarge(number) { return job }
                // The file is left out, and nothing of it is in the stream.
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
        let content = plan.read(try plan.open(number))
        guard case .contents(let additions) = plan.form else {
            return try LargeFile(
                entry, number: number, position: position, content: content, path: plan.names.path(of: entry),
                sliceLength: plan.groupLength)
        }
        // A file that changes repeatedly is stored as it was read last, with the digest of those bytes.
        guard let stored = additions.stored, changes[number, default: 0] + 1 < PackWorker.tries else {
            return try LargeFile(whole: content, number: number, position: position, sliceLength: plan.groupLength)
        }
        let prepared = try preparation(content, number, additions, stored)
        let size = prepared.status.size
        let extents = try stored.find(prepared.digest, size: size, for: entry, number: number)
        return try LargeFile(
            prepared, number: number, position: position, content: content, extents: extents,
            // The content of a file that has shrunk may also be that of a small file, which claims it in its turn.
            isDuplicate: extents == nil && size > UInt64(plan.groupLength)
                && !additions.claims.claim(prepared.digest, at: position),
            sliceLength: plan.groupLength)
    }

    /// Returns the existing preparation of a file if the file has not changed since; otherwise a new one.
    private func preparation(
        _ content: any OpenContent, _ number: Int, _ additions: PackPlan.Additions, _ stored: DeduplicationIndex
    ) throws(CapsuleError) -> LargePreparation {
        if changes[number] == nil, let known = additions.prepared[number], known.status.isSameState(as: try content.status()) {
            return known
        }
        return try LargePreparation(content, number: number, in: stored, jobs: 1)
    }

    /// Goes back to the entry at a position of the stream.
    /// - Parameters:
    ///   - grown: an entry whose size has changed, with its new size.
    ///   - changed: an entry that changed while it was read.
    ///   - lostDigest: a content that its file no longer has.
    func goBack(to position: Int, grown: (entry: Int, size: UInt64)?, changed: Int?, lostDigest: ContentDigest?) {
        self.position = position
        large = nil
        hasEnded = false
        snapshots.forget(from: position)
        if case .contents(let additions) = plan.form {
            additions.claims.forget(from: position)
            if let lostDigest { additions.claims.forget(lostDigest) }
        }
        if let grown { sizes[grown.entry] = grown.size }
        if let changed { changes[changed, default: 0] += 1 }
    }
}

/// A part of the stream that one thread makes and compresses.
enum PackJob: Sendable {
    /// Whole entries, concatenated.
    /// - Parameters:
    ///   - positions: the positions of the entries in the stream.
    ///   - turn: the number of groups before this one.
    case group(positions: Range<Int>, turn: Int)
    case slice(LargeFile, number: Int)
    /// The two zero blocks that end an archive, and the member of zeros after them.
    case end
}
