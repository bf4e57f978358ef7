import CapsuleArchive
import CapsuleContainers
import CapsuleCore
import TestSupport
import Testing

@testable import CapsuleEngine

/// Appending versions to a capsule.
@Suite struct AppendTests {
    /// Makes a tree that others are derived from: generated entries, duplicates, and files near the lengths at which storing
    /// changes.
    private static func tree(_ random: inout SeededGenerator, seed: UInt64) -> TreeLiteral {
        var tree = generatedTree(seed: seed, entries: 40, hasAttributes: false)
        tree["big"] = .file(random.bytes(2_300_000))
        tree["bigger"] = .file(random.bytes(1_000_000) + [UInt8](repeating: 0, count: 300_000) + random.bytes(1_500_000))
        tree["twin a"] = .file("twins ")
        tree["twin b"] = .file("twins ")
        tree["medium"] = .file(random.bytes(700_000))
        return tree
    }

    /// Returns the tree after a change.
    private static func changed(_ tree: TreeLiteral, _ random: inout SeededGenerator, round: Int) -> TreeLiteral {
        var tree = tree
        let hole = 65_536..<201_072
        for path in tree.paths {
            guard var node = tree[path], case .file(var bytes) = node.kind, random.isLucky(oneIn: 4) else { continue }
            switch random.number(0...6) {
            case 0 where !bytes.isEmpty:
                bytes.replaceSubrange(bytes.count / 2..<bytes.count / 2, with: random.bytes(random.number(1...99)))
            case 1 where bytes.count > 10: bytes.removeSubrange(3..<bytes.count / 3)
            case 2: bytes += random.bytes(10)
            case 3 where bytes.count > hole.upperBound:
                bytes.replaceSubrange(hole, with: [UInt8](repeating: 0, count: hole.count))
            case 4: bytes = []
            case 5: node.mode ^= 0o11
            default: node.modified = Timestamp(seconds: 1_720_000_000 + Int64(round), nanoseconds: 7) ?? .epoch
            }
            node.kind = .file(bytes)
            tree[path] = node
        }
        let names = Set(tree.nodes.values.compactMap { if case .hardLink(let other) = $0.kind { other } else { nil } })
        let gone = tree.paths.filter { tree[$0]?.kind != .directory && !names.contains($0.bytes) && random.isLucky(oneIn: 9) }
        for path in gone { tree[path] = nil }
        let same = random.bytes(random.number(0...400_000))
        for name in ["same 1", "same 2", "d/same 3"] where random.isLucky(oneIn: 2) {
            tree[TreeLiteral.RawPath(Array("\(name) of \(round)".utf8))] = .file(same)
        }
        return tree
    }

    private static func options(_ codec: PackOptions.Codec? = nil, jobs: Int = 2) -> PackOptions {
        var options = PackOptions(captured: UseCases.captured)
        options.codec = codec
        options.jobs = jobs
        return options
    }

    @discardableResult
    static func append(
        _ source: String, to capsule: String, label: String? = nil, jobs: Int = 2,
        _ append: Packer.AppendOptions = Packer.AppendOptions()
    ) throws -> Packer.Outcome {
        var options = options(jobs: jobs)
        options.label = label.flatMap { VersionLabel($0) }
        return try Packer(options: options).append(UseCases.container(source), to: HostPath(capsule), append)
    }

