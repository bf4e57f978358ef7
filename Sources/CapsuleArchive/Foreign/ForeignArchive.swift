package import CapsuleCore
import CapsuleSystem

/// A foreign archive that was read once from beginning to end: its tree and the content of its files.
package struct ForeignArchive: Sendable {
    package let form: ForeignForm
    package let listing: ForeignListing
    package let content: ForeignContent

    /// - Throws: ``CapsuleError`` if the file is not an archive, is damaged or truncated, or has an entry that a tree can't
    ///   hold. In the last case `path` is the name of the entry, and nothing of the archive is used.
    package static func read(_ file: CapsuleFile) throws(CapsuleError) -> ForeignArchive {
        guard file.length > 0 else { throw CapsuleError(.unreadable, "is empty", path: file.path) }
        let start = try file.read(at: 0, count: TarHeader.blockLength)
        let form = try form(of: file, startingWith: start)
        let reader: any ForeignEntryReader = form == .zip ? try ZipEntryReader(file) : try TarEntryReader(file, form: form)
        return try read(reader, form, file)
    }

    /// Returns the form of a file. A file that does not begin like an archive can still end as a zip, for example a
    /// self-extracting one.
    private static func form(of file: CapsuleFile, startingWith start: [UInt8]) throws(CapsuleError) -> ForeignForm {
        let form = ForeignForm(startingWith: start)
        guard form == .tar, !ForeignForm.isTar(startingWith: start), try ZipEndRecord.isThere(in: file) else { return form }
        return .zip
    }

    private static func read(
        _ reader: any ForeignEntryReader, _ form: ForeignForm, _ file: CapsuleFile
    ) throws(CapsuleError) -> ForeignArchive {
        var listing = ForeignListing(archiveLength: file.length)
        var content = try ForeignContentWriter()
        while let entry = try reader.next() {
            try Interruption.check()
            try listing.add(entry, file: content.files)
            if entry.kind == .file { content.beginFile() }
            try reader.readContent(of: entry) { (offset, bytes) throws(CapsuleError) in try content.append(bytes, at: offset) }
        }
        try reader.finish()
        guard !listing.entries.isEmpty || listing.top != nil else {
            throw CapsuleError(.unreadable, "is an archive without entries", path: file.path)
        }
        return ForeignArchive(form: form, listing: listing, content: try content.finish())
    }
}

/// The forms of foreign archives that can be read. The raw value is used in manifests.
package enum ForeignForm: String, Hashable, Sendable {
    case tar
    case gzip = "tar.gz"
    case zstd = "tar.zst"
    case xz = "tar.xz"
    case bzip2 = "tar.bz2"
    case zip

    /// Detects the form of a file from its first bytes. A file that begins like none of the others can only be a plain tar.
    init(startingWith bytes: [UInt8]) {
        func begins(_ magic: [UInt8]) -> Bool { bytes.starts(with: magic) }
        if begins([0x1F, 0x8B]) {
            self = .gzip
        } else if begins([0x28, 0xB5, 0x2F, 0xFD])
            || (bytes.count >= 4 && bytes[0] & 0xF0 == 0x50 && bytes[1...3] == [0x2A, 0x4D, 0x18])
        {
            self = .zstd
        } else if begins([0xFD, 0x37, 0x7A, 0x58, 0x5A, 0x00]) {
            self = .xz
        } else if begins(Array("BZh".utf8)) {
            self = .bzip2
        } else if begins([0x50, 0x4B, 0x03, 0x04]) || begins([0x50, 0x4B, 0x05, 0x06]) {
            self = .zip
        } else {
            self = .tar
        }
    }

    static func isTar(startingWith block: [UInt8]) -> Bool {
        guard block.count == TarHeader.blockLength else { return false }
        let field = 148..<156
        // The checksum counts its own field as spaces (POSIX.1-1988, section 10.1.1).
        let sum = block.indices.reduce(0) { $0 + (field.contains($1) ? 0x20 : Int(block[$1])) }
        let digits = block[field].drop { $0 == 0x20 }.prefix { (0x30...0x37).contains($0) }
        let stated = digits.reduce(0) { $0 << 3 | Int($1 - 0x30) }
        return (!digits.isEmpty && stated == sum) || block.allSatisfy { $0 == 0 }
    }
}

