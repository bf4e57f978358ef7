import CapsuleArchive
import CapsuleContainers
import CapsuleCore
import CapsuleHashing
import CapsuleSystem

/// The data that all threads of a pack share.
final class PackPlan: Sendable {
    enum Form: Sendable {
        /// A tar stream of all entries.
        case archive
        /// The contents that the capsule does not have yet, concatenated.
        case contents(Additions)
    }

    /// The data that only a later version needs.
    struct Additions: Sendable {
        var stored: DeduplicationIndex?
        let claims = ContentClaims()
        var prepared: [Int: LargePreparation] = [:]
    }

    let entries: EntryTable
    /// The places of ``entries`` in the order of the stream. In a later version, only those of the entries that are read.
    let order: [UInt32]
    let names: TarPaths
    let contents: EntryContents
    /// True if the bytes that are read must have the digests of the entries, as in a capsule.
    private let hasFinalDigests: Bool
    let form: Form
    private let leftOut: Set<[UInt8]>
    /// The greatest length of the stream of a group, or of a slice of a large file, in bytes.
    let groupLength: Int
    let skipsUnreadable: Bool

    init(
        _ container: OpenedContainer, entries: EntryTable, form: Form, groupLength: Int, skipsUnreadable: Bool,
        isRead: (Int) -> Bool = { _ in true }
    ) {
        names = TarPaths(name: container.name, layout: container.layout)
        self.entries = entries
        order = names.order(of: entries, where: isRead)
        contents = container.contents
        hasFinalDigests = container.hasFinalDigests
        leftOut = Set(container.omitted.map(\.path))
        self.form = form
        self.groupLength = groupLength
        self.skipsUnreadable = skipsUnreadable
    }

    func open(_ number: Int) throws(CapsuleError) -> any OpenContent {
        try contents.open(entries[number], number: number)
    }

    /// Returns a file for reading. If the packer compares the digest, the file does not compare it again.
    func read(_ content: any OpenContent) -> any OpenContent { hasFinalDigests ? content.uncompared : content }

    /// Throws if the bytes that were read of an entry don't match the digest in the container, so that damage never gets a new
    /// digest.
    func check(_ digest: ContentDigest, of entry: TreeEntry) throws(CapsuleError) {
        guard hasFinalDigests, entry.digest != .zero, digest != entry.digest else { return }
        throw .wrongDigest(of: entry)
    }

    var isArchive: Bool {
        if case .archive = form { true } else { false }
    }

    /// Returns true if a database has a log that did not exist when the container was listed. Without it, the bytes read from the
    /// database may be half a transaction. A log that the listing left out existed then.
    /// - Parameter start: the first bytes of the file.
    func hasUnlistedLog(_ content: any OpenContent, of entry: TreeEntry, startingWith start: UnsafeRawBufferPointer) -> Bool {
        guard contents.isLive, start.starts(with: DatabaseUnit.magic) else { return false }
        return DatabaseUnit.logSuffixes.contains { suffix in
            content.hasSibling(withSuffix: suffix) && !isListed(entry.path.bytes + suffix, in: entry.root)
                && !leftOut.contains(entry.path.bytes + suffix)
        }
    }

    private func isListed(_ path: [UInt8], in root: TreeRoot) -> Bool {
        guard let path = try? RelativePath(validating: path) else { return false }
        return entries.has(path, in: root)
    }

    /// Returns the approximate length of an entry of a given size in the stream, in bytes.
    func streamLength(of entry: TreeEntry, size: UInt64) -> Int {
        let content = entry.kind.hasContent ? Int(clamping: size) : 0
        if content > groupLength { return Int.max }
        guard isArchive else { return content }
        let long = entry.path.bytes.count > 200 ? entry.path.bytes.count + 1_024 : 0
        return TarHeader.blockLength + long + entry.target.count + (content + 511) / 512 * 512
    }
}

/// The contents that the files of a new version store. If several files have the same content, the first one in the stream stores
/// it.
final class ContentClaims: @unchecked Sendable {
    private let turns = TicketLock()
    private let monitor = Monitor()
    private var positions: [ContentDigest: Int] = [:]

    /// Lets the files of a group claim their contents, after all previous groups have done so.
    /// - Parameter body: receives a function that claims a digest for a position, and returns true unless a file at another
    ///   position has claimed it.
    func withTurn(turn: Int, _ body: (_ claim: (ContentDigest, Int) -> Bool) -> Void) {
        turns.withTurn(turn) { () throws(Never) in
            body { digest, position in self.claim(digest, at: position) }
        }
    }

    /// Claims a content. Returns false if a file at another position has claimed it.
    func claim(_ digest: ContentDigest, at position: Int) -> Bool {
        monitor.locked {
            if let owner = positions[digest] { return owner == position }
            positions[digest] = position
            return true
        }
    }

    func forget(from position: Int) {
        monitor.locked { positions = positions.filter { $0.value < position } }
    }

    /// Removes a claim whose file has another content by now.
    func forget(_ digest: ContentDigest) {
        _ = monitor.locked { positions.removeValue(forKey: digest) }
    }
}

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

