import CDeflate
import CZlib
package import CapsuleCore
import CapsulePropertyList
import CapsuleSystem

/// Writes a zip (APPNOTE.TXT 6.3.10). libarchive's writer is not used, because its names are wrong in the C locale.
/// The zip has raw names, Unix modes and links, times in seconds, zip64 where sizes need it, and no data descriptors. The same
/// entries give the same bytes. Use a writer from one thread only.
package final class ZipWriter {
    package typealias Take = (UnsafeRawBufferPointer) throws(CapsuleError) -> Void
    private let output: any MemberOutput
    private let stream: UnsafeMutablePointer<z_stream>
    private let deflated = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 64)
    private let buffer = ByteBuffer(capacity: ZipWriter.bufferLength)
    /// The offset at which ``buffer`` is written.
    private var start: UInt64 = 0
    private let directory = ByteBuffer(capacity: 1 << 16)
    private var entries: UInt64 = 0
    private static let bufferLength = 1 << 20

    /// - Parameter level: the compression level; levels above 9 are the same as 9.
    package init(output: any MemberOutput, level: Int? = nil) {
        self.output = output
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        // −15 selects the largest window and no wrapper, 8 the default memory.
        let status = deflateInit2_(
            stream, Int32(clamping: min(level ?? 6, 9)), Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
            Int32(MemoryLayout<z_stream>.size))
        guard status == Z_OK else { fatalError("no memory for a compressor") }
    }

    deinit {
        deflateEnd(stream)
        stream.deallocate()
        deflated.deallocate()
    }

    private var offset: UInt64 { start + UInt64(buffer.count) }

    /// - Parameters:
    ///   - name: the path in the zip, with a trailing `/` for a directory.
    ///   - give: gives the bytes of the entry, in pieces. It is called again if deflate does not make them smaller.
    package func append(
        _ entry: TreeEntry, name: [UInt8], _ give: (_ take: Take) throws(CapsuleError) -> Void
    ) throws(CapsuleError) {
        try flush()
        let mark = offset
        var content = try write(entry, name, .deflated, give)
        if content.method == .deflated, content.stored >= content.size {
            buffer.removeAll()
            start = mark
            content = try write(entry, name, .stored, give)
        }
        try flush()
        let header = ZipHeader(entry, name: name, content, offset: mark)
        try header.local.withRawBytes { (bytes) throws(CapsuleError) in try output.write(bytes, at: mark) }
        directory.append(header.central)
        entries += 1
    }

    /// Writes an entry with a provisional header, which has the length of the final one.
    private func write(
        _ entry: TreeEntry, _ name: [UInt8], _ method: ZipContent.Method,
        _ give: (_ take: Take) throws(CapsuleError) -> Void
    ) throws(CapsuleError) -> ZipContent {
        var content = ZipContent(.stored)
        content.size = entry.size
        try write(ZipHeader(entry, name: name, content, offset: offset).local)
        let begin = offset
        content.size = 0
        try give { (bytes) throws(CapsuleError) in
            if content.size == 0 {
                content.method = Self.isIncompressible(bytes) ? .stored : method
                deflateReset(stream)
            }
            content.crc = libdeflate_crc32(content.crc, bytes.baseAddress, bytes.count)
            content.size += UInt64(bytes.count)
            if content.method == .stored { try write(bytes) } else { try deflate(bytes, Z_NO_FLUSH) }
        }
        if content.method == .deflated { try deflate(UnsafeRawBufferPointer(start: nil, count: 0), Z_FINISH) }
        content.stored = offset - begin
        return content
    }

    private func deflate(_ bytes: UnsafeRawBufferPointer, _ flush: Int32) throws(CapsuleError) {
        stream.pointee.next_in = UnsafeMutablePointer(mutating: bytes.baseAddress?.assumingMemoryBound(to: UInt8.self))
        stream.pointee.avail_in = UInt32(bytes.count)
        repeat {
            stream.pointee.next_out = deflated.baseAddress?.assumingMemoryBound(to: UInt8.self)
            stream.pointee.avail_out = UInt32(deflated.count)
            _ = CZlib.deflate(stream, flush)
            try write(UnsafeRawBufferPointer(rebasing: deflated[..<(deflated.count - Int(stream.pointee.avail_out))]))
        } while stream.pointee.avail_out == 0
    }

    private static func isIncompressible(_ bytes: UnsafeRawBufferPointer) -> Bool {
        let parts = IncompressibleRuns.split(bytes)
        let compressible = parts.reduce(0) { $0 + ($1.isIncompressible ? 0 : $1.range.count) }
        return compressible < bytes.count / 16
    }

    package func finish() throws(CapsuleError) -> UInt64 {
        let directoryOffset = offset
        try write(directory.bytes)
        try write(ZipHeader.end(entries: entries, directoryOffset: directoryOffset, directoryLength: UInt64(directory.count)))
        try flush()
        try output.finish(length: offset)
        return offset
    }

    private func write(_ bytes: [UInt8]) throws(CapsuleError) {
        try bytes.withRawBytes { (bytes) throws(CapsuleError) in try write(bytes) }
    }

    private func write(_ bytes: UnsafeRawBufferPointer) throws(CapsuleError) {
        if buffer.count + bytes.count > Self.bufferLength { try flush() }
        if bytes.count > Self.bufferLength {
            try output.write(bytes, at: start)
            start += UInt64(bytes.count)
        } else {
            buffer.append(bytes)
        }
    }

    private func flush() throws(CapsuleError) {
        if buffer.count == 0 { return }
        try output.write(buffer.bytes, at: start)
        start += UInt64(buffer.count)
        buffer.removeAll()
    }
}

