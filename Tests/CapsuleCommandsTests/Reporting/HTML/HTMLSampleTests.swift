import Foundation
import TestSupport
import Testing

@testable import CapsuleCommands
@testable import CapsuleCore
@testable import CapsulePropertyList

/// Writes the samples to the directory in `CAPSULE_HTML_SAMPLE`, for viewing in a browser.
@Suite(.enabled(if: ProcessInfo.processInfo.environment["CAPSULE_HTML_SAMPLE"] != nil, "CAPSULE_HTML_SAMPLE is not set"))
struct HTMLSampleTests {
    @Test func samples() throws {
        let directory = try #require(ProcessInfo.processInfo.environment["CAPSULE_HTML_SAMPLE"])
        let empty = ContainerDiff(old: SampleDiff.old, new: SampleDiff.new, entries: [])
        for (name, diff) in [("rich", try SampleDiff.rich()), ("hostile", try HostileDiff.make()), ("same", empty)] {
            try Files.write(HTMLReport(diff).bytes(), to: "\(directory)/\(name).html")
            #expect(Files.exists("\(directory)/\(name).html"))
        }
        var many: [EntryChange] = []
        for number in 0..<10_000 {
            let name = String(number * 7_919 % 10_000 + 10_000)
            many.append(
                try SampleDiff.entry(
                    number % 3 == 0 ? .added : .modified, "Documents/\(name.suffix(2))/\(name.suffix(1))/\(name).plist",
                    old: number % 3 == 0 ? nil : 5, new: 7, handler: "plist",
                    number % 3 == 0 ? [] : [SampleDiff.value(.modified(old: 1, new: 2), ["count"])]))
        }
        let large = ContainerDiff(old: SampleDiff.old, new: SampleDiff.new, entries: many)
        try Files.write(HTMLReport(large).bytes(), to: "\(directory)/large.html")
    }
}
