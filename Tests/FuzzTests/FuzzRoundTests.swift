import CapsuleContainers
import CapsuleCore
import CapsuleEngine
import Foundation
import FuzzRounds
import TestSupport
import Testing

/// The short form of fuzzing: each file of the corpus as it is, and changed in ways that a seed determines. `Fuzz/run` is
/// the long form.
@Suite struct FuzzRoundTests {
    private static func mutations(_ round: FuzzRound) -> Int { round.usesFiles ? 100 : 1_000 }

    private static func corpus(_ round: FuzzRound) throws -> [(name: String, bytes: [UInt8])] {
        let directory = PackageFiles.root + "/Fuzz/Corpus/" + round.rawValue
        return try FileManager.default.contentsOfDirectory(atPath: directory).sorted().map { name in
            (name, try Files.read(directory + "/" + name))
        }
    }

    @Test(arguments: FuzzRound.allCases)
    func corpusFiles(_ round: FuzzRound) throws {
        let files = try Self.corpus(round)
        #expect(files.count >= 5)
        for (name, bytes) in files {
            let complaint = round.run(bytes)
            #expect(complaint == nil, "\(name)")
        }
    }

    @Test(arguments: FuzzRound.allCases, SeededGenerator.seeds)
    func changedFiles(_ round: FuzzRound, seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let files = try Self.corpus(round).map(\.bytes).filter { $0.count <= round.longestInput }
        for number in 0..<Self.mutations(round) {
            var bytes = generator.pick(files)
            for _ in 0..<generator.number(1...5) { Self.change(&bytes, with: generator.pick(files), using: &generator) }
            let complaint = round.run(bytes)
            #expect(complaint == nil, "seed \(seed), number \(number): \(Data(bytes).base64EncodedString())")
        }
    }

    /// A byte more, less or other, a run of bytes taken out, doubled, or taken from another file.
    private static func change(_ bytes: inout [UInt8], with other: [UInt8], using generator: inout SeededGenerator) {
        func range(of bytes: [UInt8]) -> Range<Int> {
            let start = generator.number(0...bytes.count)
            return start..<min(start + generator.number(0...24), bytes.count)
        }
        let place = generator.number(0...bytes.count)
        switch generator.number(0...6) {
        case 0 where place < bytes.count: bytes[place] ^= 1 << UInt8(generator.number(0...7))
        case 1 where place < bytes.count: bytes[place] = UInt8(generator.number(0...255))
        case 2: bytes.removeSubrange(range(of: bytes))
        case 3: bytes.insert(contentsOf: bytes[range(of: bytes)], at: place)
        case 4: bytes.insert(contentsOf: other[range(of: other)], at: place)
        case 5: bytes.replaceSubrange(range(of: bytes), with: other[range(of: other)])
        default: bytes.insert(generator.pick(Array("{}[]()<>\"'\\;=,/&$ \n".utf8)), at: place)
        }
    }
}

/// Without a repair that works, the round of capsules would see no more than that something was changed.
@Suite struct CapsuleRepairTests {
    private static func corpus(_ name: String) throws -> [UInt8] {
        try Files.read(PackageFiles.root + "/Fuzz/Corpus/capsule/" + name)
    }

    @Test(arguments: [
        "one", "two", "two-opened", "two-labels", "two-labels-opened", "attribute", "holes", "log", "bundle", "forged",
        "forged-holes",
    ])
    func soundCapsuleStaysWhole(_ name: String) throws {
        let repaired = try #require(CapsuleRepair.repaired(try Self.corpus(name)))
        let directory = try TemporaryDirectory()
        try Files.write(repaired, to: directory["x.capsule"])
        let outcome = try Verifier(isStrict: false, jobs: 1).verify(directory.host("x.capsule"))
        #expect(outcome.findings == [])
        #expect(outcome.versions == (name.hasPrefix("two") ? 2 : 1))
    }

    @Test func changedBytesReachTheIndex() throws {
        let bytes = try Self.corpus("forged")
        let directory = try TemporaryDirectory()
        let path = directory["x.capsule"]
        var opened = 0
        var listed: Set<[TreeEntry]> = []
        let places = Array(stride(from: 0, to: bytes.count, by: 5))
        for place in places {
            var changed = bytes
            changed[place] ^= 1
            guard let repaired = CapsuleRepair.repaired(changed) else { continue }
            try Files.write(repaired, to: path)
            guard let files = try? Container(Array(path.utf8)).openLeniently() else { continue }
            opened += 1
            listed.insert(files.entries)
        }
        #expect(opened > places.count / 2)
        #expect(listed.count > 20)
    }
}
