import CapsuleCore

extension OpenContent {
    /// Calls `body` with the bytes of a stretch, piece by piece in order; nil stands for so many zeros.
    ///
    /// - Parameter buffer: no piece with bytes is longer.
    /// - Returns: false for a file that ends before the stretch does.
    func forEachPiece(
        in range: Range<UInt64>, by buffer: UnsafeMutableRawBufferPointer,
        _ body: (_ offset: UInt64, _ length: UInt64, _ bytes: UnsafeRawBufferPointer?) throws(CapsuleError) -> Void
    ) throws(CapsuleError) -> Bool {
        var at = range.lowerBound
        while at < range.upperBound {
            try CapsuleError.checkInterruption()
            let data = min(range.upperBound, nextData(from: at))
            if data > at {
                try body(at, data - at, nil)
                at = data
                continue
            }
            let room = UnsafeMutableRawBufferPointer(
                rebasing: buffer.prefix(Int(min(UInt64(buffer.count), range.upperBound - at))))
            guard try read(at: at, into: room) == room.count else { return false }
            try body(at, UInt64(room.count), UnsafeRawBufferPointer(room))
            at += UInt64(room.count)
        }
        return true
    }
}
