import CapsuleCore
import CapsuleFileSystem

/// Everything below a directory, listed by as many threads as are worth it.
struct TreeWalk: Sendable {
    /// Depth first, each directory's entries by name with directories as `name/`: the order of a tar stream.
    /// Paths are below the scanned directory; digests and files' attributes are not read yet, unless the cache had them.
    var entries: [TreeEntry] = []
    /// Files with several names, as (place in ``entries``, the file they share).
    var hardLinks: [(entry: Int, file: DirectoryListing.FileIdentity)] = []
    /// What no tree can hold.
    var special: [(path: RelativePath, kind: FileStatus.Kind)] = []
    /// Directories that could not be listed, where `skipUnreadable` let them pass.
    var unreadable: [(path: RelativePath, error: FileSystemError)] = []
    /// Attributes too long to be kept.
    var longAttributes: [(path: RelativePath, name: [UInt8])] = []
    /// What the exclusion kept out.
    var excluded: [RelativePath] = []
    /// What unfinished transactions keep.
    var transactions: [RelativePath] = []
    /// Files that the cache has, as (place in ``entries``, the record's mark).
    fileprivate var marks: [(entry: UInt32, mark: UInt32)] = []

    /// Nothing yet.
    init() {}

    /// - Parameters:
    ///   - isTop: see `TreeScanner`, as for `isExcluded`.
    ///   - cache: gives the digests of files that have not changed.
    init(
        _ root: RootDirectory, jobs: Int, skipUnreadable: Bool, isTop: @escaping @Sendable (RelativePath) -> Bool,
        isExcluded: (@Sendable (RelativePath) -> Bool)?, cache: StatCacheSession? = nil
    ) throws(CapsuleError) {
        var mark: (@Sendable (FileStatus) -> UInt32)?
        if let cache, !cache.isEmpty { mark = { cache.mark(of: $0) } }
        let queue = ListingQueue(
            TreeScanner(root, isExcluded: isExcluded, isTop: isTop, mark: mark), skipUnreadable: skipUnreadable)
        // The first thread goes alone until there is enough for others: most containers are small.
        queue.work(until: Self.entriesForSecondThread)
        if queue.hasMore { WorkerThreads.run(jobs) { _ in queue.work(until: Int.max) } }
        let listings = try queue.result()
        assemble(listings)
        if let cache { recall(cache, in: root) }
    }

    private static let entriesForSecondThread = 8_000

    /// A directory whose entries are being put in place.
    private struct Level {
        let path: RelativePath
        var listing: TreeScanner.Listing
        var next = 0
    }

    /// Puts the directories' listings in each other's places.
    private mutating func assemble(_ listings: [RelativePath: ListingQueue.Outcome]) {
        var listings = listings
        entries.reserveCapacity(listings.values.reduce(0) { $0 + $1.count })
        // A stack of our own: hostile depth must not end the thread's.
        var levels: [Level] = []
        func open(_ path: RelativePath, entry: Int?) {
            switch listings.removeValue(forKey: path) {
            case .listed(let listing):
                if let entry { entries[entry].attributes = listing.attributes.attributes }
                for name in listing.attributes.tooLong { longAttributes.append((path, name)) }
                special += listing.special
                excluded += listing.excluded
                transactions += listing.transactions
                levels.append(Level(path: path, listing: listing))
            case .unreadable(let error):
                unreadable.append((path, error))
            case nil:
                break
            }
        }
        open(.root, entry: nil)
        while var level = levels.popLast() {
            // Up to and with the next directory, whose entries follow it.
            let directory = add(&level)
            if level.next < level.listing.directory.items.count { levels.append(level) }
            if let directory { open(entries[directory].path, entry: directory) }
        }
    }

    /// Adds entries of a directory until one is a directory itself; its place, or nil at the end.
    private mutating func add(_ level: inout Level) -> Int? {
        let listing = level.listing.directory
        while level.next < listing.items.count {
            let item = listing.items[level.next]
            level.next += 1
            guard let path = try? level.path.appending(listed: listing.name(of: item)) else { continue }
            if let file = listing.identity(of: item) { hardLinks.append((entries.count, file)) }
            if item.mark != 0 { marks.append((UInt32(entries.count), item.mark)) }
            let kind: EntryKind = item.kind == .directory ? .directory : item.kind == .link ? .link : .file
            entries.append(
                TreeEntry(
                    path: path, kind: kind, mode: item.mode, modified: item.modified, size: kind == .file ? item.size : 0,
                    target: listing.target(of: item)))
            if kind == .directory { return entries.count - 1 }
        }
        return nil
    }
}

