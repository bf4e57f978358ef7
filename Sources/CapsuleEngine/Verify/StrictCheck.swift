import CapsuleArchive
import CapsuleContainers
import CapsuleCore
import CapsuleSystem

/// Makes the first version's tar stream again from its index and compares it with the stored one. Also checks that every member
/// of a version is used.
struct StrictCheck {
    private let version: StoredVersion
    private let segment: SegmentCheck
    private let reader: MemberReader

    init(_ version: StoredVersion, _ segment: SegmentCheck) {
        self.version = version
        self.segment = segment
        reader = MemberReader(file: version.capsule.file, codec: version.capsule.codec)
    }

    func run() throws(CapsuleError) -> [String] {
        if segment.problem != nil { return [] }
        var problems: [String] = []
        let stream = segment.members.prefix { $0.kind == .data }
        if stream.count < segment.members.count {
            problems += checkMetadata(segment.members[stream.count...])
        }
        if version.footer.previous == nil {
            problems += try compareStream(Array(stream))
        } else {
            problems += findUnused(Array(stream))
        }
        return problems
    }

    /// Checks that exactly the blocks, the root and the manifest follow the data, in this order.
    private func checkMetadata(_ members: ArraySlice<SegmentCheck.Member>) -> [String] {
        var at = members.first?.offset ?? version.footer.offset
        var problems: [String] = []
        for block in version.root.blocks where block.offset >= version.footer.segmentStart {
            if block.offset != at { problems.append("the bytes at \(at) are not a block of the index") }
            at = block.offset + UInt64(block.stored)
        }
        if version.footer.root.offset != at { problems.append("the bytes at \(at) are not a block of the index") }
        return problems
    }

    /// Finds data members of a later version that its entries don't use.
    private func findUnused(_ members: [SegmentCheck.Member]) -> [String] {
        var used: Set<UInt64> = []
        for number in version.entries.indices {
            for placed in version.content.extents(of: number) {
                if let member = placed.member { used.insert(member.offset) }
            }
        }
        return members.filter { !used.contains($0.offset) }.map { "nothing uses the data at byte \($0.offset)" }
    }

    private func compareStream(_ members: [SegmentCheck.Member]) throws(CapsuleError) -> [String] {
        var stream = StoredStream(members, reader)
        let names = TarPaths(name: version.manifest.name, layout: version.manifest.layout)
        let header = ByteBuffer(capacity: 8_192)
        for number in names.order(of: version.entries, where: { version.entries[$0].root != .carried }) {
            try CapsuleError.checkInterruption()
            let entry = version.entries[Int(number)]
            let map = holes(of: entry, Int(number))
            header.removeAll()
            TarHeader.append(entry, path: names.path(of: entry), map: map, to: header)
            guard try stream.skip(header.bytes) else {
                let name = entry.path == .root ? "the top directory" : "\(entry.path)"
                return ["the header of \(name) in the tar stream does not match the index"]
            }
            for placed in version.content.extents(of: Int(number)) where placed.member != nil {
                guard try stream.skip(placed.extent) else {
                    return ["the content of \(entry.path) is not at its place in the tar stream"]
                }
            }
            guard try stream.skipZeros(TarHeader.padding(after: map.storedLength)) else {
                return ["the padding of \(entry.path) in the tar stream is not zeros"]
            }
        }
        guard try stream.skipZeros(2 * TarHeader.blockLength),
            try stream.skipMember(holding: CapsuleFormat.zeroMemberLength)
        else { return ["the tar stream does not end with two zero blocks and the zero member"] }
        return try compareCarried(&stream)
    }

    /// Checks that the zeros are followed by the contents beside the tree in an overlay capsule, in the order of the index, and
    /// by nothing in any other.
    private func compareCarried(_ stream: inout StoredStream) throws(CapsuleError) -> [String] {
        for number in version.entries.indices where version.entries[number].root == .carried {
            try CapsuleError.checkInterruption()
            for placed in version.content.extents(of: number) where placed.member != nil {
                guard try stream.skip(placed.extent) else {
                    return ["the content \(version.entries[number].path) is not at its place"]
                }
            }
        }
        return stream.isAtEnd ? [] : ["nothing uses the data at the end of the segment"]
    }

    private func holes(of entry: TreeEntry, _ number: Int) -> SparseMap {
        var map = SparseMap(size: entry.kind.hasContent ? entry.size : 0)
        for placed in version.content.extents(of: number) where placed.member == nil { map.addHole(placed.range) }
        return map
    }
}

/// A cursor in the tar stream that a segment's data members contain.
private struct StoredStream {
    private let members: [SegmentCheck.Member]
    private let reader: MemberReader
    private var number = 0
    private var current: MemberReference?
    private var inner = 0

    init(_ members: [SegmentCheck.Member], _ reader: MemberReader) {
        self.members = members
        self.reader = reader
    }

    var isAtEnd: Bool {
        number == members.count || (number + 1 == members.count && current.map { inner == Int($0.raw) } ?? false)
    }

    /// Returns false if the stream has others.
    mutating func skip(_ bytes: UnsafeRawBufferPointer) throws(CapsuleError) -> Bool {
        try skip(bytes.count) { stored, place in
            RawBytes.areEqual(stored, UnsafeRawBufferPointer(rebasing: bytes[place..<place + stored.count]))
        }
    }

    /// Returns false if the stream has other bytes.
    mutating func skipZeros(_ count: Int) throws(CapsuleError) -> Bool {
        try skip(count) { stored, _ in SparseMap.isZeros(stored) }
    }

    /// Returns false if they are not exactly here.
    mutating func skip(_ extent: StoredExtent) throws(CapsuleError) -> Bool {
        guard let here = memberHere(), here == extent.member, inner == Int(extent.inner) else { return false }
        inner += Int(extent.length)
        return inner <= Int(here.raw)
    }

    /// Skips the next member. Returns false unless it contains exactly this number of zeros and begins at the cursor.
    mutating func skipMember(holding zeros: Int) throws(CapsuleError) -> Bool {
        guard let before = current, inner == Int(before.raw), let member = memberHere(), Int(member.raw) == zeros else {
            return false
        }
        return try skipZeros(zeros)
    }

    private mutating func skip(
        _ count: Int, _ isExpected: (_ stored: UnsafeRawBufferPointer, _ place: Int) -> Bool
    ) throws(CapsuleError) -> Bool {
        var done = 0
        while done < count {
            guard let member = memberHere() else { return false }
            let bytes = try reader.bytes(of: member)
            let length = min(count - done, bytes.count - inner)
            guard isExpected(UnsafeRawBufferPointer(rebasing: bytes[inner..<inner + length]), done) else { return false }
            inner += length
            done += length
        }
        return true
    }

    /// Returns the member at the cursor, which has bytes left; nil at the end, or if there is no data member.
    private mutating func memberHere() -> MemberReference? {
        if let current, inner < Int(current.raw) { return current }
        if current != nil { number += 1 }
        current = nil
        inner = 0
        guard number < members.count else { return nil }
        let member = members[number].reference
        current = member.raw > 0 ? member : nil
        return current
    }
}
