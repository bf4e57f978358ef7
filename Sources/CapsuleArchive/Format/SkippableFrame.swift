import CZstd

/// The zstd form of a metadata member: a skippable frame (RFC 8878, section 3.1.2) that begins with `CP`.
enum SkippableFrame {
    /// 0x184D2A5C, little-endian.
    private static let magic: [UInt8] = [0x5C, 0x2A, 0x4D, 0x18]
    /// An ordinary frame's 0xFD2FB528.
    private static let frameMagic: [UInt8] = [0x28, 0xB5, 0x2F, 0xFD]
    private static let tag: [UInt8] = [0x43, 0x50]
    private static let sizeEnd = 8
    private static let plainOffset = sizeEnd + 2 + 1 + 4
    static let footerLength = plainOffset + Footer.length

    /// Appends a metadata member.
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

    /// Reads the header of either kind of frame. A data frame's length is only known once it is walked by its block headers,
    /// so `bytes` should then reach ``CapsuleLimits/memberStoredLength`` or the end of the file.
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
            var piece = 0
            var pieces = 1
            if kind.isPiecewise {
                piece = Int(try reader.integer(UInt16.self))
                pieces = Int(try reader.integer(UInt16.self))
            }
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

    private static func parseFrame(_ bytes: UnsafeRawBufferPointer) throws(MemberHeader.Problem) -> MemberHeader {
        let length = ZSTD_findFrameCompressedSize(bytes.baseAddress, bytes.count)
        guard ZSTD_isError(length) == 0 else {
            throw ZSTD_getErrorCode(length) == ZSTD_error_srcSize_wrong && bytes.count < CapsuleLimits.memberStoredLength
                ? .short : .invalid
        }
        guard length <= CapsuleLimits.memberStoredLength else { throw .invalid }
        return MemberHeader(kind: .data, length: length, payloadOffset: 0, piece: 0, pieces: 1)
    }
}
