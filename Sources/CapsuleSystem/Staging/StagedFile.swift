import CSystem
package import CapsuleCore
import Synchronization

/// A file that is written under a hidden name beside its target, and renamed to the target when it is complete.
/// Until then it isn't visible under the target's name. If the object is released before that, the file is deleted.
package final class StagedFile: Sendable {
    package let target: HostPath
    private let directory: RootDirectory
    private let temporary: [UInt8]
    private let descriptor: OwnedDescriptor
    /// True if the file is not beside its target, so that its content is copied into the target.
    private let isElsewhere: Bool
    private let isKept = Atomic(false)

    /// - Parameter inPlace: true if the target may be overwritten where no file can be created beside it (``InPlaceFile``).
    package init(for target: HostPath, inPlace: Bool = false) throws(CapsuleError) {
        self.target = target
        Interruption.resume()
        let beside = try RootDirectory(target.directory)
        var name: [UInt8] = []
        do throws(CapsuleError) {
            descriptor = try Self.create(for: target, in: beside, &name)
            directory = beside
            isElsewhere = false
        } catch let refused {
            guard inPlace, refused.code == .notPermitted, let other = InPlaceFile.temporaryDirectory() else {
                throw refused.creating(target)
            }
            do throws(CapsuleError) {
                descriptor = try Self.create(for: target, in: other, &name)
            } catch {
                throw refused.creating(target)
            }
            directory = other
            isElsewhere = true
        }
        temporary = name
    }

    /// Creates a file in another directory than its target's.
    init(for target: HostPath, in directory: RootDirectory) throws(CapsuleError) {
        self.target = target
        var name: [UInt8] = []
        descriptor = try Self.create(for: target, in: directory, &name)
        temporary = name
        self.directory = directory
        isElsewhere = true
    }

    private static func create(
        for target: HostPath, in directory: RootDirectory, _ name: inout [UInt8]
    ) throws(CapsuleError) -> OwnedDescriptor {
        while true {
            name = TemporaryName.make(for: target.name)
            do throws(CapsuleError) {
                let descriptor = try Syscall.open(
                    at: directory.raw, HostPath(name), flags: O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, mode: 0o600, as: "create")
                TemporaryMark.set(on: descriptor.raw)
                return descriptor
            } catch {
                guard error.code == .exists else { throw error }
            }
        }
    }

    deinit {
        if isKept.load(ordering: .relaxed) { return }
        // After a commit the name is gone, and this does nothing.
        try? Syscall.remove(at: directory.raw, HostPath(temporary), directory: false)
    }

    package func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws(CapsuleError) {
        try Syscall.write(descriptor.raw, bytes, at: offset, path: target)
    }

    package func truncate(to length: UInt64) throws(CapsuleError) {
        try Syscall.truncate(descriptor.raw, to: length, path: target)
    }

    package func duplicate() throws(CapsuleError) -> OwnedDescriptor {
        try Syscall.duplicate(descriptor.raw, path: target)
    }

    package func length() throws(CapsuleError) -> UInt64 { try Syscall.status(of: descriptor.raw, path: target).size }

    /// Keeps the file under its temporary name, and without the mark by which it would be recognized as left behind.
    func keep() -> HostPath {
        isKept.store(true, ordering: .relaxed)
        try? TemporaryMark.remove(from: descriptor.raw, path: target)
        return directory.path.appending(temporary)
    }

    /// Makes the file durable and gives it its name: sync, rename, sync of the directory.
    /// - Parameters:
    ///   - mode: nil for the default mode under the user's creation mask.
    /// - Throws: with the code `unsynced` if the file is complete and has its name, and only the directory could not be synced.
    package func commit(
        replacing: Bool, mode: FileMode? = nil,
        syncing: (RootDirectory) throws(CapsuleError) -> Void = { (directory) throws(CapsuleError) in try directory.sync() }
    ) throws(CapsuleError) {
        let mode = mode ?? FileMode(CreationMask.fileMode)
        if isElsewhere {
            let file = InPlaceFile(target: target, directory: directory)
            return try file.write(contentOf: self, replacing: replacing, mode: mode)
        }
        try TemporaryMark.remove(from: descriptor.raw, path: target)
        try Syscall.setMode(descriptor.raw, mode, path: target)
        try Syscall.sync(descriptor.raw, path: target)
        try Rename.move(temporary, in: directory, to: target.name, in: directory, replacing: replacing, path: target)
        TemporaryMark.unlock(descriptor.raw)
        do throws(CapsuleError) {
            try syncing(directory)
        } catch {
            throw .unsynced(error, target)
        }
    }

    /// Replaces an open file, whose lock the caller has, and keeps its owner, group, access control list, extended attributes and mode. This
    /// writes every file that a command changes in place.
    /// - Throws: also if one of them can't be kept; the old file is then unchanged.
    func takePlace(of old: Int32) throws(CapsuleError) {
        if isElsewhere {
            return try InPlaceFile(target: target, directory: directory).overwrite(locked: old, with: self)
        }
        let status = try Syscall.status(of: old, path: target)
        try Syscall.keepOwner(of: status, on: descriptor.raw, path: target)
        try Syscall.keepAccessList(of: old, on: descriptor.raw, path: target)
        for attribute in try ExtendedAttributes.read(old, path: target).attributes {
            try ExtendedAttributes.set(attribute, on: descriptor.raw, path: target)
        }
        // Changing the owner clears the mode's set-user-ID bit, so the mode comes last.
        try commit(replacing: true, mode: status.mode)
    }

    /// Gives the file its name, replacing a file that has it, without syncing: for content that can be made again. Only this user may read
    /// the file.
    func commitUnsynced() throws(CapsuleError) {
        try TemporaryMark.remove(from: descriptor.raw, path: target)
        try Rename.move(temporary, in: directory, to: target.name, in: directory, replacing: true, path: target)
    }
}