/// The properties of an entry's content that a zip stores.
struct ZipContent {
    enum Method: UInt16 {
        case stored = 0
        case deflated = 8
    }

    var method: Method
    /// The CRC-32 of the uncompressed bytes.
    var crc: UInt32 = 0
    var size: UInt64 = 0
    /// The number of bytes in the zip.
    var stored: UInt64 = 0

    init(_ method: Method) { self.method = method }
}

/// The local and the central header of an entry (APPNOTE.TXT, 4.3.7 and 4.3.12).
struct ZipHeader {
    private static let unix: UInt16 = 3 << 8
    /// The versions of the specification that introduced deflate and directories, and zip64.
    private static let plainVersion: UInt16 = 20
    private static let wideVersion: UInt16 = 45
    private static let utf8Flag: UInt16 = 1 << 11
    private static let wideField: UInt16 = 0x0001
    private static let timeField: UInt16 = 0x5455
    private static let hasModified: UInt8 = 1
    private static let dosDirectory: UInt32 = 0x10

    private let name: [UInt8]
    private let content: ZipContent
    private let offset: UInt64
    private let time: ZipTime
    private let attributes: UInt32

    init(_ entry: TreeEntry, name: [UInt8], _ content: ZipContent, offset: UInt64) {
        self.name = name
        self.content = content
        self.offset = offset
        time = ZipTime(entry.modified)
        let type: UInt32 =
            switch entry.kind {
            case .directory: 0o040000
            case .file, .identity: 0o100000
            case .link: 0o120000
            }
        attributes = (type | UInt32(entry.mode.rawValue)) << 16 | (entry.kind == .directory ? Self.dosDirectory : 0)
    }

    /// True if the entry needs zip64. The size alone decides: it is known first, and the stored length is never larger than the size.
    private var isWide: Bool { content.size >= UInt64(UInt32.max) }
    private var isFar: Bool { offset >= UInt64(UInt32.max) }

    var local: [UInt8] {
        var bytes: [UInt8] = [0x50, 0x4B, 0x03, 0x04]
        var extra: [UInt8] = []
        if isWide {
            extra.appendInteger(Self.wideField)
            extra.appendInteger(UInt16(16))
            extra.appendInteger(content.size)
            extra.appendInteger(content.stored)
        }
        appendTime(to: &extra)
        appendShared(version: isWide ? Self.wideVersion : Self.plainVersion, extra: extra.count, to: &bytes)
        return bytes + name + extra
    }

    var central: [UInt8] {
        let version = isWide || isFar ? Self.wideVersion : Self.plainVersion
        var bytes: [UInt8] = [0x50, 0x4B, 0x01, 0x02]
        var wide: [UInt8] = []
        if isWide {
            wide.appendInteger(content.size)
            wide.appendInteger(content.stored)
        }
        if isFar { wide.appendInteger(offset) }
        var extra: [UInt8] = []
        if !wide.isEmpty {
            extra.appendInteger(Self.wideField)
            extra.appendInteger(UInt16(wide.count))
            extra += wide
        }
        appendTime(to: &extra)
        bytes.appendInteger(Self.unix | version)
        appendShared(version: version, extra: extra.count, to: &bytes)
        // No comment, one file, binary.
        for _ in 0..<3 { bytes.appendInteger(UInt16(0)) }
        bytes.appendInteger(attributes)
        bytes.appendInteger(isFar ? UInt32.max : UInt32(offset))
        return bytes + name + extra
    }

