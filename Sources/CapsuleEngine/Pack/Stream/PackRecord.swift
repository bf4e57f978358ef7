import CapsuleArchive
import CapsuleCore
import CapsuleFileSystem

/// Keeps what becomes of the entries while they are packed; what is packed again overwrites what was.
final class PackRecord {
    private let entries: EntryTable
    private let isArchive: Bool
    private let cache: StatCacheSession?
    private var ranges: [Range<UInt32>]
    private var extents: [Extent] = []
    /// What ``extents`` speak of, from 1 on.
    private var members: [MemberReference] = []
    /// Those of earlier versions, by where they are.
    private var stored: [MemberReference: UInt32] = [:]
    /// Which file of this version brought a content.
    private var owners: [ContentDigest: Int] = [:]
    private(set) var omissions: [Int: String] = [:]
    private var changing: Set<Int> = []
    private var longAttributes: [Int: [[UInt8]]] = [:]
    var report = ProgressReport()

    init(_ plan: PackPlan, cache: StatCacheSession?) {
        entries = plan.entries
        isArchive = plan.isArchive
        self.cache = cache
        ranges = Array(repeating: 0..<0, count: entries.count)
        extents.reserveCapacity(entries.count)
        for number in plan.order where entries[Int(number)].kind.hasContent {
            report.totalFiles += 1
            report.totalBytes += entries[Int(number)].size
        }
    }

    /// Notes a file that is taken though it changed while it was read.
    func accept(changing entry: Int) {
        changing.insert(entry)
    }

    /// A content that a file of the stretch has from another file, which has not been packed with it.
    func disowned(in stretch: PackedStretch) -> ContentDigest? {
        var own: Set<ContentDigest> = []
        for file in stretch.files {
            guard let digest = file.outcome.digest else { continue }
            if !file.isDuplicate {
                own.insert(digest)
            } else if !own.contains(digest), owners[digest].map({ entries[$0].digest == digest }) != true {
                return digest
            }
        }
        return nil
    }

    /// Notes where the capsule has an entry's content, which need not be read.
    func place(_ number: Int, at found: [StoredExtent]) {
        let start = UInt32(extents.count)
        for extent in found {
            extents.append(
                Extent(member: extent.member.map { self.number(of: $0) } ?? 0, inner: extent.inner, length: extent.length))
        }
        ranges[number] = start..<UInt32(extents.count)
    }

    private func number(of member: MemberReference) -> UInt32 {
        if let known = stored[member] { return known }
        members.append(member)
        let number = UInt32(members.count)
        stored[member] = number
        return number
    }

    /// Takes over what became of the files of a stretch.
    ///
    /// - Parameter written: the stretch's own members, as they came to lie in the file.
    func note(_ stretch: PackedStretch, members written: ArraySlice<MemberReference>) {
        let base = UInt32(members.count)
        members += written
        let numbers = stretch.stored.map { number(of: $0) }
        var rest = stretch.extents[...]
        for file in stretch.files {
            let own = rest.prefix(file.extents)
            rest = rest.dropFirst(file.extents)
            let start = UInt32(extents.count)
            for extent in own {
                var placed = extent
                if !extent.isZeros {
                    let isOwn = Int(extent.member) <= written.count
                    placed.member = isOwn ? base + extent.member : numbers[Int(extent.member) - written.count - 1]
                }
                extents.append(placed)
            }
            let end = UInt32(extents.count)
            if case .slice(_, let number) = stretch.job, number > 0 {
                // Slices of one file come one behind the other.
                ranges[file.entry] = ranges[file.entry].lowerBound..<end
            } else {
                ranges[file.entry] = start..<end
            }
            report.bytes += own.reduce(0) { $0 + $1.length }
            note(file)
            if !isArchive { noteOwner(file) }
        }
    }

