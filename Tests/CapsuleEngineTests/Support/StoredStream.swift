import CapsuleCore
import TestSupport

@testable import CapsuleArchive

/// Everything that any reader sees of a capsule: the bytes of its metadata and of its data members' headers, and what these decompress to. How a
/// compressor wrote a stretch is not a part of it.
struct StoredStream: Equatable {
    private var parts: [[UInt8]] = []

    init(_ bytes: [UInt8]) throws {
        let directory = try TemporaryDirectory()
        try Files.write(bytes, to: directory["capsule"])
        let capsule = try CapsuleReader(try CapsuleFile(opening: directory.host("capsule")))
        let reader = MemberReader(file: capsule.file, codec: capsule.codec)
        for footer in try capsule.footers() {
            for member in try SegmentCheck(capsule, footer).members {
                let place = Int(member.offset)..<Int(member.offset + member.length)
                guard member.kind == .data else { parts.append(Array(bytes[place])); continue }
                parts.append(Array(bytes[place].prefix(capsule.codec == .gzip ? GzipMember.dataOffset : 6)))
                parts.append(Array(try reader.bytes(of: member.reference)))
            }
            parts.append(Array(bytes[Int(footer.offset)..<Int(footer.end)]))
        }
    }

    /// Returns true if no reader sees a difference.
    static func isSame(_ bytes: [UInt8], as other: [UInt8]) -> Bool {
        guard bytes.count == other.count, let stream = try? StoredStream(bytes) else { return false }
        return stream == (try? StoredStream(other))
    }
}
