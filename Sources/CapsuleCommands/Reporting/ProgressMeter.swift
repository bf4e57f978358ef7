import CapsuleEngine

/// A line on the terminal that says how far long work has come: bytes, files, rate, time left.
final class ProgressMeter: ProgressObserver, @unchecked Sendable {
    // One thread at a time tells of progress.
    private let start = ContinuousClock.now
    private var shown = ContinuousClock.now
    private var isShown = false
    private let width: Int

    /// Nothing is shown for work that ends sooner, and the line changes no more often.
    private static let interval = Duration.milliseconds(200)
    /// The time that is left is told after so long, and after so much of the work: before that it is a guess.
    private static let guessing = (time: 2.0, share: 0.02)

    /// - Returns: nil where there is nobody to look: standard error is no terminal.
    init?() {
        guard HostProcess.isErrorTerminal else { return nil }
        width = HostProcess.errorWidth ?? 80
    }

    deinit {
        clear()
    }

    func advanced(to report: ProgressReport) {
        let now = ContinuousClock.now
        guard now - shown >= Self.interval else { return }
        shown = now
        isShown = true
        HostProcess.writeError("\r\u{1B}[K" + String(Self.line(report, elapsed: now - start).prefix(width - 1)))
    }

    /// Takes the line away.
    func clear() {
        if isShown { HostProcess.writeError("\r\u{1B}[K") }
        isShown = false
    }

    /// `1.2 GB of 4.0 GB, 310 of 1,200 files, 96.0 MB/s, 29 s left`
    static func line(_ report: ProgressReport, elapsed: Duration) -> String {
        let seconds = Double(elapsed.components.seconds) + Double(elapsed.components.attoseconds) / 1e18
        let rate = seconds > 0 ? Double(report.bytes) / seconds : 0
        var line = "\(Quantity.bytes(report.bytes)) of \(Quantity.bytes(report.totalBytes))"
        line += ", \(Quantity.grouped(report.files)) of \(Quantity.grouped(report.totalFiles)) files"
        line += ", \(Quantity.bytes(UInt64(max(0, rate))))/s"
        let share = Double(report.bytes) / Double(max(1, report.totalBytes))
        if seconds >= guessing.time, share >= guessing.share, report.totalBytes >= report.bytes {
            line += ", \(Quantity.time(Double(report.totalBytes - report.bytes) / rate)) left"
        }
        return line
    }
}
