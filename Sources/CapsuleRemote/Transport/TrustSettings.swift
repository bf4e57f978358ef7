import CapsuleArchive
package import CapsuleCore
import CapsuleSystem

/// The certificates that a server is checked against, and the one that this client shows it, as curl, docker and podman find them.
package struct TrustSettings: Sendable {
    /// Files of authorities that a user named instead of the system's: `--ca-file`, `CURL_CA_BUNDLE` or `SSL_CERT_FILE`.
    private let bundle: HostPath?
    /// `SSL_CERT_DIR`.
    private let folder: HostPath?
    /// The directories with a directory for each host (containers-certs.d(5)).
    private let hostDirectories: [HostPath]

    package init(bundle: HostPath? = nil, environment: (String) -> [UInt8]?) {
        func path(_ name: String) -> HostPath? { environment(name).flatMap { $0.isEmpty ? nil : HostPath($0) } }
        self.bundle = bundle ?? path("CURL_CA_BUNDLE") ?? path("SSL_CERT_FILE")
        folder = path("SSL_CERT_DIR")
        let own = path("XDG_CONFIG_HOME") ?? path("HOME")?.appending(Array(".config".utf8))
        hostDirectories =
            (own.map { [$0.appending(Array("containers".utf8)).appending(Array("certs.d".utf8))] } ?? [])
            + [HostPath("/etc/containers/certs.d"), HostPath("/etc/docker/certs.d")]
    }

    struct ForHost: Sendable {
        /// Certificates in PEM form that take the place of the system's; nil for the system's.
        var authorities: [UInt8]?
        var folder: HostPath?
        var certificate: HostPath?
        var key: HostPath?
    }

    private static let limit = 4 << 20

    /// - Parameter system: the file of authorities that libcurl uses by itself.
    func settings(for address: WebAddress, system: HostPath?) throws(CapsuleError) -> ForHost {
        var found = ForHost(authorities: nil, folder: folder)
        var extra: [UInt8] = []
        // A directory is named as users write the host, with or without a port that belongs to the scheme.
        let names = Set([address.authority, "\(address.host):\(address.port)"])
        for directory in hostDirectories.flatMap({ parent in names.sorted().map { parent.appending(Array($0.utf8)) } }) {
            for file in Self.files(in: directory) {
                if file.name.ends(in: ".crt") { extra += try Self.read(file) + [UInt8(ascii: "\n")] }
                if file.name.ends(in: ".cert"), found.certificate == nil {
                    found.certificate = file
                    found.key = directory.appending(file.name.dropLast(4) + Array("key".utf8))
                }
            }
        }
        if let base = bundle ?? (extra.isEmpty ? nil : system) {
            found.authorities = try Self.read(base) + (extra.isEmpty ? [] : [UInt8(ascii: "\n")] + extra)
        } else if !extra.isEmpty {
            found.authorities = extra
        }
        guard (found.authorities?.count ?? 0) <= Self.limit else {
            throw CapsuleError(.limit, "the certificate authorities for \(address.authority) take more than 4 MiB", path: bundle)
        }
        return found
    }

    private static func files(in directory: HostPath) -> [HostPath] {
        guard let entries = try? RootDirectory(directory).entries() else { return [] }
        return entries.filter { $0.kind != .directory }.map(\.name).sorted { $0.lexicographicallyPrecedes($1) }
            .map { directory.appending($0) }
    }

    private static func read(_ path: HostPath) throws(CapsuleError) -> [UInt8] {
        let file = try CapsuleFile(opening: path)
        guard file.length <= UInt64(limit) else { throw CapsuleError(.limit, "is longer than 4 MiB", path: path) }
        return try file.read(at: 0, count: limit)
    }
}

extension [UInt8] {
    fileprivate func ends(in suffix: String) -> Bool { self.suffix(suffix.utf8.count).elementsEqual(suffix.utf8) }
}
