import CapsuleArchive
import CapsuleContainers
import CapsuleCore
import CapsuleHashing
import CapsuleSystem

/// Makes and compresses stretches of the stream. Each thread has one.
final class PackWorker {
    let plan: PackPlan
    private let reader: ContentReader
    private let encoder: DataMemberEncoder
    var stream = ByteBuffer(capacity: 1 << 19)
    /// The buffer that replaces ``stream`` if some of its bytes are not needed.
    var kept = ByteBuffer(capacity: 0)
    private let scratch = ByteBuffer(capacity: 1 << 16)
    private var hasher = SHA256Hasher()
    private let framing: DataMemberEncoder.Framing

    static let tries = 3

    init(plan: PackPlan, codec: MemberCodec, level: DataMemberEncoder.Level, framing: DataMemberEncoder.Framing) {
        self.plan = plan
        reader = ContentReader(plan.contents)
        self.framing = framing
        encoder = DataMemberEncoder(codec: codec, level: level, framing: framing)
    }

    func perform(_ job: PackJob, into buffer: ByteBuffer) throws(CapsuleError) -> PackResult {
        stream.removeAll()
        var stretch = PackResult(job: job, buffer: buffer)
        switch job {
        case .group(let positions, let turn):
            switch plan.form {
            case .archive: try makeGroup(positions, &stretch)
            case .contents(let additions): try makeContents(positions, turn: turn, additions, &stretch)
            }
        case .slice(let file, let number):
            try makeSlice(file, number, &stretch)
        case .end:
            stream.appendZeros(2 * TarHeader.blockLength)
            stretch.members = encoder.encode(stream.bytes, isLargeFile: false, to: stretch.buffer)
            if framing != .capsule { break }
            // A capsule's archive is followed by enough zeros to fill the bytes that a standard tool decodes ahead. The tail of
            // an unfinished append then never makes the tool lose files that it has already decoded.
            stream.removeAll()
            stream.appendZeros(CapsuleFormat.zeroMemberLength)
            stretch.members += encoder.encode(stream.bytes, isLargeFile: false, to: stretch.buffer)
        }
        return stretch
    }

    private func makeGroup(_ positions: Range<Int>, _ stretch: inout PackResult) throws(CapsuleError) {
        try CapsuleError.checkInterruption()
        var pieces: [StreamPiece] = []
        for position in positions {
            let number = Int(plan.order[position])
            let entry = plan.entries[number]
            if !entry.kind.hasContent {
                TarHeader.append(entry, path: plan.names.path(of: entry), map: SparseMap(size: 0), to: stream)
                continue
            }
            let before = pieces.count
            let start = stream.count
            do throws(CapsuleError) {
                let (outcome, attributes) = try appendFile(entry, number, to: &pieces)
                stretch.files.append(
                    PackedFile(entry: number, outcome: outcome, extents: pieces.count - before, attributes: attributes))
                if case .grown = outcome { return }
            } catch {
                guard plan.skipsUnreadable, error.code != .interrupted else { throw error }
                stream.truncate(to: start)
                pieces.removeSubrange(before...)
                stretch.files.append(
                    PackedFile(entry: number, outcome: .omitted(reason: Omission.unreadable(error.message)), extents: 0))
            }
        }
        encode(pieces, isLargeFile: false, &stretch)
    }

