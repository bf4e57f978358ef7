import CapsuleCore
import Foundation
import TestSupport
import Testing

@testable import CapsuleContainers

/// The commands for a container on a simulator, and recognizing the directories of one.
@Suite struct SimulatorAdviceTests {
    private static let udid = "AAAAAAAA-BBBB-4CCC-8DDD-EEEEEEEEEEEE"
    private static let uuid = "11111111-2222-4333-8444-555555555555"
    private static let path = "/nowhere/Devices/\(udid)/data/Containers/Data/Application/\(uuid)"

    @Test func namesTheCommands() throws {
        let advice = try #require(SimulatorAdvice(path: HostPath(Self.path), bundleIdentifier: "com.example.gifs"))
        #expect(advice.udid == Self.udid)
        #expect(
            advice.lines == [
                "xcrun simctl terminate \(Self.udid) com.example.gifs",
                "xcrun simctl spawn \(Self.udid) launchctl stop com.apple.cfprefsd.xpc.daemon",
            ])
        #expect(SimulatorAdvice(path: HostPath(Self.path + "/"), bundleIdentifier: nil)?.lines == Array(advice.lines.dropFirst()))
    }

    /// Identifiers come from other programs. One that a shell could interpret is not in any command.
    @Test(arguments: [
        "", "-x", "com.example.a b", "a;reboot", "$(reboot)", "`reboot`", "a\nb", "a'b", "a\"b", "a/../b", "a_b", "com.exämple",
    ])
    func leavesOtherIdentifiersOut(identifier: String) throws {
        let advice = try #require(SimulatorAdvice(path: HostPath(Self.path), bundleIdentifier: identifier))
        #expect(advice.bundleIdentifier == nil)
        #expect(advice.lines == ["xcrun simctl spawn \(Self.udid) launchctl stop com.apple.cfprefsd.xpc.daemon"])
    }

    @Test(arguments: [
        "/", ".", "/nowhere/\(uuid)", path + "/Documents", String(path.dropLast()), "/data/Containers/Data/Application/\(uuid)",
        "/x/Devices/not-a-udid/data/Containers/Data/Application/\(uuid)",
        "/x/Devices/\(udid)/data/Containers/Bundle/Application/\(uuid)",
        "/x/Devices/\(udid)/data/Containers/Shared/AppGroup/\(uuid)",
    ])
    func otherDirectoriesAreNone(path: String) {
        #expect(SimulatorAdvice(path: HostPath(path), bundleIdentifier: "com.example.gifs") == nil)
    }

    /// Links are resolved, because the real location of the container decides.
    @Test func linksAreResolved() throws {
        let directory = try TemporaryDirectory()
        let container = directory["\(Self.udid)/data/Containers/Data/Application/\(Self.uuid)"]
        try FileManager.default.createDirectory(atPath: container, withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(atPath: directory["live"], withDestinationPath: container)
        #expect(SimulatorAdvice(path: directory.host("live"), bundleIdentifier: nil)?.udid == Self.udid)
    }

    /// No app runs on a simulator that is shut down, so nothing can overwrite a change there.
    @Test(arguments: [("1", false), ("3", true), ("2", true), (nil, true)])
    func knowsIfItIsBooted(state: String?, isBooted: Bool) throws {
        let directory = try TemporaryDirectory()
        let container = directory["\(Self.udid)/data/Containers/Data/Application/\(Self.uuid)"]
        try FileManager.default.createDirectory(atPath: container, withIntermediateDirectories: true)
        if let state {
            let document = #"<plist version="1.0"><dict><key>name</key><string>x</string><key>state</key><integer>"# + state
            try (document + "</integer></dict></plist>").write(
                toFile: directory["\(Self.udid)/device.plist"], atomically: false, encoding: .utf8)
        }
        #expect(SimulatorAdvice(path: HostPath(container), bundleIdentifier: nil)?.isBooted == isBooted)
    }

    /// The commands are run one after another, with their arguments unchanged.
    @Test func runsTheCommands() throws {
        let directory = try TemporaryDirectory()
        let program = directory["xcrun"]
        // Another process writes the file. Otherwise, a child that another test starts could inherit our descriptor, and the file
        // would be busy.
        let script = #"printf '#!/bin/sh\nprintf "<%%s>" "$@" >> "$0.log"; echo >> "$0.log"; exit 3\n' > xcrun; chmod 755 xcrun"#
        try #require(try Program.run("sh", ["-c", script], in: directory.path).status == 0)
        let advice = try #require(SimulatorAdvice(path: HostPath(Self.path), bundleIdentifier: "com.example.a-b"))
        try advice.run(by: HostPath(program))
        let log = try String(contentsOfFile: program + ".log", encoding: .utf8)
        #expect(
            log == """
                <simctl><terminate><\(Self.udid)><com.example.a-b>
                <simctl><spawn><\(Self.udid)><launchctl><stop><com.apple.cfprefsd.xpc.daemon>

                """)
        #expect(throws: CapsuleError.self) { try advice.run(by: HostPath(directory["missing"])) }
        // On Apple systems, there may be a real simulator with this name.
        if !PlatformCalls.isApple { #expect(failure { try advice.run() }?.code == .usage) }
    }
}
