import CapsuleRuntime
import Foundation
import TestSupport
import Testing

@testable import ExampleApp

/// Stores of earlier versions of the app, from one capsule, opened by the current app.
@Suite struct MigrationTests {
    private static let program = BuiltProgram.path("capsule")

    private let directory: TemporaryDirectory
    /// The directory to which Samples/migrations/install-versions.sh copies the fixtures. In an app's tests, `Bundle(for:)` has them.
    private let resources: URL

    init() throws {
        directory = try TemporaryDirectory()
        resources = URL(fileURLWithPath: directory["Products/Tests.xctest"])
        for name in ["Fixtures", "Home", "Products/Tests.xctest"] {
            try FileManager.default.createDirectory(atPath: directory[name], withIntermediateDirectories: true)
        }
        let program = try #require(Self.program)
        for (version, container) in [("1.0", "Gifs-before"), ("1.1", "Gifs-after")] {
            let packed = try Program.run(
                program,
                [
                    "pack", "-q", PackageFiles.samples + "/\(container).xcappdata", "--append", "-o",
                    directory["Fixtures/versions.capsule"], "--label", version,
                ])
            try #require(packed.status == 0, "\(packed.errors)")
        }
        let bin = URL(fileURLWithPath: program).deletingLastPathComponent().path
        let installed = try Program.run(
            "sh", [PackageFiles.samples + "/migrations/install-versions.sh"],
            environment: [
                "PATH": bin + ":" + (ProcessInfo.processInfo.environment["PATH"] ?? ""), "SRCROOT": directory.path,
                "TARGET_BUILD_DIR": directory["Products"], "UNLOCALIZED_RESOURCES_FOLDER_PATH": "Tests.xctest",
            ])
        try #require(installed.status == 0, "\(installed.errors)")
    }

    @Test(arguments: [("1.0", "old joke"), ("1.1", "fox")])
    func storeIsMigrated(version: String, title: String) throws {
        let home = URL(fileURLWithPath: directory["Home"])
        let environment = AppEnvironment(home: home, preferences: NoPreferences())
        let seed = AppDataSeed(at: resources.appendingPathComponent("\(version).xcappdata"))
        try seed.install(policy: .always, in: environment)
        let store = try GifStore(at: home.appendingPathComponent("Library/Application Support/Model.sqlite"))
        #expect(try store.titles().contains(title))
        #expect(try store.plays() == ["0", "0", "0", "0", "0", "0"])
    }
}

/// Preferences that are not stored, so that those of the user who runs the tests don't change.
private struct NoPreferences: PreferenceDomains {
    func values(ofDomain name: String) -> [String: Any]? { nil }
    func setValues(_ values: [String: Any], ofDomain name: String) {}
    func removeDomain(_ name: String) {}
}
