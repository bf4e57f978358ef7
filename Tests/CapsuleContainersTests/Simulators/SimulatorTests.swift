import CapsuleCore
import Foundation
import TestSupport
import Testing

@testable import CapsuleContainers

/// Finds the containers in generated sets of simulators that the generator lists.
@Suite struct SimulatorLocatorTests {
    /// A line of the generator's list.
    struct Made: Decodable, Hashable {
        let udid: String
        let kind: String
        let identifier: String
        let uuid: String
        let path: String
    }

    private static func make(_ arguments: [String], in directory: TemporaryDirectory) throws -> [Made] {
        let run = try Program.run(
            "python3", [PackageFiles.tools + "/make_simulators.py", directory["Devices"]] + arguments,
            environment: ["PYTHONDONTWRITEBYTECODE": "1"])
        try #require(run.status == 0, "\(run.errors)")
        return try run.text.split(separator: "\n").map { try JSONDecoder().decode(Made.self, from: Data($0.utf8)) }
    }

    private static func made(_ containers: [LocatedContainer]) -> Set<Made> {
        Set(
            containers.map {
                Made(
                    udid: $0.simulator.udid, kind: $0.kind.rawValue, identifier: $0.identifier, uuid: $0.uuid,
                    path: $0.path.description)
            })
    }

    @Test(arguments: [[], ["--damaged"]], LocatedContainer.Kind.allCases)
    func listsJustWhatThereIs(arguments: [String], kind: LocatedContainer.Kind) throws {
        let directory = try TemporaryDirectory()
        let made = try Self.make(arguments + ["--apps", "9"], in: directory).filter { $0.kind == kind.rawValue }
        let locator = try SimulatorLocator(devices: directory.host("Devices"))
        let outcome = try locator.list(kind)
        #expect(Self.made(outcome.containers) == Set(made))
        #expect(outcome.containers.count == made.count)
        // One warning for the damaged simulator, the others for containers without a known owner.
        let damaged = kind == .data ? 5 : kind == .bundle ? 2 : 1
        #expect(outcome.warnings.count == (arguments.isEmpty ? 0 : damaged))
        #expect(outcome.warnings.allSatisfy { $0.message.hasPrefix("skipped: ") })
    }

    /// An app without data is listed with its bundle. A bundle without an `Info.plist` is listed by its metadata.
    @Test func eachAppIsListedOnce() throws {
        let directory = try TemporaryDirectory()
        let made = try Self.make(["--apps", "3", "--devices", "1"], in: directory)
        let bundle = try #require(made.first { $0.kind == "bundle" && $0.identifier == "com.example.app01" })
        let data = try #require(made.first { $0.kind == "data" && $0.identifier == "com.example.app02" })
        try FileManager.default.removeItem(atPath: bundle.path + "/Info.plist")
        try FileManager.default.removeItem(atPath: data.path)
        let locator = try SimulatorLocator(devices: directory.host("Devices"))
        let found = try locator.list(nil).containers
        #expect(found.map(\.identifier) == ["com.example.app00", "com.example.app01", "com.example.app02", "com.example.lone0"])
        #expect(found.map(\.kind) == [.data, .data, .bundle, .data])
        #expect(found.map(\.name) == ["App 00", "App01", "App 02", "Lone 0"])
        #expect(try locator.locate("com.example.app01", .bundle).containers.map(\.path.description) == [bundle.path])
    }

    /// Damage is reported if it may concern what was asked for, and not otherwise.
    @Test func warnsOfWhatMightHaveMattered() throws {
        let directory = try TemporaryDirectory()
        let made = try Self.make(["--apps", "1", "--damaged"], in: directory)
        let locator = try SimulatorLocator(devices: directory.host("Devices"))
        let first = try #require(made.first)
        let found = try locator.locate("com.example.app00", on: SimulatorChoice(first.udid))
        #expect(found.containers.map(\.path.description) == [first.path])
        #expect(found.warnings.isEmpty)
        let missing = failure {
            try locator.locate("com.example.app99", on: SimulatorChoice(first.udid))
        }
        #expect(missing?.code == .notFound)
        #expect(missing?.details.count == 4)
        // The app was found on another simulator than the one with damaged containers, which may be the app's, too.
        let alone = try locator.locate("com.example.lone1")
        #expect(alone.containers.count == 1)
        #expect(alone.warnings.count == 5)
    }

