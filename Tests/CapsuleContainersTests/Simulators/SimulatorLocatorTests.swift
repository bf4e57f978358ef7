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
