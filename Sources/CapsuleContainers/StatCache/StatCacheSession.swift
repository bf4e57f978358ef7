import CapsuleArchive
package import CapsuleCore
import CapsuleHashing
package import CapsuleSystem

/// The cached records of a directory's files, and the records that one command adds. First, any number of threads list files and
/// look them up. After ``finishListing()``, any number of threads read files and note them. The table is in memory only in the
/// first phase, because there may be millions of files.
package final class StatCacheSession: Sendable {
    private let directory: StatCacheDirectory
    private let root: HostPath
    private let isSaved: Bool
    /// The latest time, in nanoseconds since 1970, that is old enough. Files that changed later may change again without a visible
    /// sign.
    private let latest: Int64
    /// The file that was loaded. Another command may have replaced it since.
    private let file: PrivateDirectory.File?
    private let monitor = Monitor()
    nonisolated(unsafe) private var loaded: StatCacheTable
    /// For each record of the file, true if its file was found unchanged.
    nonisolated(unsafe) private var isKept: [Bool]
    /// The devices, for numbering those of new records.
    nonisolated(unsafe) private var devices: StatCacheTable.Devices
    nonisolated(unsafe) private var notes: StatCacheNotes

    /// The coarseness of times, in seconds. Some file systems store times in steps of two seconds, so a change within that time may
    /// leave a file's times the same.
    private static let coarseness: Int64 = 2

    /// - Parameters:
    ///   - root: the real path of the directory.
    ///   - began: a time before anything was read, in seconds since 1970.
    ///   - isSaved: true if new records are saved. Otherwise, nothing at all is written.
    init(_ directory: StatCacheDirectory, root: HostPath, began: Int64, isSaved: Bool = true) {
        self.directory = directory
        self.root = root
        latest = StatCacheRecord.nanoseconds(Timestamp(seconds: began - Self.coarseness)) ?? Int64.min
        file = directory.open(for: root)
        loaded = file.flatMap { StatCacheFile.read($0) } ?? StatCacheTable()
        isKept = [Bool](repeating: false, count: loaded.records.count)
        devices = loaded.devices
        self.isSaved = isSaved
        notes = StatCacheNotes(isSaved ? directory.spool() : nil)
    }

    var isEmpty: Bool { isKept.isEmpty }

    /// Returns a mark for the record of a file in its present state; 0 if there is none.
    func mark(of status: FileStatus) -> UInt32 { loaded.mark(of: status) }

    /// Returns the record for a result of ``mark(of:)`` that is not 0.
    func record(at mark: UInt32) -> StatCacheRecord { loaded.records[Int(mark) - 1] }

    /// Notes files that were found unchanged. A mark of 0 is skipped.
    func found(_ marks: [UInt32]) {
        monitor.locked {
            for mark in marks where mark != 0 { isKept[Int(mark) - 1] = true }
        }
    }

    /// Frees what is needed only while files are listed. All listing threads must be done.
    func finishListing() { loaded = StatCacheTable() }

    /// Notes a file that was read while its status stayed the same.
    func record(_ status: FileStatus, _ digest: ContentDigest, hasAttributes: Bool) {
        guard isSaved else { return }
        monitor.locked {
            guard let device = devices.number(of: status.device),
                let record = StatCacheRecord(status, device: device, digest: digest, hasAttributes: hasAttributes),
                !record.isLater(than: latest)
            else { return }
            notes.append(record)
        }
    }

    /// Writes the cache again, with the records that were found unchanged and the new ones. Never fails.
    package func save() {
        guard isSaved else { return }
        monitor.locked {
            let isComplete = !isKept.contains(false)
            if notes.isEmpty, isComplete {
                if !isEmpty { directory.touch(for: root) }
                return
            }
            let old = file.flatMap { StatCacheFile.read($0) }?.records ?? []
            var kept = StatCacheTable(devices: devices, records: [])
            kept.reserve(old.count)
            for (record, isKept) in zip(old, isKept) where isKept { kept.set(record) }
            notes.forEach { kept.set($0) }
            if kept.records == old { directory.touch(for: root) } else { directory.save(kept, for: root) }
        }
    }
}

