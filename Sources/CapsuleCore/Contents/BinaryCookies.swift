package import CapsulePropertyList

/// The cookies in a file of Apple's binary format, `Cookies.binarycookies`.
///
/// There is no specification. The facts here are those that three sources agree on: libyal/dtformats ("Safari cookies file
/// format specification"), the archive team's wiki ("Safari cookies") and the README of interstateone/BinaryCookies.
///
/// | part | fields |
/// |---|---|
/// | file, big-endian | `cook`, number of pages, a size of each, the pages, a checksum; often `07 17 20 05`, a size, a plist |
/// | page, little-endian | `00 00 01 00`, number of cookies, an offset of each in the page, zero, the cookies |
/// | cookie, little-endian | size, version, flags, has-port; offsets of domain, name, path, value, comment, its URL (0: none); |
/// | | expiry, creation, the port if it has one, strings that end with NUL |
package struct BinaryCookies: Hashable, Sendable {
    package static let byteLimit = 1 << 26

    package let cookies: [Cookie]
    /// The settings that follow the checksum: the property list with the policy, or the bytes as data if they are not one. It
    /// is nil if nothing follows.
    package let settings: PlistValue?

    /// No cookies, which a state differs from.
    package static let none = BinaryCookies()

    private init() { (cookies, settings) = ([], nil) }

    package static func isLikely(_ head: [UInt8]) -> Bool {
        head.starts(with: magic) && head.count >= 8 && head[magic.count] == 0
    }

    package init(_ bytes: [UInt8]) throws(ContentError) {
        guard Self.isLikely(bytes) else { throw ContentError(.unrecognized, "not a binary cookies file") }
        guard bytes.count <= Self.byteLimit else {
            throw ContentError(.limit, "larger than \(Self.byteLimit) bytes")
        }
        let file = ByteFields(bytes)
        guard let count = file.big(4, at: 4), count <= UInt64(file.count - 8) / 4 else {
            throw ContentError(.damaged, "the file has more cookie pages than it has space for")
        }
        var start = 8 + 4 * Int(count)
        var cookies: [Cookie] = []
        for number in 0..<Int(count) {
            guard let size = file.big(4, at: 8 + 4 * number).map({ Int($0) }), let page = file.slice(start, count: size) else {
                throw ContentError(.damaged, "cookie page \(number + 1) is truncated")
            }
            try cookies += Self.cookies(of: ByteFields(page), page: number + 1)
            start += size
        }
        self.cookies = cookies
        settings = Self.settings(behind: Array(bytes[start...]))
    }

    private static let magic = Array("cook".utf8)
    private static let pageMark: [UInt8] = [0, 0, 1, 0]
    private static let settingsMark: [UInt8] = [7, 0x17, 0x20, 5]
    private static let checksumBytes = 4
    private static let settingsLimits = PlistLimits(depth: 64, documentBytes: 1 << 20, binaryKeyBytes: 1 << 20)

    private static func cookies(of page: ByteFields, page number: Int) throws(ContentError) -> [Cookie] {
        guard page.slice(0, count: 4).map({ Array($0) }) == pageMark else {
            throw ContentError(.damaged, "cookie page \(number) has no page header")
        }
        guard let count = page.little(4, at: 4), count <= UInt64(page.count - 8) / 4 else {
            throw ContentError(.damaged, "cookie page \(number) has more cookies than it has space for")
        }
        var cookies: [Cookie] = []
        // Overlapping cookies could have any total size.
        var remaining = page.count
        for place in 0..<Int(count) {
            let name = "cookie \(place + 1) of page \(number)"
            guard let offset = page.little(4, at: 8 + 4 * place).map({ Int($0) }), offset >= 8 + 4 * Int(count),
                let size = page.little(4, at: offset).map({ Int($0) }), let record = page.slice(offset, count: size)
            else {
                throw ContentError(.damaged, "\(name) is outside the page")
            }
            remaining -= size
            guard remaining >= 0 else { throw ContentError(.damaged, "\(name) overlaps another cookie") }
            guard let cookie = Cookie(ByteFields(record)) else { throw ContentError(.damaged, "\(name) is damaged") }
            cookies.append(cookie)
        }
        return cookies
    }

    private static func settings(behind trailer: [UInt8]) -> PlistValue? {
        let rest = Array(trailer.dropFirst(checksumBytes))
        guard !rest.isEmpty else { return nil }
        guard rest.starts(with: settingsMark) else { return .data(rest) }
        let list = Array(rest.dropFirst(settingsMark.count + 4))
        if list.isEmpty { return nil }
        let value = try? PlistReader.read(list, accepting: PlistFormat.xmlOrBinary, limits: settingsLimits).value
        return value ?? .data(rest)
    }
}

