package import CapsuleArchive
package import CapsuleCore
package import CapsuleRemote
import CapsuleSystem
import Synchronization

/// The access to servers. There is one for the whole process, so that connections are used again.
package enum RemoteAccess {
    private static let listener = Mutex<TransportNotice>({ _, _ in })
    private static let counter = Mutex<@Sendable (Int) -> Void>({ _ in })

    /// Sends requests. No program is started before the first one.
    package static let transport = Transport(
        trust: TrustSettings(environment: Host.environment),
        notice: { text, isWarning in listener.withLock { $0 }(text, isWarning) },
        transferred: { count in counter.withLock { $0 }(count) })

    package static func client(_ reference: OCIReference, _ access: RegistryClient.Access) -> RegistryClient {
        let environment = Host.wholeEnvironment
        return RegistryClient(
            reference, access, transport,
            credentials: CredentialStore(environment: environment, home: environment["HOME"].map { HostPath($0) }),
            trustedRealms: environment["CAPSULE_TRUST_REALM"] ?? "",
            cache: StatCacheDirectory.ofUser.map { BlobCache($0.path.appending(Array("blobs".utf8))) })
    }

    package static func repository(
        _ address: RemoteAddress, _ access: RegistryClient.Access
    ) throws(CapsuleError) -> any CapsuleRepository {
        func invalid(_ reason: String, _ path: HostPath) -> CapsuleError {
            CapsuleError(.usage, reason, path: path, hint: "push to oci://HOST/NAME:TAG or oci:DIRECTORY:TAG")
        }
        switch address {
        case .registry(let reference) where reference.digest != nil:
            throw invalid("a digest can't name anything else", HostPath(reference.text))
        case .layout(let reference) where reference.digest != nil:
            throw invalid("a digest can't name anything else", reference.path)
        case .layout(let reference) where reference.tag == nil: throw invalid("names no tag", reference.path)
        case .registry(let reference): return client(reference, access)
        case .layout(let reference): return LayoutDirectory(reference)
        case .web(let address): throw invalid("a web server can't be written to", HostPath(address.shown))
        }
    }

    private struct OpenFile {
        weak var file: CapsuleFile?
    }

    /// The files that are open: two versions of one are read through one.
    private static let open = Mutex<[RemoteAddress: OpenFile]>([:])

    fileprivate static func file(
        at address: RemoteAddress, isNew: Bool, _ make: () throws(CapsuleError) -> CapsuleFile
    ) throws(CapsuleError) -> CapsuleFile {
        let outcome: Result<CapsuleFile, CapsuleError> = open.withLock { open in
            if !isNew, let file = open[address]?.file { return .success(file) }
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

    /// Sets who tells the user what servers say.
    package static func onNotice(_ body: @escaping TransportNotice) {
        listener.withLock { $0 = body }
    }

    /// Shows the progress of what is sent or received from now on.
    /// - Parameter total: the number of bytes that is expected. Repeated transfers may make it more.
    package static func show(_ progress: (any ProgressObserver)?, total: UInt64) {
        guard let progress else { return }
        let sum = Atomic<UInt64>(0)
        counter.withLock {
            $0 = { count in
                let bytes = sum.add(UInt64(count), ordering: .relaxed).newValue
                progress.advanced(to: ProgressReport(bytes: min(bytes, total), totalBytes: total))
            }
        }
    }
}

/// A capsule on a server or in a layout, as a command line names it: an address, which may end in `@VERSION`.
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
            hint: flag.map { "choose a place on this machine with '\($0)'" } ?? "'capsule pull' downloads it")
    }

    package func selector() throws(CapsuleError) -> VersionSelector {
        guard let version else { return .latest }
        return try VersionSelector(version, of: HostPath(argument))
    }

    /// Returns the versions that a registry lists; nil for other servers, which list none.
    package func config() throws(CapsuleError) -> CapsuleConfig? {
        guard case .registry(let reference) = address else { return nil }
        try checkIsWhole()
        return try RemoteAccess.client(reference, .pull).manifest().config
    }

    fileprivate func checkIsWhole() throws(CapsuleError) {
        guard try selector() == .latest else {
            throw CapsuleError(
                .usage, "must be a file, not one version of it", path: HostPath(argument),
                hint: "omit the '@' and what follows it")
        }
    }

    /// The name of a file for the capsule. It comes from the address as written, never from a server.
    package var fileName: [UInt8] {
        switch address {
        case .web(let address): Array((address.path.split(separator: "/").last.map { String($0) } ?? "remote.capsule").utf8)
        case .registry(let reference): Array(reference.fileName.utf8)
        case .layout(let layout): (layout.tag.map { Array($0.utf8) } ?? layout.directory.name) + Array(".capsule".utf8)
        }
    }

    /// Opens the file, or returns the one that is open already.
    /// - Parameters:
    ///   - directory: where to keep what is fetched; nil for `$TMPDIR`.
    ///   - isNew: true to ask the server again even if the file is open.
    package func open(spoolIn directory: HostPath? = nil, isNew: Bool = false) throws(CapsuleError) -> CapsuleFile {
        try RemoteAccess.file(at: address, isNew: isNew) { () throws(CapsuleError) in
            switch address {
            case .web(let address): CapsuleFile(try WebFile(address, RemoteAccess.transport, spoolIn: directory))
            case .registry(let reference):
                CapsuleFile(try RegistryFile(RemoteAccess.client(reference, .pull), spoolIn: directory))
            case .layout(let reference): CapsuleFile(try LayoutFile(LayoutDirectory(reference)))
            }
        }
    }
}

extension CapsuleFile {
    /// Opens a file on this machine, decrypted, or one on a server by its name.
    package static func open(_ path: HostPath) throws(CapsuleError) -> CapsuleFile {
        guard let name = try RemoteName(path.bytes) else {
            let file = try CapsuleFile(opening: path)
            return try EncryptedFile.decrypt(file) ?? file
        }
        try name.checkIsWhole()
        return try name.open()
    }
}
