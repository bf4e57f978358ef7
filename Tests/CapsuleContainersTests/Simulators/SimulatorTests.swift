import CapsuleCore
import Foundation
import Testing

@testable import CapsuleContainers

/// Reading `device.plist`, and selecting a simulator by name.
@Suite struct SimulatorTests {
    private static let udid = "0A1B2C3D-0000-4000-8000-00000000ABCD"

    private static func document(_ value: [String: Any], _ format: PropertyListSerialization.PropertyListFormat) throws -> [UInt8]
    {
        [UInt8](try PropertyListSerialization.data(fromPropertyList: value, format: format, options: 0))
    }

    @Test(arguments: [(1, Simulator.State.shutDown, "shut down"), (3, .booted, "booted"), (2, .other, "neither")])
    func readsADescription(state: Int, expected: Simulator.State, word: String) throws {
        for format in [PropertyListSerialization.PropertyListFormat.xml, .binary] {
            let document = try Self.document(
                [
                    "UDID": "another", "name": "iPhone 16", "runtime": "com.apple.CoreSimulator.SimRuntime.iOS-18-2",
                    "state": state,
                ],
                format)
            let simulator = try #require(Simulator(udid: Self.udid, document: document))
            #expect(simulator.udid == Self.udid)
            #expect(simulator.state == expected)
            #expect(simulator.description == "iPhone 16 (\(Self.udid), iOS 18.2, \(word))")
        }
    }

    @Test func whatNamesNoSimulatorIsNone() throws {
        for value in [["state": 1], ["name": ""], ["name": 7], [:]] as [[String: Any]] {
            #expect(Simulator(udid: Self.udid, document: try Self.document(value, .xml)) == nil)
        }
        let whole = try Self.document(["name": "iPhone", "state": 1], .binary)
        for length in 0..<whole.count { #expect(Simulator(udid: Self.udid, document: Array(whole.prefix(length))) == nil) }
    }

    @Test(arguments: [
        ("com.apple.CoreSimulator.SimRuntime.iOS-18-2", "iOS 18.2"), ("com.apple.CoreSimulator.SimRuntime.xrOS-2", "xrOS 2"),
        ("com.apple.CoreSimulator.SimRuntime.iOS-9-3-1", "iOS 9.3.1"), ("odd", "odd"), ("a.iOS-", "a.iOS-"),
        ("a.iOS-x", "a.iOS-x"),
    ])
    func namesWhatItRuns(runtime: String, expected: String) throws {
        let document = try Self.document(["name": "n", "runtime": runtime], .xml)
        #expect(Simulator(udid: Self.udid, document: document)?.runtimeName == expected)
    }

    @Test(arguments: [
        ("booted", ["B", "D"]), ("iPhone", ["A"]), ("IPHONE", ["A", "B"]), ("iphone", ["B"]), ("iPad", ["C", "D"]),
        ("ipad", ["C", "D"]),
        ("0a1b2c3d-0000-4000-8000-00000000000c", ["C"]), ("0A1B2C3D-0000-4000-8000-00000000000A", ["A"]), ("iPhon", []), ("", []),
    ])
    func picksWhoIsMeant(text: String, expected: [String]) throws {
        let simulators = try [("A", "iPhone", 1), ("B", "iphone", 3), ("C", "iPad", 1), ("D", "iPad", 3)].map {
            letter, name, state in
            let udid = String(Self.udid.dropLast(4)) + "000" + letter
            return try #require(Simulator(udid: udid, document: try Self.document(["name": name, "state": state], .xml)))
        }
        let meant = SimulatorChoice(text).pick(from: simulators).map { String($0.udid.suffix(1)) }
        #expect(meant == expected)
    }

    @Test(arguments: [
        ("group.com.example.gifs", true), ("0TEAM1234X.com.example.gifs.shared", true), ("com.example.gifs", true),
        ("group.com.example.gifsier", false), ("groupcom.example.gifs", false), ("group.com.example", false),
    ])
    func groupsGoByTheirApps(group: String, expected: Bool) throws {
        let document = try Self.document(["name": "n"], .xml)
        let simulator = try #require(Simulator(udid: Self.udid, document: document))
        let container = LocatedContainer(
            simulator: simulator, kind: .group, identifier: group, uuid: Self.udid, path: .standardStream)
        #expect(container.goesBy("com.example.gifs") == expected)
    }
}
