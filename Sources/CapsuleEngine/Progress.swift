import Synchronization

/// Is told of progress now and then, by one thread at a time.
public protocol ProgressObserver: Sendable {
    /// Takes note of how far the work has come; the work waits for it.
    func advanced(to report: ProgressReport)
}

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

/// Tells an observer how much several threads have read together.
final class ReadingProgress: Sendable {
    private let observer: any ProgressObserver
    private let report: Mutex<ProgressReport>

    /// - Parameter sizes: of all files that are to be read, in bytes.
    init(_ observer: any ProgressObserver, of sizes: [UInt64]) {
        self.observer = observer
        report = Mutex(ProgressReport(totalFiles: UInt64(sizes.count), totalBytes: sizes.reduce(0, &+)))
    }

    /// Files of these sizes are done.
    func read(_ sizes: [UInt64]) {
        report.withLock { report in
            report.files += UInt64(sizes.count)
            report.bytes &+= sizes.reduce(0, &+)
            observer.advanced(to: report)
        }
    }
}
