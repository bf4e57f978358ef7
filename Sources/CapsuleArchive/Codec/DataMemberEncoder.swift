import CDeflate
import CZstd
import CapsuleCore
import CapsuleHashing

/// Compresses stretches of a stream into data members. One for each thread.
package final class DataMemberEncoder {
    /// How hard to compress; nil is what measured best: gzip 1 for a large file's members and 4 for groups of small entries,
    /// zstd 3.
    package struct Level: Sendable {
        let explicit: Int32?

        package init(_ level: Int?) {
            explicit = level.map { Int32(clamping: $0) }
        }

        var largeFiles: Int32 { explicit ?? 1 }
        var groups: Int32 { explicit ?? 4 }
        var zstd: Int32 { explicit ?? 3 }
    }

    /// Whether members say what they are.
    package enum Framing: Sendable {
        /// As a capsule's members.
        case capsule
        /// As any gzip or zstd file's: for plain archives.
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

    /// Appends the members that hold `stream`: one, or with gzip several where incompressible runs are stored as they are.
    ///
    /// - Parameter isLargeFile: whether the stretch is of one large file, not of a group.
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
