import CapsuleArchive
import CapsuleCore

/// Making the stretches of a later version: contents alone, and only those that the capsule has not.
extension PackWorker {
    /// A file that was read, and where its bytes are in the stream.
    private struct ReadFile {
        var file: PackedFile
        let position: Int
        let range: Range<Int>
        var pieces: [StreamPiece]
        /// Whether its bytes are to be stored.
        var isNew = false
    }

    func makeContents(
        _ positions: Range<Int>, turn: Int, _ additions: PackPlan.Additions, _ stretch: inout PackedStretch
    ) throws(CapsuleError) {
        var files: [ReadFile] = []
        let read = Result { () throws(CapsuleError) in
            try CapsuleError.checkInterruption()
            try readContents(positions, additions.stored, into: &files)
        }
        // In turn even after an error: those behind wait for it.
        additions.claims.take(turn: turn) { claim in
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
        _ positions: Range<Int>, _ stored: StoredContents?, into files: inout [ReadFile]
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
                        file.pieces = extents.map { StreamPiece($0) }
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

    /// Takes out of the stream what need not be stored.
    private func keepNew(_ files: inout [ReadFile]) {
        if files.allSatisfy({ $0.isNew }) { return }
        kept.removeAll()
        for number in files.indices where files[number].isNew {
            let range = files[number].range
            let moved = range.lowerBound - kept.count
            kept.append(stream.bytes(in: range))
            files[number].pieces = files[number].pieces.map { piece in
                piece.place.map { StreamPiece(.stream($0 - moved), length: piece.length) } ?? piece
            }
        }
        swap(&stream, &kept)
    }
}
