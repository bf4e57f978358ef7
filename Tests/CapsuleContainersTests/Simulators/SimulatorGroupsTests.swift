import CapsuleCore
import CapsuleSystem
import Foundation
import TestSupport
import Testing

@testable import CapsuleContainers

/// Finds the groups of apps in generated sets of simulators.
@Suite struct SimulatorGroupsTests {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
        let run = try Program.run(
            "python3", [PackageFiles.tools + "/make_simulators.py", directory["Devices"], "--devices", "1", "--apps", "9"],
            environment: ["PYTHONDONTWRITEBYTECODE": "1"])
        try #require(run.status == 0, "\(run.errors)")
    }

    private func find(_ identifier: String) throws -> SimulatorGroups {
        let locator = try SimulatorLocator(devices: directory.host("Devices"))
        return try locator.groups(of: try #require(locator.locate(identifier).containers.first))
    }

    private func names(_ groups: SimulatorGroups) -> [String] {
        groups.groups.map { String(decoding: $0.identifier, as: UTF8.self) }
    }

    private func bundle(_ identifier: String) throws -> String {
        let locator = try SimulatorLocator(devices: directory.host("Devices"))
        return try #require(locator.locate(identifier, .bundle).containers.first).path.description
    }

    /// The entitlements name the groups, whatever these are called. One that does not exist is left out.
    @Test(arguments: [
        ("com.example.lone0", ["group.of.many"]), ("com.example.app04", ["group.com.example.app04"]), ("com.example.app01", []),
    ])
    func entitlementsNameThem(identifier: String, wanted: [String]) throws {
        let found = try find(identifier)
        #expect(names(found) == wanted)
        #expect(found.note == nil)
        #expect(found.warnings.isEmpty)
        for group in found.groups {
            let identity = try ContainerMetadata(
                info: nil, identity: RootDirectory(group.directory).readFile(named: ContainerNames.identity, limit: 1 << 20))
            #expect(identity.bundleIdentifier == group.identifier)
        }
    }

    /// Without entitlements, the groups are those named after the app, and a note says so.
    @Test func namesAreAGuess() throws {
        let found = try find("com.example.app08")
        #expect(names(found) == ["0TEAM1234X.com.example.app08.shared", "group.com.example.app08"])
        #expect(found.note?.hasPrefix("com.example.app08 has no readable entitlements") == true)
        #expect(found.warnings.isEmpty)
    }

    /// A link or a damaged file in the place of the executable is not followed or believed.
    @Test func executablesAreForeign() throws {
        let path = try bundle("com.example.app04") + "/App04"
        let other = try bundle("com.example.lone0") + "/Lone0"
        let whole = try Data(contentsOf: URL(fileURLWithPath: path))
        try Files.write([UInt8](whole.dropLast(20)), to: path)
        let damaged = try find("com.example.app04")
        #expect(names(damaged) == ["group.com.example.app04"])
        #expect(damaged.note != nil)
        #expect(damaged.warnings.count == 1)
        try FileManager.default.removeItem(atPath: path)
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: other)
        let linked = try find("com.example.app04")
        #expect(names(linked) == ["group.com.example.app04"])
        #expect(linked.warnings.count == 1)
        try FileManager.default.removeItem(atPath: path)
        let missing = try find("com.example.app04")
        #expect(names(missing) == ["group.com.example.app04"])
        #expect(missing.warnings.isEmpty)
    }

    /// An executable's name can't lead out of the bundle.
    @Test func namesOfExecutablesStayInTheBundle() throws {
        let path = try bundle("com.example.app04") + "/Info.plist"
        let info = ["CFBundleIdentifier": "com.example.app04", "CFBundleExecutable": "../../x"]
        try PropertyListSerialization.data(fromPropertyList: info, format: .xml, options: 0).write(to: URL(fileURLWithPath: path))
        #expect(try find("com.example.app04").note != nil)
    }
}
