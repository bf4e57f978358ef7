import CDeflate
import CZstd
import CapsuleCore
import CapsuleHashing
import CapsuleSystem

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

    /// Appends as many members as `payload` needs, and calls `each` with the range of each member in `buffer`.
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

    /// Returns the payload of `bytes`, raw or compressed, whichever is shorter.
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

    /// Returns the bytes of a payload, or nil if it is damaged or claims more than `limit` bytes.
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

    /// Returns the raw bytes of a payload, or nil if the members there are not valid or don't match the digest.
    func raw(_ span: Footer.FileRange, _ kind: MemberKind, limit: UInt64) throws(ArchiveError) -> [UInt8]? {
        guard span.length <= min(limit + limit / 8 + 1_024, file.length), span.offset <= file.length - span.length else {
            return nil
        }
        let members = try ArchiveError.wrapping { () throws(FileSystemError) in
            try file.read(at: span.offset, count: Int(span.length))
        }
        guard let payload = members.withUnsafeBytes({ MetadataMember.join(kind, $0, codec: codec) }),
            let raw = PayloadCoding.decode(payload, limit: limit), SHA256Hasher.digest(of: raw) == span.digest
        else { return nil }
        return raw
    }

    func isWhole(_ span: Footer.FileRange, _ kind: MemberKind, limit: UInt64) throws(ArchiveError) -> Bool {
        try raw(span, kind, limit: limit) != nil
    }
}
