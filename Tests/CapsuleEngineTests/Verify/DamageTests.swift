import CapsuleArchive
import CapsuleContainers
import CapsuleCore
import CapsuleEngine
import TestSupport
import Testing

/// A small capsule in every state of damage. A strict verification accepts none that any reader could notice, and no reader crashes.
@Suite struct DamageTests {
    private static func small(_ codec: PackOptions.Codec, in directory: TemporaryDirectory) throws -> [UInt8] {
        let tree: TreeLiteral = ["f": .file("a few bytes"), "l": .link("f")]
        try tree.make(at: directory["t"])
        try UseCases.pack(directory["t"], to: directory["small.capsule"]) { $0.codec = codec }
        let bytes = try Files.read(directory["small.capsule"])
        #expect(bytes.count < 4_096)
        return bytes
    }

    /// Returns true if a strict verification reports a problem, or there is no capsule. Also reads the file in other ways.
    private static func isFound(_ bytes: [UInt8], _ directory: TemporaryDirectory, isReadToo: Bool = true) throws -> Bool {
        let path = directory["damaged"]
        try Files.write(bytes, to: path)
        if isReadToo {
            _ = try? UseCases.list(path)
            _ = try? UseCases.describe(path)
        }
        do {
            return try !UseCases.verify(path).isWhole
        } catch let error as CapsuleError {
            #expect(error.code.isFailure && !error.message.isEmpty)
            return true
        }
    }

    @Test(arguments: [PackOptions.Codec.gzip, .zstd])
    func everyFlippedByteIsFound(codec: PackOptions.Codec) throws {
        let directory = try TemporaryDirectory()
        let bytes = try Self.small(codec, in: directory)
        #expect(try UseCases.verify(directory["small.capsule"]).findings == [])
        for place in bytes.indices {
            // One bit of each byte, a different one for each. The long form uses all eight bits and some patterns.
            let patterns: [UInt8] = runsLongTests ? [1, 2, 4, 8, 16, 32, 64, 128, 0xFF, 0x55] : [1 << UInt8(place % 8)]
            for pattern in patterns {
                var damaged = bytes
                damaged[place] ^= pattern
                #expect(
                    try Self.isFound(damaged, directory) || StoredStream.isSame(damaged, as: bytes),
                    "byte \(place) of \(bytes.count) ^ \(pattern)")
            }
        }
    }

    @Test(arguments: [PackOptions.Codec.gzip, .zstd])
    func everyTruncationIsFound(codec: PackOptions.Codec) throws {
        let directory = try TemporaryDirectory()
        let bytes = try Self.small(codec, in: directory)
        for length in sample(of: bytes.indices, oneIn: 3) {
            #expect(try Self.isFound(Array(bytes[..<length]), directory), "cut to \(length) of \(bytes.count)")
        }
    }

    @Test(arguments: [PackOptions.Codec.gzip, .zstd])
    func everyAddedAndEveryMissingByteIsFound(codec: PackOptions.Codec) throws {
        let directory = try TemporaryDirectory()
        let bytes = try Self.small(codec, in: directory)
        let places = runsLongTests ? Array(0...bytes.count) : Array(stride(from: 0, through: bytes.count, by: 5)) + [bytes.count]
        for place in places {
            for value in [0, 0xFF] as [UInt8] {
                var longer = bytes
                longer.insert(value, at: place)
                #expect(try Self.isFound(longer, directory, isReadToo: false), "\(value) before byte \(place)")
            }
            if place < bytes.count {
                var shorter = bytes
                shorter.remove(at: place)
                #expect(try Self.isFound(shorter, directory, isReadToo: false), "without byte \(place)")
            }
        }
    }

    /// Two members or ranges are swapped or doubled.
    @Test(arguments: [PackOptions.Codec.gzip, .zstd])
    func everyMemberMovedOrDoubledIsFound(codec: PackOptions.Codec) throws {
        let directory = try TemporaryDirectory()
        let bytes = try Self.small(codec, in: directory)
        let members = try Self.members(directory["small.capsule"])
        #expect(
            members.map(\.kind) == [.data, .data, .indexBlock, .indexRoot, .manifest]
                || members.map(\.kind) == [.data, .data, .data, .indexBlock, .indexRoot, .manifest])
        let pieces = members.map { Array(bytes[Int($0.offset)..<Int($0.offset + $0.length)]) }
        let footer = Array(bytes[Int((members.last?.offset ?? 0) + (members.last?.length ?? 0))...])
        for number in pieces.indices {
            var doubled = pieces
            doubled.insert(pieces[number], at: number)
            #expect(try Self.isFound(doubled.flatMap { $0 } + footer, directory), "member \(number) twice")
            var missing = pieces
            missing.remove(at: number)
            #expect(try Self.isFound(missing.flatMap { $0 } + footer, directory), "member \(number) missing")
            for other in pieces.indices where other > number && pieces[other] != pieces[number] {
                var swapped = pieces
                swapped.swapAt(number, other)
                #expect(try Self.isFound(swapped.flatMap { $0 } + footer, directory), "members \(number) and \(other) swapped")
            }
        }
    }

    static func members(_ capsule: String) throws -> [SegmentCheck.Member] {
        let reader = try CapsuleReader(try CapsuleFile(opening: HostPath(capsule)))
        return try SegmentCheck(reader, reader.newest).members
    }

    /// Unpacking a damaged capsule fails and leaves nothing behind.
    @Test(arguments: [PackOptions.Codec.gzip, .zstd])
    func aDamagedCapsuleUnpacksToNothing(codec: PackOptions.Codec) throws {
        let directory = try TemporaryDirectory()
        var random = SeededGenerator(seed: 3)
        try (["a": .file(random.bytes(300_000)), "b": .file(random.bytes(2_000_000)), "c": .file("text")] as TreeLiteral).make(
            at: directory["t"])
        try UseCases.pack(directory["t"], to: directory["t.capsule"]) { $0.codec = codec }
        let bytes = try Files.read(directory["t.capsule"])
        for place in [100_000, 1_500_000] {
            var damaged = bytes
            damaged[place] ^= 1
            try Files.write(damaged, to: directory["damaged.capsule"])
            for form in ["out", "new/deep/out"] {
                let error = UseCases.failure {
                    try UseCases.unpack(directory["damaged.capsule"], to: directory[form]) { $0.jobs = 2 }
                }
                #expect(error != nil)
            }
            let into = UseCases.failure {
                try Unpacker(options: UnpackOptions()).unpack(
                    UseCases.container(directory["damaged.capsule"]), to: .into(directory.host("made/for/it")))
            }
            #expect(into?.message.contains("damaged") == true)
            #expect(try directory.names == ["damaged.capsule", "t", "t.capsule"])
            let outcome = try UseCases.verify(directory["damaged.capsule"], strict: false)
            #expect(!outcome.isWhole)
            #expect(outcome.findings.contains { $0.path == [place < 300_000 ? 0x61 : 0x62] })
        }
    }
}

