import Foundation
import TestSupport
import Testing

@testable import CapsuleRuntime

/// Tests the lock of the staging area. It is on a directory that is created and deleted, so the lock must belong to the directory that
/// currently has the name.
@Suite struct StagingTests {
    /// A finished process has no lock any more, so the name may belong to another one.
    @Test func whatIsFinishedLeavesTheNextOneAlone() throws {
        let directory = try TemporaryDirectory()
        let parent = try OpenDirectory.top(URL(fileURLWithPath: directory.path, isDirectory: true))
        let path = directory[StagingArea.name.text]
        var first: StagingArea? = try StagingArea(in: parent) {}
        try first?.finish()
        #expect(!Files.exists(path))
        let second = try StagingArea(in: parent) {}
        first = nil
        #expect(Files.exists(path))
        try second.begin([1])
        try second.finish()
        #expect(!Files.exists(path))
    }

    @Test func whatWasNotNeededGoes() throws {
        let directory = try TemporaryDirectory()
        let parent = try OpenDirectory.top(URL(fileURLWithPath: directory.path, isDirectory: true))
        _ = try StagingArea(in: parent) {}
        #expect(!Files.exists(directory[StagingArea.name.text]))
    }

    /// Each of them installs, or gets an error that another one does. The directory never disappears during its work.
    @Test func manyInstallAtOnce() throws {
        let app = try TestApp()
        try app.makeSeed(["Documents/a": .file("a")])
        try app.makeHome(["Documents": .directory(), "Library": .directory()])
        let (seed, environment) = (app.seed, app.environment())
        let unexpected = Unexpected()
        DispatchQueue.concurrentPerform(iterations: 4) { _ in
            for _ in 0..<300 {
                do throws(AppDataError) {
                    try seed.install(policy: .always, in: environment)
                } catch {
                    if error.code != .busy { unexpected.add(error) }
                }
            }
        }
        #expect(unexpected.errors.isEmpty, "\(unexpected.errors.count): \(unexpected.errors.first?.description ?? "")")
        #expect(app.text("Documents/a") == "a")
        #expect(app.isTidy())
    }
}

private final class Unexpected: @unchecked Sendable {
    private let lock = NSLock()
    private var all: [AppDataError] = []

    func add(_ error: AppDataError) { lock.withLock { all.append(error) } }

    var errors: [AppDataError] { lock.withLock { all } }
}
