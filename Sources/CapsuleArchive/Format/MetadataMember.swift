/// Metadata members of either codec: how a payload is cut into pieces and put together again.
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

    /// Appends as many members as `payload` needs, and calls `each` with where each lies in `buffer`.
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

    /// The payload of adjacent members, which must be `kind`'s pieces in order, spelled as this code spells them, and fill
    /// `members` exactly; nil if they don't.
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
            // The bytes around the payload carry no digest of their own; there is one way to write them.
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
