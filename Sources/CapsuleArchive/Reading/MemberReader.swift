import CDeflate
import CZstd
package import CapsuleCore
import CapsuleHashing
import CapsuleSystem

/// Decompresses a capsule's data members and keeps the last few. Each thread needs its own reader.
package final class MemberReader {
    package let file: CapsuleFile
    private let decoder: DataMemberDecoder
    private let stored = ByteBuffer(capacity: 0)
    /// The decompressed members, the one used last at the end.
    private var kept: [(member: MemberReference, raw: ByteBuffer)] = []

    /// The number of members that are kept. Neighboring files are mostly in few members, and each takes up to 1 MiB.
    package static let mostKept = 4

    package init(file: CapsuleFile, codec: MemberCodec) {
        self.file = file
        decoder = DataMemberDecoder(codec: codec)
    }

    /// Returns the decompressed data of a member, which is valid until the next call.
    package func bytes(of member: MemberReference) throws(CapsuleError) -> UnsafeRawBufferPointer {
        if let place = kept.lastIndex(where: { $0.member == member }) {
            if place < kept.count - 1 { kept.append(kept.remove(at: place)) }
            return kept[kept.count - 1].raw.bytes
        }
        let raw =
            kept.count < Self.mostKept
            ? ByteBuffer(capacity: min(Int(member.raw), CapsuleLimits.memberRawLength)) : kept.removeFirst().raw
        raw.removeAll()
        stored.removeAll()
        try file.read(at: member.offset, count: Int(member.stored), into: stored)
        guard stored.count == Int(member.stored), decoder.decode(stored.bytes, raw: Int(member.raw), to: raw) else {
            throw CapsuleError(
                .damaged, "the compressed data that starts at byte \(member.offset) is damaged", path: file.path,
                hint: file.path.verifyHint)
        }
        kept.append((member, raw))
        return raw.bytes
    }

    /// Returns the bytes of an extent, which are valid until the next call; none for an extent of zeros.
    package func bytes(of extent: StoredExtent) throws(CapsuleError) -> UnsafeRawBufferPointer {
        guard let member = extent.member else { return UnsafeRawBufferPointer(start: nil, count: 0) }
        let whole = try bytes(of: member)
        return UnsafeRawBufferPointer(rebasing: whole[Int(extent.inner)..<Int(extent.inner) + Int(extent.length)])
    }
}

/// Walks through a capsule's members by the lengths in their headers. It reads ahead, so that many small members cost one read.
final class MemberWalk {
    /// The result of reading a member's header.
    enum Found {
        case member(MemberHeader)
        /// The bytes end too early, but more bytes could make them a member.
        case cut
        case invalid
    }

    private let file: CapsuleFile
    private let codec: MemberCodec
    private let end: UInt64
    private let readAhead: Int
    private let window: ByteBuffer
    private var start: UInt64
    private(set) var offset: UInt64

    /// - Parameters:
    ///   - end: the offset at which the walk ends. Bytes from there on are ignored.
    ///   - readsContent: true if ``content(of:)`` will be called, so that reading all bytes ahead pays off.
    init(_ file: CapsuleFile, codec: MemberCodec, from offset: UInt64, to end: UInt64, readsContent: Bool) {
        self.file = file
        self.codec = codec
        self.offset = offset
        self.end = min(end, file.length)
        start = offset
        // The length of a zstd frame is known only after its blocks were walked.
        readAhead = readsContent || codec == .zstd ? 4 * CapsuleLimits.memberStoredLength : 4 << 10
        window = ByteBuffer(capacity: readAhead)
    }

    var isAtEnd: Bool { offset >= end }

    func member() throws(CapsuleError) -> Found {
        try load(MemberHeader.longest)
        while true {
            do throws(MemberHeader.Problem) {
                return .member(try MemberHeader.parse(ahead, codec: codec))
            } catch {
                if error == .invalid { return .invalid }
            }
            let known = ahead.count
            try load(CapsuleLimits.memberStoredLength)
            if ahead.count == known { return .cut }
        }
    }

    /// Returns all bytes of the current member, valid until the next call, or nil if it extends beyond the end.
    func content(of header: MemberHeader) throws(CapsuleError) -> UnsafeRawBufferPointer? {
        try load(header.length)
        return ahead.count < header.length ? nil : UnsafeRawBufferPointer(rebasing: ahead[..<header.length])
    }