/// Data after the last version, and capsules inside capsules.
@Suite struct TornTailTests {
    private static func warnings(_ path: String) throws -> (entries: [String], warnings: [String]) {
        let warnings = Warnings()
        let listing = try ContainerListing(Container(Array(path.utf8)) { warnings.add($0.message) })
        return (try listing.entries().map { $0.path.description }, warnings.all)
    }

    private final class Warnings: @unchecked Sendable {
        // A listing with one job uses one thread.
        private(set) var all: [String] = []
        func add(_ text: String) { all.append(text) }
    }

    /// The tail of an unfinished append, which is cut, zeroed or filled with garbage at every member.
    @Test(arguments: [PackOptions.Codec.gzip, .zstd])
    func everyKindOfTearAtEveryMember(codec: PackOptions.Codec) throws {
        let directory = try TemporaryDirectory()
        try (["one": .file("1")] as TreeLiteral).make(at: directory["a"])
        try (["two": .file("2")] as TreeLiteral).make(at: directory["b"])
        for name in ["a", "b"] { try UseCases.pack(directory[name], to: directory[name + ".capsule"]) { $0.codec = codec } }
        let whole = try Files.read(directory["a.capsule"])
        let other = try Files.read(directory["b.capsule"])
        let members = try DamageTests.members(directory["b.capsule"])
        for member in members {
            let (start, length) = (Int(member.offset), Int(member.length))
            for part in [0, 1, length / 2, length - 1] where start + part > 0 {
                let before = whole + other[..<(start + part)]
                for (tail, isDamage) in [
                    ([], false), ([UInt8](repeating: 0, count: 600), false), ([UInt8](repeating: 0x5A, count: 600), true),
                ] as [([UInt8], Bool)] {
                    try Files.write(before + tail, to: directory["torn"])
                    let strict = try UseCases.verify(directory["torn"])
                    #expect(!strict.isWhole)
                    let outcome = try UseCases.verify(directory["torn"], strict: false)
                    #expect(outcome.versions == 1)
                    // Garbage after the beginning of a member can look like the member's own bytes until its digest is compared.
                    if isDamage, part == 0 {
                        #expect(!outcome.isWhole, "garbage at \(start)")
                        #expect(UseCases.failure { try UseCases.list(directory["torn"]) } != nil)
                    } else if !isDamage {
                        #expect(outcome.isWhole && outcome.warnings.count == 1, "\(member.kind) + \(part), \(tail.count) zeros")
                        let found = try Self.warnings(directory["torn"])
                        #expect(found.entries == ["one"] && found.warnings.count == 1)
                    }
                    #expect(try UseCases.list(directory["torn@1"]).map { $0.path.description } == ["one"])
                }
            }
        }
    }

