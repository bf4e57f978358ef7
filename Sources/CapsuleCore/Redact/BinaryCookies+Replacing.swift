extension BinaryCookies {
    /// Returns a file of cookies with other values, which end with NUL where the old ones are longer. Nothing else moves.
    /// - Parameter replacement: returns the new value, which is cut to the length of the old one.
    /// - Throws: ``ContentError`` if the bytes are not a file of cookies.
    package static func replacingValues(
        in bytes: [UInt8], _ replacement: ([UInt8]) -> [UInt8]
    ) throws(ContentError) -> [UInt8] {
        _ = try BinaryCookies(bytes)
        var (replaced, file) = (bytes, ByteFields(bytes))
        let pages = Self.pages(in: file)
        for page in pages {
            let fields = ByteFields(bytes[page])
            for place in 0..<Int(fields.little(4, at: 4) ?? 0) {
                guard let cookie = fields.little(4, at: 8 + 4 * place).map({ page.lowerBound + Int($0) }),
                    let start = file.little(4, at: cookie + 28).map({ cookie + Int($0) }), let old = file.string(at: start)
                else { continue }
                let new = replacement(old).prefix(old.count)
                replaced.replaceSubrange(start..<start + old.count, with: new + repeatElement(0, count: old.count - new.count))
            }
        }
        guard let end = pages.last?.upperBound, file.big(4, at: end) == Self.sum(of: pages, in: bytes) else { return replaced }
        file = ByteFields(replaced)
        let sum = Self.sum(of: pages, in: replaced)
        replaced.replaceSubrange(end..<end + 4, with: (0..<4).map { UInt8(truncatingIfNeeded: sum >> (24 - 8 * $0)) })
        return replaced
    }

    private static func pages(in file: ByteFields) -> [Range<Int>] {
        let count = Int(file.big(4, at: 4) ?? 0)
        var start = 8 + 4 * count
        return (0..<count).map { number in
            defer { start += Int(file.big(4, at: 8 + 4 * number) ?? 0) }
            return start..<start + Int(file.big(4, at: 8 + 4 * number) ?? 0)
        }
    }

    /// Returns the checksum that WebKit writes: the sum of every fourth byte of each page.
    private static func sum(of pages: [Range<Int>], in bytes: [UInt8]) -> UInt64 {
        pages.reduce(0) { sum, page in
            stride(from: page.lowerBound, to: page.upperBound, by: 4).reduce(sum) { $0 + UInt64(bytes[$1]) }
        }
    }
}
