import CapsuleCore
import CapsuleSystem

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

/// What of a listed directory a version does not hold as it was.
struct ScanLosses {
    /// What the user asked to leave out.
    private(set) var wanted: [Omission] = []
    private(set) var omitted: [Omission] = []

    /// Notes what a listing says of losses.
    ///
    /// - Parameters:
    ///   - reason: says why a tree path is left out that the user asked to leave out.
    ///   - whole: gives the tree path of a path in the listing; for the directory itself, where the version has it.
    mutating func note(_ result: TreeWalk, reason: ([UInt8]) -> String, whole: (RelativePath) -> [UInt8]) {
        for path in result.excluded { wanted.append(Omission(path: whole(path), reason: reason(whole(path)))) }
        for (path, kind) in result.special { omitted.append(Omission(path: whole(path), reason: Self.word(for: kind))) }
        for path in result.transactions { omitted.append(Omission(path: whole(path), reason: "unfinished transaction")) }
        for (path, error) in result.unreadable {
            omitted.append(Omission(path: whole(path), reason: Omission.unlisted + error.message))
        }
        for (path, name) in result.longAttributes { omitted.append(.longAttribute(name, of: whole(path))) }
        var firsts: [DirectoryListing.FileIdentity: [UInt8]] = [:]
        for (entry, file) in result.hardLinks {
            let path = whole(result.entries[entry].path)
            if let first = firsts[file] {
                omitted.append(
                    Omission(
                        path: path, reason: "hard link to \(String(decoding: first, as: UTF8.self)), stored as a separate file"))
            } else {
                firsts[file] = path
            }
        }
    }

    /// Notes one thing more.
    mutating func note(_ omission: Omission) { omitted.append(omission) }

    private static func word(for kind: FileStatus.Kind) -> String {
        let special: Omission.Special? =
            switch kind {
            case .socket: .socket
            case .pipe: .pipe
            case .device: .device
            case .directory, .file, .link: nil
            }
        return special?.rawValue ?? "unknown"
    }
}

/// What could not be read is not known to be missing; what somebody wished away is.
extension Omission {
    /// How the reason of a directory that could not be listed begins, and that of a file that could not be read. Capsules hold both.
    static let unlisted = "its content is unreadable: "
    private static let unread = "unreadable: "

    /// The reason of a file that could not be read, with what the system said.
    static func unreadable(_ message: String) -> String { unread + message }

    /// Whether it is a directory that could not be listed.
    var isUnlisted: Bool { reason.hasPrefix(Self.unlisted) }
    /// Whether it is that, or a file that could not be read.
    var isUnreadable: Bool { isUnlisted || reason.hasPrefix(Self.unread) }
    /// Whether it was left out since somebody asked for that.
    var isWished: Bool { reason == "excluded" || reason.hasPrefix("dropped: ") }

    /// The kinds of files that a version can't hold.
    enum Special: String, CaseIterable {
        case socket, pipe, device
    }

    /// The kind of a file that a version can't hold; nil for any other omission.
    var special: Special? { Special(rawValue: reason) }
}

extension Omission {
    /// An extended attribute that no capsule can hold.
    static func longAttribute(_ name: [UInt8], of path: [UInt8]) -> Omission {
        let (one, all) = (ExtendedAttribute.maximumValueLength, ExtendedAttribute.maximumTotalLength)
        let name = String(decoding: name, as: UTF8.self)
        return Omission(
            path: path, reason: "attribute \(name) exceeds \(one) bytes, or all attributes together exceed \(all)")
    }
}

extension RelativePath {
    /// Whether something holds for the path, or for one above it but the root.
    func isAtOrBelow(where isWanted: (RelativePath) -> Bool) -> Bool {
        var above: RelativePath? = self
        while let path = above, !path.isRoot {
            if isWanted(path) { return true }
            above = path.parent
        }
        return false
    }
}
