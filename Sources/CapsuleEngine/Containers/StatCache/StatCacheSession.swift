import CapsuleCore
import CapsuleSystem

/// What is known of a directory's files from before, and what one command learns of them.
///
/// First files are listed, and looked up by any number of threads; then, once ``finishListing()`` was called, they are read, and
/// noted by any number of threads. The table is in memory only for the former, since there may be millions of files.
final class StatCacheSession: Sendable {
    private let directory: StatCacheDirectory
    private let root: HostPath
    private let isSaved: Bool
    /// Files that changed after it, in nanoseconds since 1970, may change again without a sign of it.
    private let latest: Int64
    /// What was loaded; by now another command may have put its own in the place.
    private let file: PrivateDirectory.File?
    private let monitor = Monitor()
    nonisolated(unsafe) private var loaded: StatCacheTable
    /// For each record of the file, whether that is how its file was found.
    nonisolated(unsafe) private var isKept: [Bool]
    /// Gives new records their devices' numbers.
    nonisolated(unsafe) private var devices: StatCacheTable.Devices
    nonisolated(unsafe) private var notes: StatCacheNotes

    /// Times are as coarse as two seconds on some file systems: a change within that time may leave them as they are.
    private static let coarseness: Int64 = 2

    /// Loads what is kept.
    ///
    /// - Parameters:
    ///   - root: the directory's real path.
    ///   - began: the moment, in seconds since 1970, before anything was looked at.
    ///   - isSaved: whether what is learned is kept; if not, nothing at all is written.
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

    /// Whether nothing is known from before.
    var isEmpty: Bool { isKept.isEmpty }

    // MARK: While files are listed

    /// A number for what is known of a file in the state that it is in; 0 for nothing.
    func mark(of status: FileStatus) -> UInt32 { loaded.mark(of: status) }

    /// What ``mark(of:)`` stands for; it must not be 0.
    func record(at mark: UInt32) -> StatCacheRecord { loaded.records[Int(mark) - 1] }

    /// Notes files that were found as they were; 0 is passed over.
    func found(_ marks: [UInt32]) {
        monitor.locked {
            for mark in marks where mark != 0 { isKept[Int(mark) - 1] = true }
        }
    }

    /// Lets go of what is only wanted while files are listed; all threads that did it must be done.
    func finishListing() { loaded = StatCacheTable() }

    // MARK: When they are read

    /// Notes a file that was read while its status stayed the same.
    func note(_ status: FileStatus, _ digest: ContentDigest, hasAttributes: Bool) {
        guard isSaved else { return }
        monitor.locked {
            guard let device = devices.number(of: status.device),
                let record = StatCacheRecord(status, device: device, digest: digest, hasAttributes: hasAttributes),
                !record.isLater(than: latest)
            else { return }
            notes.append(record)
        }
    }

    /// Writes the cache anew: what was found again and what was noted. Never fails.
    func save() {
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
    /// Notes a file of a container, unless its times tell nothing.
    func note(
        _ status: ContentStatus, _ digest: ContentDigest, _ attributes: ExtendedAttributes.Reading?, at path: RelativePath
    ) {
        guard let live = status.live, let attributes, !DatabaseUnit.isSharedMemory(path) else { return }
        note(live, digest, hasAttributes: !attributes.attributes.isEmpty || !attributes.tooLong.isEmpty)
    }
}

/// Takes over what a stat cache has of a directory's files, right after it was listed. Any thread may use it.
struct StatCacheRecall: Sendable {
    private let cache: StatCacheSession
    private let root: RootDirectory

    init(_ cache: StatCacheSession, in root: RootDirectory) {
        self.cache = cache
        self.root = root
    }

    /// What the lister is to ask of each file.
    var mark: @Sendable (FileStatus) -> UInt32 {
        { [cache] in cache.mark(of: $0) }
    }

    /// Gives files that are known their digests and attributes.
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

    /// A database and its logs, which are in one directory, are one state: unless all are known, none is.
    private static func forgetPartsOfUnits(_ entries: inout [TreeEntry]) {
        var units: [RelativePath: [Int]] = [:]
        for number in entries.indices where entries[number].kind == .file {
            guard let database = DatabaseUnit.database(ofLog: entries[number].path) else { continue }
            units[database, default: []].append(number)
        }
        for (database, logs) in units {
            var numbers = logs
            if let place = entries.place(of: database, in: .tree), entries[place].kind == .file { numbers.append(place) }
            if numbers.contains(where: { entries[$0].digest == .zero }) {
                for number in numbers { entries[number].digest = .zero }
            }
        }
    }
}

/// Records that are put aside until they are wanted, in a file without a name: in memory they would cost a third of what the
/// entries do. What can't be put aside is lost.
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

    /// Calls `body` with each record, in the order they came.
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
