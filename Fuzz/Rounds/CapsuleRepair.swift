import CDeflate
import CapsuleArchive
import CapsuleCore
import CapsuleHashing
import CapsuleSystem

/// Rewrites a capsule with lengths, offsets, checksums and digests that match its changed members (docs/format.md). Readers then
/// read the changed content instead of only finding that a checksum is wrong. Supports the codec gzip only.
package struct CapsuleRepair {
    /// The ten bytes that begin each member. Each place where they occur counts as the beginning of a member.
    private static let start: [UInt8] = [0x1F, 0x8B, 8, 4, 0, 0, 0, 0, 0, 0xFF]
    private static let footerLength = 240

    /// Digests and totals of the entries of one index.
    private struct Sums {
        let tree: ContentDigest
        let content: ContentDigest
        let entries: UInt64
        let bytes: UInt64
    }

    /// The offset and length of bytes that a footer or an index refers to.
    private struct Place {
        var offset = 0
        var length = 0
        var digest = ContentDigest.zero
        /// The likeness of a block.
        var likeness: [UInt8] = []
    }

    private let sums: [Sums?]
    private var output: [UInt8] = []
    /// The data members and index blocks, by their old offsets.
    private var places: [UInt64: Place] = [:]
    private var root = Place()
    private var manifest = Place()
    private var segment: [UInt8] = []
    private var segmentStart = 0
    private var footers: [Place] = []
    private var versions = 0

    /// - Returns: nil if the input has no footer or does not use gzip.
    package static func repaired(_ bytes: [UInt8]) -> [UInt8]? {
        guard let repaired = CapsuleRepair(bytes, sums: []) else { return nil }
        return CapsuleRepair(bytes, sums: sums(of: repaired.output))?.output
    }

    private init?(_ bytes: [UInt8], sums: [Sums?]) {
        self.sums = sums
        var places = bytes.indices.filter { bytes[$0] == Self.start[0] && bytes[$0...].starts(with: Self.start) }
        guard places.first == 0 else { return nil }
        places.append(bytes.count)
        for (from, to) in zip(places, places.dropFirst()) { append(Array(bytes[from..<to]), from: UInt64(from)) }
        if footers.isEmpty { return nil }
    }

    /// The digests and totals of each version's index, oldest first; nil for an index that can't be read.
    private static func sums(of bytes: [UInt8]) -> [Sums?] {
        guard let input = InputFile(bytes, named: "repaired") else { return [] }
        defer { input.remove() }
        guard let file = try? CapsuleFile(opening: input.path), let capsule = try? CapsuleReader(file) else { return [] }
        return capsule.readableFooters().footers.reversed().map { footer in
            guard let root = try? capsule.root(of: footer), let blocks = try? root.blocks.map(capsule.block) else { return nil }
            let entries = blocks.flatMap(\.entries)
            return Sums(
                tree: TreeDigester.digest(of: entries, .tree), content: TreeDigester.digest(of: entries, .content),
                entries: root.entries, bytes: entries.reduce(0) { $0 &+ $1.size })
        }
    }

    // MARK: Members

    private mutating func append(_ member: [UInt8], from offset: UInt64) {
        guard member.count >= 30, member[16] == UInt8(ascii: "D") || member.count >= 35 else { return append(member: member) }
        let kind = member[16]
        switch kind {
        case UInt8(ascii: "D"):
            let start = output.count
            appendData(Array(member[21..<member.count - 8]))
            places[offset] = Place(offset: start, length: output.count - start)
        case UInt8(ascii: "F"): appendFooter(Array(member[21..<member.count - 10]))
        default:
            var raw = Self.raw(Array(member[25..<member.count - 10]))
            if kind == UInt8(ascii: "B") { repairBlock(&raw) }
            if kind == UInt8(ascii: "I") { repairRoot(&raw) }
            if kind == UInt8(ascii: "M") { repairManifest(&raw) }
            var place = Place(offset: output.count, length: 44 + raw.count, digest: SHA256Hasher.digest(of: raw))
            if kind == UInt8(ascii: "B") { BlockLikeness(of: raw)?.append(to: &place.likeness) }
            switch kind {
            case UInt8(ascii: "B"): places[offset] = place
            case UInt8(ascii: "I"): root = place
            default: manifest = place
            }
            append(kind, [0, 0, 1, 0, 0] + Self.integer(UInt64(raw.count)) + raw)
        }
    }

    private mutating func appendData(_ stream: [UInt8]) {
        let raw = CompressedData.inflate(stream, limit: 1 << 20) ?? []
        let sum = raw.withUnsafeBytes { libdeflate_crc32(0, $0.baseAddress, $0.count) }
        let start = output.count
        append(UInt8(ascii: "D"), [], stream, Self.integer(sum) + Self.integer(UInt32(raw.count)))
        segment += [UInt8(ascii: "D")] + Self.integer(UInt64(start)) + Self.integer(UInt32(output.count - start))
        segment += Self.integer(UInt32(raw.count)) + Self.integer(sum)
    }

    /// - Parameters:
    ///   - extra: the bytes of the extra field that follow the member's length.
    ///   - stream: the deflate stream.
    private mutating func append(
        _ kind: UInt8, _ extra: [UInt8], _ stream: [UInt8] = [3, 0], _ trailer: [UInt8] = [UInt8](repeating: 0, count: 8)
    ) {
        let tag = Self.integer(UInt16(truncatingIfNeeded: 5 + extra.count))
        var member = Self.start + Self.integer(UInt16(truncatingIfNeeded: 9 + extra.count)) + Array("CP".utf8) + tag + [kind]
        member += Self.integer(UInt32(member.count + 4 + extra.count + stream.count + trailer.count)) + extra + stream + trailer
        append(member: member)
        if kind != UInt8(ascii: "D") { segment += [kind] + Self.bytes(of: SHA256Hasher.digest(of: member)) }
    }

    private mutating func append(member: [UInt8]) { output += member }

    /// The decoded bytes of a payload; its coded bytes if they can't be decoded.
    private static func raw(_ payload: [UInt8]) -> [UInt8] {
        let coded = Array(payload.dropFirst(9))
        return payload.first == 1 ? CompressedData.inflate(coded, limit: 1 << 20) ?? coded : coded
    }

    // MARK: References between members

    /// Returns a block whose last column has the new offsets of its data.
    private func repairBlock(_ raw: inout [UInt8]) {
        var at = 0
        while at + 6 <= raw.count {
            let id = Self.integer(2, at: at, in: raw)
            let end = UInt64(at + 6) + Self.integer(4, at: at + 2, in: raw)
            guard end <= raw.count else { return }
            if id == 12 {
                // The count comes first.
                at = (raw[(at + 6)...].firstIndex { $0 < 0x80 } ?? raw.count) + 1
                while at + 16 <= Int(end) {
                    _ = repairPlace(at: at, in: &raw)
                    at += 16
                }
            }
            at = Int(end)
        }
    }

    /// Writes the new offset and length over the old ones of the same bytes.
    private func repairPlace(at: Int, in raw: inout [UInt8]) -> Place? {
        guard let place = places[Self.integer(8, at: at, in: raw)] else { return nil }
        Self.put(Self.integer(UInt64(place.offset)) + Self.integer(UInt32(place.length)), at: at, in: &raw)
        return place
    }

    /// A table of blocks.
    private func repairRoot(_ raw: inout [UInt8]) {
        if let sums = sums.dropFirst(versions).first ?? nil {
            Self.put(Self.bytes(of: sums.tree) + Self.bytes(of: sums.content), at: 6, in: &raw)
            Self.put(Self.integer(sums.entries) + Self.integer(sums.bytes), at: 70, in: &raw)
        }
        var at = 90
        while at + 82 <= raw.count {
            if let block = repairPlace(at: at, in: &raw) {
                Self.put(Self.bytes(of: block.digest) + block.likeness, at: at + 16, in: &raw)
            }
            // Paths are short here: their lengths take one byte.
            at += 82 + Int(raw[at + 81])
        }
    }

    private func repairManifest(_ raw: inout [UInt8]) {
        Self.put(root.digest.hex, for: "IndexDigest", in: &raw)
        guard let sums = sums.dropFirst(versions).first ?? nil else { return }
        Self.put(sums.tree.hex, for: "TreeDigest", in: &raw)
        Self.put(sums.content.hex, for: "ContentDigest", in: &raw)
        Self.put(String(sums.entries), for: "Entries", in: &raw)
        Self.put(String(sums.bytes), for: "Bytes", in: &raw)
    }

    private mutating func appendFooter(_ payload: [UInt8]) {
        var footer = Array(payload.prefix(Self.footerLength))
        footer += [UInt8](repeating: 0, count: Self.footerLength - footer.count)
        let own = output.count
        let isLabel = footer[13] & 2 != 0
        if isLabel { root = Place(offset: segmentStart) } else { versions += 1 }
        Self.put(Self.integer(UInt64(own)) + Self.integer(UInt64(segmentStart)), at: 16, in: &footer)
        for (at, place) in [(40, root), (88, manifest)] {
            let span = Self.integer(UInt64(place.offset)) + Self.integer(UInt64(place.length))
            Self.put(span + Self.bytes(of: place.digest), at: at, in: &footer)
        }
        let previous = footers.last.map { Self.integer(UInt64($0.offset)) + Self.bytes(of: $0.digest) }
        Self.put(previous ?? Self.integer(UInt64.max) + [UInt8](repeating: 0, count: 32), at: 136, in: &footer)
        Self.put(Self.bytes(of: SHA256Hasher.digest(of: segment)), at: 176, in: &footer)
        Self.put(Self.bytes(of: SHA256Hasher.digest(of: Array(footer.prefix(208)))), at: 208, in: &footer)
        append(UInt8(ascii: "F"), footer)
        footers.append(Place(offset: own, length: footer.count, digest: SHA256Hasher.digest(of: footer)))
        (segment, segmentStart) = ([], output.count)
    }

    // MARK: Bytes

    private static func integer(_ value: some FixedWidthInteger) -> [UInt8] {
        withUnsafeBytes(of: value.littleEndian) { Array($0) }
    }

    private static func integer(_ count: Int, at place: Int, in bytes: [UInt8]) -> UInt64 {
        (0..<count).reduce(0) { $0 | UInt64(bytes[place + $1]) << (8 * $1) }
    }

    private static func bytes(of digest: ContentDigest) -> [UInt8] { digest.withBytes { Array($0) } }

    private static func put(_ new: [UInt8], at place: Int, in bytes: inout [UInt8]) {
        guard place + new.count <= bytes.count else { return }
        bytes.replaceSubrange(place..<place + new.count, with: new)
    }

    /// Replaces the text between the tags of a key's value.
    private static func put(_ text: String, for key: String, in document: inout [UInt8]) {
        let name = Array("<key>\(key)</key>".utf8)
        guard let found = document.indices.first(where: { document[$0...].starts(with: name) }),
            let start = document[(found + name.count)...].firstIndex(of: UInt8(ascii: ">")),
            let end = document[start...].firstIndex(of: UInt8(ascii: "<"))
        else { return }
        document.replaceSubrange(start + 1..<end, with: text.utf8)
    }
}
