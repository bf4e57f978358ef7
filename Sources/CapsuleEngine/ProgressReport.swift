/// How far long work has come.
public struct ProgressReport: Sendable {
    /// Files that are done.
    public var files: UInt64
    /// All files there are to do.
    public var totalFiles: UInt64
    /// Bytes that are done.
    public var bytes: UInt64
    /// The sum of the sizes of all files, as they were listed.
    public var totalBytes: UInt64

    /// Nothing done and nothing to do, unless told otherwise.
    public init(files: UInt64 = 0, totalFiles: UInt64 = 0, bytes: UInt64 = 0, totalBytes: UInt64 = 0) {
        self.files = files
        self.totalFiles = totalFiles
        self.bytes = bytes
        self.totalBytes = totalBytes
    }
}
