package import CapsuleCore
package import CapsuleSystem

/// Directories that are locked against other transactions. Unfinished ones in them are recovered first, if anything may be written.
package final class LockedTarget: Sendable {
    let roots: [RootDirectory]
    /// The transactions that were unfinished in the directories, and the results of recovering them.
    package let recovered: [Recovery]
    private let locks: [DirectoryLock]

    /// The number of seconds to wait for a lock by default.
    package static let standardTimeout: Double = 10

    /// Locks the directories, and finishes or undoes unfinished transactions in them.
    /// - Parameters:
    ///   - timeout: the time to wait for a lock, in seconds.
    ///   - writes: true if anything may be written. Otherwise, unfinished transactions stay, and listing the directory refuses
    ///     them.
    package init(_ roots: [RootDirectory], timeout: Double, writes: Bool = true) throws(CapsuleError) {
        // Watch for interruptions again, because from now on there may be something to clean up or to finish.
        Interruption.resume()
        let table = try LockTable(roots, timeout: timeout)
        var recovered: [Recovery] = []
        for root in roots where writes { recovered += try TransactionRecovery(table).recover(root) }
        self.roots = roots
        self.recovered = recovered
        locks = table.given
    }
}

/// The directories that are locked. Each is locked only once, however it is reached, because a second lock of the same directory
/// would wait for the first in vain.
final class LockTable {
    let given: [DirectoryLock]
    private var locks: [DirectoryListing.FileIdentity: DirectoryLock] = [:]
    private let timeout: Double

    /// Locks directories, in the same order for everyone.
    /// - Throws: `usage` for a directory that is the same as another, or is inside it.
    init(_ roots: [RootDirectory], timeout: Double) throws(CapsuleError) {
        self.timeout = timeout
        var places: [(device: UInt64, inode: UInt64, root: RootDirectory)] = []
        for root in roots {
            let status = try root.status()
            if let same = places.first(where: { $0.device == status.device && $0.inode == status.inode }) {
                throw CapsuleError(.usage, "is the same directory as \(same.root.path)", path: root.path)
            }
            places.append((status.device, status.inode, root))
        }
        if places.count > 1 { try Self.refuseNested(places) }
        places.sort { ($0.device, $0.inode) < ($1.device, $1.inode) }
        var given: [DirectoryLock] = []
        for (device, inode, root) in places {
            let lock = try Self.lock(root, timeout)
            given.append(lock)
            locks[DirectoryListing.FileIdentity(device: device, inode: inode)] = lock
        }
        self.given = given
    }

    func directory(_ path: HostPath) throws(CapsuleError) -> RootDirectory {
        let root = try RootDirectory(path)
        let status = try root.status()
        let identity = DirectoryListing.FileIdentity(device: status.device, inode: status.inode)
        if let lock = locks[identity] { return lock.directory }
        let lock = try Self.lock(root, timeout)
        locks[identity] = lock
        return root
    }

    /// Throws if one directory is inside another: shared entries would be changed twice, and the staging directory of one would be
    /// listed in the other.
    private static func refuseNested(_ places: [(device: UInt64, inode: UInt64, root: RootDirectory)]) throws(CapsuleError) {
        for place in places {
            let above = try DirectoryChain(from: place.root.path)
            for outer in places where outer.root !== place.root {
                guard try above.contains(outer.root.path) else { continue }
                throw CapsuleError(.usage, "is inside \(outer.root.path), which is also changed", path: place.root.path)
            }
        }
    }

    private static func lock(_ root: RootDirectory, _ timeout: Double) throws(CapsuleError) -> DirectoryLock {
        do throws(CapsuleError) {
            let lock = try DirectoryLock(root, timeout: timeout)
            let named = try Syscall.statusIfThere(root.path, following: true)
            guard let named, try named.isSameFile(as: root.status()) else { throw .missing(root.path) }
            return lock
        } catch {
            if error.code == .locked {
                throw CapsuleError(
                    "another transaction is in progress", path: root.path, hint: "wait for it to finish, then try again")
            }
            throw error
        }
    }
}
