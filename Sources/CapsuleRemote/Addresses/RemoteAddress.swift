package import CapsuleCore

/// A place other than a file that a capsule is read from, as the command line names it.
package enum RemoteAddress: Hashable, Sendable {
    /// A file on a web server: `https://…`.
    case web(WebAddress)
    /// A manifest in a registry: `oci://HOST/NAME:TAG`.
    case registry(OCIReference)
    /// A manifest in a directory: `oci:DIR:TAG`.
    case layout(OCILayoutReference)

    /// An address, and the text after the `@` that follows it, if there is one. The text may be no version at all.
    package struct Versioned: Hashable, Sendable {
        package let address: RemoteAddress
        package let version: String?
    }

    /// The word for what has the capsule.
    package var place: String {
        switch self {
        case .web: "the server"
        case .registry: "the registry"
        case .layout: "the layout"
        }
    }

    /// Returns true if an argument begins like an address. A file with such a name needs `./` before it.
    package static func isAddress(_ argument: [UInt8]) -> Bool {
        let start = String(decoding: argument.prefix(16), as: UTF8.self)
        return isWeb(start) || OCIReference.isAddress(start) || isLayout(argument)
    }

    /// Returns an argument for messages and reports: an address on the web without its query, which may hold a secret.
    package static func shown(_ argument: [UInt8]) -> [UInt8] {
        let isWeb = isWeb(String(decoding: argument.prefix(16), as: UTF8.self))
        let text = isWeb ? Array(argument.prefix { $0 != UInt8(ascii: "?") }) : argument
        // A user name and a password before the host, which no address may have.
        guard let colon = text.indices.first(where: { text[$0...].starts(with: "://".utf8) }) else { return text }
        let authority = text[(colon + 3)...].prefix { $0 != UInt8(ascii: "/") }
        guard let at = authority.lastIndex(of: UInt8(ascii: "@")) else { return text }
        return Array(text[..<(colon + 3)] + text[(at + 1)...])
    }

    private static func isWeb(_ text: String) -> Bool {
        ["http://", "https://"].contains { text.prefix($0.count).lowercased() == $0 }
    }

    private static func isLayout(_ argument: [UInt8]) -> Bool {
        argument.starts(with: OCILayoutReference.prefix) && !argument.starts(with: Array("oci://".utf8))
    }

    /// Parses an argument that may end in `@VERSION`.
    /// - Throws: an error with the code `usage` if the text is not an address.
    package static func parse(_ argument: [UInt8]) throws(CapsuleError) -> Versioned {
        let (address, version) = split(argument)
        let text = version.map { String(decoding: $0, as: UTF8.self) }
        if isLayout(argument) { return Versioned(address: .layout(try OCILayoutReference(parsing: address)), version: text) }
        guard let string = String(validating: address, as: UTF8.self) else {
            throw CapsuleError(.usage, "the address is not UTF-8", path: HostPath(shown(argument)))
        }
        if OCIReference.isAddress(string) {
            return Versioned(address: .registry(try OCIReference(parsing: string)), version: text)
        }
        let web = try WebAddress(parsing: string)
        if version == nil, let end = web.query?.split(separator: "@", omittingEmptySubsequences: false).dropFirst().last,
            VersionSelector(String(end)) != nil
        {
            throw CapsuleError(
                .usage, "the address has '@\(end)' behind its query", path: HostPath(web.shown),
                hint: "a version goes before the '?'; in a query, an '@' is written %40")
        }
        return Versioned(address: .web(web), version: text)
    }

    /// Splits the version off an address. It follows the last `@` of the path's last component, so that a query and a host never
    /// have one. It contains no `:`, which distinguishes it from a digest.
    package static func split(_ argument: [UInt8]) -> (address: [UInt8], version: [UInt8]?) {
        let start = String(decoding: argument.prefix(16), as: UTF8.self)
        let isWeb = isWeb(start)
        let end =
            isWeb ? argument.firstIndex { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") } ?? argument.count : argument.count
        let path = argument[..<end]
        let slash = path.lastIndex(of: UInt8(ascii: "/"))
        if isWeb || OCIReference.isAddress(start) {
            // The slashes before a host don't begin a component.
            guard let slash, argument[..<slash].last != UInt8(ascii: "/"), argument[..<slash].last != UInt8(ascii: ":") else {
                return (argument, nil)
            }
        }
        let component = path[(slash.map { $0 + 1 } ?? path.startIndex)...]
        guard let at = component.lastIndex(of: UInt8(ascii: "@")), !component[at...].contains(UInt8(ascii: ":")) else {
            return (argument, nil)
        }
        return (Array(argument[..<at] + argument[end...]), Array(argument[(at + 1)..<end]))
    }

    /// Puts a version where ``split(_:)`` finds it.
    package static func join(_ address: [UInt8], version: [UInt8]) -> [UInt8] {
        let isWeb = isWeb(String(decoding: address.prefix(16), as: UTF8.self))
        let end =
            isWeb ? address.firstIndex { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") } ?? address.count : address.count
        return address[..<end] + [UInt8(ascii: "@")] + version + address[end...]
    }
}

/// The address of a capsule in an OCI image layout, which is a directory: `oci:DIR[:TAG][@sha256:DIGEST]`.
package struct OCILayoutReference: Hashable, Sendable {
    package let directory: HostPath
    /// The name in the layout's index; nil if the index has only one manifest.
    package let tag: String?
    /// The manifest that is meant, whatever the index says.
    package let digest: OCIDigest?

    static let prefix = Array("oci:".utf8)

    /// - Throws: an error with the code `usage` if the text is not such an address.
    package init(parsing argument: [UInt8]) throws(CapsuleError) {
        func invalid(_ reason: String) -> CapsuleError {
            CapsuleError(.usage, reason, path: HostPath(argument), hint: "write oci:DIRECTORY:TAG, or oci://HOST/NAME:TAG")
        }
        guard argument.starts(with: Self.prefix) else { throw invalid("not the address of a layout") }
        var path = argument.dropFirst(Self.prefix.count)
        let slash = path.lastIndex(of: UInt8(ascii: "/")) ?? path.startIndex
        if let at = path[slash...].lastIndex(of: UInt8(ascii: "@")), path[at...].starts(with: Array("@sha256:".utf8)) {
            let text = String(decoding: path[(at + 1)...], as: UTF8.self)
            guard let digest = OCIDigest(text) else { throw invalid("'\(text)' is not a digest") }
            self.digest = digest
            path = path[..<at]
        } else {
            digest = nil
        }
        if let colon = path[slash...].lastIndex(of: UInt8(ascii: ":")) {
            let tag = String(decoding: path[(colon + 1)...], as: UTF8.self)
            guard OCIReference.isTag(tag) else { throw invalid("'\(tag)' is not a tag") }
            self.tag = tag
            path = path[..<colon]
        } else {
            tag = nil
        }
        guard !path.isEmpty else { throw invalid("the address has no directory") }
        directory = HostPath(Array(path))
    }

    /// The address as it is written on the command line.
    package var path: HostPath {
        HostPath(
            Self.prefix + directory.bytes + Array((tag.map { ":" + $0 } ?? "").utf8) + Array((digest.map { "@\($0)" } ?? "").utf8)
        )
    }
}