extension StatCacheSession {
    /// Notes a file of a container, except for shared memory of a database, whose times say nothing about its content.
    package func record(
        _ status: ContentStatus, _ digest: ContentDigest, _ attributes: ExtendedAttributes.Reading?, at path: RelativePath
    ) {
        guard let live = status.live, let attributes, !DatabaseUnit.isSharedMemory(path) else { return }
        record(live, digest, hasAttributes: !attributes.attributes.isEmpty || !attributes.tooLong.isEmpty)
    }
}

/// Fills in cached facts about a directory's files, right after the directory was listed. Any thread may use it.
struct StatCacheRecall: Sendable {
    private let cache: StatCacheSession
    private let root: RootDirectory

    init(_ cache: StatCacheSession, in root: RootDirectory) {
        self.cache = cache
        self.root = root
    }

    var mark: @Sendable (FileStatus) -> UInt32 {
        { [cache] in cache.mark(of: $0) }
    }

    func complete(_ listing: inout TreeScanner.Listing) {
        cache.found(listing.marks)
        for (number, mark) in listing.marks.enumerated() where mark != 0 {
            if DatabaseUnit.isSharedMemory(listing.entries[number].path) { continue }
            let record = cache.record(at: mark)
            if record.hasAttributes {
                // Attributes that a capsule can't hold are found, and recorded, when the file is read.
                guard let reading = attributes(of: listing.entries[number].path), reading.tooLong.isEmpty else { continue }
                listing.entries[number].attributes = reading.attributes
            }
            listing.entries[number].digest = record.digest
        }
        Self.forgetPartsOfUnits(&listing.entries)
    }

    private func attributes(of path: RelativePath) -> ExtendedAttributes.Reading? {
        guard let file = try? root.openFile(path) else { return nil }
        return try? ExtendedAttributes.read(file.raw, path: root.hostPath(of: path))
    }

    /// Clears the digests of a database and its logs unless all of them are known. They are in one directory and form one state.
    private static func forgetPartsOfUnits(_ entries: inout [TreeEntry]) {
        var units: [RelativePath: [Int]] = [:]
        for number in entries.indices where entries[number].kind == .file {
            guard let database = DatabaseUnit.database(ofLog: entries[number].path) else { continue }
            units[database, default: []].append(number)
        }
        for (database, logs) in units {
            var numbers = logs
            if let place = entries.index(of: database, in: .tree), entries[place].kind == .file { numbers.append(place) }
            if numbers.contains(where: { entries[$0].digest == .zero }) {
                for number in numbers { entries[number].digest = .zero }
            }
        }
    }
}

/// Records that are set aside in a file without a name until they are needed. In memory, they would take a third of the space of
/// the entries. Records that can't be written are lost.
private struct StatCacheNotes {
    private let spool: SpoolFile?
    private var buffer: [StatCacheRecord] = []
    private var written: UInt64 = 0
    private var hasFailed = false

    private static let bufferCount = 1 << 10

    init(_ spool: SpoolFile?) {
        self.spool = spool
        buffer.reserveCapacity(Self.bufferCount)
    }

    var isEmpty: Bool { written == 0 && buffer.isEmpty }

    mutating func append(_ record: StatCacheRecord) {
        if hasFailed { return }
        buffer.append(record)
        if buffer.count >= Self.bufferCount { flush() }
    }

    private mutating func flush() {
        let isWritten = buffer.withUnsafeBytes { bytes in
            guard let spool else { return false }
            return (try? spool.write(bytes, at: written)) != nil
        }
        if isWritten { written += UInt64(buffer.count * MemoryLayout<StatCacheRecord>.stride) }
        hasFailed = !isWritten
        buffer.removeAll(keepingCapacity: true)
    }

    mutating func forEach(_ body: (StatCacheRecord) -> Void) {
        let last = buffer
        var offset: UInt64 = 0
        let stride = MemoryLayout<StatCacheRecord>.stride
        while offset < written, let spool {
            let count = min(Self.bufferCount, Int(written - offset) / stride)
            let records = [StatCacheRecord](unsafeUninitializedCapacity: count) { room, filled in
                let bytes = UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(room)[..<(count * stride)])
                if (try? spool.read(at: offset, into: bytes)) == bytes.count { filled = count }
            }
            if records.isEmpty { return }
            for record in records { body(record) }
            offset += UInt64(count * stride)
        }
        for record in last { body(record) }
    }
}

