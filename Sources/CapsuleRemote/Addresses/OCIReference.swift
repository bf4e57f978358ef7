package import CapsuleCore

/// The address of a capsule in a registry: `oci://HOST[:PORT]/NAME[:TAG][@sha256:DIGEST]`, also with `oci+http` or `oci+https`.
package struct OCIReference: Hashable, Sendable {
    /// The scheme of the requests: the one that is written out, else http for this machine and https for all others.
    package let scheme: WebAddress.Scheme
    /// The host and the port as they are written, in lower case. Credentials are stored under this name.
    package let authority: String
    /// The repository as it is written.
    package let name: String
    /// Nil if the address has none. Then a digest, or else ``defaultTag``, says which manifest is meant.
    package let tag: String?
    package private(set) var digest: OCIDigest?
    /// The beginning of the address up to the host, such as `oci://`.
    private let prefix: String
    private let host: String
    private let port: Int?

    package static let defaultTag = "latest"
    private static let prefixes: [(text: String, scheme: WebAddress.Scheme?)] = [
        ("oci://", nil), ("oci+http://", .http), ("oci+https://", .https),
    ]
    /// The longest name of a repository with its host, in bytes.
    private static let nameLimit = 255
    private static let tagLimit = 128

    /// Returns true if a text begins like the address of a registry.
    static func isAddress(_ text: some StringProtocol) -> Bool { split(text) != nil }

    private static func split(_ text: some StringProtocol) -> (prefix: String, scheme: WebAddress.Scheme?, rest: Substring)? {
        for (prefix, scheme) in prefixes where text.prefix(prefix.count).lowercased() == prefix {
            return (prefix, scheme, Substring(text.dropFirst(prefix.count)))
        }
        return nil
    }

    /// Parses an address without a version.
    /// - Throws: an error with the code `usage` and a hint if the text is not such an address.
    package init(parsing text: String) throws(CapsuleError) {
        func invalid(_ reason: String, hint: String? = "write oci://HOST/NAME:TAG") -> CapsuleError {
            CapsuleError(.usage, reason, path: HostPath(RemoteAddress.shown(Array(text.utf8.prefix(512)))), hint: hint)
        }
        guard let (prefix, scheme, rest) = Self.split(text) else { throw invalid("not the address of a registry") }
        guard let slash = rest.firstIndex(of: "/") else {
            let isHost = rest.contains(".") || rest == "localhost" || WebAddress.split(rest)?.port != nil
            throw invalid(
                isHost ? "names a registry, but nothing in it" : "names no registry",
                hint: isHost ? "add the name: \(prefix)HOST/NAME" : "name the registry: \(prefix)HOST/NAME")
        }
        let authority = rest[..<slash].lowercased()
        guard !authority.contains("@") else { throw invalid("an address must not contain a user name or a password") }
        guard let (host, port) = WebAddress.split(authority[...]), !authority.hasSuffix(":") else {
            throw invalid("the address has no valid host")
        }
        guard authority.contains(".") || authority.contains(":") || authority == "localhost" else {
            throw invalid("'\(authority)' is not a registry's host", hint: "name the registry: \(prefix)HOST/NAME")
        }
        var name = rest[rest.index(after: slash)...]
        digest = try Self.part("@", of: &name, OCIDigest.init) { text in
            invalid("'\(text)' is not a digest", hint: "a digest is 'sha256:' and 64 digits from 0 to f; a version has no ':'")
        }
        tag = try Self.part(":", of: &name, { Self.isTag($0) ? String($0) : nil }) { text in
            invalid(
                "'\(text)' is not a tag",
                hint: "a tag has letters, digits, '_', '.' and '-', at most \(Self.tagLimit), and does not begin with '.' or '-'")
        }
        guard Self.isName(name) else {
            let isInLowerCase = Self.isName(Substring(name.lowercased()))
            throw invalid(
                name.isEmpty ? "the address has no name" : "'\(name)' is not the name of a repository",
                hint: isInLowerCase
                    ? "names in registries are in lower case: '\(name.lowercased())'" : "write oci://HOST/NAME:TAG")
        }
        guard authority.utf8.count + 1 + name.utf8.count <= Self.nameLimit else {
            throw invalid("host and name are longer than \(Self.nameLimit) bytes", hint: nil)
        }
        self.scheme = scheme ?? (Self.isThisMachine(host) ? .http : .https)
        self.authority = authority
        self.name = String(name)
        self.prefix = prefix
        self.host = host
        self.port = port
    }

    /// Cuts off the part after a mark, if there is one.
    private static func part<Part>(
        _ mark: Character, of name: inout Substring, _ read: (Substring) -> Part?, invalid: (Substring) -> CapsuleError
    ) throws(CapsuleError) -> Part? {
        guard let place = name.firstIndex(of: mark) else { return nil }
        let text = name[name.index(after: place)...]
        guard let part = read(text) else { throw invalid(text) }
        name = name[..<place]
        return part
    }

    fileprivate static func isThisMachine(_ host: String) -> Bool {
        host == "localhost" || IPAddress(host: host)?.isLoopback == true
    }

    /// Returns true if a text has the form of a tag (distribution-spec, "Pulling manifests").
    package static func isTag(_ text: some StringProtocol) -> Bool {
        guard (1...tagLimit).contains(text.utf8.count), let first = text.utf8.first else { return false }
        func isWord(_ byte: UInt8) -> Bool {
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "_"): true
            default: false
            }
        }
        return isWord(first) && text.utf8.allSatisfy { isWord($0) || $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "-") }
    }

    /// Returns true if a text has the form of a repository's name (distribution-spec, "Pulling manifests"): components in lower
    /// case, whose words are joined by `.`, `_`, `__` or any number of `-`.
    private static func isName(_ text: Substring) -> Bool {
        text.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).allSatisfy { component in
            func isWord(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte) }
            guard let first = component.first, let last = component.last, isWord(first), isWord(last) else { return false }
            return component.split(whereSeparator: isWord).allSatisfy { joint in
                [".", "_", "__"].contains { joint.elementsEqual($0.utf8) } || joint.allSatisfy { $0 == UInt8(ascii: "-") }
            }
        }
    }
}

