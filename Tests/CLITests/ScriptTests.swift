import Foundation
import TestSupport
import Testing

/// Runs the shell scripts in `Scripts` against the built program, each in a directory of its own.
///
/// A script ends with 0, or tells on standard output what is not as it should be; with 77 it says why it can't run here.
@Suite struct ScriptTests {
    private static let directory = PackageFiles.root + "/Tests/CLITests/Scripts"

    static let scripts: [String] = {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
        return names.filter { $0.hasSuffix(".sh") && $0 != "lib.sh" }.sorted()
    }()

    /// The program beside the test bundle.
    private static let program = BuiltProgram.path("capsule")

    @Test func thereAreScripts() {
        #expect(Self.scripts.count > 10)
    }

    @Test(arguments: scripts)
    func script(name: String) throws {
        let directory = try TemporaryDirectory()
        try FileManager.default.createDirectory(atPath: directory["work"], withIntermediateDirectories: false)
        try FileManager.default.createDirectory(atPath: directory["tmp"], withIntermediateDirectories: false)
        try FileManager.default.createDirectory(atPath: directory["cache"], withIntermediateDirectories: false)
        let program = try #require(Self.program, "the program is not beside the test bundle: 'swift build' makes it")
        let finished = try Program.run(
            "sh", [Self.directory + "/" + name], in: directory["work"],
            environment: [
                "CAPSULE": program, "LIB": Self.directory + "/lib.sh", "TOOLS": PackageFiles.tools,
                "SAMPLES": PackageFiles.samples,
                "TMPDIR": directory["tmp"], "XDG_CACHE_HOME": directory["cache"], "LC_ALL": "C.UTF-8",
                "PYTHONDONTWRITEBYTECODE": "1", "CAPSULE_JOBS": "",
                "NO_COLOR": "",
                "SOURCE_DATE_EPOCH": "",
            ])
        if finished.status == 77 {
            print("skipped: \(name): \(finished.text)")
            return
        }
        #expect(finished.status == 0, "\(name): status \(finished.status)\n\(finished.text)\n\(finished.errors)")
        // Not even a temporary file is left.
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory["tmp"]) == [])
    }
}
