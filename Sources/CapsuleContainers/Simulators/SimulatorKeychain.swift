import CapsuleCore
import CapsuleSystem

/// The use of a device's keychain by a command. It is listed like an app group with the name ``ContainerNames/keychain``.
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
        return try directory(in: advice.device)
    }

    fileprivate static func directory(in device: HostPath) throws(CapsuleError) -> HostPath {
        let device = try RootDirectory(device)
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
        let own = entries.filter {
            $0.path.components.count == ContainerNames.groupDepth + 1 && names.contains(Array($0.path.name))
        }
        if let other = own.first(where: { $0.kind != .file }) {
            throw CapsuleError("is not a regular file", path: top.path.appending(Array(other.path.name)))
        }
        return own
    }
}

extension SimulatorAdvice {
    /// True if the simulator has a keychain, as each has that was booted.
    package var hasKeychain: Bool { (try? SimulatorKeychain.directory(in: device)) != nil }
}
