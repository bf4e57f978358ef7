import CapsuleCore
import CapsuleDatabases
import CapsuleHashing
import CapsuleRules
import CapsuleSQLite
import Foundation
import TestSupport
import Testing

@testable import CapsuleContainers
@testable import CapsuleEngine
@testable import CapsuleSystem

/// Checkpoints of logs while packing. `fold_wal.sh` asks SQLite for the content that the databases have afterwards.
@Suite struct WALCheckpointerTests {
    /// A directory of databases with logs.
    private static func make(in directory: TemporaryDirectory) throws {
        let made = try Program.run("python3", [PackageFiles.tools + "/make_databases.py", "make", directory["t"]])
        guard made.status == 0 else { throw SupportError("no databases: \(made.errors)") }
    }

    // MARK: Live files

    /// A container of files in memory that behaves like a live one.
    private final class Live: ContentSource, @unchecked Sendable {
        /// One file.
        struct File {
            var bytes: [UInt8]
            /// The number of looks at the file that see a change.
            var changes = 0
            /// Names beside the file that the listing doesn't show, with the first and the last look at the file that sees them.
            var siblings: [String: ClosedRange<Int>] = [:]
            /// True if reading fails after the first bytes.
            var isBroken = false
            var tooLong: [[UInt8]] = []
        }

        private let lock = NSLock()
        private var files: [String: File]
        private var looks: [String: Int] = [:]

        init(_ files: [String: File]) { self.files = files }

        var isLive: Bool { true }

        var entries: [TreeEntry] {
            get throws {
                try files.sorted { Array($0.key.utf8).lexicographicallyPrecedes(Array($1.key.utf8)) }.map { name, file in
                    TreeEntry(
                        path: try RelativePath(validating: Array(name.utf8)), kind: .file, mode: FileMode(0o644),
                        modified: .epoch, size: UInt64(file.bytes.count), digest: ContentDigest.zero)
                }
            }
        }

        func opened() throws -> OpenedContainer {
            OpenedContainer(
                name: [0x6E], layout: .directory, source: SourceDescription(kind: .directory), groups: [], entries: try entries,
                isDigested: false, contents: EntryContents(self, count: files.count), omitted: [], wantedOmissions: 0,
                evidence: [])
        }

        func open(_ entry: TreeEntry, number: Int) throws(CapsuleError) -> any OpenContent {
            let name = entry.path.description
            guard let file = files[name] else { throw CapsuleError("there is no such file") }
            return Open(self, name, file)
        }

        /// Counts one more look at a file, and returns its time.
        fileprivate func look(at name: String, _ file: File) -> Int {
            lock.withLock {
                looks[name, default: 0] += 1
                return min(looks[name] ?? 0, file.changes)
            }
        }

        fileprivate func hasSibling(_ suffix: String, of name: String, _ file: File) -> Bool {
            lock.withLock { file.siblings[suffix]?.contains(looks[name] ?? 0) == true }
        }
    }

    private final class Open: OpenContent {
        private let container: Live
        private let name: String
        private let file: Live.File

        init(_ container: Live, _ name: String, _ file: Live.File) {
            self.container = container
            self.name = name
            self.file = file
        }

        func status() -> ContentStatus {
            var raw = stat()
            raw.st_mode = S_IFREG | 0o600
            raw.st_size = off_t(file.bytes.count)
            raw.modified.seconds = 100 + container.look(at: name, file)
            let live = FileStatus(raw)
            return ContentStatus(size: live.size, mode: live.mode, modified: live.modified, live: live)
        }

        func read(at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer) throws(CapsuleError) -> Int {
            if file.isBroken, buffer.count > 100 { throw CapsuleError("cannot read: a broken disk") }
            let part = file.bytes.dropFirst(Int(offset)).prefix(buffer.count)
            UnsafeMutableRawBufferPointer(rebasing: buffer[..<part.count]).copyBytes(from: part)
            return part.count
        }

        func hasSibling(withSuffix suffix: [UInt8]) -> Bool {
            container.hasSibling(String(decoding: suffix, as: UTF8.self), of: name, file)
        }

        func attributes() -> ExtendedAttributes.Reading? {
            var reading = ExtendedAttributes.Reading()
            reading.attributes = [ExtendedAttribute(name: Array("user.a".utf8), value: [1])]
            reading.tooLong = file.tooLong
            return reading
        }
    }

