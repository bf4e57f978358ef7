import CapsuleArchive
import CapsuleCore
import CapsuleHashing
import CapsuleSystem
import CapsuleTransaction
import Foundation
import TestSupport
import Testing

@testable import CapsuleContainers
@testable import CapsuleEngine

/// A file in a capsule is compared with its digest, in whatever order it is read.
@Suite struct StoredContentTests {
    /// The offset and length of one read.
    typealias Read = (offset: UInt64, length: Int)

    private static let size = 700_000

    /// Returns the content of a file with a hole in a capsule, and the same content with a wrong digest.
    private static func contents(in directory: TemporaryDirectory) throws -> (sound: any OpenContent, forged: any OpenContent) {
        var bytes = [UInt8](repeating: 7, count: size)
        for place in 200_000..<400_000 { bytes[place] = 0 }
        for place in stride(from: 0, to: size, by: 3) where bytes[place] != 0 { bytes[place] = UInt8(place % 251) | 1 }
        try FileManager.default.createDirectory(atPath: directory["t"], withIntermediateDirectories: true)
        try Data(bytes).write(to: URL(fileURLWithPath: directory["t"] + "/f"))
        let version = try packed(directory["t"], to: directory["c.capsule"])
        let number = try #require(version.entries.firstIndex { $0.kind == .file })
        var forged = version.entries[number]
        forged.digest = ContentDigest { $0.copyBytes(from: [UInt8](repeating: 1, count: 32)) }
        // Each content is opened separately, because a comparison is remembered.
        return (
            version.content.open(version.entries[number], number: number),
            try packedVersion(directory["c.capsule"]).content.open(forged, number: number)
        )
    }

    private static func perform(_ reads: [Read], on content: any OpenContent) throws(CapsuleError) {
        let room = UnsafeMutableRawBufferPointer.allocate(byteCount: size, alignment: 16)
        defer { room.deallocate() }
        for (offset, length) in reads {
            _ = try content.read(at: offset, into: UnsafeMutableRawBufferPointer(rebasing: room[..<length]))
        }
    }

    @Test(
        arguments: [
            [(0, 700_000)], [(0, 16), (0, 700_000)], [(0, 350_000), (350_000, 350_000)], [(100, 16)], [(0, 16), (699_990, 10)],
            // These reads skip holes.
            [(0, 200_000), (400_000, 300_000)], [(0, 100_000), (400_000, 300_000)], [(300_000, 16)],
            [(0, 16), (16, 16), (600_000, 16), (32, 16)],
        ] as [[Read]])
    func noReadGoesUncompared(reads: [Read]) throws {
        let directory = try TemporaryDirectory()
        let (sound, forged) = try Self.contents(in: directory)
        try Self.perform(reads, on: sound)
        let error = #expect(throws: CapsuleError.self) { try Self.perform(reads, on: forged) }
        #expect(error?.message == "does not match its digest: it is damaged, or changed while it was read")
        #expect(error?.path?.bytes == Array("f".utf8))
    }

    /// The first bytes are enough to recognize a file's format, but the file is compared before anything is reported about it.
    @Test func theFirstBytesTellWhatItIs() throws {
        let directory = try TemporaryDirectory()
        let (sound, forged) = try Self.contents(in: directory)
        try Self.perform([(0, 16)], on: forged)
        #expect(throws: CapsuleError.self) { try forged.compare() }
        try sound.compare()
        try Self.perform([(5, 16), (699_999, 1)], on: sound)
        // A reader that digests everything does the comparison itself.
        try Self.perform([(100, 16), (0, 700_000)], on: forged.uncompared)
    }
}

