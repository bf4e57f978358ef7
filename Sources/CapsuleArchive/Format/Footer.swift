import CDeflate
import CZstd
package import CapsuleCore
import CapsuleHashing
import CapsuleSystem

/// The end of a version or of a label record, with the places of its parts. Digests bind it to them and to the previous footer
/// (docs/format.md, section 3).
package struct Footer: Hashable, Sendable {
    static let length = 240
    /// The format that this code writes. It reads newer minor formats, too, but no older one.
    package static let major: UInt16 = 1
    package static let minor: UInt16 = 1
    static let magic = Array("CAPSULE\0".utf8)
    private static let none = UInt64.max

    private enum Flag {
        static let overlay: UInt8 = 1
        static let label: UInt8 = 2
    }

    /// A range of the file.
    package struct FileRange: Hashable, Sendable {
        package var offset: UInt64
        package var length: UInt64
        package var digest: ContentDigest

        package init(offset: UInt64, length: UInt64, digest: ContentDigest) {
            self.offset = offset
            self.length = length
            self.digest = digest
        }

        package var range: Range<UInt64> { Range(at: offset, length) }
    }

    /// The previous version.
    package struct Previous: Hashable, Sendable {
        package var offset: UInt64
        /// The digest of the 240 bytes of its footer.
        package var digest: ContentDigest

        package init(offset: UInt64, digest: ContentDigest) {
            self.offset = offset
            self.digest = digest
        }
    }

    package var minorFormat: UInt16
    package var codec: MemberCodec
    package var isOverlay: Bool
    /// True if the footer ends a label record instead of a version. A label record has a manifest but no index, and its number is 0.
    package var isLabel: Bool
    package var offset: UInt64
    /// The offset of the version's own bytes, which is the end of the previous footer's member.
    package var segmentStart: UInt64
    package var version: UInt32
    package var root: FileRange
    package var manifest: FileRange
    package var previous: Previous?
    /// The digest of the segment's members (``SegmentHasher``).
    package var segmentDigest: ContentDigest

    package init(
        minorFormat: UInt16 = Footer.minor, codec: MemberCodec, isOverlay: Bool = false, isLabel: Bool = false, offset: UInt64,
        segmentStart: UInt64, version: UInt32, root: FileRange, manifest: FileRange, previous: Previous?,
        segmentDigest: ContentDigest
    ) {
        self.minorFormat = minorFormat
        self.codec = codec
        self.isOverlay = isOverlay
        self.isLabel = isLabel
        self.offset = offset
        self.segmentStart = segmentStart
        self.version = version
        self.root = root
        self.manifest = manifest
        self.previous = previous
        self.segmentDigest = segmentDigest
    }

    package var end: UInt64 { offset + UInt64(codec.footerMemberLength) }

    /// The digest of the 240 bytes, by which the next footer and a cache identify this one.
    package var digest: ContentDigest { SHA256Hasher.digest(of: payload) }

    var payload: [UInt8] {
        var bytes = Self.magic
        bytes.appendInteger(Self.major)
        bytes.appendInteger(minorFormat)
        bytes.append(codec.rawValue)
        bytes.append((isOverlay ? Flag.overlay : 0) | (isLabel ? Flag.label : 0))
        bytes.appendInteger(UInt16(0))
        bytes.appendInteger(offset)
        bytes.appendInteger(segmentStart)
        bytes.appendInteger(version)
        bytes.appendInteger(UInt32(0))
        for span in [root, manifest] {
            bytes.appendInteger(span.offset)
            bytes.appendInteger(span.length)
            bytes.appendDigest(span.digest)
        }
        bytes.appendInteger(previous?.offset ?? Self.none)
        bytes.appendDigest(previous?.digest ?? .zero)
        bytes.appendDigest(segmentDigest)
        bytes.appendDigest(SHA256Hasher.digest(of: bytes))
        return bytes
    }

    /// The reason that bytes are not a valid footer.
    enum Problem: Error {
        case damaged
        /// An intact footer of a format that this code does not read.
        case format(major: UInt16, minor: UInt16)
    }

    init(payload: UnsafeRawBufferPointer) throws(Problem) {
        do {
            var reader = ByteReader(payload)
            guard payload.count == Self.length, try reader.slice(Self.magic.count).elementsEqual(Self.magic) else {
                throw ByteReader.Shortage()
            }
            let major = try reader.integer(UInt16.self)
            let minor = try reader.integer(UInt16.self)
            var hasher = SHA256Hasher()
            let covered = UnsafeRawBufferPointer(rebasing: payload[..<(Self.length - ContentDigest.byteCount)])
            let claimed = ContentDigest(UnsafeRawBufferPointer(rebasing: payload[covered.count...]))
            guard hasher.digest(of: covered) == claimed else { throw ByteReader.Shortage() }
            // Only an intact footer can declare another format. A flipped bit must not.
            guard major == Self.major, minor >= Self.minor else { throw Problem.format(major: major, minor: minor) }
            try self.init(fieldsFrom: &reader, minor)
        } catch let problem as Problem {
            throw problem
        } catch {
            throw .damaged
        }
    }

    private init(fieldsFrom reader: inout ByteReader, _ minor: UInt16) throws(ByteReader.Shortage) {
        minorFormat = minor
        guard let codec = MemberCodec(rawValue: try reader.integer(UInt8.self)) else { throw ByteReader.Shortage() }
        self.codec = codec
        let flags = try reader.integer(UInt8.self)
        // In a newer minor format, unknown flags and the reserved fields may have a meaning that older readers can ignore.
        let isOurs = minorFormat == Self.minor
        guard !isOurs || flags <= Flag.label else { throw ByteReader.Shortage() }
        isOverlay = flags & Flag.overlay != 0
        isLabel = flags & Flag.label != 0
        guard try reader.integer(UInt16.self) == 0 || !isOurs else { throw ByteReader.Shortage() }
        offset = try reader.integer(UInt64.self)
        segmentStart = try reader.integer(UInt64.self)
        version = try reader.integer(UInt32.self)
        guard try reader.integer(UInt32.self) == 0 || !isOurs, (version == 0) == isLabel else { throw ByteReader.Shortage() }
        root = FileRange(
            offset: try reader.integer(UInt64.self), length: try reader.integer(UInt64.self), digest: try reader.digest())
        manifest = FileRange(
            offset: try reader.integer(UInt64.self), length: try reader.integer(UInt64.self), digest: try reader.digest())
        let previousOffset = try reader.integer(UInt64.self)
        let previousDigest = try reader.digest()
        if previousOffset == Self.none {
            guard previousDigest == .zero else { throw ByteReader.Shortage() }
            previous = nil
        } else {
            previous = Previous(offset: previousOffset, digest: previousDigest)
        }
        segmentDigest = try reader.digest()
        // The parts must be adjacent, within the segment and before the footer.
        let (rootEnd, rootOverflow) = root.offset.addingReportingOverflow(root.length)
        let (manifestEnd, manifestOverflow) = manifest.offset.addingReportingOverflow(manifest.length)
        guard !rootOverflow, !manifestOverflow, segmentStart <= root.offset, rootEnd == manifest.offset, manifestEnd == offset,
            (previous?.offset ?? 0) <= segmentStart,
            !isLabel || !isOverlay && root.offset == segmentStart && root.length == 0 && previous != nil
        else { throw ByteReader.Shortage() }
    }
}

