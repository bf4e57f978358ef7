import CSystem
package import CapsuleCore
import Synchronization

/// A directory that is filled under a hidden name beside its target, and renamed to the target when it is complete.
/// If the object is released before that, the directory is deleted with everything in it.
package final class StagingDirectory: Sendable {
    package let target: HostPath
    /// The directory to fill; only this user can enter it until its mode is set.
    package let root: RootDirectory
    fileprivate let parent: RootDirectory
    private let temporary: [UInt8]
    /// True if the directory was created as the target, and must not be deleted any more.
    private let isFinished = Atomic(false)

    /// - Parameter inPlace: true if a target that does not exist may be filled itself where no directory can be created beside it, as in
    ///   Xcode's script sandbox.
    package convenience init(for target: HostPath, inPlace: Bool = false) throws(CapsuleError) {
        let parent = try RootDirectory(target.directory)
        let name: [UInt8]
        do throws(CapsuleError) {
            name = try Self.create(for: target, in: parent)
        } catch {
            guard inPlace, error.code == .notPermitted else { throw error.creating(target) }
            name = try Self.createItself(target, in: parent, refused: error)
        }
        try self.init(target, parent, name)
    }

    private static func createItself(
        _ target: HostPath, in parent: RootDirectory, refused: CapsuleError
    ) throws(CapsuleError) -> [UInt8] {
        do throws(CapsuleError) {
            try Syscall.makeDirectory(at: parent.raw, HostPath(target.name), mode: 0o700)
            return target.name
        } catch {
            guard error.code == .exists else { throw refused.creating(target) }
            throw CapsuleError(
                .exists, "can't be replaced in one step, since nothing can be created beside it", path: target,
                hint: "remove it first")
        }
    }

    private init(_ target: HostPath, _ parent: RootDirectory, _ name: [UInt8]) throws(CapsuleError) {
        self.target = target
        self.parent = parent
        temporary = name
        do throws(CapsuleError) {
            root = RootDirectory(
                adopting: try Syscall.open(at: parent.raw, HostPath(name), flags: O_RDONLY | O_DIRECTORY | O_NOFOLLOW),
                path: target)
        } catch {
            // No object exists yet whose deinit would delete the directory.
            try? Syscall.remove(at: parent.raw, HostPath(name), directory: true)
            throw error.at(target)
        }
        TemporaryMark.set(on: root.raw)
    }

    private static func create(for target: HostPath, in parent: RootDirectory) throws(CapsuleError) -> [UInt8] {
        while true {
            let name = TemporaryName.make(for: target.name)
            do throws(CapsuleError) {
                try Syscall.makeDirectory(at: parent.raw, HostPath(name), mode: 0o700)
                return name
            } catch {
                guard error.code == .exists else { throw error }
            }
        }
    }

    deinit {
        if !isFinished.load(ordering: .relaxed) { discard(temporary) }
    }

    /// Deletes a directory that was replaced or never finished. It is marked first, so that it is recognized if the deletion is cut short.
    private func discard(_ name: [UInt8]) {
        if let old = try? parent.openEntry(name, isDirectory: true) { TemporaryMark.set(on: old.raw) }
        TreeRemover.remove(name, in: parent)
    }

    /// - Parameter replacing: true to replace an existing entry as a whole; if false, one is an error with the code `exists`. A link is
    ///   replaced itself, not its target.
    package func commit(replacing: Bool) throws(CapsuleError) {
        let name = target.name
        try TemporaryMark.remove(from: root.raw, path: target)
        defer { TemporaryMark.unlock(root.raw) }
        if temporary == name {
            isFinished.store(true, ordering: .relaxed)
            return
        }
        do throws(CapsuleError) {
            try Rename.move(temporary, in: parent, to: name, in: parent, replacing: false, path: target)
            return
        } catch {
            guard replacing, error.code == .exists else { throw error }
        }
        // The replaced entry now has the temporary name, and is deleted with this object.
        if try Rename.swap(temporary, name, in: parent, path: target) { return }
        let aside = TemporaryName.make(for: name)
        try Rename.move(name, in: parent, to: aside, in: parent, replacing: false, path: target)
        do throws(CapsuleError) {
            try Rename.move(temporary, in: parent, to: name, in: parent, replacing: false, path: target)
        } catch {
            try? Rename.move(aside, in: parent, to: name, in: parent, replacing: false, path: target)
            throw error
        }
        discard(aside)
    }
}

extension StagingDirectory {
    /// Gives an entry in the directory the name of the target. The directory itself is deleted with this object.
    package func commit(_ entry: [UInt8], replacing: Bool) throws(CapsuleError) {
        try Rename.move(entry, in: root, to: target.name, in: parent, replacing: replacing, path: target)
    }
}

/// A directory of the user's that is made if it is missing, with its parents. Those that were made are deleted again unless ``keep()`` is
/// called.
package final class CreatedDirectories {
    private var made: [HostPath] = []

    package init(_ path: HostPath) throws(CapsuleError) {
        Interruption.resume()
        var missing: [HostPath] = []
        var directory = path
        while (try? Syscall.status(directory, following: true)) == nil {
            missing.append(directory)
            let parent = directory.directory
            if parent == directory { break }
            directory = parent
        }
        for directory in missing.reversed() {
            do throws(CapsuleError) {
                try Syscall.makeDirectory(at: AT_FDCWD, directory, mode: 0o777)
                made.append(directory)
            } catch {
                // Another process made it meanwhile: it exists, and is not ours to delete.
                guard error.code == .exists else { throw error }
            }
        }
    }

    deinit {
        for directory in made.reversed() { try? Syscall.remove(at: AT_FDCWD, directory, directory: true) }
    }

    package func keep() {
        made = []
    }
}
