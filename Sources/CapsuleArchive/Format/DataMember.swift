import CDeflate
import CZstd
import CapsuleCore

/// Compresses parts of a stream into data members. Each thread needs its own encoder.
package final class DataMemberEncoder {
    /// The compression level. If it is nil, the levels that measured best are used: gzip 1 for members of a large file, gzip 2
    /// for groups of small entries, and zstd 2.
    package struct Level: Sendable {
        let explicit: Int32?

        package init(_ level: Int?) {
            explicit = level.map { Int32(clamping: $0) }
        }

        var largeFiles: Int32 { explicit ?? 1 }
        var groups: Int32 { explicit ?? 2 }
        var zstd: Int32 { explicit ?? 2 }
    }

    /// The form of the members.
    package enum Framing: Sendable {
        /// Members of a capsule, which contain their kind and length.
        case capsule
        /// Members of an ordinary gzip file or frames of an ordinary zstd file, for plain archives.
        case plain
        /// The bytes themselves, for an uncompressed archive.
        case uncompressed
    }

    private let codec: MemberCodec
    private let level: Level
    private let framing: Framing
    private var deflaters: [Int32: Deflater] = [:]
    private let zstd: ZstdCompressor?

    package init(codec: MemberCodec, level: Level, framing: Framing = .capsule) {
        self.codec = codec
        self.level = level
        self.framing = framing
        zstd = codec == .zstd ? ZstdCompressor(level: level.zstd, holding: CapsuleLimits.memberRawLength) : nil
    }

    /// Appends the members that contain `stream`: one, or with gzip several if it has incompressible runs, which are stored.
    /// - Parameter isLargeFile: true if the bytes belong to one large file, false for a group of entries.
    package func encode(_ stream: UnsafeRawBufferPointer, isLargeFile: Bool, to buffer: ByteBuffer) -> [EncodedMember] {
        if framing == .uncompressed { return [appended(raw: stream.count, to: buffer) { buffer.append(stream) }] }
        switch codec {
        case .zstd:
            return [appended(raw: stream.count, to: buffer) { zstd?.append(stream, to: buffer) }]
        case .gzip:
            let deflater = deflater(level: isLargeFile ? level.largeFiles : level.groups)
            return IncompressibleRuns.split(stream).map { part in
                let bytes = UnsafeRawBufferPointer(rebasing: stream[part.range])
                return appended(raw: bytes.count, to: buffer) {
                    GzipMember.appendData(bytes, framing: framing, to: buffer) { output in
                        if part.isIncompressible {
                            StoredDeflate.append(bytes, to: output)
                        } else {
                            deflater.append(bytes, to: output)
                        }
                    }
                }
            }
        }
    }

    private func appended(raw: Int, to buffer: ByteBuffer, _ body: () -> Void) -> EncodedMember {
        let start = buffer.count
        body()
        let member = buffer.bytes(in: start..<buffer.count)
        return EncodedMember(stored: UInt32(member.count), raw: UInt32(raw), checksum: codec.checksum(of: member))
    }

    private func deflater(level: Int32) -> Deflater {
        if let made = deflaters[level] { return made }
        let made = Deflater(level: level)
        deflaters[level] = made
        return made
    }
}

/// A data member that was appended to a buffer.
package struct EncodedMember: Sendable {
    package let stored: UInt32
    package let raw: UInt32
    /// The codec's own checksum of the decompressed data (``MemberCodec/checksum(of:)``).
    package let checksum: UInt32
}

/// The facts in the first bytes of a member.
struct MemberHeader: Equatable {
    let kind: MemberKind
    let length: Int
    let payloadOffset: Int
    /// The number of the piece of a payload that the member carries, and the number of pieces. It is 0 of 1 for data and footers.
    let piece: Int
    let pieces: Int

    /// The maximum length of a header in bytes. With this many bytes ``parse`` can decide, except about the length of a zstd
    /// data frame.
    static let longest = 64

    /// Reads the header at the beginning of `bytes`. They must have at least ``longest`` bytes, or reach to the end of the file.
    /// - Throws: ``Problem/short`` if more bytes could make them a member, ``Problem/invalid`` if not.
    static func parse(_ bytes: UnsafeRawBufferPointer, codec: MemberCodec) throws(Problem) -> MemberHeader {
        switch codec {
        case .gzip: try GzipMember.parse(bytes)
        case .zstd: try SkippableFrame.parse(bytes)
        }
    }

