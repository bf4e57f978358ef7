import CDeflate
import CZstd

/// Decompresses data members. One for each thread.
package final class DataMemberDecoder {
    private let codec: MemberCodec
    private let inflater: OpaquePointer
    private let zstd: OpaquePointer

    package init(codec: MemberCodec) {
        guard let inflater = libdeflate_alloc_decompressor(), let zstd = ZSTD_createDCtx() else {
            fatalError("no memory for a decompressor")
        }
        self.codec = codec
        self.inflater = inflater
        self.zstd = zstd
    }

    deinit {
        libdeflate_free_decompressor(inflater)
        ZSTD_freeDCtx(zstd)
    }

    /// Appends what `member`, which must be exactly one data member, holds: exactly `raw` bytes, never more.
    ///
    /// - Returns: whether it was whole; if not, `buffer` is as before.
    package func decode(_ member: UnsafeRawBufferPointer, raw: Int, to buffer: ByteBuffer) -> Bool {
        guard raw <= CapsuleLimits.memberRawLength else { return false }
        let start = buffer.count
        var isWhole = false
        buffer.append(room: max(raw, 1)) { output in
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

    /// How many bytes a member says it holds; nil beyond what any may hold.
    func claimedLength(of member: UnsafeRawBufferPointer) -> Int? {
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
        guard ZSTD_findFrameCompressedSize(member.baseAddress, member.count) == member.count,
            ZSTD_getFrameContentSize(member.baseAddress, member.count) == UInt64(output.count)
        else { return false }
        let length = ZSTD_decompressDCtx(zstd, output.baseAddress, output.count, member.baseAddress, member.count)
        return length == output.count
    }
}