    /// Appends the header and the bytes of a file. A file that changes while it is read is read again.
    func appendFile(
        _ entry: TreeEntry, _ number: Int, to pieces: inout [StreamPiece]
    ) throws(CapsuleError) -> (PackedFile.Outcome, ExtendedAttributes.Reading?) {
        let start = stream.count
        let pieceStart = pieces.count
        var attempt = 0
        while true {
            attempt += 1
            stream.truncate(to: start)
            pieces.removeSubrange(pieceStart...)
            let content = plan.read(try reader.open(entry, number: number))
            var described = entry
            // A live file is first read as it was listed. Only if it has changed since, its state is taken before it is read again.
            let before = attempt > 1 || !plan.contents.isLive ? try content.status() : nil
            if let before {
                if before.size > max(entry.size, UInt64(plan.groupLength)) { return (.grown(before.size), nil) }
                described.size = before.size
                described.modified = before.modified
                described.mode = before.mode
            }
            let attributes = try content.attributes()
            let digest = try appendBytes(of: content, as: described, to: &pieces)
            try plan.check(digest, of: entry)
            let after = before == nil || plan.contents.isLive ? try content.status() : nil
            guard let status = before ?? after.flatMap({ $0.isListed(as: entry) ? $0 : nil }) else { continue }
            let isSame = after.map { status.isSameState(as: $0) } ?? true
            let start = pieces.dropFirst(pieceStart).first?.place.map { stream.bytes(in: $0..<stream.count) }
            let isStable =
                isSame
                && !plan.hasUnlistedLog(
                    content, of: described, startingWith: start ?? UnsafeRawBufferPointer(start: nil, count: 0))
            if isStable { return (.stored(status, digest), attributes) }
            if attempt == Self.tries { return (.changing(status, digest), attributes) }
        }
    }

    private func appendBytes(
        of content: any OpenContent, as entry: TreeEntry, to pieces: inout [StreamPiece]
    ) throws(CapsuleError) -> ContentDigest {
        let size = Int(entry.size)
        let path = plan.names.path(of: entry)
        let map: SparseMap
        let bytes: UnsafeRawBufferPointer
        if entry.size < SparseMap.blockLength {
            // The file is too short for a hole, so the header is known, and the bytes are read directly to their place.
            map = SparseMap(size: entry.size)
            if plan.isArchive { TarHeader.append(entry, path: path, map: map, to: stream) }
            let place = stream.count
            try read(size, from: content, to: stream)
            bytes = stream.bytes(in: place..<place + size)
            if size > 0 { pieces.append(.stream(place, length: entry.size)) }
        } else {
            scratch.removeAll()
            try read(size, from: content, to: scratch)
            bytes = scratch.bytes
            map = SparseMap(of: bytes)
            if plan.isArchive { TarHeader.append(entry, path: path, map: map, to: stream) }
            appendData(bytes, map, to: &pieces)
        }
        let digest = hasher.digest(of: bytes)
        if plan.isArchive { stream.appendZeros(TarHeader.padding(after: map.storedLength)) }
        return digest
    }

    private func read(_ size: Int, from content: any OpenContent, to buffer: ByteBuffer) throws(CapsuleError) {
        let count = try buffer.append(capacity: size) { (room) throws(CapsuleError) in try content.read(at: 0, into: room) }
        buffer.appendZeros(size - count)
    }

    private func appendData(_ bytes: UnsafeRawBufferPointer, _ map: SparseMap, to pieces: inout [StreamPiece]) {
        var at: UInt64 = 0
        for range in map.data {
            if range.lowerBound > at { pieces.append(.zeros(range.lowerBound - at)) }
            pieces.append(.stream(stream.count, length: range.length))
            stream.append(UnsafeRawBufferPointer(rebasing: bytes[Int(range.lowerBound)..<Int(range.upperBound)]))
            at = range.upperBound
        }
        if at < map.size { pieces.append(.zeros(map.size - at)) }
    }

    private func makeSlice(_ file: LargeFile, _ number: Int, _ stretch: inout PackResult) throws(CapsuleError) {
        let (pieces, ending) = try file.fill(stream, slice: number)
        var outcome = PackedFile.Outcome.partial
        if let ending {
            try plan.check(ending.digest, of: plan.entries[file.entry])
            let after = try file.content.status()
            let isSame = plan.contents.isLive ? file.status.isSameState(as: after) : true
            let start = try file.start()
            let isStable = start.withUnsafeBytes { start in
                ending.isSound && isSame
                    && !plan.hasUnlistedLog(file.content, of: plan.entries[file.entry], startingWith: start)
            }
            outcome = isStable ? .stored(file.status, ending.digest) : .changing(file.status, ending.digest)
        }
        stretch.files.append(
            PackedFile(
                entry: file.entry, outcome: outcome, extents: pieces.count, attributes: file.attributes,
                isDuplicate: file.isDuplicate))
        encode(pieces, isLargeFile: true, &stretch)
    }