    /// The reason that bytes are not a member.
    enum Problem: Error {
        case short
        case invalid
    }
}

/// The kind of a capsule's member. The raw value is its letter in the file.
package enum MemberKind: UInt8, Sendable {
    /// A part of the tar stream or of chunks.
    case data = 0x44
    case indexBlock = 0x42
    case indexRoot = 0x49
    case manifest = 0x4D
    case footer = 0x46

    var isPiecewise: Bool { self == .indexBlock || self == .indexRoot || self == .manifest }
}

/// The compression of a capsule's members. The raw value is stored in the footer.
package enum MemberCodec: UInt8, Sendable, CaseIterable {
    /// The whole file is a `.tar.gz`.
    case gzip = 1
    /// The whole file is a `.tar.zst`.
    case zstd = 2

    package var memberLength: Int {
        switch self {
        case .gzip: 256 << 10
        case .zstd: 1 << 20
        }
    }

    /// Returns the checksum at the end of a data member: gzip's CRC-32, or the low half of zstd's XXH64.
    func checksum(of member: UnsafeRawBufferPointer) -> UInt32 {
        let place = member.count - (self == .gzip ? GzipMember.trailerLength : 4)
        return place < 0 ? 0 : UInt32(littleEndian: member.loadUnaligned(fromByteOffset: place, as: UInt32.self))
    }

    package var footerMemberLength: Int {
        switch self {
        case .gzip: GzipMember.footerLength
        case .zstd: SkippableFrame.footerLength
        }
    }
}

/// A member in gzip form (RFC 1952). An extra subfield `CP` contains its kind and length.
enum GzipMember {
    /// ID1 ID2 CM FLG(FEXTRA) MTIME XFL OS(unknown).
    private static let fixed: [UInt8] = [0x1F, 0x8B, 0x08, 0x04, 0, 0, 0, 0, 0, 0xFF]
    /// The same header without an extra field.
    private static let plainHeader: [UInt8] = [0x1F, 0x8B, 0x08, 0, 0, 0, 0, 0, 0, 0xFF]
    private static let subfield: [UInt8] = [0x43, 0x50]
    /// An empty deflate stream: one final block with fixed codes that contains only its end.
    private static let emptyStream: [UInt8] = [0x03, 0x00]
    /// The length of the kind and the length.
    private static let plainTag = 5
    /// The length of the kind, the length, the piece and the number of pieces.
    private static let pieceTag = 9
    /// The length of the CRC-32 and the length.
    static let trailerLength = 8

    private static let tagOffset = fixed.count + 2 + 4
    static let dataOffset = tagOffset + plainTag
    private static let emptyEnd = emptyStream.count + trailerLength
    static let footerLength = dataOffset + Footer.length + emptyEnd

    private static func appendHeader(_ kind: MemberKind, extra: Int, length: Int, to buffer: ByteBuffer) {
        buffer.append(fixed)
        buffer.append(UInt16(truncatingIfNeeded: 4 + extra))
        buffer.append(subfield)
        buffer.append(UInt16(truncatingIfNeeded: extra))
        buffer.append(kind.rawValue)
        buffer.append(UInt32(truncatingIfNeeded: length))
    }

    static func append(_ kind: MemberKind, piece: Int, of pieces: Int, _ payload: UnsafeRawBufferPointer, to buffer: ByteBuffer) {
        let tag = kind.isPiecewise ? pieceTag : plainTag
        let length = tagOffset + tag + payload.count + emptyEnd
        appendHeader(kind, extra: tag + payload.count, length: length, to: buffer)
        if kind.isPiecewise {
            buffer.append(UInt16(truncatingIfNeeded: piece))
            buffer.append(UInt16(truncatingIfNeeded: pieces))
        }
        buffer.append(payload)
        buffer.append(emptyStream)
        buffer.append(UInt64(0))
    }

