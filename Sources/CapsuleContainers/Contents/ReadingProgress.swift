import CapsuleCore
import Synchronization

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