/// Makes sure that a live database and its logs are packed in one state. Before the database is read, its logs are read and
/// digested. After all of them are packed, the logs must have the same digests, and nothing may have changed. A checkpoint moves
/// pages from the log into the database, so a log that was read first never lacks pages that the database already has (SQLite
/// documentation, "Write-Ahead Logging").
struct DatabaseWatch {
    let database: Int
    let logs: [Int]
    /// The positions of the first and the last of these files in the stream.
    let first: Int
    let last: Int

    /// Returns all watches of a container, by the stream position of their first file. A container that can't change has them
    /// too, so that its stream is cut into members in the same way.
    static func find(in plan: PackPlan) -> [Int: DatabaseWatch] {
        if plan.order.isEmpty { return [:] }
        var logs: [TreeRoot: [RelativePath: [Int]]] = [:]
        for (number, entry) in plan.entries.enumerated() where entry.kind == .file {
            if let database = DatabaseUnit.database(ofLog: entry.path) {
                logs[entry.root, default: [:]][database, default: []].append(number)
            }
        }
        if logs.isEmpty { return [:] }
        var positions: [Int: Int] = [:]
        for (position, number) in plan.order.enumerated() { positions[Int(number)] = position }
        var watches: [Int: DatabaseWatch] = [:]
        for (number, entry) in plan.entries.enumerated() where entry.kind == .file {
            guard let own = logs[entry.root]?[entry.path] else { continue }
            let places = ([number] + own).compactMap { positions[$0] }
            guard let first = places.min(), let last = places.max() else { continue }
            watches[first] = DatabaseWatch(database: number, logs: own, first: first, last: last)
        }
        return watches
    }

    /// The state of the files before the first one was packed.
    struct Snapshot {
        var statuses: [FileStatus?]
        /// The digests of the logs; nil for a log that can't be read and is left out.
        var logDigests: [ContentDigest?]

        func isSameState(as statuses: [FileStatus?]) -> Bool {
            self.statuses.count == statuses.count
                && zip(self.statuses, statuses).allSatisfy { before, after in
                    guard let before, let after else { return before == nil && after == nil }
                    return before.isSameState(as: after)
                }
        }
    }

    /// Captures the state of all files and reads the logs.
    /// - Returns: nil if the file can't change, is not a SQLite database, or can't be read and is left out.
    func capture(_ plan: PackPlan) throws(CapsuleError) -> Snapshot? {
        guard plan.contents.isLive,
            try unlessSkipped(plan, { () throws(CapsuleError) in try plan.open(database).startsDatabase() }) == true
        else {
            return nil
        }
        let before = try statuses(plan)
        var digests: [ContentDigest?] = []
        for log in logs {
            digests.append(try unlessSkipped(plan, { () throws(CapsuleError) in try digest(of: log, plan) }))
        }
        return Snapshot(statuses: before, logDigests: digests)
    }

    /// Runs `body` and returns nil if a file can't be read and is left out. The omission is noted when the file is packed.
    private func unlessSkipped<Outcome>(
        _ plan: PackPlan, _ body: () throws(CapsuleError) -> Outcome
    ) throws(CapsuleError) -> Outcome? {
        do throws(CapsuleError) {
            return try body()
        } catch {
            guard plan.skipsUnreadable, error.code != .interrupted else { throw error }
            return nil
        }
    }

    /// Returns the current state of all files; nil for a file that can't be opened, which counts as a state too.
    func statuses(_ plan: PackPlan) throws(CapsuleError) -> [FileStatus?] {
        var statuses: [FileStatus?] = []
        for number in [database] + logs {
            do throws(CapsuleError) {
                statuses.append(try plan.open(number).status().live)
            } catch {
                if error.code == .interrupted { throw error }
                statuses.append(nil)
            }
        }
        return statuses
    }

    private func digest(of number: Int, _ plan: PackPlan) throws(CapsuleError) -> ContentDigest {
        let content = try plan.open(number)
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 64)
        defer { buffer.deallocate() }
        return try content.digest(size: try content.status().size, by: buffer)
    }
}

/// The states of databases before they were packed, by stream position. The planner adds them, and the packer reads them.
final class UnitSnapshots: @unchecked Sendable {
    private let monitor = Monitor()
    private var snapshots: [Int: DatabaseWatch.Snapshot?] = [:]

    func hasSnapshot(at position: Int) -> Bool {
        monitor.locked { snapshots.keys.contains(position) }
    }

    /// - Parameter snapshot: the state; nil if the file is not a database.
    func record(_ snapshot: DatabaseWatch.Snapshot?, at position: Int) {
        monitor.locked { snapshots[position] = .some(snapshot) }
    }

    func snapshot(at position: Int) -> DatabaseWatch.Snapshot? {
        monitor.locked { snapshots[position] ?? nil }
    }

    func forget(from position: Int) {
        monitor.locked { snapshots = snapshots.filter { $0.key < position } }
    }
}