    static func appendData(
        _ raw: UnsafeRawBufferPointer, framing: DataMemberEncoder.Framing, to buffer: ByteBuffer, deflate: (ByteBuffer) -> Void
    ) {
        let start = buffer.count
        switch framing {
        case .capsule: appendHeader(.data, extra: plainTag, length: 0, to: buffer)
        case .plain, .uncompressed: buffer.append(plainHeader)
        }
        deflate(buffer)
        buffer.append(libdeflate_crc32(0, raw.baseAddress, raw.count))
        buffer.append(UInt32(truncatingIfNeeded: raw.count))
        if framing == .capsule {
            buffer.overwrite(at: start + dataOffset - 4, with: UInt32(truncatingIfNeeded: buffer.count - start))
        }
    }

    static func parse(_ bytes: UnsafeRawBufferPointer) throws(MemberHeader.Problem) -> MemberHeader {
        guard bytes.prefix(fixed.count).elementsEqual(fixed.prefix(bytes.count)) else { throw .invalid }
        do {
            var reader = ByteReader(bytes)
            _ = try reader.slice(fixed.count)
            let extra = Int(try reader.integer(UInt16.self))
            let name = try reader.slice(subfield.count)
            let tagged = Int(try reader.integer(UInt16.self))
            guard name.elementsEqual(subfield), extra == tagged + 4 else { throw MemberHeader.Problem.invalid }
            guard let kind = MemberKind(rawValue: try reader.integer(UInt8.self)) else { throw MemberHeader.Problem.invalid }
            let length = Int(try reader.integer(UInt32.self))
            let (piece, pieces) = try reader.piece(of: kind)
            let payload = tagged - (reader.position - tagOffset)
            guard piece < pieces else { throw MemberHeader.Problem.invalid }
            switch kind {
            case .data:
                guard payload == 0, length > dataOffset + trailerLength, length <= CapsuleLimits.memberStoredLength else {
                    throw MemberHeader.Problem.invalid
                }
            case .footer:
                guard payload == Footer.length, length == footerLength else { throw MemberHeader.Problem.invalid }
            case .indexBlock, .indexRoot, .manifest:
                guard payload >= 0, payload <= CapsuleLimits.pieceLength, length == reader.position + payload + emptyEnd else {
                    throw MemberHeader.Problem.invalid
                }
            }
            return MemberHeader(kind: kind, length: length, payloadOffset: reader.position, piece: piece, pieces: pieces)
        } catch let problem as MemberHeader.Problem {
            throw problem
        } catch {
            throw .short
        }
    }
}

/// A metadata member in zstd form: a skippable frame (RFC 8878, section 3.1.2) that begins with `CP`.
enum SkippableFrame {
    /// 0x184D2A5C, little-endian.
    private static let magic: [UInt8] = [0x5C, 0x2A, 0x4D, 0x18]
    /// The magic number of an ordinary frame, 0xFD2FB528.
    private static let frameMagic: [UInt8] = [0x28, 0xB5, 0x2F, 0xFD]
    private static let tag: [UInt8] = [0x43, 0x50]
    private static let sizeEnd = 8
    private static let plainOffset = sizeEnd + 2 + 1 + 4
    static let footerLength = plainOffset + Footer.length

    static func append(_ kind: MemberKind, piece: Int, of pieces: Int, _ payload: UnsafeRawBufferPointer, to buffer: ByteBuffer) {
        let length = plainOffset + (kind.isPiecewise ? 4 : 0) + payload.count
        buffer.append(magic)
        buffer.append(UInt32(truncatingIfNeeded: length - sizeEnd))
        buffer.append(tag)
        buffer.append(kind.rawValue)
        buffer.append(UInt32(truncatingIfNeeded: length))
        if kind.isPiecewise {
            buffer.append(UInt16(truncatingIfNeeded: piece))
            buffer.append(UInt16(truncatingIfNeeded: pieces))
        }
        buffer.append(payload)
    }