    /// A capsule of incompressible bytes, so that another capsule stores it unchanged.
    private static func nested(_ codec: PackOptions.Codec, _ directory: TemporaryDirectory) throws -> (
        outer: [UInt8], innerEnd: Int
    ) {
        var random = SeededGenerator(seed: 8)
        try (["secret": .file(random.bytes(100_000))] as TreeLiteral).make(at: directory["inner"])
        try UseCases.pack(directory["inner"], to: directory["inner.capsule"]) { $0.codec = codec }
        let inner = try Files.read(directory["inner.capsule"])
        // Noise around the last bytes prevents a compressor from changing them.
        let noise = random.bytes(40_000)
        try (["a capsule": .file(inner), "z": .file(noise)] as TreeLiteral).make(at: directory["outer"])
        try UseCases.pack(directory["outer"], to: directory["outer.capsule"]) { $0.codec = codec }
        let outer = try Files.read(directory["outer.capsule"])
        let footer = Array(inner.suffix(32))
        let place = outer.indices.first { $0 + 32 <= outer.count && Array(outer[$0..<$0 + 32]) == footer }
        return (outer, (place ?? -32) + 32)
    }

    @Test(arguments: [PackOptions.Codec.gzip, .zstd])
    func aCapsuleInACapsuleIsNeverMistaken(codec: PackOptions.Codec) throws {
        let directory = try TemporaryDirectory()
        let (outer, innerEnd) = try Self.nested(codec, directory)
        #expect(try UseCases.verify(directory["outer.capsule"]).findings == [])
        #expect(try UseCases.list(directory["outer.capsule"]).map { $0.path.description } == ["a capsule", "z"])
        // The capsule is cut at the end of the inner footer, if that is stored unchanged, and in other places.
        for length in [innerEnd, innerEnd - 1, innerEnd + 1, outer.count - 300, 50_000] where length > 0 {
            try Files.write(Array(outer[..<length]), to: directory["cut"])
            #expect(UseCases.failure { try UseCases.list(directory["cut"]) } != nil, "cut to \(length)")
            #expect(UseCases.failure { try UseCases.verify(directory["cut"]) } != nil)
        }
        // A complete capsule after another file's bytes is not at the offset that its footer says.
        let inner = try Files.read(directory["inner.capsule"])
        try Files.write(outer + inner, to: directory["behind"])
        #expect(try UseCases.list(directory["behind@1"]).map { $0.path.description } == ["a capsule", "z"])
        #expect(try !UseCases.verify(directory["behind"]).isWhole)
        try Files.write([UInt8](repeating: 0x1F, count: 100) + inner, to: directory["before"])
        #expect(UseCases.failure { try UseCases.verify(directory["before"]) } != nil)
    }
}

/// A small capsule of three versions in every state of damage. A strict verification never accepts it, and the versions before the
/// damage stay readable.
@Suite struct DamagedVersionsTests {
    /// Returns a capsule, and the offsets at which its versions end.
    private static func small(
        _ codec: PackOptions.Codec, in directory: TemporaryDirectory
    ) throws -> (bytes: [UInt8], ends: [Int]) {
        let capsule = directory["small.capsule"]
        var ends: [Int] = []
        for version in 1...3 {
            let tree: TreeLiteral = ["f": .file("version \(version)"), "same": .file("the same"), "l": .link("f")]
            try tree.make(at: directory["\(version)"])
            if version == 1 {
                try UseCases.pack(directory["1"], to: capsule) { $0.codec = codec }
            } else {
                try AppendTests.append(directory["\(version)"], to: capsule, jobs: 1)
            }
            ends.append(try Files.read(capsule).count)
        }
        return (try Files.read(capsule), ends)
    }

