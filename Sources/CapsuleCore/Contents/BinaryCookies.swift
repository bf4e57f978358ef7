public import CapsulePropertyList

/// The cookies of a file in Apple's binary format, `Cookies.binarycookies`.
///
/// There is no specification. The facts are those that libyal/dtformats ("Safari cookies file format specification"), the
/// archive team's wiki ("Safari cookies") and the README of interstateone/BinaryCookies agree on:
///
/// | part | fields |
/// |---|---|
/// | file, big-endian | `cook`, number of pages, a size of each, the pages, a checksum; often `07 17 20 05`, a size, a plist |
/// | page, little-endian | `00 00 01 00`, number of cookies, an offset of each in the page, zero, the cookies |
/// | cookie, little-endian | size, version, flags, has-port; offsets of domain, name, path, value, comment, its URL (0: none); |
/// | | expiry, creation, the port if it has one, strings that end with NUL |
public struct BinaryCookies: Hashable, Sendable {
    /// Bytes of a file that is read.
    public static let byteLimit = 1 << 26

    /// In the order of the file.
    public let cookies: [Cookie]
    /// What follows the checksum: the property list with the policy, else the bytes as data; nil if there are none.
    public let settings: PlistValue?

    /// Whether a file begins as these do, and not as a text about them.
    static func isLikely(_ head: [UInt8]) -> Bool {
        head.starts(with: magic) && head.count >= 8 && head[magic.count] == 0
    }

    /// Reads a whole file.
    ///
    /// - Throws: `unrecognised` for what is no such file, `damaged` for counts, sizes and offsets that lead out of what they are
    ///   in, and `limit` for a file that is too large.
    public init(_ bytes: [UInt8]) throws(ContentError) {
        guard Self.isLikely(bytes) else { throw ContentError(.unrecognised, "not a binary cookies file") }
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
        // Cookies within each other could come to any size.
        var room = page.count
        for place in 0..<Int(count) {
            let name = "cookie \(place + 1) of page \(number)"
            guard let offset = page.little(4, at: 8 + 4 * place).map({ Int($0) }), offset >= 8 + 4 * Int(count),
                let size = page.little(4, at: offset).map({ Int($0) }), let record = page.slice(offset, count: size)
            else {
                throw ContentError(.damaged, "\(name) is outside the page")
            }
            room -= size
            guard room >= 0 else { throw ContentError(.damaged, "\(name) overlaps another cookie") }
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
