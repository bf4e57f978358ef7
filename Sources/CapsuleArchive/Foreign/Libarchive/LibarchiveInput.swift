import CapsuleFileSystem

/// What libarchive reads from.
protocol LibarchiveInput: AnyObject {
    /// Whether more was asked for than there is.
    var hasEnded: Bool { get }
    /// The next bytes, good until the following call; none at the end.
    func read() throws(ArchiveError) -> UnsafeRawBufferPointer
    /// Goes to a place and answers where that is; nil where only the next bytes can be had.
    func seek(_ offset: Int64, from origin: SeekOrigin) -> Int64?
}

enum SeekOrigin {
    case start, here, end
}