/// The checksum in a tar header. All tars have it, including those from before POSIX (POSIX.1-2017, pax, "ustar Interchange Format").
package enum TarChecksum {
    private static let field = 148..<156

    /// Returns true if a file's first block is a tar header with a correct checksum. Some old tars add the bytes as signed numbers.
    package static func isRight(in start: [UInt8]) -> Bool {
        guard start.count >= 512 else { return false }
        let digits = start[field].drop { $0 == UInt8(ascii: " ") }.prefix { (UInt8(ascii: "0")...UInt8(ascii: "7")).contains($0) }
        guard !digits.isEmpty, let noted = Int(String(decoding: digits, as: UTF8.self), radix: 8) else { return false }
        var (unsigned, signed) = (0, 0)
        for (place, byte) in start.prefix(512).enumerated() {
            let byte = field.contains(place) ? UInt8(ascii: " ") : byte
            unsigned += Int(byte)
            signed += Int(Int8(bitPattern: byte))
        }
        return noted == unsigned || noted == signed
    }
}

/// Reads the entries of an archive in order.
protocol ForeignEntryReader: AnyObject {
    func next() throws(CapsuleError) -> ForeignEntry?
    /// Passes the bytes of the last entry to `body`, piece by piece with their offsets. The gaps between pieces are holes.
    func readContent(
        of entry: ForeignEntry, _ body: (_ offset: UInt64, _ bytes: UnsafeRawBufferPointer) throws(CapsuleError) -> Void
    ) throws(CapsuleError)
    func finish() throws(CapsuleError)
}

extension ForeignEntryReader {
    /// Passes an entry's bytes to `body`. Throws an error for bytes that overlap or are beyond the entry's end.
    func forEachBlock(
        of entry: ForeignEntry, _ reader: LibarchiveReader,
        _ body: (_ offset: UInt64, _ bytes: UnsafeRawBufferPointer) throws(CapsuleError) -> Void
    ) throws(CapsuleError) {
        var at: UInt64 = 0
        while let block = try reader.nextBlock(of: entry.path) {
            if block.bytes.isEmpty { continue }
            let (end, overflow) = UInt64(bitPattern: block.offset).addingReportingOverflow(UInt64(block.bytes.count))
            guard block.offset >= 0, !overflow, UInt64(block.offset) >= at, end <= entry.size else {
                throw CapsuleError(.damaged, "has data where the archive declares a hole", path: entry.path)
            }
            try body(UInt64(block.offset), block.bytes)
            at = end
        }
    }
}

/// Limits for foreign archives. They ensure that malicious input ends with an error after a limited use of time, memory and disk.
enum ForeignLimits {
    /// The number of bytes that any archive may expand to, however short it is.
    static let expansionFloor: UInt64 = 8 << 30
    /// The multiple of its own length that a longer archive may expand to. Text rarely reaches 20, gzip of zeros 1,000.
    static let expansionRatio: UInt64 = 200
    /// The total size of all files in bytes, including holes, that any archive may have. Zeros take no space, but each is
    /// hashed. 5 GiB of holes may be a disk image, terabytes are an attack.
    static let apparentFloor: UInt64 = 32 << 30
    /// The maximum length of one entry's headers in bytes: long names, attributes, and the map of a file with a million holes.
    static let headerLength: UInt64 = 32 << 20
    /// The maximum length of the names, targets and attributes of all entries together, in bytes. They are kept in memory.
    static let listingLength = 1 << 30
    /// The maximum length of an attribute's name in bytes, as on Linux.
    static let attributeNameLength = 255
    /// The length of the shortest run of zeros that is left out, in bytes. Shorter runs are stored, which limits the number of
    /// runs in a file.
    static let shortestHole: UInt64 = 4_096

    static func expansion(of length: UInt64) -> UInt64 {
        max(expansionFloor, times(length, expansionRatio))
    }

    static func apparentSize(of length: UInt64) -> UInt64 {
        max(apparentFloor, times(length, expansionRatio))
    }

    static func expansionError(of file: CapsuleFile, _ path: HostPath) -> CapsuleError {
        CapsuleError(
            .limit,
            "expands to more than \(expansion(of: file.length) >> 30) GiB, too much for an archive of \(file.length) bytes",
            path: path)
    }

    private static func times(_ length: UInt64, _ ratio: UInt64) -> UInt64 {
        let (product, overflow) = length.multipliedReportingOverflow(by: ratio)
        return overflow ? UInt64.max : product
    }
}
