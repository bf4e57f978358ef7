import CapsuleArchive
import CapsuleContainers
import CapsuleCore
import CapsulePropertyList
import CapsuleRules
import TestSupport
import Testing

@testable import CapsuleEngine

/// Capsules that were made when their format was new. They must open forever (docs/format.md, section 12).
@Suite struct FixtureTests {
    private static let directory = PackageFiles.root + "/Tests/Fixtures/format-1/"
    static let names = [
        "one-gzip", "one-zstd", "three-gzip", "three-zstd", "gaps-gzip", "gaps-zstd", "latest-gzip", "torn-gzip", "torn-zstd",
        "zeros-gzip", "damaged-gzip", "damaged-zstd",
    ]

    /// The content of the text file beside a capsule.
    private struct Expectation {
        let state: String
        /// For each version, newest first: a line about it, and one for each entry.
        var versions: [(facts: [String], entries: [String])] = []

        init(_ name: String) throws {
            let text = String(decoding: try Files.read(FixtureTests.directory + name + ".txt"), as: UTF8.self)
            var lines = text.split(separator: "\n").map(String.init)[...]
            state = lines.removeFirst()
            for line in lines {
                if line.hasPrefix("version ") {
                    versions.append((line.split(separator: " ").dropFirst().map(String.init), []))
                } else {
                    versions[versions.count - 1].entries.append(line)
                }
            }
        }
    }

    private static func hex(_ bytes: [UInt8]) -> String {
        let digits = Array("0123456789abcdef")
        return String(bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] })
    }

    private static func padded(_ number: some BinaryInteger, radix: Int = 10, to length: Int) -> String {
        let text = String(number, radix: radix)
        return String(repeating: "0", count: max(0, length - text.count)) + text
    }

    private static func line(_ entry: TreeEntry) -> String {
        let hasContent = entry.kind == .file || entry.kind == .identity
        let attributes = entry.attributes.map { hex($0.name) + "=" + hex($0.value) }.joined(separator: ",")
        return [
            String(entry.root.rawValue), "\(entry.kind)", padded(entry.mode.rawValue, radix: 8, to: 4),
            "\(entry.modified.seconds).\(padded(entry.modified.nanoseconds, to: 9))", String(entry.size),
            hasContent ? entry.digest.hex : "-", hex(entry.path.bytes), hex(entry.target), attributes,
        ].map { $0.isEmpty ? "-" : $0 }.joined(separator: " ")
    }

    @Test func allAreThere() throws {
        for name in Self.names { #expect(try !Files.read(Self.directory + name + ".capsule").isEmpty) }
        #expect(try Expectation("three-gzip").versions.map { $0.facts[0] } == ["3", "2", "1"])
        #expect(try Expectation("gaps-zstd").versions.map { $0.facts[0] } == ["3", "1"])
        #expect(try Expectation("latest-gzip").versions.map { $0.facts[0] } == ["3"])
    }

    @Test(arguments: names)
    func everyVersionIsAsItWas(name: String) throws {
        let directory = try TemporaryDirectory()
        let expectation = try Expectation(name)
        let path = Self.directory + name + ".capsule"
        #expect(!expectation.versions.isEmpty)
        for (number, version) in expectation.versions.enumerated() {
            let stored = try packedVersion("\(path)@\(version.facts[0])")
            let manifest = stored.manifest
            #expect(
                [
                    String(manifest.version), manifest.label?.text ?? "-", manifest.treeDigest.hex, manifest.contentDigest.hex,
                    String(manifest.entries), String(manifest.bytes),
                ] == version.facts)
            #expect(stored.entries.map(Self.line) == version.entries, "version \(version.facts[0])")
            if version.facts[1] != "-", expectation.state != "damaged" {
                #expect(try packedVersion("\(path)@\(version.facts[1])").manifest == manifest)
            }
            // The newest version is the latest one, unless something damaged follows it.
            if number == 0, expectation.state != "damaged" { #expect(try packedVersion(path).manifest == manifest) }
            // The version is unpacked to its original bytes.
            let back = directory["back \(number)"]
            guard FileSystemTraits.temporary.takes(stored.entries.map(\.path.bytes)) else {
                // Names that this file system can't have are refused, and nothing is left behind.
                #expect(UseCases.failure { try UseCases.unpack("\(path)@\(version.facts[0])", to: back) } != nil)
                #expect(!Files.exists(back))
                continue
            }
            try UseCases.unpack("\(path)@\(version.facts[0])", to: back) { $0.jobs = 2 }
            let again = try UseCases.pack(back, to: directory["again \(number).capsule"])
            #expect(again.manifest.contentDigest == manifest.contentDigest)
        }
    }

    @Test(arguments: names)
    func itsEndIsAsItWas(name: String) throws {
        let expectation = try Expectation(name)
        let path = Self.directory + name + ".capsule"
        let strict = try UseCases.verify(path)
        let outcome = try UseCases.verify(path, strict: false)
        #expect(outcome.versions == expectation.versions.count)
        #expect(strict.isWhole == (expectation.state == "whole"))
        #expect(outcome.isWhole == (expectation.state != "damaged"))
        #expect(outcome.warnings.count == (expectation.state == "torn" ? 1 : 0))
        if expectation.state == "damaged" { #expect(UseCases.failure { try UseCases.list(path) } != nil) }
    }

    /// A version can be appended to each capsule, and the earlier content stays.
    @Test(arguments: names)
    func itGrows(name: String) throws {
        let expectation = try Expectation(name)
        let directory = try TemporaryDirectory()
        let bytes = try Files.read(Self.directory + name + ".capsule")
        let capsule = directory["grown.capsule"]
        try Files.write(bytes, to: capsule)
        if expectation.state == "damaged" {
            #expect(throws: CapsuleError.self) { try AppendTests.append("\(capsule)@1", to: capsule) }
            #expect(try Files.read(capsule) == bytes)
            _ = try Repairer(lockTimeout: 1).repair(HostPath(capsule))
            #expect(try Files.read(capsule) + Files.read(capsule + ".damaged") == bytes)
        }
        let newest = UInt32(expectation.versions[0].facts[0]) ?? 0
        let oldest = expectation.versions[expectation.versions.count - 1].facts
        let outcome = try AppendTests.append("\(capsule)@\(oldest[0])", to: capsule)
        #expect(outcome.manifest.version == newest + 1)
        #expect(outcome.manifest.treeDigest.hex == oldest[2])
        #expect(try UseCases.verify(capsule).findings == [])
    }

    /// The further keys in the manifests of a container.
    @Test(arguments: ["three-gzip", "three-zstd", "gaps-gzip"])
    func manifests(name: String) throws {
        let path = Self.directory + name + ".capsule"
        let first = try packedVersion(path + "@first").manifest
        #expect(first.label?.text == "first-one")
        #expect(first.captured == Timestamp(seconds: 1_700_000_001))
        #expect(first.layout == .container)
        #expect(first.source.bundleIdentifier?.string == "com.example.fixture")
        #expect(first.groups == [Array("group.com.example".utf8)])
        #expect(first.overlays.count == 1)
        #expect(first.omitted.map(\.path).contains(Array("Documents/pipe".utf8)))
        let latest = try packedVersion(path).manifest
        #expect(latest.label == nil && latest.overlays.count == 1)
        if name.hasPrefix("three") {
            let second = try packedVersion(path + "@v2.0").manifest
            #expect(second.note?.string == "changed" && second.overlays == [])
        }
    }
}
