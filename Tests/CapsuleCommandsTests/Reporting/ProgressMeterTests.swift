import CapsuleCore
import CapsuleEngine
import Testing

@testable import CapsuleCommands

@Suite struct ProgressMeterTests {
    /// The time left is shown once there is enough progress to estimate it.
    @Test(arguments: [
        (1.9, 50, false), (2.0, 50, true), (10.0, 1, false), (10.0, 2, true), (10.0, 0, false), (3.0, 100, true),
    ])
    func timeLeftIsNoGuess(seconds: Double, percent: UInt64, isTold: Bool) {
        var report = ProgressReport()
        report.totalBytes = 1_000_000
        report.bytes = percent * 10_000
        let line = ProgressMeter.line(report, elapsed: .seconds(seconds))
        #expect(line.hasSuffix(" left") == isTold, "\(line)")
    }
}