    /// A live container with one database and its log.
    private static func unit(
        _ change: (inout [String: Live.File]) -> Void = { _ in }
    ) throws -> Live {
        let directory = try TemporaryDirectory()
        try make(in: directory)
        var files: [String: Live.File] = [:]
        for suffix in ["", "-wal", "-shm"] {
            files["m" + suffix] = Live.File(bytes: try Files.read(directory["t/Library/Model.sqlite" + suffix]))
        }
        files["a"] = Live.File(bytes: [1])
        files["z"] = Live.File(bytes: [2])
        change(&files)
        return Live(files)
    }

    private static func checkpoint(
        _ opened: inout OpenedContainer, strict: Bool = false, allows: Bool = false
    ) throws(CapsuleError) -> WALCheckpointer.Outcome {
        try WALCheckpointer(jobs: 2, isStrict: strict, allowsChanging: allows).checkpoint(&opened)
    }

    @Test func aDatabaseTakesThePlaceOfItsUnit() throws {
        var opened = try Self.unit().opened()
        for index in [0, 1, 4] { opened.entries[index].unknown = .mode }
        let before = opened
        let outcome = try Self.checkpoint(&opened)
        #expect(outcome.databases == 1 && outcome.uncheckpointed == [])
        #expect(opened.entries.map(\.path.description) == ["a", "m", "z"])
        #expect(opened.entries.allSatisfy { $0.unknown == .mode })
        #expect(opened.omitted == outcome.omitted && opened.wantedOmissions == 2)
        #expect(
            outcome.omitted.map { "\(String(decoding: $0.path, as: UTF8.self)): \($0.reason)" } == [
                "m-wal: folded into m", "m-shm: the index of the log folded into m",
            ])
        let entry = opened.entries[1]
        #expect(entry.size > before.entries[1].size && entry.digest != .zero && entry.mode == FileMode(0o600))
        #expect(entry.attributes.map(\.value) == [[1]])
        // The checkpointed file is not live any more, but the others are.
        #expect(opened.contents.isLive)
        let reader = opened.makeReader()
        for open in [opened.contents.open, reader.open] {
            #expect(try open(entry, 1).status().live == nil)
            #expect(try open(opened.entries[0], 0).status().live != nil)
            let last = try open(opened.entries[2], 2)
            #expect(try Self.count(of: last, from: 0) == 1)
        }
        let file = try opened.open(1)
        #expect(try ComparedContent(file, size: entry.size).head().starts(with: DatabaseUnit.magic))
        #expect(try Self.count(of: file, from: entry.size - 3) == 3)
        #expect(try Self.count(of: file, from: entry.size) == 0)
        #expect(try Self.count(of: file, from: UInt64.max) == 0)
    }

    /// Returns how many of ten bytes can be read.
    private static func count(of file: any OpenContent, from offset: UInt64) throws -> Int {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 10, alignment: 1)
        defer { buffer.deallocate() }
        return try file.read(at: offset, into: buffer)
    }

    @Test func itsTimeIsThatOfTheLatestFile() throws {
        var opened = try Self.unit { $0["m-wal"]?.changes = 1 }.opened()
        _ = try Self.checkpoint(&opened)
        #expect(opened.entries[1].modified == Timestamp(seconds: 101))
    }

    /// Attributes that a capsule can't hold must be found when the file is packed, so the file must still be read then.
    @Test func attributesThatAreTooLongAreFoundLater() throws {
        var opened = try Self.unit { $0["m"]?.tooLong = [Array("user.long".utf8)] }.opened()
        _ = try Self.checkpoint(&opened)
        #expect(opened.entries[1].digest == .zero)
        #expect(try opened.open(1).attributes()?.tooLong == [Array("user.long".utf8)])
    }

    // MARK: What changes, or can't be read

    @Test(arguments: ["m", "m-wal"]) func whatSettlesIsFolded(name: String) throws {
        var opened = try Self.unit { $0[name]?.changes = 4 }.opened()
        #expect(try Self.checkpoint(&opened).databases == 1)
    }

    @Test(arguments: ["m", "m-wal"]) func whatNeverSettlesIsAnError(name: String) throws {
        let live = try Self.unit { $0[name]?.changes = 1_000 }
        var opened = try live.opened()
        let error = UseCases.failure { try Self.checkpoint(&opened) }
        #expect(error?.path == HostPath("m"))
        #expect(error?.message == "can't be checkpointed: it keeps changing")
        #expect(error?.hint?.contains("--allow-changing") == true)
        #expect(opened.entries.count == 5)
        // With permission, it is packed as it is.
        let outcome = try Self.checkpoint(&opened, allows: true)
        #expect(outcome.databases == 0 && outcome.uncheckpointed.map(\.reason) == ["keeps changing"])
        #expect(opened.entries == (try live.entries) && opened.omitted == [])
    }

    /// A journal that appears after the listing is a change: without it, half a transaction was read.
    @Test func aNewLogIsAChange() throws {
        var opened = try Self.unit { $0["m"]?.siblings["-journal"] = 0...1_000 }.opened()
        #expect(UseCases.failure { try Self.checkpoint(&opened) }?.message == "can't be checkpointed: it keeps changing")
        opened = try Self.unit { $0["m"]?.siblings["-journal"] = 0...3 }.opened()
        #expect(try Self.checkpoint(&opened).databases == 1)
        // A log that is already listed is not a change.
        opened = try Self.unit { $0["m"]?.siblings["-wal"] = 0...1_000 }.opened()
        #expect(try Self.checkpoint(&opened).databases == 1)
    }

    @Test(arguments: ["m", "m-wal"]) func whatCanNotBeReadIsLeftForThePackToTell(name: String) throws {
        let live = try Self.unit { $0[name]?.isBroken = true }
        var opened = try live.opened()
        let outcome = try Self.checkpoint(&opened)
        #expect(
            outcome.uncheckpointed == [UncheckpointedDatabase(path: opened.entries[1].path, reason: "cannot read: a broken disk")]
        )
        #expect(opened.entries == (try live.entries))
        let error = UseCases.failure { try Self.checkpoint(&opened, strict: true) }
        #expect(error?.path == HostPath("m"))
        #expect(error?.hint == "without '--strict', the database and its log are packed unchanged")
    }

    // MARK: What is a unit

    @Test func onlyContentMakesAUnit() throws {
        let magic = Live.File(bytes: DatabaseUnit.magic + [0])
        let text = Live.File(bytes: Array("a text that is no database".utf8))
        let log = Live.File(bytes: [0x37, 0x7F, 0x06, 0x82, 0])
        let journal = Live.File(bytes: [0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7])
        let none = Live.File(bytes: [])
        func found(_ files: [String: Live.File]) throws -> (units: Int, strange: Int) {
            let found = try DatabasesWithLogs(of: Live(files).opened())
            return (found.units.count, found.strange.count)
        }
        #expect(try found(["m": magic, "m-wal": text]) == (1, 0))
        #expect(try found(["m": magic, "m-wal": none, "m-journal": journal]) == (1, 0))
        #expect(try found(["m": magic, "m-wal": none, "m-shm": text]) == (0, 0))
        #expect(try found(["m": magic, "m-shm": text, "mm-wal": log]) == (0, 0))
        #expect(try found(["m-wal": log]) == (0, 0))
        #expect(try found(["m.sqlite": text, "m.sqlite-wal": text]) == (0, 0))
        #expect(try found(["m": text, "m-wal": log]) == (0, 1))
        #expect(try found(["m": text, "m-wal": none, "m-journal": journal]) == (0, 1))
        #expect(try found(["m": none, "m-journal": journal]) == (0, 1))
        #expect(try found([:]) == (0, 0))
    }

    // MARK: Where they are kept

    /// A few databases are kept in files of their own, all others one after another in a single file. Each is found again.
    @Test func manyAreKeptInOneFile() throws {
        let directory = try TemporaryDirectory()
        try Self.make(in: directory)
        let bytes = try Files.read(directory["t/Library/plain.sqlite"])
        let store = try CheckpointStore(shortestOwn: UInt64(bytes.count), mostOwn: 2)
        var kept: [(place: CheckpointStore.Location, bytes: [UInt8])] = []
        for number in 0..<5 {
            // The user version, at offset 60, doesn't affect any page (SQLite file format, section 1.3).
            var own = bytes
            own[63] = UInt8(number)
            let (place, digest) = try Self.add(own, to: store)
            #expect(digest == SHA256Hasher.digest(of: own))
            kept.append((place, own))
        }
        let ownFiles = kept.map { if case .own = $0.place { true } else { false } }
        #expect(ownFiles == [true, true, false, false, false])
        for (place, own) in kept {
            let facts = ContentStatus(size: UInt64(own.count), mode: FileMode(0o600), modified: .epoch, live: nil)
            let file = CheckpointedFile(store, at: place, facts, attributes: nil)
            #expect(try ComparedContent(file, size: facts.size).all() == own)
        }
    }

    private static func add(
        _ bytes: [UInt8], to store: CheckpointStore
    ) throws -> (place: CheckpointStore.Location, digest: ContentDigest) {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 1)
        defer { buffer.deallocate() }
        buffer.copyBytes(from: bytes)
        var copy = try DatabaseCopy()
        try copy.write(UnsafeRawBufferPointer(buffer), at: 0, to: .database)
        return try store.add(copy.checkpoint())
    }

    // MARK: Packed

    /// Damage at any place leaves a valid capsule, in which each database is either checkpointed or unchanged.
    @Test(arguments: 1...16) func damageNeverSpoilsThePack(seed: Int) throws {
        let directory = try TemporaryDirectory()
        try Self.make(in: directory)
        var random = SeededGenerator(seed: UInt64(seed))
        for name in ["Model.sqlite", "Model.sqlite-wal", "hot.sqlite", "hot.sqlite-journal", "shrunk.sqlite-wal"] {
            var bytes = try Files.read(directory["t/Library/" + name])
            // The magic must stay, because without it the file is not a database.
            let start = name.hasSuffix("sqlite") ? DatabaseUnit.magic.count : 0
            for _ in 0..<random.number(1...4) {
                switch random.number(0...2) {
                case 0: bytes[random.number(start...min(bytes.count - 1, start + 200))] = UInt8(random.number(0...255))
                case 1: bytes[random.number(start...bytes.count - 1)] ^= UInt8(1 << random.number(0...7))
                default: bytes.removeLast(random.number(0...(bytes.count - start - 250) / 2))
                }
            }
            try Files.write(bytes, to: directory["t/Library/" + name])
        }
        let outcome = try UseCases.pack(directory["t"], to: directory["t.capsule"]) {
            $0.checkpointsLogs = true
            $0.jobs = 2
        }
        #expect(outcome.checkpointed + outcome.uncheckpointed.count == 8, "seed \(seed)")
        #expect(try UseCases.verify(directory["t.capsule"]).findings == [])
        let packed = try packedVersion(directory["t.capsule"])
        let listed = Set(packed.entries.map(\.path.description))
        for database in outcome.uncheckpointed {
            #expect(listed.contains(database.path.description), "seed \(seed)")
            #expect(["-wal", "-journal"].contains { listed.contains(database.path.description + $0) }, "seed \(seed)")
            let entry = packed.entries.first { $0.path == database.path }
            #expect(entry?.size == UInt64(try Files.read(directory["t/" + database.path.description]).count))
        }
        #expect(try directory.names == ["t", "t.capsule"])
    }

    /// The cache has the files as they are on the disk, and never a checkpointed database.
    @Test func theCacheIsNoPartOfIt() throws {
        let directory = try TemporaryDirectory()
        try Self.make(in: directory)
        func append(folding: Bool) throws -> Packer.Outcome {
            var options = PackOptions(captured: UseCases.captured)
            options.checkpointsLogs = folding
            options.container.statCache = true
            options.container.statCacheDirectory = StatCacheDirectory(directory.host("cache/capsule"))
            options.container.statCacheMoment = 1 << 40
            return try Packer(options: options).append(
                UseCases.container(directory["t"]), to: directory.host("t.capsule"), Packer.AppendOptions())
        }
        let folded = try append(folding: true).manifest.contentDigest
        let plain = try append(folding: false).manifest.contentDigest
        #expect(folded != plain)
        #expect(try append(folding: false).manifest.contentDigest == plain)
        for wanted in [folded, folded] {
            let outcome = try append(folding: true)
            #expect(outcome.manifest.contentDigest == wanted && outcome.added < 6_000)
        }
        #expect(try append(folding: false).manifest.contentDigest == plain)
        #expect(try UseCases.verify(directory["t.capsule"]).findings == [])
    }
}
