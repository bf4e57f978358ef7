import Capsule
import Foundation
import TestSupport
import Testing

/// Runs the README's example of the library.
@Suite struct ReadmeTests {
    /// The example, line by line as in the README.
    private static func run() throws {
        let before: Container = "Samples/Gifs-before.xcappdata"
        let after: Container = "Samples/Gifs-after.xcappdata"
        try before.pack(to: "Gifs.capsule")
        for change in try before.difference(to: after) { print(change) }

        let verdict = try before.verdict(on: after, expecting: Expectation("Onboarding.json"))
        guard verdict.holds else { fatalError("\(verdict)") }

        try after.unpack(to: "Live.xcappdata")
        try Container("Gifs.capsule").restore(to: "Live.xcappdata")
        try PropertyListFile("Info.plist").apply("Info-Debug.plist")
    }

    /// The example's paths are relative, so that it runs in a process and a directory of its own.
    @Test func theExampleRuns() async {
        await #expect(processExitsWith: .success) {
            let directory = try TemporaryDirectory()
            try FileManager.default.createSymbolicLink(
                atPath: directory["Samples"], withDestinationPath: PackageFiles.samples)
            for (name, text) in [
                ("Onboarding.json", #"{"CapsuleExpectation": 1, "Other": "allow"}"#),
                ("Info.plist", #"{"CFBundleName": "Gifs"}"#), ("Info-Debug.plist", #"{"CFBundleName": "Gifs β"}"#),
            ] {
                try Data(text.utf8).write(to: URL(fileURLWithPath: directory[name]))
            }
            setenv("XDG_CACHE_HOME", directory["cache"], 1)
            #expect(FileManager.default.changeCurrentDirectoryPath(directory.path))
            try Self.run()
            #expect(try Array(Container("Samples/Gifs-before.xcappdata").difference(to: "Live.xcappdata")) == [])
            #expect(String(decoding: try Files.read("Info.plist"), as: UTF8.self).contains("Gifs β"))
            #expect(FileManager.default.changeCurrentDirectoryPath("/"))
        }
    }

    @Test func theReadmeShowsIt() throws {
        let source = String(decoding: try Files.read(#filePath), as: UTF8.self)
        let lines = Set(source.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) })
        let readme = String(decoding: try Files.read(PackageFiles.root + "/README.md"), as: UTF8.self)
        let example = try #require(readme.split(separator: "    import Capsule\n").last?.split(separator: "\n## ").first)
        let shown = example.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
        #expect(shown.count >= 9)
        for line in shown { #expect(lines.contains(line), "\(line)") }
    }
}