/// Hidden names beside a target for unfinished content. Every temporary file and directory gets its name here.
package enum TemporaryName {
    /// The length of the longest name that every file system accepts.
    private static let limit = 255
    private static let alphabet = Array("abcdefghijklmnopqrstuvwxyz0123456789".utf8)

    /// The base name of the private files and directories of commands, which never get a final name.
    static let ofScratch = Array("capsule".utf8)

    /// Returns `.NAME.xxxxxxxx.tmp`. `NAME` is cut if the result would be too long.
    static func make(for name: [UInt8]) -> [UInt8] {
        let random = (0..<randomCount).map { _ in alphabet[Int.random(in: 0..<alphabet.count)] }
        return start(for: name) + random + end
    }

    static func isOne(_ temporary: [UInt8], for name: [UInt8]) -> Bool {
        let start = start(for: name)
        guard temporary.count == start.count + randomCount + end.count, temporary.starts(with: start),
            temporary.suffix(end.count).elementsEqual(end)
        else { return false }
        return temporary[start.count...].prefix(randomCount).allSatisfy(alphabet.contains)
    }

    /// Returns the name that a temporary one was made for; nil if ``make(for:)`` can't have made it.
    package static func target(of temporary: [UInt8]) -> [UInt8]? {
        let name = Array(temporary.dropFirst().dropLast(1 + randomCount + end.count))
        return !name.isEmpty && isOne(temporary, for: name) ? name : nil
    }

    private static let randomCount = 8
    private static let end = Array(".tmp".utf8)

    private static func start(for name: [UInt8]) -> [UInt8] {
        Array(".".utf8) + Array(name.prefix(limit - 2 - randomCount - end.count)) + Array(".".utf8)
    }
}

