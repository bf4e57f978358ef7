import CDeflate
import CZstd
package import CapsuleCore
import CapsuleHashing

/// Compresses parts of a stream into data members. Each thread needs its own encoder.
package final class DataMemberEncoder {
    /// The compression level. If it is nil, the levels that measured best are used: gzip 1 for members of a large file, gzip 4
    /// for groups of small entries, and zstd 3.
    package struct Level: Sendable {
        let explicit: Int32?

        package init(_ level: Int?) {
            explicit = level.map { Int32(clamping: $0) }
        }

        var largeFiles: Int32 { explicit ?? 1 }
        var groups: Int32 { explicit ?? 4 }
        var zstd: Int32 { explicit ?? 3 }
    }

    /// The form of the members.
    package enum Framing: Sendable {
        /// Members of a capsule, which contain their kind and length.
        case capsule
        /// Members of an ordinary gzip file or frames of an ordinary zstd file, for plain archives.
        case plain
    }

    private let codec: MemberCodec
    private let level: Level
    private let framing: Framing
    private var deflaters: [Int32: Deflater] = [:]
    private let zstd: ZstdCompressor?
    private var hasher = SHA256Hasher()

    package init(codec: MemberCodec, level: Level, framing: Framing = .capsule) {
        self.codec = codec
        self.level = level
        self.framing = framing
        zstd = codec == .zstd ? ZstdCompressor(level: level.zstd) : nil
    }

    /// Appends the members that contain `stream`: one, or with gzip several if it has incompressible runs, which are stored.
    ///
    /// - Parameter isLargeFile: true if the bytes belong to one large file, false for a group of entries.
    package func encode(_ stream: UnsafeRawBufferPointer, isLargeFile: Bool, to buffer: ByteBuffer) -> [EncodedMember] {
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
        return EncodedMember(
            stored: UInt32(member.count), raw: UInt32(raw), digest: hasher.digest(of: member))
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
    /// The number of bytes of the member in the file.
    package let stored: UInt32
    /// The number of bytes of the stream that it contains.
    package let raw: UInt32
    /// The digest of the member's own bytes, which is part of the segment digest.
    package let digest: ContentDigest
}

/// Decompresses data members. Each thread needs its own decoder.
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

    /// Appends the decompressed data of `member`, which must be exactly one data member. Appends exactly `raw` bytes, never more.
    ///
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