    /// Reads the header of either kind of frame. The length of a data frame is known only after walking its block headers, so
    /// `bytes` should then reach ``CapsuleLimits/memberStoredLength`` or the end of the file.
    static func parse(_ bytes: UnsafeRawBufferPointer) throws(MemberHeader.Problem) -> MemberHeader {
        if bytes.prefix(4).elementsEqual(frameMagic.prefix(bytes.count)) { return try parseFrame(bytes) }
        guard bytes.prefix(4).elementsEqual(magic.prefix(bytes.count)) else { throw .invalid }
        do {
            var reader = ByteReader(bytes)
            _ = try reader.slice(magic.count)
            let size = Int(try reader.integer(UInt32.self))
            guard try reader.slice(tag.count).elementsEqual(tag),
                let kind = MemberKind(rawValue: try reader.integer(UInt8.self)), kind != .data
            else { throw MemberHeader.Problem.invalid }
            let length = Int(try reader.integer(UInt32.self))
            let (piece, pieces) = try reader.piece(of: kind)
            let payload = length - reader.position
            guard length == size + sizeEnd, piece < pieces, payload >= 0,
                payload <= (kind == .footer ? Footer.length : CapsuleLimits.pieceLength),
                kind != .footer || length == footerLength
            else { throw MemberHeader.Problem.invalid }
            return MemberHeader(kind: kind, length: length, payloadOffset: reader.position, piece: piece, pieces: pieces)
        } catch let problem as MemberHeader.Problem {
            throw problem
        } catch {
            throw .short
        }
    }

    /// The bits of a frame's descriptor that are the same in every data member, and their values: one segment, a checksum, no dictionary,
    /// and neither the reserved nor the unused bit.
    private static let descriptor: (mask: UInt8, value: UInt8) = (0b0011_1111, 0b0010_0100)

    private static func parseFrame(_ bytes: UnsafeRawBufferPointer) throws(MemberHeader.Problem) -> MemberHeader {
        guard bytes.count > frameMagic.count else { throw .short }
        guard bytes[frameMagic.count] & descriptor.mask == descriptor.value else { throw .invalid }
        let length = ZSTD_findFrameCompressedSize(bytes.baseAddress, bytes.count)
        guard ZSTD_isError(length) == 0 else {
            throw ZSTD_getErrorCode(length) == ZSTD_error_srcSize_wrong && bytes.count < CapsuleLimits.memberStoredLength
                ? .short : .invalid
        }
        guard length <= CapsuleLimits.memberStoredLength else { throw .invalid }
        return MemberHeader(kind: .data, length: length, payloadOffset: 0, piece: 0, pieces: 1)
    }
}

extension ByteReader {
    fileprivate mutating func piece(of kind: MemberKind) throws -> (number: Int, count: Int) {
        guard kind.isPiecewise else { return (0, 1) }
        return (Int(try integer(UInt16.self)), Int(try integer(UInt16.self)))
    }
}

/// A libdeflate compressor for raw deflate streams (RFC 1951).
final class Deflater {
    private let compressor: OpaquePointer

    /// - Parameter level: the level, 1 to 12.
    init(level: Int32) {
        // Fails only for an invalid level, which the clamping rules out, or if memory is exhausted.
        guard let compressor = libdeflate_alloc_compressor(min(max(level, 1), 12)) else {
            fatalError("no memory for a compressor")
        }
        self.compressor = compressor
    }

    deinit {
        libdeflate_free_compressor(compressor)
    }

    func append(_ bytes: UnsafeRawBufferPointer, to buffer: ByteBuffer) {
        // The result is never longer than stored blocks.
        let bound = libdeflate_deflate_compress_bound(compressor, bytes.count)
        buffer.append(capacity: bound) { output in
            libdeflate_deflate_compress(compressor, bytes.baseAddress, bytes.count, output.baseAddress, output.count)
        }
    }
}

/// A zstd compressor for whole frames with content size and checksum (RFC 8878).
final class ZstdCompressor {
    private let context: OpaquePointer