    /// Returns the result of a strict verification; nil if there is no version.
    private static func verified(_ bytes: [UInt8], _ path: String) throws -> Verifier.Outcome? {
        try Files.write(bytes, to: path)
        do {
            return try UseCases.verify(path)
        } catch let error as CapsuleError {
            #expect(error.code.isFailure && !error.message.isEmpty)
            return nil
        }
    }

    /// Returns true if a version can be read by its number, with all of its entries.
    private static func isReadable(_ version: Int, of path: String) -> Bool {
        (try? UseCases.list("\(path)@\(version)").map(\.path.description)) == ["f", "l", "same"]
    }

    @Test(arguments: [PackOptions.Codec.gzip, .zstd])
    func everyFlippedByteIsFound(codec: PackOptions.Codec) throws {
        let directory = try TemporaryDirectory()
        let (bytes, ends) = try Self.small(codec, in: directory)
        let path = directory["damaged"]
        for place in sample(of: bytes.indices, oneIn: 4, borders: ends) {
            let patterns: [UInt8] = runsLongTests ? [1, 2, 4, 8, 16, 32, 64, 128, 0xFF] : [1 << UInt8(place % 8)]
            for pattern in patterns {
                var damaged = bytes
                damaged[place] ^= pattern
                let outcome = try Self.verified(damaged, path)
                #expect(
                    outcome?.isWhole != true || StoredStream.isSame(damaged, as: bytes),
                    "byte \(place) of \(bytes.count) ^ \(pattern)")
                // Each footer leads to the previous one, so the versions before a damaged footer in the middle are not found.
                let isFooter = place < ends[1] && place >= ends[1] - (codec == .gzip ? 271 : 255)
                for (number, end) in ends.enumerated() where end <= place && !isFooter {
                    #expect(Self.isReadable(number + 1, of: path), "version \(number + 1), byte \(place) of \(bytes.count)")
                }
                // The other versions may be readable or not, but reading them must end.
                if place < ends[0] { _ = Self.isReadable(3, of: path) }
            }
        }
    }

    @Test(arguments: [PackOptions.Codec.gzip, .zstd])
    func everyTruncationIsTheVersionsBefore(codec: PackOptions.Codec) throws {
        let directory = try TemporaryDirectory()
        let (bytes, ends) = try Self.small(codec, in: directory)
        let path = directory["cut"]
        for length in sample(of: bytes.indices, oneIn: 8, borders: ends) {
            let strict = try Self.verified(Array(bytes[..<length]), path)
            let versions = ends.count { $0 <= length }
            guard versions > 0 else {
                #expect(strict?.isWhole != true, "cut to \(length) of \(bytes.count)")
                continue
            }
            if ends.contains(length) {
                // The result is the original capsule.
                #expect(strict?.findings == [] && strict?.warnings == [] && strict?.versions == versions)
                continue
            }
            #expect(strict?.isWhole == false, "cut to \(length) of \(bytes.count)")
            let outcome = try UseCases.verify(path, strict: false)
            #expect(outcome.isWhole && outcome.warnings.count == 1 && outcome.versions == versions, "cut to \(length)")
            for version in 1...versions { #expect(Self.isReadable(version, of: path), "version \(version), cut to \(length)") }
            #expect(!Self.isReadable(versions + 1, of: path))
        }
    }

    /// Versions are swapped, missing or doubled.
    @Test(arguments: [PackOptions.Codec.gzip, .zstd])
    func everySegmentMovedOrDoubledIsFound(codec: PackOptions.Codec) throws {
        let directory = try TemporaryDirectory()
        let (bytes, ends) = try Self.small(codec, in: directory)
        let one = Array(bytes[..<ends[0]])
        let two = Array(bytes[ends[0]..<ends[1]])
        let three = Array(bytes[ends[1]...])
        let path = directory["damaged"]
        for (number, parts) in [
            [one, three, two], [one, three], [one, one], [one, two, two], [one, two, three, three], [two, three],
            [three, two, one],
            [one, two, three, one],
        ].enumerated() {
            #expect(try Self.verified(parts.flatMap { $0 }, path)?.isWhole != true, "\(number)")
        }
        #expect(try Self.verified(one + two, path)?.findings == [])
    }
}
