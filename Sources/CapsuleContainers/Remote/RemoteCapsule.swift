package import CapsuleArchive
package import CapsuleCore
package import CapsuleRemote
import CapsuleSystem
import Synchronization

/// Access to servers. The whole process shares it, so that connections are used again.
package enum RemoteAccess {
    private static let listener = Mutex<@Sendable (String) -> Void>({ _ in })

    /// Sends requests. No program is started before the first one.
    package static let transport = Transport(trust: TrustSettings(environment: Host.environment)) { line in
        listener.withLock { $0 }(line)
    }

    private struct OpenFile {
        weak var file: CapsuleFile?
    }

    /// The files that are open: two versions of one are read through one.
    private static let open = Mutex<[RemoteAddress: OpenFile]>([:])

    fileprivate static func file(
        at address: RemoteAddress, _ make: () throws(CapsuleError) -> CapsuleFile
    ) throws(CapsuleError) -> CapsuleFile {
        let outcome: Result<CapsuleFile, CapsuleError> = open.withLock { open in
            if let file = open[address]?.file { return .success(file) }
            do throws(CapsuleError) {
                let file = try make()
                open[address] = OpenFile(file: file)
                return .success(file)
            } catch {
                return .failure(error)
            }
        }
        return try outcome.get()
    }

    /// Sets who tells the user that a server makes the command wait.
    package static func onNotice(_ body: @escaping @Sendable (String) -> Void) {
        listener.withLock { $0 = body }
    }
}

/// A capsule on a server, as a command line names it: an address, which may end in `@VERSION`.
package struct RemoteName {
    package let address: RemoteAddress
    fileprivate let argument: [UInt8]
    private let version: String?

    /// - Returns: nil if the argument does not begin like an address. Such a file needs `./` before its name.
    package init?(_ argument: [UInt8]) throws(CapsuleError) {
        guard RemoteAddress.isAddress(argument) else { return nil }
        let parsed = try RemoteAddress.parse(argument)
        (address, version) = (parsed.address, parsed.version)
        self.argument = Self.shown(argument)
    }

    /// Returns an argument for messages and reports, which don't show what may be secret.
    package static func shown(_ argument: [UInt8]) -> [UInt8] { RemoteAddress.shown(argument) }

    /// Throws the error for an address where only a file or a directory on this machine will do.
    /// - Parameter flag: the flag of an output that the argument is the name of; nil if it names something that exists.
    package static func refuse(_ argument: [UInt8], flag: String? = nil) throws(CapsuleError) {
        guard RemoteAddress.isAddress(argument) else { return }
        throw CapsuleError(
            .usage, "is an address, and only a file or a directory on this machine can be used here",
            path: HostPath(shown(argument)),
            hint: flag.map { "choose a place on this machine with '\($0)'" } ?? "download it, and name the file")
    }

    package func selector() throws(CapsuleError) -> VersionSelector {
        guard let version else { return .latest }
        return try VersionSelector(version, of: HostPath(argument))
    }

    /// Opens the file, or returns the one that is open already.
    package func open() throws(CapsuleError) -> CapsuleFile {
        try RemoteAccess.file(at: address) { () throws(CapsuleError) in
            switch address {
            case .web(let address): CapsuleFile(try WebFile(address, RemoteAccess.transport))
            case .registry, .layout: throw CapsuleError("registries can't be read yet", path: HostPath(argument))
            }
        }
    }
}

extension CapsuleFile {
    /// Opens a file on this machine or on a server by its name.
    package static func open(_ path: HostPath) throws(CapsuleError) -> CapsuleFile {
        guard let name = try RemoteName(path.bytes) else { return try CapsuleFile(opening: path) }
        guard try name.selector() == .latest else {
            throw CapsuleError(
                .usage, "must be a file, not one version of it", path: HostPath(name.argument),
                hint: "omit the '@' and what follows it")
        }
        return try name.open()
    }
}
