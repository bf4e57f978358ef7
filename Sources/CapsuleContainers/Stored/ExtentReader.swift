package import CapsuleArchive
import CapsuleCore
import CapsuleSystem

/// Reads a version's files by their extents, through the member reader of one thread. If extents alternate between more members
/// than the member reader keeps, they are gathered: for each stretch of a file, each member is decompressed once. So the work of
/// reading a file is bounded by its size, whatever a foreign index says.
final class ExtentReader {
    // The content is not stored here, because it keeps readers.
    private let extents: ExtentTable
    private let members: MemberReader
    private let gathered = ByteBuffer(capacity: 0)

    private static let rangeLength: UInt64 = 1 << 20
    /// The number of bytes that may be decompressed for each byte of a stretch. A version adds few members to a stretch of a file,
    /// so only a file with thousands of versions that each changed all of it reaches this limit.
    private static let mostWork: UInt64 = 4_096
    /// The number of bytes that may be decompressed for any stretch, however short.
    private static let leastWork: UInt64 = 16 << 20

    init(_ extents: ExtentTable, _ members: MemberReader) {
        self.extents = extents
        self.members = members
    }

    func forEachPiece(
        of number: Int, in range: Range<UInt64>, _ body: PieceAction
    ) throws(CapsuleError) {
        let extents = extents.extents(of: number)
        if members.file.isRemote {
            let read = extents.from(range.lowerBound).prefix { $0.offset < range.upperBound }
            try members.file.fetch(read.compactMap { $0.member?.range })
        }
        var at = extents.from(range.lowerBound).startIndex
        while at < extents.endIndex, extents[at].offset < range.upperBound {
            try CapsuleError.checkInterruption()
            if extents[at].member == nil {
                let zeros = extents[at].range.clamped(to: range)
                try body(zeros.lowerBound, zeros.length, nil)
                at += 1
                continue
            }
            let stretch = ExtentRun(of: extents, from: at, in: range)
            if stretch.changesMembersOften {
                let bytes = try gather(stretch, of: extents)
                try body(stretch.range.lowerBound, UInt64(bytes.count), bytes)
            } else {
                for index in stretch.indices {
                    try CapsuleError.checkInterruption()
                    let (part, bytes) = try read(extents[index], in: range)
                    try body(part.lowerBound, UInt64(bytes.count), bytes)
                }
            }
            at = stretch.indices.upperBound
        }
    }

    private func read(
        _ placed: PlacedExtent, in range: Range<UInt64>
    ) throws(CapsuleError) -> (part: Range<UInt64>, bytes: UnsafeRawBufferPointer) {
        let part = placed.range.clamped(to: range)
        if placed.member == nil { return (part, UnsafeRawBufferPointer(start: nil, count: 0)) }
        let bytes = try members.bytes(of: placed.extent)
        let inner = Int(part.lowerBound - placed.offset)
        return (part, UnsafeRawBufferPointer(rebasing: bytes[inner..<inner + Int(part.length)]))
    }

    private func gather(_ stretch: ExtentRun, of extents: FileExtents) throws(CapsuleError) -> UnsafeRawBufferPointer {
        var order = stretch.indices.map { (place: extents[$0].member?.offset ?? 0, index: $0) }
        order.sort { ($0.place, $0.index) < ($1.place, $1.index) }
        let length = stretch.range.length
        let limit = Self.leastWork + Self.mostWork * length
        var work: UInt64 = 0
        var last: MemberReference?
        gathered.removeAll()
        try gathered.append(capacity: Int(length)) { (room) throws(CapsuleError) in
            for (_, index) in order {
                try CapsuleError.checkInterruption()
                let placed = extents[index]
                if placed.member != last {
                    last = placed.member
                    work += UInt64(placed.member?.raw ?? 0)
                    guard work <= limit else {
                        throw CapsuleError(
                            "\(length) bytes of one file are spread over more than \(limit >> 20) MiB of data, more than any valid capsule has",
                            path: members.file.path, hint: "'capsule verify \(members.file.path.shellWord)' names the file")
                    }
                }
                let (part, bytes) = try read(placed, in: stretch.range)
                let start = Int(part.lowerBound - stretch.range.lowerBound)
                UnsafeMutableRawBufferPointer(rebasing: room[start..<start + bytes.count]).copyMemory(from: bytes)
            }
            return Int(length)
        }
        return gathered.bytes
    }

    /// Consecutive stored extents, at most as much of a file as is gathered at once.
    private struct ExtentRun {
        let indices: Range<Int>
        let range: Range<UInt64>
        let changesMembersOften: Bool

        init(of extents: FileExtents, from first: Int, in range: Range<UInt64>) {
            let start = max(extents[first].offset, range.lowerBound)
            var end = start
            var index = first
            var known: [MemberReference] = []
            var last: MemberReference?
            var changes = 0
            while index < extents.endIndex, end < range.upperBound, end - start < ExtentReader.rangeLength {
                let placed = extents[index]
                guard let member = placed.member else { break }
                if last != member {
                    last = member
                    changes += 1
                    if !known.contains(member), known.count <= MemberReader.mostKept { known.append(member) }
                }
                end = min(range.upperBound, placed.range.upperBound)
                index += 1
            }
            indices = first..<index
            self.range = start..<end
            changesMembersOften = known.count > MemberReader.mostKept && changes > known.count
        }
    }
}

/// The extents of all files of a version.
package struct ExtentTable: Sendable {
    /// For each entry, the position of its first extent. The end of the last entry's extents follows.
    private var starts: [UInt32] = [0]
    /// For each extent, its end in the file, for a search by offset.
    private var ends: [UInt64] = []
    private var places: [MemberOffset] = []
    private var members: [MemberReference] = []

    private struct MemberOffset {
        /// 0 for zeros, n for the n-th of all members.
        let member: UInt32
        let inner: UInt32
    }

    package init(entries: Int) {
        starts.reserveCapacity(entries + 1)
    }

    package mutating func append(_ block: IndexBlock) {
        let base = UInt32(members.count)
        for number in block.entries.indices {
            var end: UInt64 = 0
            for extent in block.extents(of: number) {
                end += extent.length
                ends.append(end)
                places.append(MemberOffset(member: extent.isZeros ? 0 : extent.member + base, inner: extent.inner))
            }
            starts.append(UInt32(ends.count))
        }
        members += block.members
    }

    package func extents(of number: Int) -> FileExtents {
        FileExtents(table: self, startIndex: Int(starts[number]), endIndex: Int(starts[number + 1]))
    }

    func placed(_ index: Int, start: Int) -> PlacedExtent {
        let offset = index == start ? 0 : ends[index - 1]
        let place = places[index]
        let member = place.member == 0 ? nil : members[Int(place.member) - 1]
        return PlacedExtent(
            offset: offset, extent: StoredExtent(member: member, inner: place.inner, length: ends[index] - offset))
    }

    func end(_ index: Int) -> UInt64 { ends[index] }
}

/// The extents of one file, in order.
package struct FileExtents: RandomAccessCollection, Sendable {
    let table: ExtentTable
    package let startIndex: Int
    package let endIndex: Int

    package subscript(index: Int) -> PlacedExtent { table.placed(index, start: startIndex) }

    package func from(_ offset: UInt64) -> Slice<FileExtents> {
        self[(startIndex..<endIndex).indexOfFirst(notBefore: { table.end($0) <= offset })...]
    }
}

/// An extent with its offset in the file.
package struct PlacedExtent: Sendable {
    package let offset: UInt64
    package let extent: StoredExtent

    package var member: MemberReference? { extent.member }
    package var range: Range<UInt64> { offset..<offset + extent.length }
}
