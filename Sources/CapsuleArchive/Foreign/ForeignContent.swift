import CapsuleCore
package import CapsuleFileSystem

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The bytes of an archive's files, in one private file, without their holes.
package final class ForeignContent: Sendable {
    /// A stretch of a file.
    struct Run: Sendable {
        /// Where in the file it begins.
        let offset: UInt64
        /// Where in the private file it is.
        let place: UInt64
        var length: UInt64
    }

    private let spool: SpoolFile
    private let runs: [Run]
    /// Where each file's runs begin; one more at the end.
    private let starts: [Int]

    init(_ spool: SpoolFile, runs: [Run], starts: [Int]) {
        self.spool = spool
        self.runs = runs
        self.starts = starts
    }

    /// Where a file's bytes begin: files that lie together have been together.
    package func place(of file: Int) -> UInt64 {
        let own = starts[file]..<starts[file + 1]
        return own.isEmpty ? 0 : runs[own.lowerBound].place
    }

    /// Where data begins at or after `offset`; nil if only zeros follow.
    package func nextData(of file: Int, from offset: UInt64) -> UInt64? {
        let number = firstRun(of: file, endingAfter: offset)
        return number < starts[file + 1] ? max(offset, runs[number].offset) : nil
    }

    /// Fills `room` with a file's bytes from `offset` on; where it has none there are zeros.
    package func read(_ file: Int, at offset: UInt64, into room: UnsafeMutableRawBufferPointer) throws(FileSystemError) {
        var number = firstRun(of: file, endingAfter: offset)
        var at = 0
        while at < room.count {
            let place = offset + UInt64(at)
            let run = number < starts[file + 1] ? runs[number] : nil
            let start = run.map { max($0.offset, place) } ?? UInt64.max
            let zeros = Int(min(UInt64(room.count - at), start - place))
            if zeros > 0 {
                UnsafeMutableRawBufferPointer(rebasing: room[at..<at + zeros]).initializeMemory(as: UInt8.self, repeating: 0)
                at += zeros
                continue
            }
            guard let run else { return }
            let inner = place - run.offset
            let count = Int(min(UInt64(room.count - at), run.length - inner))
            let piece = UnsafeMutableRawBufferPointer(rebasing: room[at..<at + count])
            guard try spool.read(at: run.place + inner, into: piece) == count else {
                throw FileSystemError(errno: EIO, "read a temporary file", spool.path)
            }
            at += count
            number += 1
        }
    }

    private func firstRun(of file: Int, endingAfter offset: UInt64) -> Int {
        var low = starts[file]
        var high = starts[file + 1]
        while low < high {
            let middle = (low + high) / 2
            if runs[middle].offset + runs[middle].length <= offset { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

/// Takes in the bytes of an archive's files one after the other.
struct ForeignContentWriter {
    private let spool: SpoolFile
    private var runs: [ForeignContent.Run] = []
    private var starts: [Int] = []
    /// What goes to ``spool`` at ``written``.
    private let buffer = ByteBuffer(capacity: ForeignContentWriter.bufferLength)
    private var written: UInt64 = 0
    private static let bufferLength = 1 << 20

    init() throws(ArchiveError) {
        spool = try ArchiveError.wrapping { () throws(FileSystemError) in try SpoolFile() }
    }

    /// How many files have begun.
    var files: Int { starts.count }

    /// What follows is another file's.
    mutating func beginFile() {
        starts.append(runs.count)
    }

    /// Takes in a stretch of the file that began last; those before it lie before it.
    mutating func append(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws(ArchiveError) {
        var at = 0
        while at < bytes.count {
            // Cut where the packer looks for holes, so that what it will leave out is not written at all.
            let place = offset + UInt64(at)
            let count = Int(min(UInt64(bytes.count - at), SparseMap.blockLength - place % SparseMap.blockLength))
            let piece = UnsafeRawBufferPointer(rebasing: bytes[at..<at + count])
            at += count
            if count >= Int(ForeignLimits.shortestHole), SparseMap.isZeros(piece) { continue }
            try appendData(piece, at: place)
        }
    }

    private mutating func appendData(_ piece: UnsafeRawBufferPointer, at offset: UInt64) throws(ArchiveError) {
        if let start = starts.last, runs.count > start {
            let end = runs[runs.count - 1].offset + runs[runs.count - 1].length
            // Gaps too short to be worth a run are filled.
            if offset - end < ForeignLimits.shortestHole {
                let gap = Int(offset - end)
                buffer.appendZeros(gap)
                runs[runs.count - 1].length += UInt64(gap + piece.count)
                try write(piece)
                return
            }
        }
        runs.append(ForeignContent.Run(offset: offset, place: written + UInt64(buffer.count), length: UInt64(piece.count)))
        try write(piece)
    }

    private mutating func write(_ piece: UnsafeRawBufferPointer) throws(ArchiveError) {
        buffer.append(piece)
        if buffer.count >= Self.bufferLength - Int(SparseMap.blockLength) { try flush() }
    }

    private mutating func flush() throws(ArchiveError) {
        let (spool, buffer, written) = (spool, buffer, written)
        try ArchiveError.wrapping { () throws(FileSystemError) in
            try Interruption.check()
            try spool.write(buffer.bytes, at: written)
        }
        self.written += UInt64(buffer.count)
        buffer.removeAll()
    }

    /// All files are in.
    consuming func finish() throws(ArchiveError) -> ForeignContent {
        try flush()
        return ForeignContent(spool, runs: runs, starts: starts + [runs.count])
    }
}
