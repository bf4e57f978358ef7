import CapsuleCore
import CapsuleSystem

/// What a command does with the device's keychain, which is listed like an app group with the name ``ContainerNames/keychain``.
package enum KeychainUse: Sendable {
    /// That of a stored version is a part of it. A simulator's is not looked at.
    case asStored
    /// That of a stored version is left out, with a note.
    case leftOut
    /// That of a stored version is a part of it, and so is the simulator's.
    case taken
}

/// The keychain of a simulator: one database, in which all of its apps and the system have their items.
enum SimulatorKeychain {
    private static let place = "data/Library/Keychains"
    private static let database = "keychain-2-debug.db"
    private static let names = Set(["", "-wal", "-shm", "-journal"].map { Array((database + $0).utf8) })

    /// Returns the directory with the keychain of the simulator that an app's container is on. No link below the simulator is followed.
    static func directory(besides container: HostPath) throws(CapsuleError) -> HostPath {
        guard let advice = SimulatorAdvice(path: container, bundleIdentifier: nil) else {
            throw CapsuleError(
                .usage, "is not an app's container on a simulator, and '--keychain' works only there", path: container)
        }
        let device = try RootDirectory(advice.device)
        let directory = RelativePath(named: Array(place.utf8))
        guard let file = try? directory.appending(Array(database.utf8)), let status = try device.statusIfThere(of: file) else {
            throw CapsuleError(
                .notFound, "the simulator has no keychain", path: device.hostPath(of: directory),
                hint: "boot the simulator once: it makes one")
        }
        guard status.kind == .file else { throw CapsuleError("is not a regular file", path: device.hostPath(of: file)) }
        return device.hostPath(of: directory)
    }

    /// Returns the keychain's own files among what its directory has.
    /// - Throws: an error if one of them is not a regular file.
    static func files(among entries: [TreeEntry], in top: RootDirectory) throws(CapsuleError) -> [TreeEntry] {
        let own = entries.filter { $0.path.components.count == ContainerNames.groupDepth + 1 && names.contains(Array($0.path.name)) }
        if let other = own.first(where: { $0.kind != .file }) {
            throw CapsuleError("is not a regular file", path: top.path.appending(Array(other.path.name)))
        }
        return own
    }
}

extension OpenedContainer {
    package var hasKeychain: Bool { groups.contains(ContainerNames.keychain) }

    /// The container without the device's keychain.
    func withoutKeychain() -> OpenedContainer {
        guard let number = groups.firstIndex(of: ContainerNames.keychain), let root = TreeRoot.group(number) else { return self }
        let own = ContainerNames.appGroups + [RelativePath.slash] + ContainerNames.keychain
        let others = groups.filter { $0 != ContainerNames.keychain }
        var kept = selecting(
            entries.indices.filter { number in
                let entry = entries[number]
                if entry.root == root { return false }
                guard entry.root == .wrapper else { return true }
                // The directory around the app groups goes with the last of them.
                return entry.path.bytes != own && (!others.isEmpty || entry.path.bytes != ContainerNames.appGroups)
            })
        kept.contents.keepNames(of: kept.entries)
        kept.renumber(groups: others)
        return kept
    }

    /// Gives the app groups the numbers that they have in another list with the same order. Groups that are not in it must have no
    /// entries.
    package mutating func renumber(groups others: [[UInt8]]) {
        var roots: [TreeRoot: TreeRoot] = [:]
        for (number, group) in groups.enumerated() {
            guard let place = others.firstIndex(of: group), let old = TreeRoot.group(number), let new = TreeRoot.group(place)
            else { continue }
            roots[old] = new
        }
        for number in entries.indices where entries[number].root.groupNumber != nil {
            entries[number].root = roots[entries[number].root] ?? entries[number].root
        }
        groups = others
    }
}