/// The proof that Capsule made a temporary file or directory, and that a command still uses it or no longer does.
/// The process that makes one takes its lock (flock(2)), which ends with the process, and then marks it with an extended attribute that
/// contains its inode number. A copy, or a file from an archive, has another inode number. The mark is removed before the finished file
/// gets its name. On a file system without locks or attributes, everything else works the same, but nothing can be proven later.
enum TemporaryMark {
    private static let name = "user.capsule.temporary"

    static func set(on descriptor: Int32) {
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0, let status = try? Syscall.status(of: descriptor, path: HostPath([]))
        else {
            return
        }
        let value = value(for: status)
        _ = value.withUnsafeBytes { capsule_set_attribute(descriptor, name, $0.baseAddress, $0.count) }
    }

    static func remove(from descriptor: Int32, path: HostPath) throws(CapsuleError) {
        guard isSet(on: descriptor, try Syscall.status(of: descriptor, path: path)) else { return }
        if capsule_remove_attribute(descriptor, name) == 0 { return }
        let mode = try Syscall.status(of: descriptor, path: path).mode
        guard errno == EACCES else { throw CapsuleError(errno: errno, "finish", path) }
        // The final mode that it already has does not let its owner write.
        try Syscall.setMode(descriptor, FileMode(mode.rawValue | 0o200), path: path)
        guard capsule_remove_attribute(descriptor, name) == 0 else { throw CapsuleError(errno: errno, "finish", path) }
        try Syscall.setMode(descriptor, mode, path: path)
    }

    static func unlock(_ descriptor: Int32) { _ = flock(descriptor, LOCK_UN) }

    static func isSet(on descriptor: Int32, _ status: FileStatus) -> Bool {
        let wanted = value(for: status)
        var found = [UInt8](repeating: 0, count: wanted.count + 1)
        let count = found.withUnsafeMutableBytes { capsule_get_attribute(descriptor, name, $0.baseAddress, $0.count) }
        return count == wanted.count && found.dropLast().elementsEqual(wanted)
    }

    private static func value(for status: FileStatus) -> [UInt8] { Array("\(status.inode)".utf8) }
}

/// A temporary file or directory beside a path, which a command is using or has left behind when it was killed.
package struct Leftover: Sendable {
    /// The evidence that a temporary file or directory may be deleted.
    package enum State: Hashable, Sendable {
        /// Capsule made it for this user, and the command that did so has ended.
        case abandoned
        /// A command is using it.
        case inUse
        /// Only its name suggests that Capsule made it.
        case unproven
    }

    package let path: HostPath
    package let state: State

    /// Returns the leftovers beside `target`, sorted by name; none if the directory doesn't exist or can't be listed.
    package static func find(beside target: HostPath) -> [Leftover] {
        guard let directory = try? RootDirectory(target.directory), let entries = try? directory.entries() else { return [] }
        let names = entries.map(\.name).filter { TemporaryName.isOne($0, for: target.name) }
        return names.sorted { $0.lexicographicallyPrecedes($1) }.map { name in
            let found = Candidate(name, in: directory)
            return Leftover(path: target.directory.appending(name), state: found?.state ?? .unproven)
        }
    }

    package func delete() -> Bool {
        guard let directory = try? RootDirectory(path.directory), let candidate = Candidate(path.name, in: directory),
            candidate.state == .abandoned
        else { return false }
        // Holds the lock until the last name is removed.
        return withExtendedLifetime(candidate) {
            TreeRemover.remove(path.name, in: directory)
            return ((try? directory.statusIfThere(path.name)) ?? nil) == nil
        }
    }

    /// An open temporary file or directory, locked unless another process has its lock.
    private final class Candidate {
        private let descriptor: OwnedDescriptor
        let state: State

        init?(_ name: [UInt8], in directory: RootDirectory) {
            guard let opened = try? Syscall.open(at: directory.raw, HostPath(name), flags: O_RDONLY | O_NOFOLLOW | O_NONBLOCK),
                let status = try? Syscall.status(of: opened.raw, path: directory.path)
            else { return nil }
            state = Self.state(of: opened.raw, status, named: name, in: directory)
            descriptor = opened
        }

        private static func state(
            of descriptor: Int32, _ status: FileStatus, named name: [UInt8], in directory: RootDirectory
        ) -> State {
            guard status.kind == .file || status.kind == .directory, TemporaryMark.isSet(on: descriptor, status),
                ForeignAccess.to(descriptor, status) == .none
            else { return .unproven }
            guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else { return errno == EWOULDBLOCK ? .inUse : .unproven }
            // If others can exchange names, the entry that is deleted may not be the one that was examined.
            guard (try? ForeignAccess.toOwnNames(in: directory)) == ForeignAccess.none,
                let named = try? directory.statusIfThere(name), named.isSameFile(as: status)
            else { return .unproven }
            return .abandoned
        }
    }
}

