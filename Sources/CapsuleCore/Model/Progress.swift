/// An observer that receives progress reports now and then, from one thread at a time.
package protocol ProgressObserver: Sendable {
    /// Receives the current progress. The work waits until this returns.
    func advanced(to report: ProgressReport)
}

/// Reports one of several passes over the same files as a part of one job.
package struct ProgressPass: ProgressObserver {
    private let observer: any ProgressObserver
    private let number: UInt64
    private let count: UInt64

    /// - Parameter number: the number of passes before this one.
    package init?(_ observer: (any ProgressObserver)?, number: UInt64, of count: UInt64) {
        guard let observer else { return nil }
        self.observer = observer
        self.number = number
        self.count = count
    }

    package func advanced(to report: ProgressReport) {
        var whole = report
        whole.files = (report.totalFiles * number + report.files) / count
        whole.bytes = (report.totalBytes * number + report.bytes) / count
        observer.advanced(to: whole)
    }
}

package struct ProgressReport: Sendable {
    package var files: UInt64
    package var totalFiles: UInt64
    package var bytes: UInt64
    /// The sum of the sizes of all files, as they were listed.
    package var totalBytes: UInt64

    package init(files: UInt64 = 0, totalFiles: UInt64 = 0, bytes: UInt64 = 0, totalBytes: UInt64 = 0) {
        self.files = files
        self.totalFiles = totalFiles
        self.bytes = bytes
        self.totalBytes = totalBytes
    }
}
