import Foundation
import TestSupport
import Testing

/// Runs the example app as a process, beside a seed that `capsule unpack` wrote, as Xcode would put it into the product.
@Suite struct ExampleAppTests {
    private let directory: TemporaryDirectory
    private static let allGifs = "gifs: cat, dog, old joke, otter, party parrot, 猫"

    init() throws {
        directory = try TemporaryDirectory()
        for name in ["App", "Home/Data", "Home/Group"] {
            try FileManager.default.createDirectory(atPath: directory[name], withIntermediateDirectories: true)
        }
        let program = try #require(BuiltProgram.path("ExampleApp"), "the example is not beside the test bundle")
        // Copied by another process: a program that another test starts meanwhile would inherit a descriptor that is open for writing here,
        // and the copy could not be run ("Text file busy").
        let copied = try Program.run("cp", [program, directory["App/ExampleApp"]])
        try #require(copied.status == 0, "\(copied.errors)")
    }

    private func makeSeed() throws {
        let capsule = try #require(BuiltProgram.path("capsule"))
        let group = directory["GroupData"]
        try FileManager.default.createDirectory(atPath: group + "/Library/Preferences", withIntermediateDirectories: true)
        try FileManager.default.copyItem(
            atPath: PackageFiles.samples
                + "/Gifs-before.xcappdata/AppData/Library/Preferences/group.com.example.gifs.plist",
            toPath: group + "/Library/Preferences/group.com.example.gifs.plist")
        try Files.write("shared", to: group + "/shared.txt")
        for arguments in [
            [
                "pack", "-q", PackageFiles.samples + "/Gifs-before.xcappdata", "--group", "group.com.example.gifs=" + group,
                "-o", "seed.capsule",
            ],
            ["unpack", "-q", "seed.capsule", "-o", "App/UITests.xcappdata"],
        ] {
            let finished = try Program.run(capsule, arguments, in: directory.path)
            try #require(finished.status == 0, "\(finished.errors)")
        }
    }

    /// Launches the app with preferences of its own.
    private func launch(_ arguments: String..., environment: [String: String] = [:]) throws -> [String] {
        let own = ["EXAMPLE_HOME": directory["Home"], "HOME": directory["Home"], "CFFIXED_USER_HOME": directory["Home"]]
        let finished = try Program.run(
            directory["App/ExampleApp"], arguments,
            environment: own.merging(environment) { _, new in new })
        try #require(finished.status == 0, "\(finished.errors)")
        return finished.text.split(separator: "\n").map(String.init)
    }

    @Test func aPersonFindsAnEmptyApp() throws {
        #expect(
            try launch() == ["modes: ", "analytics: on", "gifs: ", "theme: default", "widget: default"])
    }

    /// The seed has six GIFs, two of them only in the log. The reset restores the state of the seed.
    @Test func aUITestIsSeededAndReset() throws {
        try makeSeed()
        let first = try launch("--UITest")
        #expect(
            first.filter { !$0.hasPrefix("seed: ") } == [
                "modes: uiTests", "analytics: off", Self.allGifs, "theme: dark", "widget: migrated",
            ])
        #expect(first.contains { $0.hasPrefix("seed: installed ") && $0.contains("with 2 databases") })
        #expect(Files.exists(directory["Home/Group/shared.txt"]))

        // The app has data now, so it is not changed.
        try Files.write("mine", to: directory["Home/Data/Documents/mine.txt"])
        #expect(try launch("--UITest").contains("seed: nothing installed: the app has data"))
        #expect(Files.exists(directory["Home/Data/Documents/mine.txt"]))

        let again = try launch("--UITest", "--ResetData")
        #expect(again.contains { $0.hasPrefix("reset: ") && $0.contains("Documents/mine.txt") })
        #expect(again.contains { $0.hasPrefix("seed: installed ") })
        #expect(again.contains(Self.allGifs) && again.contains("theme: dark") && again.contains("widget: migrated"))
        #expect(!Files.exists(directory["Home/Data/Documents/mine.txt"]))

        // A reset without a seed gives the state of a new user, including preferences.
        #expect(
            try launch("--ResetData").filter { !$0.hasPrefix("reset: ") } == [
                "modes: ", "analytics: on", "gifs: ", "theme: default", "widget: default",
            ])
    }

    @Test func screenshotsAreToldByAnArgumentThatDefaultsAnswer() throws {
        try makeSeed()
        let lines = try launch("-FASTLANE_SNAPSHOT", "YES", "-ui_testing")
        #expect(lines.first == "modes: snapshots")
        #expect(lines.contains(Self.allGifs))
        #expect(lines.contains("analytics: off"))
        #expect(try launch(environment: ["FASTLANE_SNAPSHOT": "YES"]).first == "modes: ")
    }

    @Test func aPreviewOpensABundledStoreWithItsLog() throws {
        let store = PackageFiles.samples + "/Gifs-before.xcappdata/AppData/Library/Application Support/"
        for name in ["Model.sqlite", "Model.sqlite-wal", "Model.sqlite-shm", ".Model_SUPPORT"] {
            try FileManager.default.copyItem(atPath: store + name, toPath: directory["App/" + name])
        }
        let before = try TreeLiteral(reading: directory["App"])
        let lines = try launch(environment: ["XCODE_RUNNING_FOR_PREVIEWS": "1"])
        #expect(lines.first == "modes: previews")
        #expect(lines.contains(Self.allGifs))
        #expect(lines.contains("analytics: off"))
        #expect(before.differences(from: try TreeLiteral(reading: directory["App"])) == [])
        #expect(!Files.exists(directory["Home/Data/Library/Application Support/Model.sqlite"]))
    }

    @Test func aSeedThatIsNotThereIsToldOf() throws {
        let finished = try Program.run(
            directory["App/ExampleApp"], ["--UITest"],
            environment: ["EXAMPLE_HOME": directory["Home"], "CFFIXED_USER_HOME": directory["Home"]])
        #expect(finished.status == 1)
        #expect(finished.errors.hasPrefix("ExampleApp: error: UITests: "))
    }

    /// Without a container, a user's home is not changed.
    @Test(.disabled(if: PlatformCalls.isApple, "there CFFIXED_USER_HOME is the container"))
    func withoutAContainerNothingIsReset() throws {
        try Files.write("mine", to: directory["Home/Documents"])
        let finished = try Program.run(
            directory["App/ExampleApp"], ["--ResetData"], environment: ["CFFIXED_USER_HOME": directory["Home"]])
        #expect(finished.status == 1)
        #expect(finished.errors.contains("is a user's home directory"))
    }
}
