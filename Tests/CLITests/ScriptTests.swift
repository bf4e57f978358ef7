import Foundation
import TestSupport
import Testing

/// Runs the shell scripts in `Scripts` against the built program, each in a directory of its own.
///
/// A script ends with status 0, or prints on standard output what failed. With status 77 it prints why it can't run here. A line `untested:
/// REASON` reports that a part of it can't.
@Suite struct ScriptTests {
    private static let directory = PackageFiles.root + "/Tests/CLITests/Scripts"

    static let scripts: [String] = {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
        return names.filter { $0.hasSuffix(".sh") && $0 != "lib.sh" }.sorted()
    }()

    /// The scripts that may be skipped in CI on Linux, where all others must run. Each requires something that no package provides.
    private static let mayBeMissing: [String: String] = [
        "apfs_names.sh": "/dev/fuse, and the right to mount", "apfs_runtime.sh": "/dev/fuse, and the right to mount",
        "apfs_verbs.sh": "/dev/fuse, and the right to mount",
        "apply_shapes.sh": "another user than root who may run the program",
        "apply_trouble.sh": "the right to mount", "fold_wal.sh": "the right to mount", "full_disk.sh": "the right to mount",
        "leftovers.sh": "a file system with extended attributes",
        "locked_files.sh": "the right to make a file immutable",
        "no_proc.sh": "the right to mount",
        "overlay_mount.sh": "the right to mount an overlay",
        "planted_cache.sh": "the right to give files to another user",
        "planted_transaction.sh": "another user than root who may run the program",
        "target_confinement.sh": "the right to mount", "unreadable.sh": "another user than root who may run the program",
        "remote_cuts.sh": "the right to mount",
        "sandboxed.sh": "Landlock, and the right to mount",
        "sparse.sh": "a file system that keeps holes",
        "static_program.sh": "a release program, which takes minutes to build, and the right to mount",
    ]

    /// True if a skipped script is a failure.
    private static let hasToRun: Bool = {
        let isSet = ProcessInfo.processInfo.environment["CI"].map { !$0.isEmpty } ?? false
        return isSet && !PlatformCalls.isApple
    }()

    /// Ends the test of a script as skipped. The test report does not show that for a test with arguments, so a line is printed.
    private static func skip(_ name: String, _ reason: String) throws {
        print("untested: \(name): \(reason)")
        #if compiler(>=6.3)
        try Test.cancel("\(name): \(reason)")
        #endif
    }

    /// Runs some scripts at once. A script often waits, so there is one more than there are processors. Its thread is not one of those
    /// that tests run on, of which there are as many as processors.
    private static let queue: OperationQueue = {
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = ProcessInfo.processInfo.activeProcessorCount + 1
        return queue
    }()

    /// Runs a program on a thread of ``queue``.
    private static func run(
        _ name: String, _ arguments: [String], in directory: String, environment: [String: String]
    ) async throws -> Program {
        try await withCheckedThrowingContinuation { continuation in
            queue.addOperation {
                continuation.resume(
                    with: Result { try Program.run(name, arguments, in: directory, environment: environment) })
            }
        }
    }

    /// The program beside the test bundle.
    private static let program = BuiltProgram.path("capsule")

    @Test func thereAreScripts() {
        #expect(Self.scripts.count > 10)
        // Each entry in the list names an existing script.
        #expect(Set(Self.mayBeMissing.keys).subtracting(Self.scripts) == [])
    }

    @Test(arguments: scripts)
    func script(name: String) async throws {
        let directory = try TemporaryDirectory()
        try FileManager.default.createDirectory(atPath: directory["work"], withIntermediateDirectories: false)
        try FileManager.default.createDirectory(atPath: directory["tmp"], withIntermediateDirectories: false)
        try FileManager.default.createDirectory(atPath: directory["cache"], withIntermediateDirectories: false)
        let program = try #require(Self.program, "the program is not beside the test bundle: 'swift build' makes it")
        let finished = try await Self.run(
            "sh", [Self.directory + "/" + name], in: directory["work"],
            environment: [
                "CAPSULE": program, "LIB": Self.directory + "/lib.sh", "TOOLS": PackageFiles.tools,
                "SAMPLES": PackageFiles.samples,
                "TMPDIR": directory["tmp"], "XDG_CACHE_HOME": directory["cache"], "LC_ALL": "C.UTF-8",
                "PYTHONDONTWRITEBYTECODE": "1", "CAPSULE_JOBS": "",
                "NO_COLOR": "",
                "SOURCE_DATE_EPOCH": "",
            ])
        let lines = finished.text.split(separator: "\n").map(String.init)
        let missing = finished.status == 77 ? [lines.last ?? ""] : lines.filter { $0.hasPrefix("untested: ") }
        if Self.hasToRun, Self.mayBeMissing[name] == nil {
            #expect(missing == [], "\(name) has to run in CI, all of it")
        }
        if finished.status == 77 { return try Self.skip(name, lines.joined(separator: " ")) }
        for line in missing { print("untested: \(name): \(line.dropFirst("untested: ".count))") }
        #expect(finished.status == 0, "\(name): status \(finished.status)\n\(finished.text)\n\(finished.errors)")
        // No temporary file is left.
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory["tmp"]) == [])
    }
}