/// Metadata members of both codecs: divides a payload into pieces and joins them again.
enum MetadataMember {
    static func append(
        _ kind: MemberKind, piece: Int = 0, of pieces: Int = 1, _ payload: UnsafeRawBufferPointer, codec: MemberCodec,
        to buffer: ByteBuffer
    ) {
        switch codec {
        case .gzip: GzipMember.append(kind, piece: piece, of: pieces, payload, to: buffer)
        case .zstd: SkippableFrame.append(kind, piece: piece, of: pieces, payload, to: buffer)
        }
    }

    static func appendPieces(
        _ kind: MemberKind, _ payload: UnsafeRawBufferPointer, codec: MemberCodec, to buffer: ByteBuffer,
        each: (Range<Int>) -> Void
    ) {
        let pieces = max(1, (payload.count + CapsuleLimits.pieceLength - 1) / CapsuleLimits.pieceLength)
        for piece in 0..<pieces {
            let start = buffer.count
            let from = piece * CapsuleLimits.pieceLength
            let slice = UnsafeRawBufferPointer(rebasing: payload[from..<min(payload.count, from + CapsuleLimits.pieceLength)])
            append(kind, piece: piece, of: pieces, slice, codec: codec, to: buffer)
            each(start..<buffer.count)
        }
    }

    /// Returns the payload of adjacent members, or nil if they are not valid. They must be the pieces of `kind` in order, be
    /// written exactly as this code writes them, and fill `members` completely.
    static func join(_ kind: MemberKind, _ members: UnsafeRawBufferPointer, codec: MemberCodec) -> [UInt8]? {
        var payload: [UInt8] = []
        var at = 0
        var expected = 0
        var pieces = 0
        let check = ByteBuffer(capacity: CapsuleLimits.pieceLength + 64)
        while at < members.count {
            let rest = UnsafeRawBufferPointer(rebasing: members[at...])
            guard let header = try? MemberHeader.parse(rest, codec: codec), header.kind == kind, header.piece == expected,
                expected == 0 || header.pieces == pieces, header.length <= rest.count
            else { return nil }
            pieces = header.pieces
            expected += 1
            let length = payloadLength(of: header, codec: codec)
            let piece = UnsafeRawBufferPointer(rebasing: rest[header.payloadOffset..<header.payloadOffset + length])
            // No digest covers the bytes around the payload, so only the form that this code writes is accepted.
            check.removeAll()
            append(kind, piece: header.piece, of: header.pieces, piece, codec: codec, to: check)
            guard RawBytes.areEqual(check.bytes, UnsafeRawBufferPointer(rebasing: rest[..<header.length])) else { return nil }
            payload.append(contentsOf: piece)
            at += header.length
        }
        return pieces > 0 && expected == pieces ? payload : nil
    }

