import CapsuleFileSystem

/// Bytes that are read once, from the first to the last.
protocol ByteSource: AnyObject {
    /// The next bytes, good until the following call; none at the end. After an error it throws the same again.
    func next() throws(ArchiveError) -> UnsafeRawBufferPointer
}
