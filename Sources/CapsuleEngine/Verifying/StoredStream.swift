import CapsuleArchive
import CapsuleCore

/// The tar stream that a segment's data members hold, gone through from its start.
struct StoredStream {
    private let members: [SegmentCheck.Member]
    private let reader: MemberReader
    private var number = 0
    /// What the member under the cursor holds.
    private var current: MemberReference?
    private var inner = 0

    init(_ members: [SegmentCheck.Member], _ reader: MemberReader) {
        self.members = members
        self.reader = reader
    }

    /// Whether all is gone through.
    var isAtEnd: Bool {
        number == members.count || (number + 1 == members.count && current.map { inner == Int($0.raw) } ?? false)
    }

    /// Goes past bytes that must be these.
    mutating func skip(_ bytes: UnsafeRawBufferPointer) throws(CapsuleError) -> Bool {
        try skip(bytes.count) { stored, place in
            RawBytes.areEqual(stored, UnsafeRawBufferPointer(rebasing: bytes[place..<place + stored.count]))
        }
    }

    /// Goes past so many zeros.
    mutating func skipZeros(_ count: Int) throws(CapsuleError) -> Bool {
        try skip(count) { stored, _ in SparseMap.isZeros(stored) }
    }

    /// Goes past a stretch that must lie just here.
    mutating func skip(_ extent: Extent, in member: MemberReference) throws(CapsuleError) -> Bool {
        guard let here = try memberHere(), here == member, inner == Int(extent.inner) else { return false }
        inner += Int(extent.length)
        return inner <= Int(member.raw)
    }

    /// Goes past the next member, which must hold so many zeros and nothing else, and behind which a member begins or none.
    mutating func skipMember(holding zeros: Int) throws(CapsuleError) -> Bool {
        guard let before = current, inner == Int(before.raw), let member = try memberHere(), Int(member.raw) == zeros else {
            return false
        }
        return try skipZeros(zeros)
    }

    private mutating func skip(
        _ count: Int, _ isExpected: (_ stored: UnsafeRawBufferPointer, _ place: Int) -> Bool
    ) throws(CapsuleError) -> Bool {
        var done = 0
        while done < count {
            guard let member = try memberHere() else { return false }
            let bytes = try CapsuleError.wrappingArchive { () throws(ArchiveError) in try reader.bytes(of: member) }
            let length = min(count - done, bytes.count - inner)
            guard isExpected(UnsafeRawBufferPointer(rebasing: bytes[inner..<inner + length]), done) else { return false }
            inner += length
            done += length
        }
        return true
    }

    /// The member under the cursor, with something left in it; nil at the end, or where no data member is.
    private mutating func memberHere() throws(CapsuleError) -> MemberReference? {
        if let current, inner < Int(current.raw) { return current }
        if current != nil { number += 1 }
        current = nil
        inner = 0
        guard number < members.count else { return nil }
        let place = members[number]
        current = try CapsuleError.wrappingArchive { () throws(ArchiveError) in
            try reader.reference(offset: place.offset, stored: UInt32(truncatingIfNeeded: place.length))
        }
        return current
    }
}