/// Deletes a directory with everything in it, by descriptor. A link in it is deleted, never its target.
enum TreeRemover {
    /// Deletes an entry and everything below it. Entries that can't be deleted are skipped, so that as little as possible is left.
    static func remove(_ name: [UInt8], in parent: RootDirectory) {
        if (try? Syscall.remove(at: parent.raw, HostPath(name), directory: false)) != nil { return }
        guard let directory = try? open(name, at: parent.raw, path: parent.path) else { return }
        empty(RootDirectory(adopting: directory, path: parent.path.appending(name)))
        try? Syscall.remove(at: parent.raw, HostPath(name), directory: true)
    }

    /// Works depth first with a stack of paths, not of descriptors or calls, so that the depth has no practical limit.
    private static func empty(_ root: RootDirectory) {
        var pending: [(path: RelativePath, isEmptied: Bool)] = [(.root, false)]
        while let (path, isEmptied) = pending.popLast() {
            if isEmptied {
                guard !path.isRoot, let parent = path.parent, let directory = try? root.openDirectory(parent) else { continue }
                try? Syscall.remove(at: directory.raw, HostPath(Array(path.name)), directory: true)
                continue
            }
            guard let directory = open(path, in: root) else { continue }
            try? Syscall.setMode(directory.raw, FileMode(0o700), path: root.path)
            pending.append((path, true))
            guard let listing = try? DirectoryListing(of: directory, path: root.path) else { continue }
            for item in listing.items {
                let name = listing.name(of: item)
                if item.kind == .directory {
                    // The content of a replaced directory may be deeper than any tree that Capsule accepts.
                    guard let below = try? RelativePath(validating: name) else { continue }
                    pending.append((path.isRoot ? below : RelativePath(joining: path.bytes, below), false))
                } else {
                    try? Syscall.remove(at: directory.raw, HostPath(name), directory: false)
                }
            }
        }
    }

    /// Opens a directory below the root whose mode may not permit it. The directory that contains it has been made accessible.
    private static func open(_ path: RelativePath, in root: RootDirectory) -> OwnedDescriptor? {
        if let directory = try? root.openDirectory(path) { return directory }
        guard let above = path.parent, let parent = try? root.openDirectory(above) else { return nil }
        return try? open(Array(path.name), at: parent.raw, path: root.path)
    }

    private static func open(_ name: [UInt8], at parent: Int32, path: HostPath) throws(CapsuleError) -> OwnedDescriptor {
        let flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW
        do throws(CapsuleError) {
            return try Syscall.open(at: parent, HostPath(name), flags: flags)
        } catch {
            // The directory got its final mode, which denies access, before something else failed.
            try Syscall.withCString(name, "delete") { (text) throws(CapsuleError) in
                try Syscall.announce(.setMode(parent), "delete", path)
                _ = try Syscall.repeating("delete", path) { fchmodat(parent, text, 0o700, 0) }
            }
            return try Syscall.open(at: parent, HostPath(name), flags: flags)
        }
    }
}
