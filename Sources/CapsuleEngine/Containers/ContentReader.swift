import CapsuleCore

/// Goes through files' bytes in order. One for each thread.
protocol ContentReader: AnyObject {
    /// Calls `body` with the bytes of a stretch of a file, piece by piece in order; nil stands for so many zeros.
    ///
    /// - Parameter number: the file's place among the container's entries.
    func forEachPiece(
        of number: Int, in range: Range<UInt64>,
        _ body: (_ offset: UInt64, _ length: UInt64, _ bytes: UnsafeRawBufferPointer?) throws(CapsuleError) -> Void
    ) throws(CapsuleError)
}
