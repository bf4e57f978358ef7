/// Writes files of binary cookies.
struct CookieFile {
    struct Cookie {
        var domain = ".example.com"
        var name = "sid"
        var path = "/"
        var value = Array("secret".utf8)
        var comment: String?
        var commentURL: String?
        var expires = 700_000_000.0
        var created = 600_000_000.5
        var flags: UInt32 = 5
        var version: UInt32 = 0
        var port: UInt16?

        var bytes: [UInt8] {
            var strings: [UInt8] = port.map { CookieFile.little(UInt64($0), 2) } ?? []
            var offsets = [0, 0, 0, 0, 0, 0]
            // In the order of real files: the comment comes first.
            for (place, text) in [
                (4, comment.map { Array($0.utf8) }), (5, commentURL.map { Array($0.utf8) }), (0, Array(domain.utf8)),
                (1, Array(name.utf8)), (2, Array(path.utf8)), (3, value),
            ] {
                guard let text else { continue }
                offsets[place] = 56 + strings.count
                strings += text + [0]
            }
            var bytes: [UInt8] = []
            for number in [UInt32(56 + strings.count), version, flags, port == nil ? 0 : 1] {
                bytes += CookieFile.little(UInt64(number), 4)
            }
            for offset in offsets { bytes += CookieFile.little(UInt64(offset), 4) }
            return bytes + CookieFile.little(expires.bitPattern, 8) + CookieFile.little(created.bitPattern, 8) + strings
        }
    }

    var pages: [[Cookie]]
    var settings: [UInt8] = []

    static func little(_ number: UInt64, _ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: number >> (8 * UInt64($0))) }
    }

    static func big(_ number: UInt64, _ count: Int) -> [UInt8] { little(number, count).reversed() }

    var bytes: [UInt8] {
        let pages = pages.map { Self.page($0) }
        let checksum = pages.joined().enumerated().reduce(UInt64(0)) { $0 + ($1.offset % 4 == 0 ? UInt64($1.element) : 0) }
        let head = Array("cook".utf8) + Self.big(UInt64(pages.count), 4) + pages.flatMap { Self.big(UInt64($0.count), 4) }
        let tail = Self.big(checksum, 4) + [7, 0x17, 0x20, 5] + Self.big(UInt64(settings.count), 4) + settings
        return head + Array(pages.joined()) + tail
    }

    static func page(_ cookies: [Cookie]) -> [UInt8] {
        var bytes: [UInt8] = [0, 0, 1, 0] + little(UInt64(cookies.count), 4)
        var offset = 12 + 4 * cookies.count
        for cookie in cookies {
            bytes += little(UInt64(offset), 4)
            offset += cookie.bytes.count
        }
        return bytes + [0, 0, 0, 0] + cookies.flatMap(\.bytes)
    }
}
