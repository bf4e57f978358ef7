import CapsuleArchive
import CapsuleCore

/// What a job made.
struct PackedStretch: Sendable {
    let job: PackJob
    var members: [EncodedMember] = []
    /// The members' bytes.
    let buffer: ByteBuffer
    var files: [PackedFile] = []
    /// Data members that the capsule has already, of which the extents speak behind ``members``.
    private(set) var stored: [MemberReference] = []
    /// The files' extents, one file's behind the other's, in terms of ``members`` and ``stored`` from 1 on.
    private(set) var extents: [Extent] = []

    init(job: PackJob, buffer: ByteBuffer) {
        self.job = job
        self.buffer = buffer
    }

    /// Turns pieces, of which some lie in the stream that ``members`` hold, into extents; one that members cut becomes several.
    ///
    /// The files counted pieces; from here on they count extents.
    mutating func locate(_ pieces: [StreamPiece]) {
        var counts: [Int] = []
        var cursor = MemberCursor()
        for piece in pieces {
            let before = extents.count
            switch piece.source {
            case .stream(let place):
                cursor.locate(place, piece.length, in: members) { extents.append($0) }
            case .zeros:
                extents.append(Extent(member: 0, inner: 0, length: piece.length))
            case .stored(let member, let inner):
                if stored.last != member { stored.append(member) }
                extents.append(
                    Extent(member: UInt32(members.count + stored.count), inner: inner, length: piece.length))
            }
            counts.append(extents.count - before)
        }
        var next = counts[...]
        for number in files.indices {
            let own = next.prefix(files[number].extents)
            next = next.dropFirst(files[number].extents)
            files[number].extents = own.reduce(0, +)
        }
    }
}

/// Goes along a stretch's members with the places in its stream.
private struct MemberCursor {
    private var member = 0
    private var start = 0

    /// Cuts a piece, which lies behind those before, where members end.
    mutating func locate(_ place: Int, _ length: UInt64, in members: [EncodedMember], _ found: (Extent) -> Void) {
        var place = place
        var rest = Int(length)
        while rest > 0 {
            while place >= start + Int(members[member].raw) {
                start += Int(members[member].raw)
                member += 1
            }
            let inner = place - start
            let own = min(rest, Int(members[member].raw) - inner)
            found(Extent(member: UInt32(member + 1), inner: UInt32(inner), length: UInt64(own)))
            place += own
            rest -= own
        }
    }
}
