/// How far long work has come.
public struct ProgressReport: Sendable {
    public var files: UInt64
    public var totalFiles: UInt64
    public var bytes: UInt64
    public var totalBytes: UInt64

    public init(files: UInt64 = 0, totalFiles: UInt64 = 0, bytes: UInt64 = 0, totalBytes: UInt64 = 0) {
        self.files = files
        self.totalFiles = totalFiles
        self.bytes = bytes
        self.totalBytes = totalBytes
    }
}

/// Is told of progress now and then, by one thread at a time.
public protocol ProgressObserver: Sendable {
    func advanced(to report: ProgressReport)
}
