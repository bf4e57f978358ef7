import CapsuleContainers
import CapsuleCore
import Foundation
import TestSupport
import Testing

@testable import CapsuleEngine

/// Stopping an app before its container changes.
@Suite struct StoppingTests {
    private static let udid = "AAAAAAAA-BBBB-4CCC-8DDD-EEEEEEEEEEEE"
    private static let place = "\(udid)/data/Containers/Data/Application/11111111-2222-4333-8444-555555555555"

    /// Files that the app writes when it ends are listed. By then the directory is locked, and its app is known.
    @Test func isStoppedBeforeAnythingIsListed() throws {
        let directory = try TemporaryDirectory()
        let identity = try PropertyListSerialization.data(
            fromPropertyList: ["MCMMetadataIdentifier": "com.example.gifs"], format: .binary, options: 0)
        let tree: TreeLiteral = [
            "Library/before": .file("x"), "Documents": .directory(),
            ".com.apple.mobile_container_manager.metadata.plist": .file(Array(identity)),
        ]
        let path = HostPath(directory[Self.place])
        try FileManager.default.createDirectory(
            atPath: String(directory[Self.place].dropLast(37)), withIntermediateDirectories: true)
        try tree.make(at: directory[Self.place])
        var advised: SimulatorAdvice?
        var other: CapsuleError?
        let target = try LiveTarget(path, ContainerOptions(), for: .write) { (advice) throws(CapsuleError) in
            advised = advice
            other = failure { try LiveTarget(path, ContainerOptions(), for: .write, timeout: 0) }
            _ = try? Files.write("flushed", to: directory[Self.place] + "/Library/flushed")
        }
        #expect(advised?.udid == Self.udid)
        #expect(advised?.bundleIdentifier == "com.example.gifs")
        #expect(advised == target.advice)
        #expect(other?.message == "another transaction is in progress")
        let listed = target.container.entries.map(\.path.description)
        #expect(listed.contains("Library/before") && listed.contains("Library/flushed"))
    }

    @Test func isOnNoSimulatorElsewhere() throws {
        let directory = try TemporaryDirectory()
        let tree: TreeLiteral = ["Library/before": .file("x"), "Documents": .directory()]
        try tree.make(at: directory["live"])
        var advised: [SimulatorAdvice?] = []
        _ = try LiveTarget(directory.host("live"), ContainerOptions(), for: .write) {
            (advice) throws(CapsuleError) in
            advised.append(advice)
        }
        #expect(advised == [nil])
    }
}