extension TreeWalk {
    /// Takes over from the cache what it has of files that have not changed.
    private mutating func recall(_ cache: StatCacheSession, in root: RootDirectory) {
        for (number, mark) in marks {
            let record = cache.record(at: mark)
            let number = Int(number)
            if DatabaseUnit.isSharedMemory(entries[number].path) { continue }
            if record.hasAttributes {
                // Attributes that a capsule can't hold are found, and recorded, when the file is read.
                guard let reading = Self.attributes(of: entries[number].path, in: root), reading.tooLong.isEmpty else { continue }
                entries[number].attributes = reading.attributes
            }
            entries[number].digest = record.digest
        }
        cache.found(marks.map(\.mark), of: entries.count)
        marks = []
        forgetPartsOfUnits()
    }

    private static func attributes(of path: RelativePath, in root: RootDirectory) -> ExtendedAttributes.Reading? {
        guard let file = try? root.openFile(path) else { return nil }
        return try? ExtendedAttributes.read(file.raw, path: root.hostPath(of: path))
    }

    /// A database and its logs are one state: unless all are known, none is.
    private mutating func forgetPartsOfUnits() {
        var units: [RelativePath: [Int]] = [:]
        // Comparing lengths first: few entries are databases with logs, and hashing each path would take long.
        var lengths: Set<Int> = []
        for (number, entry) in entries.enumerated() where entry.kind == .file && entry.path.bytes.last == UInt8(ascii: "l") {
            guard let database = DatabaseUnit.database(ofLog: entry.path) else { continue }
            units[database, default: []].append(number)
            lengths.insert(database.bytes.count)
        }
        if units.isEmpty { return }
        for (number, entry) in entries.enumerated() where lengths.contains(entry.path.bytes.count) && entry.kind == .file {
            units[entry.path]?.append(number)
        }
        for numbers in units.values where numbers.contains(where: { entries[$0].digest == .zero }) {
            for number in numbers { entries[number].digest = .zero }
        }
    }
}

/// Directories that are still to be listed, and what came of those that were.
private final class ListingQueue: @unchecked Sendable {
    enum Outcome: Sendable {
        case listed(TreeScanner.Listing)
        case unreadable(FileSystemError)

        var count: Int {
            if case .listed(let listing) = self { listing.directory.items.count } else { 0 }
        }
    }

    private let scanner: TreeScanner
    private let skipUnreadable: Bool
    private let monitor = Monitor()
    private var pending: [RelativePath] = [.root]
    private var underWay = 0
    private var outcomes: [RelativePath: Outcome] = [:]
    private var entries = 0
    private var failure: FileSystemError?

    init(_ scanner: TreeScanner, skipUnreadable: Bool) {
        self.scanner = scanner
        self.skipUnreadable = skipUnreadable
    }

    var hasMore: Bool { monitor.locked { failure == nil && !pending.isEmpty } }

    /// Lists directories until there are no more, or so many entries are known.
    func work(until limit: Int) {
        monitor.lock()
        defer { monitor.unlock() }
        while failure == nil, entries < limit {
            guard let path = pending.popLast() else {
                if underWay == 0 { break }
                monitor.wait()
                continue
            }
            underWay += 1
            monitor.unlock()
            let outcome = Result { () throws(FileSystemError) in try scanner.list(path) }
            monitor.lock()
            underWay -= 1
            note(outcome, at: path)
            monitor.signal()
        }
    }

    private func note(_ outcome: Result<TreeScanner.Listing, FileSystemError>, at path: RelativePath) {
        switch outcome {
        case .success(let listing):
            entries += listing.directory.items.count
            outcomes[path] = .listed(listing)
            pending += listing.subdirectories
        case .failure(let error):
            if skipUnreadable, error.code == .notPermitted, !path.isRoot {
                outcomes[path] = .unreadable(error)
            } else if failure == nil {
                failure = error
            }
        }
    }

    func result() throws(CapsuleError) -> [RelativePath: Outcome] {
        if let failure { throw CapsuleError(failure) }
        return outcomes
    }
}