    private func noteOwner(_ file: PackedFile) {
        guard let digest = file.outcome.digest else { return }
        if !file.isDuplicate {
            owners[digest] = file.entry
        } else if let owner = owners[digest] {
            ranges[file.entry] = ranges[owner]
            report.bytes += entries[file.entry].size
        }
    }

    private func note(_ file: PackedFile) {
        let number = file.entry
        switch file.outcome {
        case .stored(let status, let digest), .changing(let status, let digest):
            entries.update(number) { entry in
                entry.size = status.size
                entry.mode = status.mode
                entry.modified = status.modified
                entry.digest = digest
                if let found = file.attributes { entry.attributes = found.attributes }
            }
            // What an earlier reading came to counts no more.
            let long = file.attributes?.tooLong ?? []
            longAttributes[number] = long.isEmpty ? nil : long
            omissions[number] = nil
            if case .stored = file.outcome {
                changing.remove(number)
                cache?.note(status, digest, file.attributes, at: entries[number].path)
            }
            report.files += 1
        case .omitted(let reason):
            longAttributes[number] = nil
            omissions[number] = reason
        case .grown, .partial:
            break
        }
    }

    /// - Parameter unreadable: more files that were left out, and why.
    func result(unreadable: [Int: String]) -> PackedContainer {
        var result = PackedContainer()
        let left = omissions.merging(unreadable) { first, _ in first }
        for (number, reason) in left { result.omitted.append(Omission(path: entries[number].path.bytes, reason: reason)) }
        for (number, names) in longAttributes where left[number] == nil {
            for name in names {
                result.omitted.append(.longAttribute(name, of: entries[number].path.bytes))
            }
        }
        for number in changing where left[number] == nil {
            result.omitted.append(Omission(path: entries[number].path.bytes, reason: "changed while it was read"))
        }
        result.extentRanges = ranges
        result.dropped = Set(left.keys)
        result.extents = extents
        result.members = members
        return result
    }
}

/// Everything known of a container's entries once they are packed.
struct PackedContainer {
    /// In the order of the index, sizes, times, digests and attributes as they were read; without the omitted.
    var entries: [TreeEntry] = []
    /// For each entry, where its extents are in ``extents``.
    var extentRanges: [Range<UInt32>] = []
    /// In terms of ``members`` from 1 on.
    var extents: [Extent] = []
    var members: [MemberReference] = []
    var omitted: [Omission] = []
    /// The places of entries that were left out.
    var dropped: Set<Int> = []

    /// Where the bytes of the n-th entry are.
    func storedExtents(of number: Int) -> [StoredExtent] {
        extents[Int(extentRanges[number].lowerBound)..<Int(extentRanges[number].upperBound)].map { extent in
            StoredExtent(
                member: extent.isZeros ? nil : members[Int(extent.member) - 1], inner: extent.inner, length: extent.length)
        }
    }
}

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

/// What became of one file.
struct PackedFile: Sendable {
    enum Outcome: Sendable {
        /// Read whole and unchanged.
        case stored(ContentStatus, ContentDigest)
        /// Read whole; it changed meanwhile, as often as it was tried.
        case changing(ContentStatus, ContentDigest)
        /// Left out.
        case omitted(reason: String)
        /// It grew too much since the scan for the place it was given.
        case grown(UInt64)
        /// A part of a large file that goes on.
        case partial

        /// Of a file that was read whole.
        var content: (digest: ContentDigest, size: UInt64)? {
            switch self {
            case .stored(let status, let digest), .changing(let status, let digest): (digest, status.size)
            case .omitted, .grown, .partial: nil
            }
        }

        /// Of a file that was read whole.
        var digest: ContentDigest? { content?.digest }
    }

    /// Its place among the entries.
    let entry: Int
    let outcome: Outcome
    /// How many of the stretch's extents are its.
    var extents: Int
    var attributes: ExtendedAttributes.Reading?
    /// Whether an earlier file of the same version has the same content: the extents are that one's.
    var isDuplicate = false
}
