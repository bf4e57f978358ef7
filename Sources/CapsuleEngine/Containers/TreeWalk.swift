import CapsuleCore
import CapsuleFileSystem

/// Everything below a directory, listed by as many threads as are worth it.
struct TreeWalk: Sendable {
    /// Depth first, each directory's entries by name with directories as `name/`: the order of a tar stream.
    /// Paths are below the scanned directory; digests and files' attributes are not read yet.
    var entries: [TreeEntry] = []
    /// Files with several names, as (place in ``entries``, the file they share).
    var hardLinks: [(entry: Int, file: TreeScanner.FileIdentity)] = []
    /// What no tree can hold.
    var special: [(path: RelativePath, kind: FileStatus.Kind)] = []
    /// Directories that could not be listed, where `skipUnreadable` let them pass.
    var unreadable: [(path: RelativePath, error: FileSystemError)] = []
    /// Attributes too long to be kept.
    var longAttributes: [(path: RelativePath, name: [UInt8])] = []
    /// What the exclusion kept out.
    var excluded: [RelativePath] = []

    /// Nothing yet.
    init() {}

    init(
        _ root: RootDirectory, jobs: Int, skipUnreadable: Bool, isExcluded: (@Sendable (RelativePath) -> Bool)?
    ) throws(CapsuleError) {
        let queue = ListingQueue(TreeScanner(root, isExcluded: isExcluded), skipUnreadable: skipUnreadable)
        // The first thread goes alone until there is enough for others: most containers are small.
        queue.work(until: Self.entriesForSecondThread)
        if queue.hasMore { WorkerThreads.run(jobs) { _ in queue.work(until: Int.max) } }
        let listings = try queue.result()
        assemble(listings)
    }

    private static let entriesForSecondThread = 8_000

    /// Puts the directories' listings in each other's places.
    private mutating func assemble(_ listings: [RelativePath: ListingQueue.Outcome]) {
        var listings = listings
        entries.reserveCapacity(listings.values.reduce(0) { $0 + $1.count })
        // A stack of our own: hostile depth must not end the thread's.
        var levels: [(listing: TreeScanner.Listing, next: Int)] = []
        func open(_ path: RelativePath, entry: Int?) {
            switch listings.removeValue(forKey: path) {
            case .listed(let listing):
                if let entry { entries[entry].attributes = listing.attributes.attributes }
                for name in listing.attributes.tooLong { longAttributes.append((path, name)) }
                special += listing.special
                excluded += listing.excluded
                levels.append((listing, 0))
            case .unreadable(let error):
                unreadable.append((path, error))
            case nil:
                break
            }
        }
        open(.root, entry: nil)
        while !levels.isEmpty {
            let top = levels.count - 1
            let start = levels[top].next
            let listing = levels[top].listing
            var next = start
            // Up to and with the next directory, whose entries follow it.
            while next < listing.entries.count, next == start || listing.entries[next - 1].kind != .directory { next += 1 }
            let base = entries.count - start
            entries += listing.entries[start..<next]
            for link in listing.hardLinks where link.entry >= start && link.entry < next {
                hardLinks.append((base + link.entry, link.file))
            }
            if next == listing.entries.count { levels.removeLast() } else { levels[top].next = next }
            if next > start, listing.entries[next - 1].kind == .directory {
                open(listing.entries[next - 1].path, entry: entries.count - 1)
            }
        }
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
            entries += listing.entries.count
            outcomes[path] = .listed(listing)
            for entry in listing.entries where entry.kind == .directory { pending.append(entry.path) }
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
