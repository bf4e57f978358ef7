import CapsuleContainers
import CapsuleCore
import CapsuleEngine
import FuzzRounds
import TestSupport
import Testing

/// Without a repair that works, the round of capsules would see no more than that something was changed.
@Suite struct CapsuleRepairTests {
    private static func corpus(_ name: String) throws -> [UInt8] {
        try Files.read(PackageFiles.root + "/Fuzz/Corpus/capsule/" + name)
    }

    @Test(arguments: ["one", "two", "two-opened", "attribute", "holes", "log", "bundle", "forged", "forged-holes"])
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
