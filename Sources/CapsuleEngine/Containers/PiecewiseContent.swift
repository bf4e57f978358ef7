import CapsuleCore

/// A container's content laid out for several threads to read at once.
protocol PiecewiseContent: ContentProvider {
    func makeReader() -> any ContentReader
    /// The stretch of a large file that begins at `offset`: about `length` bytes, cut so that no thread does another's work
    /// again. One that is all zeros may be as long as it likes.
    func stretch(of number: Int, from offset: UInt64, size: UInt64, length: UInt64) -> Range<UInt64>
    /// Files with the same mark are best read by one thread.
    func locality(of number: Int) -> UInt64
}