extension BinaryCookies {
    /// One cookie. Its strings are bytes, because their encoding is not known.
    package struct Cookie: Hashable, Sendable {
        /// The host that the cookie is for. With a leading dot, the hosts below it are included.
        package let domain: [UInt8]
        package let name: [UInt8]
        package let path: [UInt8]
        package let value: [UInt8]
        package let comment: [UInt8]?
        package let commentURL: [UInt8]?
        /// The time of expiry in seconds since 2001-01-01T00:00:00Z. It is stored as bits, because a file may contain any, such as NaN.
        package var expires: Double { Double(bitPattern: expiryBits) }
        package var created: Double { Double(bitPattern: creationBits) }
        /// The flags: 1 for a secure cookie, 4 for one that is hidden from scripts. Other flags are not documented.
        package let flags: UInt32
        package let version: UInt32
        package let port: UInt16?
        private let expiryBits: UInt64
        private let creationBits: UInt64

        private static let headerBytes = 56

        init?(_ record: ByteFields) {
            func number(_ offset: Int) -> UInt32? { record.little(4, at: offset).map { UInt32(truncatingIfNeeded: $0) } }
            func text(_ offset: Int) -> [UInt8]? {
                guard let start = record.little(4, at: offset), start >= Self.headerBytes else { return nil }
                return record.string(at: Int(start))
            }
            guard let version = number(4), let flags = number(8), let hasPort = number(12), let domain = text(16),
                let name = text(20), let path = text(24), let value = text(28), let comment = number(32),
                let commentURL = number(36), let expires = record.little(8, at: 40), let created = record.little(8, at: 48)
            else { return nil }
            (self.domain, self.name, self.path, self.value) = (domain, name, path, value)
            (self.version, self.flags, expiryBits, creationBits) = (version, flags, expires, created)
            self.comment = comment == 0 ? nil : text(32)
            self.commentURL = commentURL == 0 ? nil : text(36)
            guard (comment == 0) == (self.comment == nil), (commentURL == 0) == (self.commentURL == nil) else { return nil }
            port = hasPort == 0 ? nil : record.little(2, at: Self.headerBytes).map { UInt16(truncatingIfNeeded: $0) }
            guard hasPort == 0 || port != nil else { return nil }
        }

        struct Key: Hashable, Comparable {
            let domain: [UInt8]
            let path: [UInt8]
            let name: [UInt8]

            static func < (left: Key, right: Key) -> Bool {
                for (left, right) in [(left.domain, right.domain), (left.path, right.path), (left.name, right.name)]
                where left != right {
                    return left.lexicographicallyPrecedes(right)
                }
                return false
            }
        }

        var key: Key { Key(domain: domain, path: path, name: name) }
    }
}

/// Reads numbers and strings at offsets of untrusted bytes. Returns nil for anything that is not completely inside them.
struct ByteFields {
    let bytes: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
    }

    init(_ bytes: [UInt8]) {
        self.bytes = bytes[...]
    }

    var count: Int { bytes.count }

    func slice(_ offset: Int, count: Int) -> ArraySlice<UInt8>? {
        guard offset >= 0, count >= 0, offset <= bytes.count, count <= bytes.count - offset else { return nil }
        return bytes[bytes.startIndex + offset..<bytes.startIndex + offset + count]
    }

    func byte(at offset: Int) -> UInt8? {
        slice(offset, count: 1)?.first
    }

    func has(_ text: StaticString, at offset: Int) -> Bool {
        guard let slice = slice(offset, count: text.utf8CodeUnitCount) else { return false }
        return text.withUTF8Buffer { slice.elementsEqual($0) }
    }

    func big(_ count: Int, at offset: Int) -> UInt64? {
        slice(offset, count: count)?.reduce(0) { $0 << 8 | UInt64($1) }
    }

    func little(_ count: Int, at offset: Int) -> UInt64? {
        slice(offset, count: count)?.reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }

    func string(at offset: Int) -> [UInt8]? {
        guard offset >= 0, offset < bytes.count else { return nil }
        let rest = bytes[(bytes.startIndex + offset)...]
        guard let end = rest.firstIndex(of: 0) else { return nil }
        return Array(rest[..<end])
    }
}
