import CapsuleCore
import CapsuleFileSystem

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
