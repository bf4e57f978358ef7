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

/// A container's content laid out for several threads to read at once.
protocol PiecewiseContent: ContentProvider {
    func makeReader() -> any ContentReader
    /// The stretch of a large file that begins at `offset`: about `length` bytes, cut so that no thread does another's work
    /// again. One that is all zeros may be as long as it likes.
    func stretch(of number: Int, from offset: UInt64, size: UInt64, length: UInt64) -> Range<UInt64>
    /// Files with the same mark are best read by one thread.
    func locality(of number: Int) -> UInt64
}
