package import CapsuleCore
package import CapsuleSystem

/// Everything below a directory, listed by as many threads as are useful.
package struct TreeWalk: Sendable {
    /// The entries in the order of the index. Their paths are relative to the scanned directory. Digests, and the attributes of
    /// files, are not read yet, unless the cache has them.
    package var entries: [TreeEntry] = []
    var hardLinks: [(entry: Int, file: DirectoryListing.FileIdentity)] = []
    var special: [(path: RelativePath, kind: FileStatus.Kind)] = []
    var unreadable: [(path: RelativePath, error: CapsuleError)] = []
    var longAttributes: [(path: RelativePath, name: [UInt8])] = []
    var excluded: [RelativePath] = []
    var transactions: [RelativePath] = []

    init() {}

    /// - Parameters:
    ///   - isTop: see `TreeScanner`, as for `isExcluded`.
    ///   - isLast: true if the cache is not needed for another listing.
    package init(
        _ root: RootDirectory, jobs: Int, skipUnreadable: Bool, isTop: @escaping @Sendable (RelativePath) -> Bool,
        isExcluded: (@Sendable (RelativePath) -> Bool)?, cache: StatCacheSession? = nil, isLast: Bool = false
    ) throws(CapsuleError) {
        let recall = cache.flatMap { $0.isEmpty ? nil : StatCacheRecall($0, in: root) }
        let queue = ListingQueue(
            TreeScanner(root, isExcluded: isExcluded, isTop: isTop, mark: recall?.mark), recall, jobs: jobs,
            skipUnreadable: skipUnreadable)
        queue.run()
        if isLast { cache?.finishListing() }
        assemble(try queue.result())
    }

    /// A directory whose entries are being merged into ``entries``.
    private struct Level {
        var listing: TreeScanner.Listing
        var next = 0
        var nextLink = 0
        /// The directories in it whose contents are not merged yet, as positions in ``entries``.
        var open: [Int] = []

        var isDone: Bool { next == listing.entries.count && open.isEmpty }
    }

    private mutating func assemble(_ listings: [RelativePath: ListingQueue.Outcome]) {
        var listings = listings
        entries.reserveCapacity(listings.values.reduce(0) { $0 + $1.count })
        // An explicit stack, because a hostile depth must not overflow the thread's stack.
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

    /// Adds entries of a directory until the contents of a directory in it come next. `a/b` comes after `a-b` and before `a0`, so
    /// the contents of a directory may have to wait for its neighbors.
    /// - Returns: the position of the directory whose contents come next; nil at the end.
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
    /// Returns true if this path, which comes after a directory's own path, comes before the directory's contents.
    fileprivate func precedesContent(of directory: RelativePath) -> Bool {
        bytes.count > directory.bytes.count && bytes[directory.bytes.count] < UInt8(ascii: "/")
            && bytes.starts(with: directory.bytes)
    }
}

/// The directories that are still to be listed, and the results for those that were.
private final class ListingQueue: @unchecked Sendable {
    enum Outcome: Sendable {
        case listed(TreeScanner.Listing)
        case unreadable(CapsuleError)

        var count: Int {
            if case .listed(let listing) = self { listing.entries.count } else { 0 }
        }
    }

    private let scanner: TreeScanner
    private let recall: StatCacheRecall?
    private let jobs: Int
    private let skipUnreadable: Bool
    private let monitor = Monitor()
    private var pending: [RelativePath] = [.root]
    private var underWay = 0
    private var outcomes: [RelativePath: Outcome] = [:]
    private var entries = 0
    private var failure: CapsuleError?
    /// The threads beside the first one; nil before there is enough work for them, since most containers are small.
    private var others: [DeepThread]?

    private static let entriesForSecondThread = 500

    init(_ scanner: TreeScanner, _ recall: StatCacheRecall?, jobs: Int, skipUnreadable: Bool) {
        self.scanner = scanner
        self.recall = recall
        self.jobs = jobs
        self.skipUnreadable = skipUnreadable
    }

    func run() {
        work()
        for thread in monitor.locked({ others ?? [] }) { thread.join() }
    }

    /// The caller holds the lock.
    private func startOthers() {
        guard others == nil, !pending.isEmpty else { return }
        others = (1..<max(1, jobs)).compactMap { _ in DeepThread { self.work() } }
    }

    private func work() {
        monitor.lock()
        defer { monitor.unlock() }
        while failure == nil {
            guard let path = pending.popLast() else {
                if underWay == 0 { break }
                monitor.wait()
                continue
            }
            underWay += 1
            monitor.unlock()
            let outcome = Result { () throws(CapsuleError) in try list(path) }
            monitor.lock()
            underWay -= 1
            record(outcome, at: path)
            if entries >= Self.entriesForSecondThread { startOthers() }
            monitor.signal()
        }
    }

    private func list(_ path: RelativePath) throws(CapsuleError) -> TreeScanner.Listing {
        // Half of a container's files may be in one directory.
        var listing = try scanner.list(path) { monitor.locked { startOthers() } }
        recall?.complete(&listing)
        return listing
    }

    private func record(_ outcome: Result<TreeScanner.Listing, CapsuleError>, at path: RelativePath) {
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
        if let failure { throw failure }
        return outcomes
    }
}

/// The parts of a listed directory that a version does not hold unchanged.
struct ScanOmissions {
    private(set) var wanted: [Omission] = []
    private(set) var omitted: [Omission] = []

    /// - Parameters:
    ///   - reason: returns the reason for leaving out a tree path that the user asked to leave out.
    ///   - whole: returns the tree path for a path in the listing; for the listed directory itself, its path in the version.
    mutating func record(_ result: TreeWalk, reason: ([UInt8]) -> String, whole: (RelativePath) -> [UInt8]) {
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

    mutating func record(_ omission: Omission) { omitted.append(omission) }

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

/// Distinguishes entries that could not be read, and may exist all the same, from entries that the user left out.
extension Omission {
    /// The prefix of the reason for a directory that could not be listed. Capsules hold this text, and that of ``unread`` for a
    /// file.
    static let unlisted = "its content is unreadable: "
    private static let unread = "unreadable: "

    package static func unreadable(_ message: String) -> String { unread + message }
    var isUnlisted: Bool { reason.hasPrefix(Self.unlisted) }
    /// True if the omission is a directory that could not be listed, or a file that could not be read.
    package var isUnreadable: Bool { isUnlisted || reason.hasPrefix(Self.unread) }
    package var isWished: Bool { reason == "excluded" || reason.hasPrefix("dropped: ") }

    /// The kinds of files that a version can't hold.
    package enum Special: String, CaseIterable {
        case socket, pipe, device
    }

    package var special: Special? { Special(rawValue: reason) }

    package static func longAttribute(_ name: [UInt8], of path: [UInt8]) -> Omission {
        let (one, all) = (ExtendedAttribute.maximumValueLength, ExtendedAttribute.maximumTotalLength)
        let name = String(decoding: name, as: UTF8.self)
        return Omission(path: path, reason: "attribute \(name) exceeds \(one) bytes, or all attributes together exceed \(all)")
    }
}

extension RelativePath {
    /// Returns true if `isWanted` is true for the path, or for a path above it other than the root.
    package func isAtOrBelow(where isWanted: (RelativePath) -> Bool) -> Bool {
        var above: RelativePath? = self
        while let path = above, !path.isRoot {
            if isWanted(path) { return true }
            above = path.parent
        }
        return false
    }
}
