import CSystem
package import CapsuleCore

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A directory that is filled under a hidden name beside its target, and takes the target's name once it is whole.
///
/// If it is dropped before, it goes with all it holds.
package final class StagingDirectory: Sendable {
    /// What it is to become.
    package let target: HostPath
    /// Where to build; closed to everyone else until the commit.
    package let root: RootDirectory
    private let parent: RootDirectory
    private let temporary: [UInt8]

    package init(for target: HostPath) throws(FileSystemError) {
        self.target = target
        parent = try RootDirectory(target.directory)
        var name = TemporaryName.make(for: target.name)
        while true {
            do throws(FileSystemError) {
                try Syscall.makeDirectory(at: parent.raw, HostPath(name), mode: 0o700)
                break
            } catch {
                guard error.code == .exists else { throw error.creating(target) }
                name = TemporaryName.make(for: target.name)
            }
        }
        temporary = name
        do throws(FileSystemError) {
            root = RootDirectory(
                adopting: try Syscall.open(at: parent.raw, HostPath(name), flags: O_RDONLY | O_DIRECTORY | O_NOFOLLOW),
                path: target)
        } catch {
            // There is no object yet that would see to it.
            try? Syscall.remove(at: parent.raw, HostPath(name), directory: true)
            throw error.at(target)
        }
        TemporaryMark.set(on: root.raw)
    }

    deinit {
        discard(temporary)
    }

    /// Deletes a directory that was replaced, or never finished. Marked, it is known for what it is if this is cut short.
    private func discard(_ name: [UInt8]) {
        if let old = try? parent.openEntry(name, isDirectory: true) { TemporaryMark.set(on: old.raw) }
        TreeRemover.remove(name, in: parent)
    }

    /// Gives the directory its name.
    ///
    /// - Parameter replacing: whether what has that name is replaced, as a whole; if not, it is an error with the code
    ///   `exists`. A link of that name is replaced itself.
    package func commit(replacing: Bool) throws(FileSystemError) {
        let name = target.name
        try TemporaryMark.remove(from: root.raw, path: target)
        defer { TemporaryMark.unlock(root.raw) }
        do throws(FileSystemError) {
            try Rename.move(temporary, in: parent, to: name, in: parent, replacing: false, path: target)
            return
        } catch {
            guard replacing, error.code == .exists else { throw error }
        }
        // What was there then has the temporary name, and goes when this object does.
        if try Rename.swap(temporary, name, in: parent, path: target) { return }
        let aside = TemporaryName.make(for: name)
        try Rename.move(name, in: parent, to: aside, in: parent, replacing: false, path: target)
        do throws(FileSystemError) {
            try Rename.move(temporary, in: parent, to: name, in: parent, replacing: false, path: target)
        } catch {
            try? Rename.move(aside, in: parent, to: name, in: parent, replacing: false, path: target)
            throw error
        }
        discard(aside)
    }
}

/// A directory of the user's that is made if it is missing, its parents too, and taken away again unless it is kept.
package final class MadeDirectories {
    private var made: [HostPath] = []

    /// mkdir(2) for each missing part of `path`.
    package init(_ path: HostPath) throws(FileSystemError) {
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
            do throws(FileSystemError) {
                try Syscall.makeDirectory(at: AT_FDCWD, directory, mode: 0o777)
                made.append(directory)
            } catch {
                // Someone else made it meanwhile: it is there, and not ours to take away.
                guard error.code == .exists else { throw error }
            }
        }
    }

    deinit {
        for directory in made.reversed() { try? Syscall.remove(at: AT_FDCWD, directory, directory: true) }
    }

    /// From now on the directories stay.
    package func keep() {
        made = []
    }
}