    @Test(arguments: SeededGenerator.seeds, [PackOptions.Codec.gzip, .zstd])
    func everyVersionIsItsTree(seed: UInt64, codec: PackOptions.Codec) throws {
        let directory = try TemporaryDirectory()
        var random = SeededGenerator(seed: seed)
        var trees = [Self.tree(&random, seed: seed)]
        for round in 1...4 { trees.append(Self.changed(round == 3 ? trees[0] : trees[round - 1], &random, round: round)) }
        // The trees return to earlier states.
        trees += [trees[1], trees[0], trees[0]]
        for (number, tree) in trees.enumerated() { try tree.make(at: directory["tree \(number)"]) }
        for jobs in [1, 4] {
            let capsule = directory["\(jobs).capsule"]
            try UseCases.pack(directory["tree 0"], to: capsule) {
                $0.codec = codec; $0.jobs = jobs
            }
            for number in 1..<trees.count {
                let outcome = try Self.append(directory["tree \(number)"], to: capsule, jobs: jobs)
                #expect(outcome.manifest.version == UInt32(number + 1))
                // An earlier state takes only an index root, a manifest and a footer.
                if number > 4 { #expect(outcome.added < 4_096) }
            }
        }
        let capsule = directory["1.capsule"]
        #expect(try Files.read(capsule) == Files.read(directory["4.capsule"]))
        #expect(try UseCases.verify(capsule).findings == [])
        for (number, tree) in trees.enumerated() {
            let back = directory["back \(number)"]
            try UseCases.unpack("\(capsule)@\(number + 1)", to: back) { $0.jobs = 2 }
            #expect(tree.differences(from: try TreeLiteral(reading: back)) == [], "version \(number + 1)")
        }
        // The versions of one capsule have the same digests as the same trees packed separately.
        for (number, _) in trees.enumerated().prefix(4) {
            let alone = try UseCases.pack(directory["tree \(number)"], to: directory["alone \(number).capsule"])
            let version = try packedVersion("\(capsule)@\(number + 1)")
            #expect(version.manifest.treeDigest == alone.manifest.treeDigest)
        }
        let python = try Program.run("python3", [PackageFiles.tools + "/capsule_reader.py", "check", capsule])
        #expect(python.status == 0, "\(python.text)\(python.errors)")
    }

    /// Appending another capsule's versions gives the same trees as appending the directories.
    @Test func versionsOfAnotherCapsule() throws {
        let directory = try TemporaryDirectory()
        var random = SeededGenerator(seed: 3)
        let first = Self.tree(&random, seed: 3)
        let second = Self.changed(first, &random, round: 1)
        for (name, tree) in [("t", first), ("u", second)] {
            try tree.make(at: directory["\(name)"])
        }
        for (name, container) in [("live", ["t", "u"]), ("stored", ["live.capsule@1", "live.capsule@2"])] {
            let capsule = directory["\(name).capsule"]
            for source in container { try Self.append(directory[source], to: capsule) }
        }
        #expect(try UseCases.verify(directory["stored.capsule"]).findings == [])
        for version in 1...2 {
            let trees = try ["live", "stored"].map {
                try packedVersion(directory["\($0).capsule@\(version)"]).manifest.treeDigest
            }
            #expect(trees[0] == trees[1])
        }
    }

    /// A change in the middle of a large file takes only the space of the change, with either codec. Databases take their changed
    /// pages.
    @Test(arguments: [PackOptions.Codec.gzip, .zstd])
    func largeFilesCostWhatChanged(codec: PackOptions.Codec) throws {
        let directory = try TemporaryDirectory()
        var random = SeededGenerator(seed: 5)
        let content = random.bytes(6_000_000)
        var pages = Array("SQLite format 3\0".utf8) + [0x10, 0] + random.bytes(4_078) + random.bytes(4_096 * 999)
        let first: TreeLiteral = ["blob": .file(content), "base": .file(pages)]
        try first.make(at: directory["1"])
        try UseCases.pack(directory["1"], to: directory["t.capsule"]) { $0.codec = codec }
        for page in [7, 300, 301, 998] { pages.replaceSubrange(4_096 * page + 9..<4_096 * page + 12, with: [1, 2, 3]) }
        let second: TreeLiteral = [
            "blob": .file(Array(content[..<2_000_000]) + random.bytes(38) + Array(content[2_000_000...])), "base": .file(pages),
        ]
        try second.make(at: directory["2"])
        let outcome = try Self.append(directory["2"], to: directory["t.capsule"])
        #expect(outcome.added < 4 * 4_096 + 4_096 + 4_096)
        #expect(try UseCases.verify(directory["t.capsule"]).findings == [])
        try UseCases.unpack(directory["t.capsule"], to: directory["back"])
        #expect(second.differences(from: try TreeLiteral(reading: directory["back"])) == [])
    }

    @Test func aMissingCapsuleIsMade() throws {
        let directory = try TemporaryDirectory()
        let tree: TreeLiteral = ["f": .file("x")]
        try tree.make(at: directory["t"])
        let outcome = try Self.append(directory["t"], to: directory["t.capsule"])
        #expect(outcome.manifest.version == 1)
        #expect(outcome.added == outcome.length)
        #expect(try UseCases.verify(directory["t.capsule"]).isWhole)
    }

    private static func appended(_ directory: TemporaryDirectory) throws -> (capsule: String, bytes: [UInt8]) {
        let tree: TreeLiteral = ["f": .file("x")]
        try tree.make(at: directory["t"])
        let bundled = bundle(["Documents/f": .file("x")], identity: "com.example.app")
        try bundled.make(at: directory["A.xcappdata"])
        try bundle(["Documents/f": .file("x")], info: "com.other", identity: "com.other").make(at: directory["B.xcappdata"])
        let capsule = directory["a.capsule"]
        try Self.append(directory["A.xcappdata"], to: capsule, label: "before")
        return (capsule, try Files.read(capsule))
    }

    /// An append that is refused leaves the file unchanged.
    @Test func refusals() throws {
        let directory = try TemporaryDirectory()
        let (capsule, bytes) = try Self.appended(directory)
        func refused(_ source: String, label: String? = nil, codec: PackOptions.Codec? = nil) throws -> String? {
            let error = UseCases.failure {
                var options = Self.options(codec)
                options.label = label.flatMap { VersionLabel($0) }
                _ = try Packer(options: options).append(UseCases.container(directory[source]), to: HostPath(capsule), .init())
            }
            #expect(try Files.read(capsule) == bytes)
            return error?.message
        }
        #expect(try refused("t") == "its versions are of a container, but this is a plain directory")
        #expect(try refused("B.xcappdata") == "version 1 is of com.example.app, but this is of com.other")
        #expect(try refused("A.xcappdata", codec: .zstd) == "is compressed with gzip, and a capsule has only one codec")
        #expect(try refused("A.xcappdata", label: "before") == "version 1 already has the label 'before'")
        #expect(try refused("nothing") == "cannot open: no such file or directory")
        var append = Packer.AppendOptions()
        append.allowsDifferentApp = true
        #expect(try Self.append(directory["B.xcappdata"], to: capsule, append).manifest.version == 2)
    }

    /// An incomplete tail is replaced. A damaged one stays, and nothing is appended.
    @Test(arguments: 0..<4)
    func tails(kind: Int) throws {
        let directory = try TemporaryDirectory()
        let (capsule, first) = try Self.appended(directory)
        try Self.append(directory["A.xcappdata"], to: capsule, label: "after")
        let whole = try Files.read(capsule)
        var bytes = whole
        switch kind {
        case 0: bytes.removeLast(40)
        case 1: bytes += [UInt8](repeating: 0, count: 4_096)
        case 2: bytes[bytes.count - 100] ^= 1
        default: bytes += Array("garbage that is no member of anything".utf8)
        }
        try Files.write(bytes, to: capsule)
        let outcome = Result { try Self.append(directory["A.xcappdata"], to: capsule) }
        switch outcome {
        case .success(let appended):
            #expect(kind < 2)
            #expect(appended.manifest.version == (kind == 0 ? 2 : 3))
            #expect(try UseCases.verify(capsule).findings == [])
        case .failure(let error):
            #expect(kind >= 2)
            let place = kind == 2 ? first.count : whole.count
            #expect((error as? CapsuleError)?.message == "damaged from byte \(place) on: nothing can be appended")
            #expect(try Files.read(capsule) == bytes)
        }
    }
}
