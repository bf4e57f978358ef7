import CapsuleArchive
import CapsuleContainers
import CapsuleCore
import Foundation
import TestSupport
import Testing

@testable import CapsuleEngine
@testable import CapsuleSystem

/// Files that change while they are read.
@Suite struct ChangingFilesTests {
    /// Content that changes with each of its first reads, like a live file but independent of the clock.
    private final class Changing: ContentSource, @unchecked Sendable {
        let size: Int
        private let lock = NSLock()
        /// The number of reads that still change.
        private var changes: Int
        private(set) var opened = 0

        init(size: Int, changes: Int) {
            self.size = size
            self.changes = changes
        }

        var isLive: Bool { true }

        func open(_ entry: TreeEntry, number: Int) -> any OpenContent {
            lock.withLock {
                opened += 1
                changes -= 1
                return Reading(size: size, isChanging: changes >= 0)
            }
        }
    }

    /// One read. Its time may be different at each look, and different from the one that was listed.
    private final class Reading: OpenContent, @unchecked Sendable {
        private let size: Int
        private let isChanging: Bool
        private let lock = NSLock()
        private var looks = 0

        init(size: Int, isChanging: Bool) {
            self.size = size
            self.isChanging = isChanging
        }

        func status() -> ContentStatus {
            let time = lock.withLock {
                looks += 1
                return isChanging ? 1 + looks : 1
            }
            var raw = stat()
            raw.st_mode = S_IFREG | 0o644
            raw.st_size = off_t(size)
            raw.modified.seconds = time
            let live = FileStatus(raw)
            return ContentStatus(size: UInt64(size), mode: live.mode, modified: live.modified, live: live)
        }

        func read(at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer) -> Int {
            let count = max(0, min(buffer.count, size - Int(offset)))
            for place in 0..<count { buffer[place] = UInt8(truncatingIfNeeded: (Int(offset) + place) % 251) }
            return count
        }
    }

