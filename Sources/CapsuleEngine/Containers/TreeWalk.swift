import CapsuleCore
import CapsuleFileSystem

/// Everything below a directory, listed by as many threads as are worth it.
struct TreeWalk: Sendable {
    /// In the order of the index. Paths are below the scanned directory; digests and files' attributes are not read yet, unless
    /// the cache had them.
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

    /// Nothing yet.
    init() {}

    /// - Parameters:
    ///   - isTop: see `TreeScanner`, as for `isExcluded`.
    ///   - cache: gives the digests of files that have not changed.
    ///   - isLast: whether the cache is not asked again.
    init(
        _ root: RootDirectory, jobs: Int, skipUnreadable: Bool, isTop: @escaping @Sendable (RelativePath) -> Bool,
        isExcluded: (@Sendable (RelativePath) -> Bool)?, cache: StatCacheSession? = nil, isLast: Bool = false
    ) throws(CapsuleError) {
        let recall = cache.flatMap { $0.isEmpty ? nil : StatCacheRecall($0, in: root) }
        let queue = ListingQueue(
            TreeScanner(root, isExcluded: isExcluded, isTop: isTop, mark: recall?.mark), recall, skipUnreadable: skipUnreadable)
        // The first thread goes alone until there is enough for others: most containers are small.
        queue.work(until: Self.entriesForSecondThread)
        if queue.hasMore { WorkerThreads.run(jobs) { _ in queue.work(until: Int.max) } }
        if isLast { cache?.finishListing() }
        assemble(try queue.result())
    }

    private static let entriesForSecondThread = 500

    /// A directory whose entries are being put in place.
    private struct Level {
        var listing: TreeScanner.Listing
        /// The first of its entries that is not in place yet.
        var next = 0
        /// The first of its hard links that is not.
        var nextLink = 0
        /// Directories in it whose content has no place yet, by their own places.
        var open: [Int] = []

        var isDone: Bool { next == listing.entries.count && open.isEmpty }
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
                levels.append(Level(listing: listing))
            case .unreadable(let error):
                unreadable.append((path, error))
            case nil:
                break
            }
        }
        open(.root, entry: nil)
        while var level = levels.popLast() {
            let directory = add(&level)
            if !level.isDone { levels.append(level) }
            if let directory { open(entries[directory].path, entry: directory) }
        }
    }

    /// Adds entries of a directory until the content of one of them has its place; which one, or nil at the end.
    ///
    /// `a/b` comes behind `a-b` and before `a0`: what a directory holds may have to wait for its neighbours.
    private mutating func add(_ level: inout Level) -> Int? {
        let listed = level.listing.entries
        while true {
            if let waiting = level.open.last,
                level.next == listed.count || !listed[level.next].path.precedesContent(of: entries[waiting].path)
            {
                return level.open.removeLast()
            }
            guard level.next < listed.count else { return nil }
            if level.nextLink < level.listing.hardLinks.count, level.listing.hardLinks[level.nextLink].entry == level.next {
                hardLinks.append((entries.count, level.listing.hardLinks[level.nextLink].file))
                level.nextLink += 1
            }
            if listed[level.next].kind == .directory { level.open.append(entries.count) }
            entries.append(listed[level.next])
            level.next += 1
        }
    }
}

extension RelativePath {
    /// Whether this path, which comes behind that of a directory, comes before what the directory holds.
    fileprivate func precedesContent(of directory: RelativePath) -> Bool {
        bytes.count > directory.bytes.count && bytes[directory.bytes.count] < UInt8(ascii: "/")
            && bytes.starts(with: directory.bytes)
    }
}

/// Directories that are still to be listed, and what came of those that were.
private final class ListingQueue: @unchecked Sendable {
    enum Outcome: Sendable {
        case listed(TreeScanner.Listing)
        case unreadable(FileSystemError)

        var count: Int {
            if case .listed(let listing) = self { listing.entries.count } else { 0 }
        }
    }

    private let scanner: TreeScanner
    private let recall: StatCacheRecall?
    private let skipUnreadable: Bool
    private let monitor = Monitor()
    private var pending: [RelativePath] = [.root]
    private var underWay = 0
    private var outcomes: [RelativePath: Outcome] = [:]
    private var entries = 0
    private var failure: FileSystemError?

    /// - Parameter recall: takes over what is known of files.
    init(_ scanner: TreeScanner, _ recall: StatCacheRecall?, skipUnreadable: Bool) {
        self.scanner = scanner
        self.recall = recall
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
            let outcome = Result { () throws(FileSystemError) in try list(path) }
            monitor.lock()
            underWay -= 1
            note(outcome, at: path)
            monitor.signal()
        }
    }

    private func list(_ path: RelativePath) throws(FileSystemError) -> TreeScanner.Listing {
        var listing = try scanner.list(path)
        recall?.complete(&listing)
        return listing
    }

    private func note(_ outcome: Result<TreeScanner.Listing, FileSystemError>, at path: RelativePath) {
        switch outcome {
        case .success(let listing):
            entries += listing.entries.count
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
