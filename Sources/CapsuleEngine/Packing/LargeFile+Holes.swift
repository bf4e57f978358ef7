import CapsuleArchive
import CapsuleCore

extension LargeFile {
    /// Finds whole blocks of zeros; a block of data costs one short read, a hole that the file system knows costs none.
    static func map(of content: any OpenContent, size: UInt64) throws(CapsuleError) -> SparseMap {
        var map = SparseMap(size: size)
        let block = SparseMap.blockLength
        if let holes = content.holes() {
            for hole in holes {
                let start = (hole.lowerBound + block - 1) / block * block
                map.addHole(start..<max(start, hole.upperBound / block * block))
            }
            return map
        }
        var at: UInt64 = 0
        let room = UnsafeMutableRawBufferPointer.allocate(byteCount: Int(block), alignment: 64)
        defer { room.deallocate() }
        let peek = UnsafeMutableRawBufferPointer(rebasing: room[..<64])
        while at + block <= size {
            if at % (1 << 30) == 0 { try CapsuleError.checkInterruption() }
            guard try content.read(at: at, into: peek) == peek.count else { break }
            if !SparseMap.isZeros(UnsafeRawBufferPointer(peek)) {
                at += block
                continue
            }
            let end = min(size, content.nextData(from: at)) / block * block
            if end > at {
                map.addHole(at..<end)
                at = end
                continue
            }
            guard try content.read(at: at, into: room) == room.count else { break }
            if SparseMap.isZeros(UnsafeRawBufferPointer(room)) { map.addHole(at..<at + block) }
            at += block
        }
        return map
    }
}