/// The user's directory for what Capsule can make again or keeps for a while.
package enum CacheDirectory {
    /// Returns `$XDG_CACHE_HOME/capsule`, else `~/.cache/capsule`; nil where neither variable has an absolute path (XDG Base Directory
    /// Specification).
    package static func path(cacheHome: [UInt8]?, home: [UInt8]?) -> HostPath? {
        let slash = UInt8(ascii: "/")
        var base: HostPath?
        if let cacheHome, cacheHome.first == slash {
            base = HostPath(cacheHome)
        } else if let home, home.first == slash {
            base = HostPath(home).appending(Array(".cache".utf8))
        }
        return base?.appending(Array("capsule".utf8))
    }
}

/// The directory of the stat caches, with one file for each directory that was read. All failures in it are ignored.
package struct StatCacheDirectory: Sendable {
    let path: HostPath
    private let limit: UInt64

    init(_ path: HostPath, limit: UInt64 = 256 << 20) {
        self.path = path
        self.limit = limit
    }

    /// `$XDG_CACHE_HOME/capsule`, else `~/.cache/capsule`; nil where neither variable has an absolute path (XDG Base Directory
    /// Specification).
    static var ofUser: StatCacheDirectory? { of(cacheHome: Host.environment("XDG_CACHE_HOME"), home: Host.environment("HOME")) }

    static func of(cacheHome: [UInt8]?, home: [UInt8]?) -> StatCacheDirectory? {
        CacheDirectory.path(cacheHome: cacheHome, home: home).map { StatCacheDirectory($0) }
    }

    private static let suffix = Array(".stat".utf8)
    private static let suffixes = [suffix, CatalogCache.suffix]

    private static func name(for root: HostPath) -> [UInt8] {
        Array(SHA256Hasher.digest(of: root.bytes).hex.utf8) + suffix
    }

    /// Opens the cache of a directory; nil if there is none that only this user can have written.
    /// - Parameter root: the real path of the directory.
    func open(for root: HostPath) -> PrivateDirectory.File? {
        PrivateDirectory(path)?.open(Self.name(for: root))
    }

    func spool() -> SpoolFile? {
        PrivateDirectory.make(path).flatMap { try? SpoolFile(in: $0.path) }
    }

    func touch(for root: HostPath) {
        PrivateDirectory(path)?.open(Self.name(for: root))?.touch()
    }

    /// A table that is empty or too long is not saved, and the cache of the directory is deleted.
    func save(_ table: StatCacheTable, for root: HostPath) {
        let name = Self.name(for: root)
        guard let directory = PrivateDirectory.make(path) else { return }
        if table.records.isEmpty || table.records.count > StatCacheFile.recordLimit {
            directory.remove(name)
            return
        }
        try? StatCacheFile.write(table) { (pieces) throws(CapsuleError) in try directory.replace(name, with: pieces) }
        prune(directory, keeping: name)
    }

    /// Deletes the files that were unused for the longest time, and the leftovers of killed commands.
    func prune(_ directory: PrivateDirectory, keeping own: [UInt8]) {
        var total: UInt64 = 0
        for file in directory.files().sorted(by: { $0.modified > $1.modified }) {
            if Self.isKept(file.name) {
                total += file.size
                if total > limit, file.name != own { directory.remove(file.name) }
            } else if file.modified.seconds < Host.now - Self.leftoverAge,
                TemporaryName.target(of: file.name).map(Self.isKept) ?? false
            {
                directory.remove(file.name)
            }
        }
    }

    private static func isKept(_ name: [UInt8]) -> Bool {
        suffixes.contains { suffix in
            name.count == 64 + suffix.count && name.suffix(suffix.count).elementsEqual(suffix)
                && name.prefix(64).allSatisfy(digits.contains)
        }
    }

    private static let digits = Array("0123456789abcdef".utf8)

    /// A day, in seconds. No command takes longer to write a file.
    private static let leftoverAge: Int64 = 86_400
}
