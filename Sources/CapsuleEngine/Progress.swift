import Synchronization

/// An observer that receives progress reports now and then, from one thread at a time.
public protocol ProgressObserver: Sendable {
    /// Receives the current progress. The work waits until this returns.
    func advanced(to report: ProgressReport)
}

/// The progress of long work.
public struct ProgressReport: Sendable {
    /// The number of files that are done.
    public var files: UInt64
    /// The number of all files.
    public var totalFiles: UInt64
    /// The number of bytes that are done.
    public var bytes: UInt64
    /// The sum of the sizes of all files, as they were listed.
    public var totalBytes: UInt64

    /// Creates a report. All numbers are zero by default.
    public init(files: UInt64 = 0, totalFiles: UInt64 = 0, bytes: UInt64 = 0, totalBytes: UInt64 = 0) {
        self.files = files
        self.totalFiles = totalFiles
        self.bytes = bytes
        self.totalBytes = totalBytes
    }
}

/// Reports to an observer how much several threads have read together.
final class ReadingProgress: Sendable {
    private let observer: any ProgressObserver
    private let report: Mutex<ProgressReport>

    /// - Parameter sizes: the sizes of all files to read, in bytes.
    init(_ observer: any ProgressObserver, of sizes: [UInt64]) {
        self.observer = observer
        report = Mutex(ProgressReport(totalFiles: UInt64(sizes.count), totalBytes: sizes.reduce(0, &+)))
    }

    /// Reports that files of these sizes are done.
    func read(_ sizes: [UInt64]) {
        report.withLock { report in
            report.files += UInt64(sizes.count)
            report.bytes &+= sizes.reduce(0, &+)
            observer.advanced(to: report)
        }
    }
}