    /// - Parameters:
    ///   - level: the level, 1 to 19.
    ///   - length: the length in bytes, a power of two, up to which everything becomes a frame of one segment. If it is nil, the level decides.
    init(level: Int32, holding length: Int? = nil) {
        guard let context = ZSTD_createCCtx() else { fatalError("no memory for a compressor") }
        self.context = context
        if let length { ZSTD_CCtx_setParameter(context, ZSTD_c_windowLog, Int32(length.trailingZeroBitCount)) }
        ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, min(max(level, 1), 19))
        ZSTD_CCtx_setParameter(context, ZSTD_c_contentSizeFlag, 1)
        ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1)
    }

    deinit {
        ZSTD_freeCCtx(context)
    }

    func append(_ bytes: UnsafeRawBufferPointer, to buffer: ByteBuffer) {
        buffer.append(capacity: ZSTD_compressBound(bytes.count)) { output in
            let length = ZSTD_compress2(context, output.baseAddress, output.count, bytes.baseAddress, bytes.count)
            // The buffer has the size of the bound, so compression fails only if memory is exhausted.
            guard ZSTD_isError(length) == 0 else { fatalError("no memory to compress") }
            return length
        }
    }
}

/// Writes stored blocks of deflate (RFC 1951, section 3.2.4), for bytes that don't compress.
enum StoredDeflate {
    private static let blockLength = 65_535

    static func append(_ bytes: UnsafeRawBufferPointer, isLast: Bool = true, to buffer: ByteBuffer) {
        var at = 0
        repeat {
            let length = min(blockLength, bytes.count - at)
            buffer.append(UInt8(isLast && at + length == bytes.count ? 1 : 0))
            buffer.append(UInt16(length))
            buffer.append(~UInt16(length))
            buffer.append(UnsafeRawBufferPointer(rebasing: bytes[at..<at + length]))
            at += length
        } while at < bytes.count
    }
}

/// Finds the parts of a stream that no compressor makes smaller, such as most media of an app.
/// The first 1 KiB of each 4 KiB block is counted by byte value. For n random bytes the sum of the squared counts is about n +
/// n(n−1)/256. For texts and tables it is much higher. A run of at least 16 KiB whose blocks are below 1.25 × that sum is stored.
enum IncompressibleRuns {
    struct Part: Equatable {
        let range: Range<Int>
        let isIncompressible: Bool
    }

    static let blockLength = 4_096
    static let shortestRun = 16_384
    private static let sampleLength = 1_024
    private static let threshold = (sampleLength + sampleLength * (sampleLength - 1) / 256) * 5 / 4

    /// Returns the parts of the stream in order. Together they cover all of it.
    static func split(_ stream: UnsafeRawBufferPointer) -> [Part] {
        guard stream.count >= shortestRun else { return [Part(range: 0..<stream.count, isIncompressible: false)] }
        var parts: [Part] = []
        var compressibleStart = 0
        var runStart: Int?
        func close(_ end: Int) {
            if let start = runStart, end - start >= shortestRun {
                if start > compressibleStart { parts.append(Part(range: compressibleStart..<start, isIncompressible: false)) }
                parts.append(Part(range: start..<end, isIncompressible: true))
                compressibleStart = end
            }
            runStart = nil
        }
        withUnsafeTemporaryAllocation(of: UInt16.self, capacity: 4 * 256) { counts in
            var block = 0
            while block + blockLength <= stream.count {
                if isIncompressible(UnsafeRawBufferPointer(rebasing: stream[block..<block + sampleLength]), counts) {
                    if runStart == nil { runStart = block }
                } else {
                    close(block)
                }
                block += blockLength
            }
            close(block)
        }
        if compressibleStart < stream.count {
            parts.append(Part(range: compressibleStart..<stream.count, isIncompressible: false))
        }
        return parts
    }

    private static func isIncompressible(_ sample: UnsafeRawBufferPointer, _ counts: UnsafeMutableBufferPointer<UInt16>) -> Bool {
        counts.update(repeating: 0)
        // Four tables are used, so that the count of a repeated byte does not depend on the previous one.
        var index = 0
        while index < sampleLength {
            counts[Int(sample[index])] &+= 1
            counts[256 + Int(sample[index + 1])] &+= 1
            counts[512 + Int(sample[index + 2])] &+= 1
            counts[768 + Int(sample[index + 3])] &+= 1
            index += 4
        }
        var sum: UInt32 = 0
        for value in 0..<256 {
            let count = UInt32(counts[value] &+ counts[256 + value] &+ counts[512 + value] &+ counts[768 + value])
            sum &+= count &* count
        }
        return sum < UInt32(threshold)
    }
}
