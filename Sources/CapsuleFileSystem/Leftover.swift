package import CapsuleCore

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A temporary file or directory beside a path, which a command is making or has left when it was killed.
package struct Leftover: Sendable {
    /// What is known of it.
    package enum State: Hashable, Sendable {
        /// Capsule made it for this user, and the command that did so is gone.
        case abandoned
        /// A command is at work on it.
        case inUse
        /// Its name is all that speaks for it.
        case unproven
    }

    package let path: HostPath
    package let state: State

    /// Those beside `target`, by their names; none where there is no such directory, or nobody may list it.
    package static func find(beside target: HostPath) -> [Leftover] {
        guard let directory = try? RootDirectory(target.directory), let entries = try? directory.entries() else { return [] }
        let names = entries.map(\.name).filter { TemporaryName.isOne($0, for: target.name) }
        return names.sorted { $0.lexicographicallyPrecedes($1) }.map { name in
            let found = Candidate(name, in: directory)
            return Leftover(path: target.directory.appending(name), state: found?.state ?? .unproven)
        }
    }

    /// Deletes it, if it still is what nobody but this user's killed command can have made.
    ///
    /// - Returns: whether it is gone.
    package func delete() -> Bool {
        guard let directory = try? RootDirectory(path.directory), let candidate = Candidate(path.name, in: directory),
            candidate.state == .abandoned
        else { return false }
        // The lock is held until the last name is gone.
        return withExtendedLifetime(candidate) {
            TreeRemover.remove(path.name, in: directory)
            return ((try? directory.statusIfThere(path.name)) ?? nil) == nil
        }
    }

    /// An open temporary file or directory, locked if nobody else has its lock.
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
            // Where others can exchange names, what is deleted may be another one than what was looked at.
            guard (try? ForeignAccess.toOwnNames(in: directory)) == ForeignAccess.none,
                let named = try? directory.statusIfThere(name), named.isSameFile(as: status)
            else { return .unproven }
            return .abandoned
        }
    }
}