    func encode(_ pieces: [StreamPiece], isLargeFile: Bool, _ stretch: inout PackResult) {
        var start = 0
        while start < stream.count {
            let end = min(stream.count, start + plan.groupLength)
            stretch.members += encoder.encode(stream.bytes(in: start..<end), isLargeFile: isLargeFile, to: stretch.buffer)
            start = end
        }
        stretch.locate(pieces)
    }
}

/// Packing of a later version: only contents, and only those that the capsule does not have.
extension PackWorker {
    /// A file that was read, and the place of its bytes in the stream.
    private struct ReadFile {
        var file: PackedFile
        let position: Int
        let range: Range<Int>
        var pieces: [StreamPiece]
        var isNew = false
    }

    func makeContents(
        _ positions: Range<Int>, turn: Int, _ additions: PackPlan.Additions, _ stretch: inout PackResult
    ) throws(CapsuleError) {
        var files: [ReadFile] = []
        let read = Result { () throws(CapsuleError) in
            try CapsuleError.checkInterruption()
            try readContents(positions, additions.stored, into: &files)
        }
        // This happens even after an error, because later groups wait for their turn.
        additions.claims.withTurn(turn: turn) { claim in
            for number in files.indices where files[number].isNew {
                guard let digest = files[number].file.outcome.digest else { continue }
                if !claim(digest, files[number].position) {
                    files[number].isNew = false
                    files[number].file.isDuplicate = true
                    files[number].pieces = []
                }
            }
        }
        try read.get()
        keepNew(&files)
        for file in files {
            var packed = file.file
            packed.extents = file.pieces.count
            stretch.files.append(packed)
        }
        encode(files.flatMap(\.pieces), isLargeFile: false, &stretch)
    }

    private func readContents(
        _ positions: Range<Int>, _ stored: DeduplicationIndex?, into files: inout [ReadFile]
    ) throws(CapsuleError) {
        for position in positions {
            let number = Int(plan.order[position])
            let entry = plan.entries[number]
            let start = stream.count
            var pieces: [StreamPiece] = []
            do throws(CapsuleError) {
                let (outcome, attributes) = try appendFile(entry, number, to: &pieces)
                var file = ReadFile(
                    file: PackedFile(entry: number, outcome: outcome, extents: 0, attributes: attributes), position: position,
                    range: start..<stream.count, pieces: pieces)
                if case .grown = outcome {
                    file.pieces = []
                    files.append(file)
                    return
                }
                if let (digest, size) = outcome.content {
                    if let extents = try stored?.find(digest, size: size, for: entry, number: number) {
                        file.pieces = extents.map { .stored($0) }
                    } else {
                        file.isNew = true
                    }
                }
                files.append(file)
            } catch {
                guard plan.skipsUnreadable, error.code != .interrupted else { throw error }
                stream.truncate(to: start)
                let file = PackedFile(entry: number, outcome: .omitted(reason: Omission.unreadable(error.message)), extents: 0)
                files.append(ReadFile(file: file, position: position, range: start..<start, pieces: []))
            }
        }
    }

    private func keepNew(_ files: inout [ReadFile]) {
        if files.allSatisfy({ $0.isNew }) { return }
        kept.removeAll()
        for number in files.indices where files[number].isNew {
            let range = files[number].range
            let moved = range.lowerBound - kept.count
            kept.append(stream.bytes(in: range))
            files[number].pieces = files[number].pieces.map { piece in
                piece.place.map { .stream($0 - moved, length: piece.length) } ?? piece
            }
        }
        swap(&stream, &kept)
    }
}
