import CapsuleCore
import CapsuleFileSystem

/// What is known of a directory's files from before, and what one command learns of them. Any thread may use it.
final class StatCacheSession: Sendable {
    private let directory: StatCacheDirectory
    private let root: HostPath
    /// Files that changed after it, in nanoseconds since 1970, may change again without a sign of it.
    private let latest: Int64
    private let loaded: StatCacheTable
    private let monitor = Monitor()
    /// For each record of ``loaded``, whether its file was found, or read, in that state.
    nonisolated(unsafe) private var isKept: [Bool]
    /// Of files that ``loaded`` does not have in their state.
    nonisolated(unsafe) private var noted: StatCacheTable

    /// Times are as coarse as two seconds on some file systems: a change within that time may leave them as they are.
    private static let coarseness: Int64 = 2

    /// Loads what is kept.
    ///
    /// - Parameters:
    ///   - root: the directory's real path.
    ///   - began: the moment, in seconds since 1970, before anything was looked at.
    init(_ directory: StatCacheDirectory, root: HostPath, began: Int64) {
        self.directory = directory
        self.root = root
        latest = StatCacheRecord.nanoseconds(Timestamp(seconds: began - Self.coarseness)) ?? Int64.min
        loaded = directory.load(for: root) ?? StatCacheTable()
        isKept = [Bool](repeating: false, count: loaded.records.count)
        noted = StatCacheTable(devices: loaded.devices)
    }

    /// Whether nothing is known from before.
    var isEmpty: Bool { loaded.records.isEmpty }

    /// A number for what is known of a file in the state that it is in; 0 for nothing.
    func mark(of status: FileStatus) -> UInt32 { loaded.mark(of: status) }

    /// What ``mark(of:)`` stands for; it must not be 0.
    func record(at mark: UInt32) -> StatCacheRecord { loaded.records[Int(mark) - 1] }

    /// Notes files that were found as they were.
    ///
    /// - Parameter count: how many were looked at.
    func found(_ marks: [UInt32], of count: Int) {
        monitor.locked {
            for mark in marks { isKept[Int(mark) - 1] = true }
        }
    }

    /// Notes a file that was read while its status stayed the same.
    func note(_ status: FileStatus, _ digest: ContentDigest, hasAttributes: Bool) {
        let mark = loaded.mark(of: status)
        monitor.locked {
            guard let record = noted.record(status, digest, hasAttributes: hasAttributes), !record.isLater(than: latest) else {
                return
            }
            if mark != 0, self.record(at: mark) == record {
                isKept[Int(mark) - 1] = true
            } else {
                noted.set(record)
            }
        }
    }

    /// Writes the cache anew: what was found again and what was noted. Never fails.
    func save() {
        monitor.locked {
            if noted.records.isEmpty, !isKept.contains(false) {
                if !isEmpty { directory.touch(for: root) }
                return
            }
            for (number, record) in loaded.records.enumerated() where isKept[number] && !noted.has(record) { noted.set(record) }
            directory.save(noted, for: root)
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
