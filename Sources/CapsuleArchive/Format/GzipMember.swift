import CDeflate

/// The gzip form of a member (RFC 1952): one extra subfield `CP` says what it is and how long.
enum GzipMember {
    /// ID1 ID2 CM FLG(FEXTRA) MTIME XFL OS(unknown).
    private static let fixed: [UInt8] = [0x1F, 0x8B, 0x08, 0x04, 0, 0, 0, 0, 0, 0xFF]
    /// The same without an extra field.
    private static let plainHeader: [UInt8] = [0x1F, 0x8B, 0x08, 0, 0, 0, 0, 0, 0, 0xFF]
    /// `CP`
    private static let subfield: [UInt8] = [0x43, 0x50]
    /// An empty deflate stream: one final block of fixed codes with nothing but its end.
    private static let emptyStream: [UInt8] = [0x03, 0x00]
    /// Kind and length.
    private static let plainTag = 5
    /// Kind, length, piece, pieces.
    private static let pieceTag = 9
    /// CRC-32 and length.
    static let trailerLength = 8

    private static let tagOffset = fixed.count + 2 + 4
    /// Where a data member's deflate stream begins.
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

    /// Appends an empty member whose extra field is `payload`.
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

    /// Appends a data member around the deflate stream that `deflate` appends.
    static func appendData(
        _ raw: UnsafeRawBufferPointer, framing: DataMemberEncoder.Framing, to buffer: ByteBuffer, deflate: (ByteBuffer) -> Void
    ) {
        let start = buffer.count
        switch framing {
        case .capsule: appendHeader(.data, extra: plainTag, length: 0, to: buffer)
        case .plain: buffer.append(plainHeader)
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
            var piece = 0
            var pieces = 1
            if kind.isPiecewise {
                piece = Int(try reader.integer(UInt16.self))
                pieces = Int(try reader.integer(UInt16.self))
            }
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
