/// An observer that receives progress reports now and then, from one thread at a time.
package protocol ProgressObserver: Sendable {
    /// Receives the current progress. The work waits until this returns.
    func advanced(to report: ProgressReport)
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