    /// An output that discards members.
    private final class Sink: MemberOutput {
        let path = HostPath("sink")
        func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) {}
        func finish(length: UInt64) {}
    }

    private static func pack(_ content: Changing, allows: Bool) throws -> PackedContainer {
        let entry = TreeEntry(
            path: try RelativePath(validating: Array("log".utf8)), kind: .file, mode: FileMode(0o644),
            modified: Timestamp(seconds: 1), size: UInt64(content.size))
        var opened = OpenedContainer(
            name: [0x6E], layout: .directory, source: SourceDescription(kind: .directory), groups: [], entries: [entry],
            isDigested: false,
            contents: EntryContents(content, count: 1), omitted: [], wantedOmissions: 0, evidence: [])
        var options = PackOptions(captured: .epoch)
        options.allowsChanging = allows
        options.jobs = 2
        let writer = CapsuleWriter(output: Sink(), codec: .gzip)
        return try StreamPacker.pack(&opened, options: options, writer: writer, framing: .capsule, progress: nil)
    }

    @Test(arguments: [1_000, 1_000_000], [0, 1, 2])
    func upToThreeTries(size: Int, changes: Int) throws {
        let content = Changing(size: size, changes: changes)
        let result = try Self.pack(content, allows: false)
        #expect(result.omitted == [])
        #expect(result.entries.first?.size == UInt64(size))
        #expect(content.opened == changes + 1)
    }

    @Test(arguments: [1_000, 1_000_000])
    func afterThreeTriesItIsAnErrorThatNamesIt(size: Int) throws {
        let content = Changing(size: size, changes: 3)
        let error = UseCases.failure { try Self.pack(content, allows: false) }
        #expect(error?.path == HostPath("log"))
        #expect(error?.message == "changed each of the 3 times it was read")
        #expect(error?.hint?.contains("--allow-changing") == true)
        #expect(content.opened == 3)
    }

    @Test(arguments: [1_000, 1_000_000])
    func orItIsTakenAndRecorded(size: Int) throws {
        let result = try Self.pack(Changing(size: size, changes: 9), allows: true)
        #expect(result.omitted == [Omission(path: Array("log".utf8), reason: "changed while it was read")])
        #expect(result.entries.count == 1)
    }

    // MARK: Live files

    /// Packs, and makes a change whenever a range of the stream is finished, in the middle of the file that is read.
    private static func pack(
        _ directory: TemporaryDirectory, allows: Bool = false, excluding patterns: [String] = [],
        _ change: @escaping @Sendable (Int) -> Void
    ) throws -> Packer.Outcome {
        var options = PackOptions(captured: UseCases.captured)
        options.allowsChanging = allows
        options.container.excluded = patterns.compactMap { try? Glob(Array($0.utf8)) }
        return try Packer(options: options, progress: Changer(change)).pack(
            UseCases.container(directory["t"]), to: directory.host("t.capsule"))
    }

    private static func rewriter(_ path: String) -> @Sendable (Int) -> Void {
        { round in
            let descriptor = open(path, O_WRONLY | O_CLOEXEC)
            defer { close(descriptor) }
            let bytes = [UInt8](repeating: UInt8(truncatingIfNeeded: round), count: 64 + round % 7)
            _ = bytes.withUnsafeBytes { pwrite(descriptor, $0.baseAddress, $0.count, off_t(round % 3)) }
            _ = ftruncate(descriptor, off_t(8_000_000 + round))
        }
    }

    /// Only bytes that were searched for secrets are packed.
    @Test func aFileThatChangesAfterItsSearchIsRefused() throws {
        let directory = try TemporaryDirectory()
        var random = SeededGenerator(seed: 1)
        try (["log": .file(random.bytes(8_000_000)), "still": .file("password=hunter2hunter2")] as TreeLiteral)
            .make(at: directory["t"])
        var options = PackOptions(captured: UseCases.captured)
        options.allowsChanging = true
        options.redaction = SecretScan.Rules()
        let packer = Packer(options: options, progress: Changer(Self.rewriter(directory["t/log"])))
        let error = UseCases.failure { try packer.pack(UseCases.container(directory["t"]), to: directory.host("t.capsule")) }
        #expect(error?.message == "changed after it was searched for secrets")
        #expect(error?.path == HostPath("log"))
        #expect(try directory.names == ["t"])
    }

    @Test func aLiveFileThatNeverStopsChanging() throws {
        let directory = try TemporaryDirectory()
        var random = SeededGenerator(seed: 1)
        try (["log": .file(random.bytes(8_000_000)), "still": .file("x")] as TreeLiteral).make(at: directory["t"])
        let error = UseCases.failure { try Self.pack(directory, Self.rewriter(directory["t/log"])) }
        #expect(error?.path == HostPath("log"))
        #expect(try directory.names == ["t"])
        let outcome = try Self.pack(directory, allows: true, Self.rewriter(directory["t/log"]))
        #expect(outcome.manifest.omitted == [Omission(path: Array("log".utf8), reason: "changed while it was read")])
        #expect(try UseCases.verify(directory["t.capsule"]).findings == [])
    }

    /// The log of a database is read before the database, and must be the same after it.
    @Test(arguments: ["-wal", "-journal"])
    func aDatabaseWhoseLogIsRewritten(suffix: String) throws {
        let directory = try TemporaryDirectory()
        var random = SeededGenerator(seed: 1)
        let database = DatabaseUnit.magic + random.bytes(6_000_000)
        try
            (["M.sqlite": .file(database), "M.sqlite\(suffix)".raw: .file(random.bytes(5_000)), "other": .file("x")]
            as TreeLiteral).make(at: directory["t"])
        let log = directory["t/M.sqlite" + suffix]
        // The whole log is replaced each time. A reader never sees an incomplete one, but it never stays the same for long.
        let change: @Sendable (Int) -> Void = { round in
            try? Files.write([UInt8](repeating: UInt8(truncatingIfNeeded: round), count: 5_000), to: log + ".new")
            rename(log + ".new", log)
        }
        let error = UseCases.failure { try Self.pack(directory, excluding: ["*.new"], change) }
        #expect(error?.path == HostPath("M.sqlite"))
        #expect(!Files.exists(directory["t.capsule"]))
        let outcome = try Self.pack(directory, allows: true, excluding: ["*.new"], change)
        #expect(outcome.manifest.omitted.contains(Omission(path: Array("M.sqlite".utf8), reason: "changed while it was read")))
        #expect(try UseCases.verify(directory["t.capsule"]).findings == [])
    }

    @Test func aLogThatStaysTheSameIsNoChange() throws {
        let directory = try TemporaryDirectory()
        var random = SeededGenerator(seed: 1)
        let tree: TreeLiteral = [
            "M.sqlite": .file(DatabaseUnit.magic + random.bytes(2_000_000)), "M.sqlite-wal": .file(random.bytes(70_000)),
            "M.sqlite-shm": .file(random.bytes(32_768)),
            "no.db": .file("no database"), "no.db-wal": .file("x"), "alone-wal": .file("y"),
        ]
        try tree.make(at: directory["t"])
        let outcome = try UseCases.pack(directory["t"], to: directory["t.capsule"]) { $0.jobs = 3 }
        #expect(outcome.manifest.omitted == [])
        try UseCases.unpack(directory["t.capsule"], to: directory["back"])
        #expect(tree.differences(from: try TreeLiteral(reading: directory["back"])) == [])
    }
}
