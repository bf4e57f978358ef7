package import CapsuleCore
import CapsuleSystem

/// The content of an archive's files in one private file, without holes.
package final class ForeignContent: Sendable {
    private let spool: SpoolFile
    /// The ranges of all files that are stored, with their places in the private file.
    private let runs: [CopiedRange]
    /// The index of each file's first run, followed by the number of all runs.
    private let starts: [Int]

    init(_ spool: SpoolFile, runs: [CopiedRange], starts: [Int]) {
        self.spool = spool
        self.runs = runs
        self.starts = starts
    }

    /// Returns the offset of a file's first run in the private file, or 0 if the file has none. Files that are near each other
    /// there were near each other in the archive.
    package func place(of file: Int) -> UInt64 {
        let own = starts[file]..<starts[file + 1]
        return own.isEmpty ? 0 : runs[own.lowerBound].source
    }

    package func nextData(of file: Int, from offset: UInt64) -> UInt64? {
        let number = firstRun(of: file, endingAfter: offset)
        return number < starts[file + 1] ? max(offset, runs[number].start) : nil
    }

    package func read(_ file: Int, at offset: UInt64, into room: UnsafeMutableRawBufferPointer) throws(CapsuleError) {
        var number = firstRun(of: file, endingAfter: offset)
        var at = 0
        while at < room.count {
            let place = offset + UInt64(at)
            let run = number < starts[file + 1] ? runs[number] : nil
            let start = run.map { max($0.start, place) } ?? UInt64.max
            let zeros = Int(min(UInt64(room.count - at), start - place))
            if zeros > 0 {
                UnsafeMutableRawBufferPointer(rebasing: room[at..<at + zeros]).initializeMemory(as: UInt8.self, repeating: 0)
                at += zeros
                continue
            }
            guard let run else { return }
            let inner = place - run.start
            let count = Int(min(UInt64(room.count - at), run.length - inner))
            let piece = UnsafeMutableRawBufferPointer(rebasing: room[at..<at + count])
            guard try spool.read(at: run.source + inner, into: piece) == count else {
                throw CapsuleError(errno: EIO, "read a temporary file", spool.path)
            }
            at += count
            number += 1
        }
    }

    private func firstRun(of file: Int, endingAfter offset: UInt64) -> Int {
        runs[starts[file]..<starts[file + 1]].indexOfFirst(notBefore: { $0.end <= offset })
    }
}

/// Stores the content of an archive's files, one after the other.
struct ForeignContentWriter {
    private let spool: SpoolFile
    private var runs: [CopiedRange] = []
    private var starts: [Int] = []
    private let buffer = ByteBuffer(capacity: ForeignContentWriter.bufferLength)
    private var written: UInt64 = 0
    private static let bufferLength = 1 << 20

    init() throws(CapsuleError) {
        spool = try SpoolFile()
    }

    var files: Int { starts.count }

    mutating func beginFile() {
        starts.append(runs.count)
    }

    /// Appends bytes to the current file. Their offset must not be before the end of the previous ones.
    mutating func append(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws(CapsuleError) {
        var at = 0
        while at < bytes.count {
            // Cuts at the boundaries where the packer looks for holes, so that bytes that it will leave out are not written.
            let place = offset + UInt64(at)
            let count = Int(min(UInt64(bytes.count - at), SparseMap.blockLength - place % SparseMap.blockLength))
            let piece = UnsafeRawBufferPointer(rebasing: bytes[at..<at + count])
            at += count
            if count >= Int(ForeignLimits.shortestHole), SparseMap.isZeros(piece) { continue }
            try appendData(piece, at: place)
        }
    }

    private mutating func appendData(_ piece: UnsafeRawBufferPointer, at offset: UInt64) throws(CapsuleError) {
        if let start = starts.last, runs.count > start {
            let end = runs[runs.count - 1].end
            // A gap that is too short for a separate run is filled with zeros.
            if offset - end < ForeignLimits.shortestHole {
                let gap = Int(offset - end)
                buffer.appendZeros(gap)
                runs[runs.count - 1].length += UInt64(gap + piece.count)
                try write(piece)
                return
            }
        }
        runs.append(CopiedRange(start: offset, source: written + UInt64(buffer.count), length: UInt64(piece.count)))
        try write(piece)
    }

    private mutating func write(_ piece: UnsafeRawBufferPointer) throws(CapsuleError) {
        buffer.append(piece)
        if buffer.count >= Self.bufferLength - Int(SparseMap.blockLength) { try flush() }
    }

    private mutating func flush() throws(CapsuleError) {
        let (spool, buffer, written) = (spool, buffer, written)
        try Interruption.check()
        try spool.write(buffer.bytes, at: written)
        self.written += UInt64(buffer.count)
        buffer.removeAll()
    }

    consuming func finish() throws(CapsuleError) -> ForeignContent {
        try flush()
        return ForeignContent(spool, runs: runs, starts: starts + [runs.count])
    }
}