    /// A name can't select one of two containers of the same app on one simulator.
    @Test func twinsAreAmbiguous() throws {
        let directory = try TemporaryDirectory()
        let made = try Self.make(["--apps", "1", "--devices", "1"], in: directory)
        let data = try #require(made.first { $0.kind == "data" })
        let twin = (data.path as NSString).deletingLastPathComponent + "/00000000-0000-4000-8000-000000000000"
        try FileManager.default.copyItem(atPath: data.path, toPath: twin)
        let locator = try SimulatorLocator(devices: directory.host("Devices"))
        let error = failure { try locator.locate(data.identifier, on: SimulatorChoice(data.udid)) }
        #expect(error?.message == "com.example.app00 has 2 data containers")
        #expect(
            error?.details.map { String($0.suffix(37)) }.sorted()
                == ["/" + data.uuid, "/00000000-0000-4000-8000-000000000000"].sorted())
    }

    /// A file in the place of a simulator's directory is not an error. The other simulators are listed.
    @Test func aFileInPlaceOfADirectoryIsNothing() throws {
        let directory = try TemporaryDirectory()
        let made = try Self.make(["--apps", "1", "--devices", "2"], in: directory)
        let data = try #require(made.first { $0.kind == "data" })
        let place = (data.path as NSString).deletingLastPathComponent
        try FileManager.default.removeItem(atPath: place)
        try Data("x".utf8).write(to: URL(fileURLWithPath: place))
        let outcome = try SimulatorLocator(devices: directory.host("Devices")).list(.data)
        #expect(Self.made(outcome.containers) == Set(made.filter { $0.kind == "data" && $0.udid != data.udid }))
    }
}

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

    /// Another set than the default one must be named.
    @Test func namesTheSet() throws {
        let set = "/Users/x/Library/Developer/Xcode/UserData/Previews/Simulator Devices"
        let path = "\(set)/\(Self.udid)/data/Containers/Data/Application/\(Self.uuid)"
        let advice = try #require(SimulatorAdvice(path: HostPath(path), bundleIdentifier: nil))
        let word = set.replacingOccurrences(of: " ", with: "\\ ")
        #expect(
            advice.lines == ["xcrun simctl --set \(word) spawn \(Self.udid) launchctl stop com.apple.cfprefsd.xpc.daemon"])
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

/// Shutting a simulator down for the time of a change.
@Suite struct SimulatorShutdownTests {
    private static let udid = "AAAAAAAA-BBBB-4CCC-8DDD-EEEEEEEEEEEE"

    /// A booted simulator, and an `xcrun` that notes its arguments and changes the simulator's state unless it is stuck.
    private func booted(
        isStuck: Bool = false
    ) throws -> (directory: TemporaryDirectory, advice: SimulatorAdvice, program: HostPath, log: () throws -> [String]) {
        let directory = try TemporaryDirectory()
        let container = directory["\(Self.udid)/data/Containers/Data/Application/11111111-2222-4333-8444-555555555555"]
        try FileManager.default.createDirectory(atPath: container, withIntermediateDirectories: true)
        let script = """
            state() { echo "<plist version='1.0'><dict><key>name</key><string>x</string><key>state</key><integer>$1</integer></dict></plist>" \
                > \(Self.udid)/device.plist; }
            state 3
            cat > xcrun <<'END'
            #!/bin/sh
            cd "$(dirname "$0")"
            echo "$@" >> log
            case $2 in shutdown) from=3 to=1 ;; boot) from=1 to=3 ;; esac
            \(isStuck ? "exit 1" : "")
            sed "s/<integer>$from</<integer>$to</" \(Self.udid)/device.plist > new && mv new \(Self.udid)/device.plist
            END
            chmod 755 xcrun
            """
        try #require(try Program.run("sh", ["-c", script], in: directory.path).status == 0)
        let advice = try #require(SimulatorAdvice(path: HostPath(container), bundleIdentifier: nil))
        let log = directory["log"]
        return (
            directory, advice, directory.host("xcrun"),
            { try String(contentsOfFile: log, encoding: .utf8).split(separator: "\n").map(String.init) }
        )
    }

    private func isBooted(in directory: TemporaryDirectory) -> Bool? {
        SimulatorAdvice(
            path: directory.host("\(Self.udid)/data/Containers/Data/Application/11111111-2222-4333-8444-555555555555"),
            bundleIdentifier: nil)?.isBooted
    }

    @Test func bootsItAgain() throws {
        let (directory, advice, program, log) = try booted()
        let during = try advice.whileShutDown(by: program) { () throws(CapsuleError) in isBooted(in: directory) }
        #expect(during == false)
        #expect(isBooted(in: directory) == true)
        #expect(try log() == ["simctl shutdown \(Self.udid)", "simctl boot \(Self.udid)"])
    }

    @Test func bootsItAgainAfterAFailure() throws {
        let (directory, advice, program, log) = try booted()
        let error = failure {
            try advice.whileShutDown(by: program) { () throws(CapsuleError) in throw CapsuleError("refused") }
        }
        #expect(error?.message == "refused")
        #expect(isBooted(in: directory) == true)
        #expect(try log() == ["simctl shutdown \(Self.udid)", "simctl boot \(Self.udid)"])
    }

    @Test func changesNothingIfItStaysBooted() throws {
        let (directory, advice, program, log) = try booted(isStuck: true)
        var isChanged = false
        let error = failure { try advice.whileShutDown(by: program) { () throws(CapsuleError) in isChanged = true } }
        #expect(error?.message == "the simulator did not shut down; nothing was changed")
        #expect(!isChanged)
        #expect(isBooted(in: directory) == true)
        #expect(try log() == ["simctl shutdown \(Self.udid)"])
    }
}

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
