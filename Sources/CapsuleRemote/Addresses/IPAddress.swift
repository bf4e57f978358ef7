/// An IP address that is written out as the host of a URL.
enum IPAddress: Hashable {
    case v4([UInt8])
    /// The 16 bytes of the address.
    case v6([UInt8])

    /// Parses a dotted IPv4 address, or an IPv6 address in brackets (RFC 3986, section 3.2.2).
    /// - Returns: nil for a name, and for other forms of addresses, which ``isUnusual(_:)`` detects.
    init?(host: String) {
        if host.hasPrefix("["), host.hasSuffix("]") {
            guard let bytes = Self.v6Bytes(host.dropFirst().dropLast()) else { return nil }
            self = .v6(bytes)
        } else {
            guard let bytes = Self.v4Bytes(host[...]) else { return nil }
            self = .v4(bytes)
        }
    }

    /// Returns true if a system may read a host as an IPv4 address although it is not in the usual form, such as `0x7f.1` or
    /// `2130706433`: its last label is a number.
    static func isUnusual(_ host: String) -> Bool {
        guard IPAddress(host: host) == nil else { return false }
        guard !host.hasPrefix("["), let last = host.split(separator: ".").last else { return true }
        return last.allSatisfy(\.isNumber) || last.lowercased().hasPrefix("0x")
    }

    var isLoopback: Bool {
        switch embedded {
        case .v4(let bytes): bytes[0] == 127
        case .v6(let bytes): bytes == Self.one
        }
    }

    /// True if the address does not lead to the public network: it is unspecified, loopback, private, shared, link-local, for
    /// multicast or reserved (RFC 6890).
    var isLocal: Bool {
        switch embedded {
        case .v4(let bytes):
            switch (bytes[0], bytes[1]) {
            case (0, _), (10, _), (127, _), (169, 254), (172, 16...31), (192, 168), (100, 64...127), (198, 18...19), (224..., _):
                true
            default: false
            }
        case .v6(let bytes):
            bytes.dropLast() == Self.one.dropLast() && bytes[15] <= 1 || bytes[0] & 0xFE == 0xFC || bytes[0] == 0xFF
                || bytes[0] == 0xFE && bytes[1] & 0x80 == 0x80
        }
    }

    private static let one = [UInt8](repeating: 0, count: 15) + [1]

    /// The IPv4 address inside an IPv6 address: mapped (RFC 4291), translated (RFC 6052) or of 6to4 (RFC 3056).
    private var embedded: IPAddress {
        guard case .v6(let bytes) = self else { return self }
        let zeros = [UInt8](repeating: 0, count: 10)
        if bytes.starts(with: zeros + [0xFF, 0xFF]) { return .v4(Array(bytes[12...])) }
        if bytes.starts(with: [0, 0x64, 0xFF, 0x9B] + zeros.prefix(8)) { return .v4(Array(bytes[12...])) }
        if bytes.starts(with: [0x20, 0x02]) { return .v4(Array(bytes[2..<6])) }
        return self
    }

    private static func v4Bytes(_ text: Substring) -> [UInt8]? {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 4 else { return nil }
        var bytes: [UInt8] = []
        for part in parts {
            // A leading zero means octal digits to some systems.
            guard part.utf8.allSatisfy({ (0x30...0x39).contains($0) }), part == "0" || !part.hasPrefix("0"),
                let byte = UInt8(part)
            else { return nil }
            bytes.append(byte)
        }
        return bytes
    }

    private static func v6Bytes(_ text: Substring) -> [UInt8]? {
        var halves: [[UInt8]] = []
        var rest = text
        // At most one `::` stands for zeros.
        if let gap = text.firstRange(of: "::") {
            guard let before = v6Groups(text[..<gap.lowerBound]) else { return nil }
            halves.append(before)
            rest = text[gap.upperBound...]
        }
        guard let after = v6Groups(rest) else { return nil }
        halves.append(after)
        let count = halves.reduce(0) { $0 + $1.count }
        if halves.count == 1 { return count == 16 ? after : nil }
        guard count <= 14 else { return nil }
        return halves[0] + [UInt8](repeating: 0, count: 16 - count) + halves[1]
    }

    private static func v6Groups(_ text: Substring) -> [UInt8]? {
        if text.isEmpty { return [] }
        var bytes: [UInt8] = []
        let groups = text.split(separator: ":", omittingEmptySubsequences: false)
        for (index, group) in groups.enumerated() {
            if index == groups.count - 1, group.contains(".") {
                guard let last = v4Bytes(group) else { return nil }
                bytes += last
                continue
            }
            guard (1...4).contains(group.utf8.count),
                group.utf8.allSatisfy({ $0 < 0x80 && $0 != UInt8(ascii: "+") && $0 != UInt8(ascii: "-") }),
                let number = UInt16(group, radix: 16)
            else { return nil }
            bytes += [UInt8(number >> 8), UInt8(number & 0xFF)]
        }
        return bytes
    }
}