    func pass(_ header: MemberHeader) {
        offset += UInt64(header.length)
    }

    private var ahead: UnsafeRawBufferPointer {
        let place = offset - start
        return place >= UInt64(window.count)
            ? UnsafeRawBufferPointer(rebasing: window.bytes.prefix(0)) : window.bytes(in: Int(place)..<window.count)
    }

    private func load(_ count: Int) throws(CapsuleError) {
        let wanted = Int(min(UInt64(count), end - min(offset, end)))
        guard ahead.count < wanted else { return }
        start = offset
        window.removeAll()
        let room = Int(min(UInt64(max(count, readAhead)), end - offset))
        try Interruption.check()
        try file.read(at: offset, count: room, into: window)
    }
}

/// Decompresses data members. Each thread needs its own decoder.
package final class DataMemberDecoder {
    private let codec: MemberCodec
    private let inflater: OpaquePointer?
    private let zstd: OpaquePointer?

    package init(codec: MemberCodec) {
        self.codec = codec
        // Only the one that is needed: one for zstd takes longer to make than a small member to decompress.
        inflater = codec == .gzip ? libdeflate_alloc_decompressor() : nil
        zstd = codec == .zstd ? ZSTD_createDCtx() : nil
        guard inflater != nil || zstd != nil else { fatalError("no memory for a decompressor") }
    }

    deinit {
        libdeflate_free_decompressor(inflater)
        ZSTD_freeDCtx(zstd)
    }

    /// Appends the decompressed data of `member`, which must be exactly one data member. Appends exactly `raw` bytes, never more.
    /// - Returns: true if the member is intact. If not, `buffer` is unchanged.
    package func decode(_ member: UnsafeRawBufferPointer, raw: Int, to buffer: ByteBuffer) -> Bool {
        guard raw <= CapsuleLimits.memberRawLength else { return false }
        let start = buffer.count
        var isWhole = false
        buffer.append(capacity: max(raw, 1)) { output in
            let room = UnsafeMutableRawBufferPointer(rebasing: output[..<raw])
            isWhole =
                switch codec {
                case .gzip: inflate(member, to: room)
                case .zstd: decompress(member, to: room)
                }
            return raw
        }
        if !isWhole { buffer.truncate(to: start) }
        return isWhole
    }

    /// Returns the length that a member claims for its decompressed data, or nil if it is more than the limit.
    static func claimedLength(of member: UnsafeRawBufferPointer, codec: MemberCodec) -> Int? {
        let claimed: UInt64
        switch codec {
        case .gzip:
            guard member.count >= GzipMember.trailerLength else { return nil }
            claimed = UInt64(member.loadUnaligned(fromByteOffset: member.count - 4, as: UInt32.self).littleEndian)
        case .zstd:
            claimed = ZSTD_getFrameContentSize(member.baseAddress, member.count)
        }
        return claimed <= UInt64(CapsuleLimits.memberRawLength) ? Int(claimed) : nil
    }

    private func inflate(_ member: UnsafeRawBufferPointer, to output: UnsafeMutableRawBufferPointer) -> Bool {
        guard let header = try? GzipMember.parse(member), header.kind == .data, header.length == member.count else {
            return false
        }
        let stream = UnsafeRawBufferPointer(rebasing: member[header.payloadOffset..<member.count - GzipMember.trailerLength])
        var consumed = 0
        let status = libdeflate_deflate_decompress_ex(
            inflater, stream.baseAddress, stream.count, output.baseAddress, output.count, &consumed, nil)
        guard status == LIBDEFLATE_SUCCESS, consumed == stream.count else { return false }
        let crc = member.loadUnaligned(fromByteOffset: member.count - 8, as: UInt32.self).littleEndian
        let length = member.loadUnaligned(fromByteOffset: member.count - 4, as: UInt32.self).littleEndian
        return length == UInt32(output.count) && crc == libdeflate_crc32(0, output.baseAddress, output.count)
    }

    private func decompress(_ member: UnsafeRawBufferPointer, to output: UnsafeMutableRawBufferPointer) -> Bool {
        guard let header = try? SkippableFrame.parse(member), header.kind == .data, header.length == member.count,
            ZSTD_getFrameContentSize(member.baseAddress, member.count) == UInt64(output.count)
        else { return false }
        let length = ZSTD_decompressDCtx(zstd, output.baseAddress, output.count, member.baseAddress, member.count)
        return length == output.count
    }
}
