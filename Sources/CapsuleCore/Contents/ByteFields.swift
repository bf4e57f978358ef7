/// Numbers and strings at offsets of foreign bytes; nil for all that is not wholly there.
struct ByteFields {
    let bytes: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
    }

    init(_ bytes: [UInt8]) {
        self.bytes = bytes[...]
    }

    var count: Int { bytes.count }

    /// The bytes from an offset on.
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

    /// An unsigned number of up to eight bytes, the most significant first.
    func big(_ count: Int, at offset: Int) -> UInt64? {
        slice(offset, count: count)?.reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// An unsigned number of up to eight bytes, the least significant first.
    func little(_ count: Int, at offset: Int) -> UInt64? {
        slice(offset, count: count)?.reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// The bytes from an offset up to a zero byte, without it; nil if there is none.
    func string(at offset: Int) -> [UInt8]? {
        guard offset >= 0, offset < bytes.count else { return nil }
        let rest = bytes[(bytes.startIndex + offset)...]
        guard let end = rest.firstIndex(of: 0) else { return nil }
        return Array(rest[..<end])
    }
}