/// Extents that alternate between many members.
@Suite struct ExtentReaderTests {
    @Test(arguments: [1, 3, 4, 5, 12])
    func extentsByTurnsGiveTheFilesBytes(members count: Int) throws {
        let directory = try TemporaryDirectory()
        // The length of the content of one member.
        let length = 256 << 10
        let fill = (0..<count).map { UInt8($0 % 250 + 1) }
        try FileManager.default.createDirectory(atPath: directory["t"], withIntermediateDirectories: true)
        let all = fill.flatMap { [UInt8](repeating: $0, count: length) }
        try Data(all).write(to: URL(fileURLWithPath: directory["t"] + "/f"))
        let version = try packed(directory["t"], to: directory["c.capsule"])
        let number = try #require(version.entries.firstIndex { $0.kind == .file })
        let placed = Array(version.content.extents(of: number))
        // The new content takes 30 bytes from the run of each number in turn, 50 times.
        var block = IndexBlock()
        var wanted: [UInt8] = []
        var extents: [Extent] = []
        for turn in 0..<50 {
            for run in 0..<count {
                let place = UInt64(run * length + turn * 30)
                guard let own = placed.last(where: { $0.offset <= place }), let member = own.member,
                    place + 30 <= own.range.upperBound
                else { continue }
                block.members.append(member)
                extents.append(
                    Extent(
                        member: UInt32(block.members.count), inner: own.extent.inner + UInt32(place - own.offset), length: 30))
                wanted += [UInt8](repeating: fill[run], count: 30)
            }
        }
        var entry = version.entries[number]
        entry.size = UInt64(wanted.count)
        block.append(entry, extents: extents)
        var table = ExtentTable(entries: 1)
        table.append(block)
        let reader = ExtentReader(
            table, MemberReader(file: version.capsule.file, codec: version.capsule.codec))
        for range in [0..<wanted.count, 17..<wanted.count - 11, wanted.count / 2..<wanted.count / 2 + 1] {
            var found: [UInt8] = []
            try reader.forEachPiece(of: 0, in: UInt64(range.lowerBound)..<UInt64(range.upperBound)) { offset, length, bytes in
                #expect(offset == UInt64(range.lowerBound + found.count))
                if let bytes { found += bytes }
            }
            #expect(found == Array(wanted[range]))
        }
    }
}

/// The files that a transaction stages from a container.
@Suite struct ContainerContentsTests {
    private let directory: TemporaryDirectory
    private let contents: ContainerContents
    private let number: Int

    init() throws {
        directory = try TemporaryDirectory()
        let tree: TreeLiteral = ["wanted/a": .file("two"), "staged": .directory()]
        try tree.make(at: directory["t"])
        let container = try Container(Array(directory["t/wanted"].utf8)).open(ContainerOptions())
        contents = ContainerContents(container: container)
        number = try #require(container.entries.firstIndex { $0.path.description == "a" })
    }

    private func write(_ text: String, content: Int) throws -> [(number: Int, name: [UInt8])] {
        var entry = contents.container.entries[number]
        entry.size = UInt64(text.utf8.count)
        entry.digest = SHA256Hasher.digest(of: Array(text.utf8))
        let file = PlannedFile(
            number: 7, name: try RelativePath(validating: Array("7".utf8)), content: content, place: entry.path, entry: entry)
        return try contents.write([file], in: try RootDirectory(directory.host("t/staged")), jobs: 2, progress: nil)
    }

    @Test func writesFilesUnderTheirNames() throws {
        #expect(try write("two", content: number).isEmpty)
        let wanted: TreeLiteral = ["7": .file("two")]
        #expect(wanted.differences(from: try TreeLiteral(reading: directory["t/staged"])) == [])
    }

    /// Content that doesn't match its digest never gets into the tree.
    @Test func checksWhatItStages() throws {
        #expect(failure { try write("owt", content: number) } != nil)
    }

    @Test(arguments: [("two", 9), ("two", -1), ("three", nil)])
    func refusesContentThatDoesNotExist(_ text: String, content: Int?) throws {
        let error = failure { try write(text, content: content ?? number) }
        #expect(error?.message == "the content does not exist")
        #expect(error?.path == HostPath("a"))
    }
}