extension WebAddress.Origin {
    /// Returns true if a secret may be sent to an address that this registry names: by https, or by http from a registry that is itself
    /// reached by http. From one on this machine, it stays on this machine.
    func maySend(to address: WebAddress) -> Bool {
        address.scheme == .https
            || scheme == .http && (!OCIReference.isThisMachine(host) || OCIReference.isThisMachine(address.host))
    }
}

extension OCIReference {
    /// The three names of Docker's registry.
    static let hubHosts = ["docker.io", "index.docker.io", "registry-1.docker.io"]
    /// The key under which Docker's tools store the credentials of Docker's registry.
    static let hubKey = "https://index.docker.io/v1/"

    package var isHub: Bool { Self.hubHosts.contains(authority) }

    /// The origin that requests go to.
    package var origin: WebAddress.Origin { address("").origin }

    /// The repository as requests name it. Docker's registry puts single names under `library`.
    package var repository: String { isHub && !name.contains("/") ? "library/\(name)" : name }

    private func address(_ target: String) -> WebAddress {
        WebAddress(scheme: scheme, host: isHub ? "registry-1.docker.io" : host, port: port, target: "/v2/" + target)
    }

    /// The tag or the digest by which the manifest is asked for. A digest wins.
    package var manifestName: String { digest?.text ?? tag ?? Self.defaultTag }

    package var manifest: WebAddress { address("\(repository)/manifests/\(manifestName)") }

    package func manifest(_ digest: OCIDigest) -> WebAddress { address("\(repository)/manifests/\(digest)") }

    /// The list of the manifests whose subject has a digest.
    func referrers(_ digest: OCIDigest) -> WebAddress { address("\(repository)/referrers/\(digest)") }

    package func blob(_ digest: OCIDigest) -> WebAddress { address("\(repository)/blobs/\(digest)") }

    /// The address that starts an upload.
    package var uploads: WebAddress { address("\(repository)/blobs/uploads/") }

    /// The list of tags.
    package var tags: WebAddress { address("\(repository)/tags/list").adding("n", "1000") }

    /// The address as it is written on the command line.
    package var text: String {
        "\(prefix)\(authority)/\(name)\(tag.map { ":" + $0 } ?? "")\(digest.map { "@\($0)" } ?? "")"
    }

    /// Returns the same repository with another tag and without a digest.
    package func tagged(_ tag: String) throws(CapsuleError) -> OCIReference {
        try OCIReference(parsing: "\(prefix)\(authority)/\(name):\(tag)")
    }

    /// Returns the address with this digest, which says exactly which bytes it means.
    package func pinned(to digest: OCIDigest) -> OCIReference {
        var pinned = self
        pinned.digest = digest
        return pinned
    }

    /// The file that a download makes if none is named. It comes from the address as written, never from a server.
    package var fileName: String { name[(name.lastIndex(of: "/").map(name.index(after:)) ?? name.startIndex)...] + ".capsule" }
}
