import CapsuleCore

/// The names in an entry's pax records, byte for byte.
/// libarchive converts them with iconv(3), which on macOS 14 and later replaces characters that the locale lacks with `?` and
/// reports success. The names in all other headers are not changed.
/// Source: POSIX.1-2024, pax, "pax Extended Header"; GNU tar, "Storing Sparse Files" and "Tar Internals".
struct PaxNames: Equatable {
    private(set) var path: [UInt8]?
    private(set) var linkPath: [UInt8]?

    /// - Parameter headers: the bytes of the archive from the entry's first header on. More bytes may follow.
    /// - Throws: an error if records can't be read, or if two headers give different names to an entry.
    init(headers: UnsafeRawBufferPointer, file: HostPath) throws(CapsuleError) {
        var at = 0
        var sparseName: [UInt8]?
        var longName: [UInt8]?
        var longLink: [UInt8]?
        while let block = TarBlock(headers, at: at) {
            guard let body = block.body else { break }
            guard let content = Self.slice(headers, at + TarHeader.blockLength, body) else {
                throw Self.damaged("an extended header is truncated", file)
            }
            switch block.type {
            case UInt8(ascii: "x"), UInt8(ascii: "X"):
                try Self.forEachRecord(content, file) { key, value in
                    // An empty value removes the record.
                    let value = value.isEmpty ? nil : value
                    switch key {
                    case "path": path = value
                    case "linkpath": linkPath = value
                    case "GNU.sparse.name": sparseName = value
                    default: break
                    }
                }
            case UInt8(ascii: "L"): longName = Self.text(content)
            case UInt8(ascii: "K"): longLink = Self.text(content)
            default: break
            }
            at += TarHeader.blockLength + body + TarHeader.padding(after: UInt64(body))
        }
        path = sparseName ?? path
        if let path, let longName, path != longName { throw Self.twoNames(path, file) }
        if let linkPath, let longLink, linkPath != longLink { throw Self.twoNames(linkPath, file) }
    }

    private static func slice(_ bytes: UnsafeRawBufferPointer, _ start: Int, _ count: Int) -> UnsafeRawBufferPointer? {
        guard start <= bytes.count, count <= bytes.count - start else { return nil }
        return UnsafeRawBufferPointer(rebasing: bytes[start..<start + count])
    }

    /// Returns the text of a long name, which GNU tar ends with a NUL.
    private static func text(_ content: UnsafeRawBufferPointer) -> [UInt8] { Array(content.prefix { $0 != 0 }) }

    /// Calls `body` for each record, which is `LENGTH KEY=VALUE` and a newline. The length counts the whole record.
    private static func forEachRecord(
        _ content: UnsafeRawBufferPointer, _ file: HostPath, _ body: (_ key: String, _ value: [UInt8]) -> Void
    ) throws(CapsuleError) {
        var rest = content[...]
        // Some writers include the zeros after the last record in its length.
        while let first = rest.first, first != 0 {
            let digits = rest.prefix { $0 >= 0x30 && $0 <= 0x39 }
            guard digits.count <= 9, let length = Int(String(decoding: digits, as: UTF8.self)), length > digits.count + 1,
                length <= rest.count
            else { throw damaged("a pax record has a wrong length", file) }
            let record = rest.prefix(length).dropFirst(digits.count)
            guard record.first == UInt8(ascii: " "), record.last == UInt8(ascii: "\n"),
                let equals = record.firstIndex(of: UInt8(ascii: "="))
            else { throw damaged("a pax record is not LENGTH KEY=VALUE", file) }
            let key = record[record.index(after: record.startIndex)..<equals]
            let value = record[record.index(after: equals)..<record.index(before: record.endIndex)]
            body(String(decoding: key, as: UTF8.self), Array(value))
            rest = rest.dropFirst(length)
        }
    }

    private static func damaged(_ message: String, _ file: HostPath) -> CapsuleError {
        CapsuleError(.damaged, message, path: file)
    }

    private static func twoNames(_ name: [UInt8], _ file: HostPath) -> CapsuleError {
        CapsuleError(.refused, "one header names the entry '\(HostPath(name))', another header differs", path: file)
    }
}

/// A header of 512 bytes, read as far as it determines what follows it.
private struct TarBlock {
    let type: UInt8
    let body: Int?

    init?(_ bytes: UnsafeRawBufferPointer, at start: Int) {
        guard start <= bytes.count, bytes.count - start >= TarHeader.blockLength else { return nil }
        type = bytes[start + 156]
        switch type {
        // The extended headers of POSIX, GNU and Solaris. The header of a volume has no content.
        case UInt8(ascii: "x"), UInt8(ascii: "X"), UInt8(ascii: "g"), UInt8(ascii: "L"), UInt8(ascii: "K"), UInt8(ascii: "A"):
            body = Self.number(bytes[start + 124..<start + 136])
        case UInt8(ascii: "V"): body = 0
        default: body = nil
        }
    }

    /// Returns the number in a field: octal digits, or base 256 if the first bit is set. Numbers that are too large become Int.max / 2.
    private static func number(_ field: Slice<UnsafeRawBufferPointer>) -> Int {
        let isBinary = (field.first ?? 0) & 0x80 != 0
        var value = isBinary ? Int((field.first ?? 0) & 0x3F) : 0
        for byte in isBinary ? field.dropFirst() : field.drop(while: { $0 == 0x20 }) {
            if !isBinary, byte < 0x30 || byte > 0x37 { break }
            let (product, overflow) = value.multipliedReportingOverflow(by: isBinary ? 256 : 8)
            if overflow || product > Int.max / 2 { return Int.max / 2 }
            value = product + (isBinary ? Int(byte) : Int(byte) - 0x30)
        }
        return min(value, Int.max / 2)
    }
}

/// Checks the end of a tar: two zero blocks, or the end of the file (POSIX.1-2024, pax, "ustar Interchange Format").
enum TarEnd {
    /// Returns the position of a single block of zeros that is followed by other data, or nil if there is none.
    /// - Parameter bytes: the archive after its last entry. Bytes after the following block may be missing.
    static func loneZeroBlock(in bytes: UnsafeRawBufferPointer) -> Int? {
        var at = 0
        while let block = TarBlock(bytes, at: at) {
            if isZero(bytes[at..<at + TarHeader.blockLength]) {
                let next = bytes[(at + TarHeader.blockLength)...].prefix(TarHeader.blockLength)
                return isZero(next) ? nil : at
            }
            // Headers of the archive as a whole may be the last ones.
            guard let body = block.body else { return nil }
            let (end, overflow) = (at + TarHeader.blockLength).addingReportingOverflow(
                body + TarHeader.padding(after: UInt64(body)))
            if overflow || end > bytes.count { return nil }
            at = end
        }
        return nil
    }

    private static func isZero(_ bytes: Slice<UnsafeRawBufferPointer>) -> Bool { bytes.allSatisfy { $0 == 0 } }
}