    /// Appends the fields that both headers share, from the required version to the lengths of the name and the extra fields.
    private func appendShared(version: UInt16, extra: Int, to bytes: inout [UInt8]) {
        bytes.appendInteger(version)
        bytes.appendInteger(ZipName.claimsUTF8(name) ? Self.utf8Flag : 0)
        bytes.appendInteger(content.method.rawValue)
        bytes.appendInteger(time.dosTime)
        bytes.appendInteger(time.dosDate)
        bytes.appendInteger(content.crc)
        bytes.appendInteger(isWide ? UInt32.max : UInt32(truncatingIfNeeded: content.stored))
        bytes.appendInteger(isWide ? UInt32.max : UInt32(truncatingIfNeeded: content.size))
        bytes.appendInteger(UInt16(truncatingIfNeeded: name.count))
        bytes.appendInteger(UInt16(truncatingIfNeeded: extra))
    }

    private func appendTime(to extra: inout [UInt8]) {
        guard let seconds = time.unix else { return }
        extra.appendInteger(Self.timeField)
        extra.appendInteger(UInt16(5))
        extra.append(Self.hasModified)
        extra.appendInteger(seconds)
    }

    /// Returns the end of a zip, with the 64-bit records if 32 bits are not enough (4.3.14 to 4.3.16).
    static func end(entries: UInt64, directoryOffset: UInt64, directoryLength: UInt64) -> [UInt8] {
        var bytes: [UInt8] = []
        let isWide =
            entries >= UInt64(UInt16.max) || directoryOffset >= UInt64(UInt32.max) || directoryLength >= UInt64(UInt32.max)
        if isWide {
            bytes += [0x50, 0x4B, 0x06, 0x06]
            bytes.appendInteger(UInt64(44))
            bytes.appendInteger(unix | wideVersion)
            bytes.appendInteger(wideVersion)
            bytes.appendInteger(UInt64(0))
            bytes.appendInteger(entries)
            bytes.appendInteger(entries)
            bytes.appendInteger(directoryLength)
            bytes.appendInteger(directoryOffset)
            bytes += [0x50, 0x4B, 0x06, 0x07]
            bytes.appendInteger(UInt32(0))
            bytes.appendInteger(directoryOffset + directoryLength)
            bytes.appendInteger(UInt32(1))
        }
        bytes += [0x50, 0x4B, 0x05, 0x06]
        bytes.appendInteger(UInt32(0))
        bytes.appendInteger(UInt16(clamping: entries))
        bytes.appendInteger(UInt16(clamping: entries))
        bytes.appendInteger(UInt32(clamping: directoryLength))
        bytes.appendInteger(UInt32(clamping: directoryOffset))
        bytes.appendInteger(UInt16(0))
        return bytes
    }
}

/// A time in the forms that zips store.
struct ZipTime {
    /// The seconds since 1970, or nil if they don't fit into 32 bits (Info-ZIP's extra field 0x5455).
    let unix: Int32?
    /// The time of day: two-second units, minutes and hours (APPNOTE.TXT, 4.4.6).
    let dosTime: UInt16
    /// The day, the month and the years since 1980. DOS has no time zone. UTC is used, so that the same tree gives the same bytes.
    let dosDate: UInt16

    init(_ time: Timestamp) {
        unix = Int32(exactly: time.seconds)
        let date = CivilTime(secondsSince1970: Int(time.seconds))
        if date.year < 1980 {
            (dosTime, dosDate) = (0, 1 << 5 | 1)
        } else if date.year > 2107 {
            (dosTime, dosDate) = (23 << 11 | 59 << 5 | 29, 127 << 9 | 12 << 5 | 31)
        } else {
            dosTime = UInt16(date.hour << 11 | date.minute << 5 | date.second / 2)
            dosDate = UInt16((date.year - 1980) << 9 | date.month << 5 | date.day)
        }
    }
}

/// The names of entries in zips.
enum ZipName {
    /// Returns true if bit 11 must be set: the name is UTF-8 and not only ASCII. A name in another encoding is stored unchanged.
    static func claimsUTF8(_ name: [UInt8]) -> Bool {
        name.contains { $0 >= 0x80 } && String(validating: name, as: UTF8.self) != nil
    }
}
