import CapsuleArchive
import CapsuleContainers
import CapsuleCore
import CapsulePropertyList
import TestSupport
import Testing

@testable import CapsuleEngine

/// Making capsules from some versions of another capsule.
@Suite struct CompactorTests {
    private static func selectors(_ texts: [String]) throws -> [VersionSelector] {
        try texts.map { try #require(VersionSelector($0)) }
    }

    @discardableResult
    private static func compact(_ capsule: String, keeping kept: [String]?, to output: String? = nil) throws -> Compactor.Outcome
    {
        let compactor = Compactor(keeping: try kept.map(selectors), jobs: 2, lockTimeout: 1)
        if let output { return try compactor.compact(HostPath(capsule), to: HostPath(output)) }
        return try compactor.compact(HostPath(capsule))
    }

    /// Makes four versions with everything that a version can have. Each has its own file of 100 kB, and they all share another
    /// one.
    private static func make(_ directory: TemporaryDirectory, codec: PackOptions.Codec) throws -> (
        path: String, trees: [TreeLiteral]
    ) {
        var random = SeededGenerator(seed: 9)
        let shared = random.bytes(100_000)
        let capsule = directory["c.capsule"]
        var trees: [TreeLiteral] = []
        for version in 1...4 {
            var tree: TreeLiteral = ["shared": .file(shared), "own": .file(random.bytes(100_000)), "n": .file("\(version)")]
            tree[TreeLiteral.RawPath(Array("d/\(version)".utf8))] = .link("../n")
            trees.append(tree)
            tree[TreeLiteral.RawPath(Array("pipe \(version)".utf8))] = .pipe
            try tree.make(at: directory["\(version)"])
            var options = PackOptions(captured: Timestamp(seconds: 1_700_000_000 + Int64(version)))
            options.codec = codec
            if version != 3 { options.label = VersionLabel("label-\(version)") }
            options.note = PlistString("note of \(version)")
            _ = try Packer(options: options).append(UseCases.container(directory["\(version)"]), to: HostPath(capsule), .init())
        }
        return (capsule, trees)
    }

    private static func check(_ capsule: String, _ trees: [TreeLiteral], numbers: [UInt32]) throws {
        #expect(try UseCases.verify(capsule).findings == [])
        for number in 1...UInt32(trees.count) {
            guard numbers.contains(number) else {
                #expect(UseCases.failure { try UseCases.list("\(capsule)@\(number)") } != nil)
                continue
            }
            let directory = try TemporaryDirectory()
            let back = directory["back"]
            try UseCases.unpack("\(capsule)@\(number)", to: back)
            #expect(trees[Int(number) - 1].differences(from: try TreeLiteral(reading: back)) == [], "version \(number)")
        }
    }

    @Test(arguments: [PackOptions.Codec.gzip, .zstd])
    func whatIsKeptIsAsItWas(codec: PackOptions.Codec) throws {
        let directory = try TemporaryDirectory()
        let (capsule, trees) = try Self.make(directory, codec: codec)
        let before = try Files.read(capsule)
        for (kept, numbers) in [
            (["1", "3"], [1, 3]), (["latest"], [4]), (["first", "~1", "label-2"], [1, 2, 3]), (["2", "4", "label-4"], [2, 4]),
            (["1", "2", "3", "4"], [1, 2, 3, 4]),
        ] as [([String], [UInt32])] {
            let output = directory["out \(kept.joined()).capsule"]
            let outcome = try Self.compact(capsule, keeping: kept, to: output)
            #expect(outcome.kept == numbers)
            #expect(outcome.dropped == [1, 2, 3, 4].filter { !numbers.contains($0) })
            #expect(outcome.length == UInt64(try Files.read(output).count) && outcome.lengthBefore == UInt64(before.count))
            // Bytes that only the other versions needed are gone.
            #expect(outcome.length < UInt64(100_000 + 102_500 * numbers.count))
            try Self.check(output, trees, numbers: numbers)
            for number in numbers {
                let (old, new) = (try packedVersion("\(capsule)@\(number)"), try packedVersion("\(output)@\(number)"))
                #expect(old.entries == new.entries)
                var (was, manifest) = (old.manifest, new.manifest)
                #expect(manifest.omitted.count == 1)
                // The index has the offsets of bytes, which are different now.
                was.indexDigest = .zero
                manifest.indexDigest = .zero
                #expect(was == manifest)
            }
            #expect(try Files.read(capsule) == before)
            // Compacting in place gives the same result. After that, there is nothing left to do.
            try Files.write(before, to: directory["in place.capsule"])
            let replaced = try Self.compact(directory["in place.capsule"], keeping: kept)
            #expect(replaced.kept == numbers && replaced.isChanged == (numbers.count < 4))
            #expect(try Files.read(directory["in place.capsule"]) == (numbers.count < 4 ? Files.read(output) : before))
            #expect(try !Self.compact(directory["in place.capsule"], keeping: nil).isChanged)
            // The next number follows the last one.
            let next = try AppendTests.append(directory["1"], to: output)
            #expect(next.manifest.version == (numbers.last ?? 0) + 1)
            #expect(try UseCases.verify(output).findings == [])
        }
    }

    /// Returns the bytes with one bit flipped at a place.
    private static func flip(_ bytes: [UInt8], at place: Int) -> [UInt8] {
        var damaged = bytes
        damaged[place] ^= 1
        return damaged
    }

    /// A damaged version in the middle can be left out. Keeping it is refused, and nothing is written.
    @Test(arguments: [PackOptions.Codec.gzip, .zstd])
    func damagedVersions(codec: PackOptions.Codec) throws {
        let directory = try TemporaryDirectory()
        let (capsule, trees) = try Self.make(directory, codec: codec)
        let before = try Files.read(capsule)
        let reader = try CapsuleReader(try CapsuleFile(opening: HostPath(capsule)))
        let footers = try reader.footers()
        let third = try #require(footers.first { $0.version == 3 })
        // One place in its file, and others in its index and its manifest.
        let places = [
            Int(third.segmentStart) + 50_000, Int(third.root.offset) - 40, Int(third.root.offset) + 40,
            Int(third.manifest.offset) + 60,
        ]
        for place in places {
            let damaged = Self.flip(before, at: place)
            try Files.write(damaged, to: capsule)
            for kept in [["1", "3"], ["3"], ["1", "2", "3", "4"]] {
                let error = UseCases.failure { try Self.compact(capsule, keeping: kept, to: directory["out.capsule"]) }
                #expect(error?.code.isFailure == true, "\(kept), byte \(place)")
                if kept.count < 4 { #expect(UseCases.failure { try Self.compact(capsule, keeping: kept) } != nil) }
                #expect(try Files.read(capsule) == damaged)
                #expect(try directory.names == ["1", "2", "3", "4", "c.capsule"])
            }
            let outcome = try Self.compact(capsule, keeping: ["1", "2", "4"])
            #expect(outcome.kept == [1, 2, 4] && outcome.dropped == [3])
            try Self.check(capsule, trees, numbers: [1, 2, 4])
        }
    }

    /// An old version's footer is damaged. The versions after it can be kept, but not all versions.
    @Test func aDamagedFooter() throws {
        let directory = try TemporaryDirectory()
        let (capsule, trees) = try Self.make(directory, codec: .gzip)
        let reader = try CapsuleReader(try CapsuleFile(opening: HostPath(capsule)))
        let second = try #require(try reader.footers().first { $0.version == 2 })
        let damaged = Self.flip(try Files.read(capsule), at: Int(second.offset) + 90)
        try Files.write(damaged, to: capsule)
        #expect(UseCases.failure { try Self.compact(capsule, keeping: nil) } != nil)
        #expect(UseCases.failure { try Self.compact(capsule, keeping: ["1"]) } != nil)
        #expect(try Files.read(capsule) == damaged)
        #expect(try Self.compact(capsule, keeping: ["3", "4"]).kept == [3, 4])
        try Self.check(capsule, trees, numbers: [3, 4])
    }

    /// An incomplete tail is removed. A damaged one is refused.
    @Test func tails() throws {
        let directory = try TemporaryDirectory()
        let (capsule, _) = try Self.make(directory, codec: .gzip)
        let whole = try Files.read(capsule)
        try Files.write(whole + [UInt8](repeating: 0, count: 700), to: capsule)
        let outcome = try Self.compact(capsule, keeping: nil)
        #expect(outcome.isChanged && outcome.kept == [1, 2, 3, 4])
        #expect(try UseCases.verify(capsule).findings == [])
        let damaged = whole + Array("no member of anything".utf8)
        try Files.write(damaged, to: capsule)
        let error = UseCases.failure { try Self.compact(capsule, keeping: ["latest"]) }
        #expect(error?.message == "damaged from byte \(whole.count) on, and that part would be lost")
        #expect(try Files.read(capsule) == damaged)
    }

    @Test func refusals() throws {
        let directory = try TemporaryDirectory()
        let (capsule, _) = try Self.make(directory, codec: .gzip)
        let before = try Files.read(capsule)
        for kept in ["5", "nothing", "~4"] {
            #expect(UseCases.failure { try Self.compact(capsule, keeping: ["1", kept]) } != nil)
        }
        // No other file is overwritten, and never the input.
        try Files.write("mine", to: directory["other"])
        #expect(UseCases.failure { try Self.compact(capsule, keeping: ["1"], to: directory["other"]) }?.code == .exists)
        #expect(UseCases.failure { try Self.compact(capsule, keeping: ["1"], to: capsule) }?.code == .usage)
        #expect(UseCases.failure { try Self.compact(capsule + "@1", keeping: ["1"]) }?.code == .usage)
        #expect(try Files.read(capsule) == before)
    }
}

@Suite struct SharedDataCheckTests {
    /// Members of the same length, one after another. Each occurs twice.
    private static func members(_ count: Int, of length: UInt32) -> [MemberReference] {
        let all = (0..<count).map {
            MemberReference(offset: UInt64($0) * UInt64(length), stored: length, raw: length)
        }
        return all.reversed() + all
    }

    private static let counts = [(0, 1), (3, 1), (15, 1), (16, 2), (64, 5), (4_000, 64), (runsLongTests ? 100_000 : 15_000, 64)]

    @Test(arguments: counts)
    func soManyAppendsReadAllOnce(count: Int, appends: Int) {
        let members = Self.members(count, of: 256 << 10)
        var read: [MemberReference] = []
        for version in 7..<UInt32(7 + appends) { read += SharedDataCheck.sample(of: members, for: version) }
        #expect(read.count == count)
        #expect(Set(read) == Set(members))
    }

    @Test func anAppendToAGigabyteReadsSixteenMegabytes() {
        let sample = SharedDataCheck.sample(of: Self.members(4_096, of: 256 << 10), for: 3)
        #expect(sample.reduce(0) { $0 + Int($1.stored) } == 16 << 20)
    }
}
