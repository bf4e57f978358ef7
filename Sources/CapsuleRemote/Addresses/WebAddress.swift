package import CapsuleCore

/// The address of something on a web server: an absolute `http` or `https` URL without user information and without a fragment
/// (RFC 3986, RFC 9110 section 4.2).
package struct WebAddress: Hashable, Sendable {
    package enum Scheme: String, Sendable {
        case http, https

        var port: Int { self == .http ? 80 : 443 }
    }

    /// The scheme, host and port (RFC 6454). Only a server with the same three may see a secret.
    package struct Origin: Hashable, Sendable {
        package let scheme: Scheme
        package let host: String
        package let port: Int
    }

    package let scheme: Scheme
    /// The host in lower case; an IPv6 address has its brackets.
    package let host: String
    package let port: Int
    /// The path and the query as they are sent, from the first slash on.
    package let target: String

    /// The longest address that is accepted, in bytes. A presigned address takes about 2,000.
    private static let limit = 16_384

    package init(scheme: Scheme, host: String, port: Int? = nil, target: String) {
        self.scheme = scheme
        self.host = host
        self.port = port ?? scheme.port
        self.target = target
    }

    /// Parses an absolute URL. Bytes of the path and the query that a URL can't hold, such as spaces, are escaped.
    /// - Throws: an error with the code `usage` if the text is not such an address. The message does not show the query.
    package init(parsing text: String) throws(CapsuleError) {
        func invalid(_ reason: String) -> CapsuleError {
            CapsuleError(.usage, reason, path: HostPath(String(text.prefix { $0 != "?" }.prefix(200))))
        }
        guard text.utf8.count <= Self.limit else { throw invalid("the address is too long") }
        guard let colon = text.firstIndex(of: ":"), let scheme = Scheme(rawValue: text[..<colon].lowercased()),
            text[colon...].hasPrefix("://")
        else { throw invalid("not an http or https address") }
        let rest = text[text.index(colon, offsetBy: 3)...]
        let authority = rest.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        guard !authority.contains("@") else {
            throw CapsuleError(.usage, "an address must not contain a user name or a password")
        }
        guard let (host, port) = Self.split(authority) else { throw invalid("the address has no valid host") }
        let target = rest[authority.endIndex...]
        guard !target.contains("#") else { throw invalid("an address with '#' names a part of a page, not a file") }
        self.init(scheme: scheme, host: host, port: port, target: Self.escaped(target.hasPrefix("/") ? target : "/" + target))
    }

    /// Splits `HOST[:PORT]`.
    /// - Returns: nil if a part is not valid.
    package static func split(_ authority: Substring) -> (host: String, port: Int?)? {
        let end: Substring.Index
        if authority.first == "[" {
            guard let bracket = authority.firstIndex(of: "]") else { return nil }
            end = authority.index(after: bracket)
            let inside = authority[authority.index(after: authority.startIndex)..<bracket]
            guard inside.contains(":"),
                inside.utf8.allSatisfy({ isHexDigit($0) || $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: ".") })
            else { return nil }
        } else {
            end = authority.firstIndex(of: ":") ?? authority.endIndex
            guard isHostName(authority[..<end]) else { return nil }
        }
        let host = authority[..<end].lowercased()
        guard end < authority.endIndex else { return (host, nil) }
        let digits = authority[end...].dropFirst()
        guard authority[end] == ":", digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        // RFC 3986 section 3.2.3 allows an empty port.
        if digits.isEmpty { return (host, nil) }
        guard let port = Int(digits), (1...65_535).contains(port) else { return nil }
        return (host, port)
    }

    private static func isHexDigit(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x46, 0x61...0x66: true
        default: false
        }
    }

    private static func isHostName(_ name: Substring) -> Bool {
        (1...253).contains(name.utf8.count)
            && name.utf8.allSatisfy {
                switch $0 {
                case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"): true
                default: false
                }
            }
    }

    private static func escaped(_ text: some StringProtocol, _ isEscaped: (UInt8) -> Bool) -> String {
        var escaped: [UInt8] = []
        let digits = Array("0123456789ABCDEF".utf8)
        for byte in text.utf8 {
            if isEscaped(byte) {
                escaped += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            } else {
                escaped.append(byte)
            }
        }
        return String(decoding: escaped, as: UTF8.self)
    }

    /// Escapes spaces, control characters, quotes and all that is not ASCII.
    private static func escaped(_ target: some StringProtocol) -> String {
        escaped(target) {
            switch $0 {
            case 0x00...0x20, 0x22, 0x3C, 0x3E, 0x5C, 0x5E, 0x60, 0x7B...0x7D, 0x7F...0xFF: true
            default: false
            }
        }
    }

    package var origin: Origin { Origin(scheme: scheme, host: host, port: port) }

    /// `HOST` or `HOST:PORT`, without a port that belongs to the scheme.
    package var authority: String { port == scheme.port ? host : "\(host):\(port)" }

    package var text: String { "\(scheme.rawValue)://\(authority)\(target)" }

    /// The path without the query.
    package var path: Substring { target.prefix { $0 != "?" } }

    /// The query without its question mark; nil if there is none.
    package var query: Substring? { target.firstIndex(of: "?").map { target[target.index(after: $0)...] } }

    /// The address for messages: without the query, which may hold a secret.
    package var shown: String { "\(scheme.rawValue)://\(authority)\(path)" }

    /// Returns the address with one more name and value in its query. The value is escaped.
    package func adding(_ name: String, _ value: String) -> WebAddress {
        let item = "\(name)=\(Self.queryValue(value))"
        return WebAddress(
            scheme: scheme, host: host, port: port, target: target + (query == nil ? "?" : query == "" ? "" : "&") + item)
    }

    /// Escapes all but the unreserved characters (RFC 3986 section 2.3).
    package static func queryValue(_ value: String) -> String {
        escaped(value) {
            switch $0 {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "~"):
                false
            default: true
            }
        }
    }

    /// Resolves a reference from an answer, such as that of a `Location` header (RFC 3986 section 5.2). A fragment is dropped.
    package func resolving(_ reference: String) throws(CapsuleError) -> WebAddress {
        let reference = reference.prefix { $0 != "#" }
        let end = reference.firstIndex { $0 == ":" || $0 == "/" || $0 == "?" }
        if let end, reference[end] == ":" { return try WebAddress(parsing: String(reference)) }
        if reference.hasPrefix("//") { return try WebAddress(parsing: "\(scheme.rawValue):\(reference)") }
        let base: String
        if reference.hasPrefix("/") {
            base = ""
        } else if reference.isEmpty {
            return self
        } else if reference.hasPrefix("?") {
            base = String(path)
        } else {
            base = String(path[..<(path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.endIndex)])
        }
        let joined = try WebAddress(parsing: "\(scheme.rawValue)://\(authority)\(base)\(reference)")
        let query = joined.query.map { "?" + $0 } ?? ""
        return WebAddress(
            scheme: joined.scheme, host: joined.host, port: joined.port, target: Self.withoutDots(joined.path) + query)
    }

    /// Removes the components `.` and `..` (RFC 3986 section 5.2.4).
    private static func withoutDots(_ path: Substring) -> String {
        var kept: [Substring] = []
        let components = path.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
        for (index, component) in components.enumerated() {
            let isLast = index == components.count - 1
            switch component {
            case ".": if isLast { kept.append("") }
            case "..":
                _ = kept.popLast()
                if isLast { kept.append("") }
            default: kept.append(component)
            }
        }
        return "/" + kept.joined(separator: "/")
    }
}
