import CapsuleArchive
import CapsuleContainers
import CapsuleCore
import Foundation
import TestSupport
import Testing

@testable import CapsuleEngine

/// A small bundle with everything that a tree can hold.
enum SampleTree {
    static let identity = """
        <?xml version="1.0" encoding="UTF-8"?><plist version="1.0"><dict><key>MCMMetadataIdentifier</key>
        <string>com.example.app</string></dict></plist>
        """
    static let info = """
        <?xml version="1.0" encoding="UTF-8"?><plist version="1.0"><dict><key>CFBundleIdentifier</key>
        <string>com.example.app</string></dict></plist>
        """

    /// Writes `NAME.xcappdata`, and returns its path.
    static func writeBundle(_ scratch: Scratch, name: String = "com.example.app", extra: String = "") throws -> String {
        let top = "\(name).xcappdata"
        try scratch.write(info, to: "\(top)/AppDataInfo.plist")
        let data = "\(top)/AppData"
        try scratch.write(identity, to: "\(data)/.com.apple.mobile_container_manager.metadata.plist")
        try scratch.write("hello\n", to: "\(data)/Documents/a.txt")
        try scratch.write("", to: "\(data)/Documents/empty")
        try scratch.write("x", to: "\(data)/Documents/with space: and colon")
        try scratch.write((0..<300_000).map { UInt8(truncatingIfNeeded: $0 * 7 / 3) }, to: "\(data)/Library/medium.bin")
        try scratch.write([UInt8](repeating: 0, count: 200_000) + [1], to: "\(data)/Library/holes.bin")
        try scratch.write(
            "deep", to: "\(data)/Library/\(String(repeating: "d/", count: 60))\(String(repeating: "n", count: 120))")
        let traits = try FileSystemTraits.of(scratch.path)
        let script = """
            set -e
            cd '\(scratch(data))'
            mkdir -p tmp SystemData
            ln -s ../Documents/a.txt Library/link
            ln -s /nowhere/at/all tmp/dangling
            printf NFC > "Documents/$(printf '\\303\\251')"
            \(traits.tellsFormsApart ? #"printf NFD > "Documents/$(printf 'e\314\201')""# : "")
            \(traits.takesAnyBytes ? #"printf raw > "Documents/$(printf 'raw\377\376')""# : "")
            chmod 600 Documents/a.txt
            chmod 755 Library/medium.bin
            \(extra)
            find '\(scratch(top))' -exec touch -h -d '2023-11-14T22:13:21Z' {} +
            """
        let run = try Tool.shell(script)
        guard run.status == 0 else { throw CapsuleError("the sample can't be made: \(run.output)") }
        return scratch(top)
    }
}

/// Packs with two threads, and returns the version from the capsule's own index.
func packed(
    _ source: String, to target: String, excluding patterns: [String] = [], codec: PackOptions.Codec = .gzip
) throws -> StoredVersion {
    var options = PackOptions(captured: Timestamp(seconds: 1_700_000_000))
    options.jobs = 2
    options.codec = codec
    options.container.excluded = try patterns.map { try Glob(Array($0.utf8)) }
    _ = try Packer(options: options).pack(Container(Array(source.utf8)), to: HostPath(target))
    return try packedVersion(target)
}

/// Reads all of a capsule's metadata, and checks that it is a valid tree.
func packedVersion(_ target: String) throws -> StoredVersion {
    guard case .capsule(let reader, let selector) = try Container(Array(target.utf8)).resolve() else {
        throw CapsuleError("is not a capsule", path: HostPath(target))
    }
    return try StoredVersion(reader, selector)
}

/// Makes a change whenever a range of the stream is finished, in the middle of packing.
final class Changer: ProgressObserver, @unchecked Sendable {
    // Only one thread at a time calls this.
    private var round = 0
    private let change: @Sendable (Int) -> Void

    /// - Parameter change: called with the number of the call, from 1.
    init(_ change: @escaping @Sendable (Int) -> Void) { self.change = change }

    func advanced(to report: ProgressReport) {
        round += 1
        change(round)
    }
}

/// A program that other results are compared with.
struct Tool: Sendable {
    /// The result of a run.
    struct Run: Sendable {
        let status: Int32
        let output: String
    }

    let path: String

    /// Finds a program. The result is nil if it is not installed.
    init?(_ name: String) {
        let directories = ToolPath.current.split(separator: ":")
        guard let found = directories.map({ "\($0)/\(name)" }).first(where: FileManager.default.isExecutableFile) else {
            return nil
        }
        path = found
    }

    /// Ends the test as skipped if one of these programs is not installed.
    static func need(_ names: String...) throws { try need(names) }

    static func need(_ names: [String]) throws {
        let missing = names.filter { Tool($0) == nil }
        guard !missing.isEmpty else { return }
        let reason = "not installed: \(missing.joined(separator: ", "))"
        // A test with arguments would otherwise not show the reason.
        print("untested: \(Test.current?.name ?? "?"): \(reason)")
        #if compiler(>=6.3)
        try Test.cancel("\(reason)")
        #else
        // Older compilers can't end a test as skipped, and a test must not pass without testing anything.
        throw SupportError(reason)
        #endif
    }

    /// Runs the program, and returns its output and errors together.
    @discardableResult
    func callAsFunction(_ arguments: [String], in directory: String? = nil) throws -> Run {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: path)
        process.arguments = arguments
        if let directory { process.currentDirectoryURL = URL(fileURLWithPath: directory) }
        process.environment = ["PATH": ToolPath.current, "LC_ALL": "C.UTF-8", "TZ": "UTC"]
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = pipe
        process.standardInput = FileHandle.nullDevice
        try process.run()
        let data = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return Run(status: process.terminationStatus, output: String(decoding: data, as: UTF8.self))
    }

    /// Runs a line of shell script.
    static func shell(_ line: String, in directory: String? = nil) throws -> Run {
        guard let shell = Tool("sh") else { return Run(status: 127, output: "no shell") }
        return try shell(["-c", line], in: directory)
    }
}