    private static func payloadLength(of header: MemberHeader, codec: MemberCodec) -> Int {
        switch codec {
        case .gzip: header.length - header.payloadOffset - 2 - GzipMember.trailerLength
        case .zstd: header.length - header.payloadOffset
        }
    }
}

/// The encoding of a metadata payload: coding u8 (0 raw, 1 deflate, 2 zstd), raw length u64, bytes.
enum PayloadCoding {
    private static let raw: UInt8 = 0
    private static let deflate: UInt8 = 1
    private static let zstd: UInt8 = 2
    private static let headerLength = 9
    /// The level is low, because digests don't compress, and an index must be quick to read.
    private static let level: Int32 = 3

    static func encode(_ bytes: [UInt8], codec: MemberCodec) -> [UInt8] {
        let buffer = ByteBuffer(capacity: bytes.count + 1_024)
        bytes.withUnsafeBytes { input in
            switch codec {
            case .gzip: Deflater(level: level).append(input, to: buffer)
            case .zstd: ZstdCompressor(level: level).append(input, to: buffer)
            }
        }
        let compresses = buffer.count < bytes.count
        var payload: [UInt8] = [compresses ? (codec == .gzip ? deflate : zstd) : raw]
        payload.reserveCapacity(headerLength + min(buffer.count, bytes.count))
        payload.appendInteger(UInt64(bytes.count))
        if compresses { payload.append(contentsOf: buffer.bytes) } else { payload += bytes }
        return payload
    }

    static func decode(_ payload: [UInt8], limit: UInt64) -> [UInt8]? {
        payload.withUnsafeBytes { input in
            guard input.count >= headerLength else { return nil }
            let length = UInt64(littleEndian: input.loadUnaligned(fromByteOffset: 1, as: UInt64.self))
            let coded = UnsafeRawBufferPointer(rebasing: input[headerLength...])
            // The largest number of bytes that a codec makes of one byte. Memory is not allocated for a larger claim.
            let largestRatio: UInt64 = input[0] == deflate ? 1_032 : 1 << 17
            guard length <= limit, input[0] != raw || length == UInt64(coded.count),
                length <= (UInt64(coded.count) + 64) * largestRatio
            else { return nil }
            switch input[0] {
            case raw: return Array(coded)
            case deflate: return inflate(coded, Int(length))
            case zstd: return decompress(coded, Int(length))
            default: return nil
            }
        }
    }

    private static func inflate(_ coded: UnsafeRawBufferPointer, _ length: Int) -> [UInt8]? {
        guard let inflater = libdeflate_alloc_decompressor() else { return nil }
        defer { libdeflate_free_decompressor(inflater) }
        var isWhole = false
        let bytes = [UInt8](unsafeUninitializedCapacity: length) { output, count in
            var consumed = 0
            let status = libdeflate_deflate_decompress_ex(
                inflater, coded.baseAddress, coded.count, output.baseAddress, length, &consumed, nil)
            isWhole = status == LIBDEFLATE_SUCCESS && consumed == coded.count
            count = isWhole ? length : 0
        }
        return isWhole ? bytes : nil
    }

    private static func decompress(_ coded: UnsafeRawBufferPointer, _ length: Int) -> [UInt8]? {
        var isWhole = false
        let bytes = [UInt8](unsafeUninitializedCapacity: length) { output, count in
            isWhole = ZSTD_decompress(output.baseAddress, length, coded.baseAddress, coded.count) == length
            count = isWhole ? length : 0
        }
        return isWhole ? bytes : nil
    }
}

/// Reads the payloads of metadata members and checks them against their digests.
struct MetadataReader {
    let file: CapsuleFile
    let codec: MemberCodec

    func raw(_ span: Footer.FileRange, _ kind: MemberKind, limit: UInt64) throws(CapsuleError) -> [UInt8]? {
        guard span.length <= min(limit + limit / 8 + 1_024, file.length), span.offset <= file.length - span.length else {
            return nil
        }
        let members = try file.read(at: span.offset, count: Int(span.length))
        guard let payload = members.withUnsafeBytes({ MetadataMember.join(kind, $0, codec: codec) }),
            let raw = PayloadCoding.decode(payload, limit: limit), SHA256Hasher.digest(of: raw) == span.digest
        else { return nil }
        return raw
    }

    func isWhole(_ span: Footer.FileRange, _ kind: MemberKind, limit: UInt64) throws(CapsuleError) -> Bool {
        try raw(span, kind, limit: limit) != nil
    }
}
