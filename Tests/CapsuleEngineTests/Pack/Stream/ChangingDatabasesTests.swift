import CapsuleArchive
import CapsuleContainers
import CapsuleCore
import Foundation
import TestSupport
import Testing

@testable import CapsuleEngine
@testable import CapsuleSystem

/// Databases and logs that change while they are packed, in ways that no single file shows.
@Suite struct ChangingDatabasesTests {
    // MARK: A log that comes late

    /// Packs a database that gets a log after it was listed, and a text that does, too, which doesn't matter.
    private static func pack(
        _ directory: TemporaryDirectory, size: Int, suffix: String, allows: Bool, jobs: Int
    ) throws -> Packer.Outcome {
        var random = SeededGenerator(seed: 1)
        let tree: TreeLiteral = [
            // There are more ranges than are processed at once, so the first one is finished long before the others are read.
            "a": .file(random.bytes(8_000_000)), "m.sqlite": .file(DatabaseUnit.magic + random.bytes(size)),
            "n.txt": .file("no database"),
        ]
        try tree.make(at: directory["t"])
        var options = PackOptions(captured: UseCases.captured)
        options.allowsChanging = allows
        options.jobs = jobs
        let logs = ["m.sqlite", "n.txt"].map { directory["t/" + $0 + suffix] }
        let changer = Changer { round in
            guard round == 1 else { return }
            for log in logs { try? Files.write("a transaction", to: log) }
        }
        return try Packer(options: options, progress: changer).pack(
            UseCases.container(directory["t"]), to: directory.host("t.capsule"))
    }

    /// Without its log, the database may contain half a transaction, and nothing would show it.
    @Test(arguments: [100, 1_500_000], ["-wal", "-journal"])
    func aLogThatComesAfterTheListingIsAChange(size: Int, suffix: String) throws {
        let directory = try TemporaryDirectory()
        let error = UseCases.failure { try Self.pack(directory, size: size, suffix: suffix, allows: false, jobs: 2) }
        #expect(error?.path == HostPath("m.sqlite"))
        #expect(error?.message == "changed each of the 3 times it was read")
        #expect(try directory.names == ["t"])
    }

    @Test(arguments: [100, 1_500_000], [1, 3])
    func orItIsTakenAndRecorded(size: Int, jobs: Int) throws {
        let directory = try TemporaryDirectory()
        let outcome = try Self.pack(directory, size: size, suffix: "-wal", allows: true, jobs: jobs)
        #expect(outcome.manifest.omitted == [Omission(path: Array("m.sqlite".utf8), reason: "changed while it was read")])
        #expect(try UseCases.list(directory["t.capsule"]).map(\.path.description) == ["a", "m.sqlite", "n.txt"])
        #expect(try UseCases.verify(directory["t.capsule"]).findings == [])
    }

    // MARK: What is packed again

    /// `m`, a database; `m-note`, a separate file; and `m-wal`. Their states depend on how often each was opened.
    private final class Unit: ContentSource, @unchecked Sendable {
        private let lock = NSLock()
        private var opened: [String: Int] = [:]

        var isLive: Bool { true }

        func open(_ entry: TreeEntry, number: Int) -> any OpenContent {
            let name = entry.path.description
            let count = lock.withLock {
                opened[name, default: 0] += 1
                return opened[name] ?? 0
            }
            switch name {
            // The log is examined, digested and packed. When it is examined again, it has changed once.
            case "m-wal": return Reading(time: count > 3 ? 2 : 1)
            // This includes all attempts of the first round.
            case "m-note": return Reading(isChanging: count <= 3, tooLong: count <= 3 ? [Array("user.long".utf8)] : [])
            default: return Reading()
            }
        }
    }

    /// One read of a file that begins like a database.
    private final class Reading: OpenContent, @unchecked Sendable {
        private let lock = NSLock()
        private var time: Int
        private let isChanging: Bool
        private let tooLong: [[UInt8]]

        init(time: Int = 1, isChanging: Bool = false, tooLong: [[UInt8]] = []) {
            self.time = time
            self.isChanging = isChanging
            self.tooLong = tooLong
        }

        func status() -> ContentStatus {
            let now = lock.withLock {
                if isChanging { time += 1 }
                return time
            }
            let live = ChangingDatabasesTests.status { raw in
                raw.modified.seconds = now
            }
            return ContentStatus(size: live.size, mode: live.mode, modified: live.modified, live: live)
        }

        func read(at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer) -> Int {
            let part = DatabaseUnit.magic.dropFirst(Int(offset)).prefix(buffer.count)
            UnsafeMutableRawBufferPointer(rebasing: buffer[..<part.count]).copyBytes(from: part)
            return part.count
        }

        func attributes() -> ExtendedAttributes.Reading? {
            var reading = ExtendedAttributes.Reading()
            reading.tooLong = tooLong
            return reading
        }
    }

    private final class Sink: MemberOutput {
        let path = HostPath("sink")
        func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) {}
        func finish(length: UInt64) {}
    }

    /// Returns the status of a file of sixteen bytes.
    private static func status(_ change: (inout stat) -> Void = { _ in }) -> FileStatus {
        var raw = stat()
        raw.st_mode = S_IFREG | 0o644
        raw.st_size = off_t(DatabaseUnit.magic.count)
        change(&raw)
        return FileStatus(raw)
    }

    /// A pack that started again and then found no problem does not record the earlier ones.
    @Test func whatComesOutWellAtLastIsNotRecorded() throws {
        let content = Unit()
        let entries = try ["m", "m-note", "m-wal"].map { name in
            TreeEntry(
                path: try RelativePath(validating: Array(name.utf8)), kind: .file, mode: FileMode(0o644),
                modified: Timestamp(seconds: 1), size: UInt64(DatabaseUnit.magic.count))
        }
        var opened = OpenedContainer(
            name: [0x6E], layout: .directory, source: SourceDescription(kind: .directory), groups: [], entries: entries,
            isDigested: false, contents: EntryContents(content, count: entries.count), omitted: [], wantedOmissions: 0,
            evidence: [])
        var options = PackOptions(captured: .epoch)
        options.allowsChanging = true
        let writer = CapsuleWriter(output: Sink(), codec: .gzip)
        let result = try StreamPacker.pack(&opened, options: options, writer: writer, framing: .capsule, progress: nil)
        #expect(result.omitted == [])
        #expect(result.entries.map(\.path.description) == ["m", "m-note", "m-wal"])
    }

    // MARK: What counts as a change

    /// The location of the bytes and the number of names are not changes of the content. Packing would fail for no reason.
    @Test func onlyWhatTellsOfContentIsAChange() {
        let sight = DatabaseWatch.Snapshot(statuses: [Self.status(), nil], logDigests: [])
        #expect(sight.isSameState(as: [Self.status(), nil]))
        #expect(sight.isSameState(as: [Self.status { $0.st_blocks = 8 }, nil]))
        #expect(sight.isSameState(as: [Self.status { $0.st_nlink = 2 }, nil]))
        #expect(!sight.isSameState(as: [Self.status { $0.st_size = 17 }, nil]))
        #expect(!sight.isSameState(as: [Self.status { $0.st_ino = 17 }, nil]))
        #expect(!sight.isSameState(as: [Self.status(), Self.status()]))
        #expect(!sight.isSameState(as: [nil, nil]))
        #expect(!sight.isSameState(as: [Self.status()]))
    }
}
