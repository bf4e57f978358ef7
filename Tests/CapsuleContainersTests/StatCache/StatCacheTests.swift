import CapsuleCore
import Foundation
import TestSupport
import Testing

@testable import CapsuleContainers
@testable import CapsuleSystem

@Suite struct StatCacheTests {
    private static let digest = ContentDigest { $0.initializeMemory(as: UInt8.self, repeating: 7) }
    private static let other = ContentDigest { $0.initializeMemory(as: UInt8.self, repeating: 8) }
    private static let root = HostPath("/containers/one")
    /// A time long after all times that the tests record.
    private static let later: Int64 = 4_000_000_000

    private struct Facts {
        var device = 1
        var inode = 2
        var size = 3
        var modified = (seconds: 1_000, nanoseconds: 4)
        var changed = (seconds: 1_000, nanoseconds: 5)

        var status: FileStatus {
            var status = stat()
            status.st_mode = S_IFREG | 0o644
            status.st_dev = dev_t(device)
            status.st_ino = ino_t(inode)
            status.st_size = off_t(size)
            let modified = timespec(tv_sec: self.modified.seconds, tv_nsec: self.modified.nanoseconds)
            let changed = timespec(tv_sec: self.changed.seconds, tv_nsec: self.changed.nanoseconds)
            #if canImport(Darwin)
            status.st_mtimespec = modified
            status.st_ctimespec = changed
            #else
            status.st_mtim = modified
            status.st_ctim = changed
            #endif
            return FileStatus(status)
        }

        func with(_ change: (inout Facts) -> Void) -> Facts {
            var facts = self
            change(&facts)
            return facts
        }
    }

    private let temporary: TemporaryDirectory
    private var directory: StatCacheDirectory { StatCacheDirectory(temporary.host("cache/capsule")) }

    init() throws { temporary = try TemporaryDirectory() }

    private func session(began: Int64 = later) -> StatCacheSession {
        StatCacheSession(directory, root: Self.root, began: began)
    }

    private func keep(_ facts: [Facts], hasAttributes: Bool = false, began: Int64 = later) {
        let session = session(began: began)
        for facts in facts { session.record(facts.status, Self.digest, hasAttributes: hasAttributes) }
        session.save()
    }

    private func load(_ root: String = "/containers/one", in directory: StatCacheDirectory? = nil) -> StatCacheTable? {
        guard let file = (directory ?? self.directory).open(for: HostPath(root)) else { return nil }
        return StatCacheFile.read(file)
    }

    private func file() throws -> String {
        let names = try FileManager.default.contentsOfDirectory(atPath: temporary["cache/capsule"])
        return temporary["cache/capsule/" + (try #require(names.count == 1 ? names.first : nil))]
    }

    // MARK: The key

    private static let changes: [@Sendable (inout Facts) -> Void] = [
        { $0.device = 9 }, { $0.inode = 9 }, { $0.size = 9 }, { $0.modified.seconds = 9 }, { $0.modified.nanoseconds = 9 },
        { $0.changed.seconds = 9 }, { $0.changed.nanoseconds = 9 },
    ]

    @Test(arguments: changes.indices)
    func eachPartOfTheKeyCounts(number: Int) {
        keep([Facts()])
        let session = session()
        #expect(session.mark(of: Facts().status) == 1)
        #expect(session.mark(of: Facts().with(Self.changes[number]).status) == 0)
    }

    @Test(arguments: [false, true])
    func whatWasNotedComesBack(hasAttributes: Bool) throws {
        keep([Facts()], hasAttributes: hasAttributes)
        let session = session()
        let record = session.record(at: try #require(session.mark(of: Facts().status) as UInt32?))
        #expect(record.digest == Self.digest)
        #expect(record.hasAttributes == hasAttributes)
        #expect(MemoryLayout<StatCacheRecord>.stride == 64)
    }

    @Test(arguments: SeededGenerator.seeds)
    func manyFilesAreToldApart(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let files = (0..<3_000).map { number in
            Facts().with {
                $0.inode = number * random.pick([1, 1, 1 << 20])
                $0.device = number % 4
                $0.size = number
            }
        }
        keep(files)
        let session = session()
        var last: [String: Int] = [:]
        for (number, file) in files.enumerated() { last["\(file.device) \(file.inode)"] = number }
        for (number, file) in files.enumerated() {
            #expect((session.mark(of: file.status) != 0) == (last["\(file.device) \(file.inode)"] == number))
        }
    }

    @Test func whatNoRecordHoldsIsNotKept() {
        let files = [
            Facts().with { $0.size = 1 << 61 }, Facts().with { $0.modified.seconds = 1 << 40 },
            Facts().with { $0.changed.seconds = -(1 << 40) },
        ]
        keep(files)
        let kept = session()
        for file in files { #expect(kept.mark(of: file.status) == 0) }
        // A fifth device is more than the cache keeps.
        let many = (0..<5).map { number in Facts().with { $0.device = number } }
        keep(many)
        let session = session()
        #expect(many.map { session.mark(of: $0.status) != 0 } == [true, true, true, true, false])
    }

    // MARK: Times that tell nothing

    /// A file that is edited again in the same second, or in two if times are that coarse, looks unchanged.
    @Test(arguments: [(0, 0, true), (0, 1, false), (1, 0, false), (-1, 999_999_999, true), (100, 0, false)])
    func aFileThatHasJustChangedIsNotKept(seconds: Int, nanoseconds: Int, isKept: Bool) {
        let began = 1_000
        let time = (seconds: began - 2 + seconds, nanoseconds: nanoseconds)
        let early = (seconds: 5, nanoseconds: 0)
        for file in [
            Facts().with { ($0.modified, $0.changed) = (time, early) },
            Facts().with { ($0.modified, $0.changed) = (early, time) },
        ] {
            keep([file], began: Int64(began))
            #expect((session().mark(of: file.status) != 0) == isKept)
        }
    }

    // MARK: What is kept from one time to the next

    @Test func onlyWhatWasFoundAgainOrNotedIsKept() {
        let files = (1...4).map { number in Facts().with { $0.inode = number } }
        keep(files)
        let second = session()
        second.found([second.mark(of: files[0].status)])
        second.finishListing()
        // The second file is read again without changes, and the third has changed although its times have not.
        second.record(files[1].status, Self.digest, hasAttributes: false)
        second.record(files[2].status, Self.other, hasAttributes: false)
        second.save()
        let third = session()
        let digests = files.map { file in
            let mark = third.mark(of: file.status)
            return mark == 0 ? nil : third.record(at: mark).digest
        }
        #expect(digests == [Self.digest, Self.digest, Self.other, nil])
    }

    @Test func whereNothingChangedNothingIsWritten() throws {
        keep([Facts()])
        let before = try Syscall.status(HostPath(try file()))
        let second = session()
        second.found([1])
        second.save()
        #expect(try Syscall.status(HostPath(try file())).inode == before.inode)
        let third = session()
        third.save()
        #expect(session().isEmpty)
    }

    @Test func theFileIsPrivateAndTheDirectoryToo() throws {
        keep([Facts()])
        #expect(try Syscall.status(HostPath(try file())).mode == FileMode(0o600))
        #expect(try Syscall.status(temporary.host("cache/capsule")).mode == FileMode(0o700))
        #expect(try Syscall.status(temporary.host("cache")).mode == FileMode(0o700))
    }

    @Test func writersInParallelLeaveAWholeFile() {
        DispatchQueue.concurrentPerform(iterations: 16) { number in
            let session = session()
            for inode in 0..<500 {
                session.record(Facts().with { $0.inode = inode + number }.status, Self.digest, hasAttributes: false)
            }
            session.save()
        }
        #expect(session().mark(of: Facts().with { $0.inode = 400 }.status) != 0)
    }

    @Test func notesFromSeveralThreadsAllCount() {
        let session = session()
        DispatchQueue.concurrentPerform(iterations: 4) { part in
            for number in 0..<500 {
                session.record(Facts().with { $0.inode = part * 500 + number }.status, Self.digest, hasAttributes: false)
            }
        }
        session.save()
        #expect(load()?.records.count == 2_000)
    }

    // MARK: Files that can't be believed

    @Test func anyChangedByteMakesItNoCache() throws {
        keep((1...3).map { number in Facts().with { $0.inode = number } })
        let path = try file()
        let bytes = try Files.read(path)
        #expect(bytes.count == 64 + 32 + 3 * 64)
        for place in bytes.indices {
            var changed = bytes
            changed[place] ^= 1 << (place % 8)
            try Files.write(changed, to: path)
            #expect(load() == nil, "byte \(place)")
        }
        for length in 0..<bytes.count {
            try Files.write(Array(bytes.prefix(length)), to: path)
            #expect(load() == nil, "length \(length)")
        }
        try Files.write(bytes + [0], to: path)
        #expect(load() == nil)
        try Files.write(bytes, to: path)
        #expect(load()?.records.count == 3)
        // A damaged file is replaced.
        try Files.write("nonsense", to: path)
        keep([Facts()])
        #expect(load()?.records.count == 1)
    }

    @Test func whatOthersMayWriteIsNotBelieved() throws {
        keep([Facts()])
        let path = try file()
        func isBelieved() -> Bool { load() != nil }
        for name in [path, temporary["cache/capsule"]] {
            let mode = try Syscall.status(HostPath(name)).mode.rawValue
            for open in [0o020, 0o002] as [UInt16] {
                chmod(name, mode_t(mode | open))
                #expect(!isBelieved())
            }
            chmod(name, mode_t(mode))
            #expect(isBelieved())
        }
        try FileManager.default.moveItem(atPath: path, toPath: temporary["elsewhere"])
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: temporary["elsewhere"])
        #expect(!isBelieved())
    }

    @Test func whereNothingCanBeWrittenNothingFails() throws {
        try Files.write("a file", to: temporary["cache"])
        keep([Facts()])
        #expect(session().isEmpty)
        #expect(try temporary.names == ["cache"])
    }

    // MARK: Where it is

    @Test(
        arguments: [
            ("/x", "/home/a", "/x/capsule"), ("", "/home/a", "/home/a/.cache/capsule"),
            ("x", "/home/a", "/home/a/.cache/capsule"),
            (nil, "/home/a/", "/home/a/.cache/capsule"), (nil, "", nil), ("x", nil, nil), (nil, nil, nil), ("x", "y", nil),
        ] as [(String?, String?, String?)])
    func theEnvironmentSaysWhere(cacheHome: String?, home: String?, expected: String?) {
        let found = StatCacheDirectory.of(cacheHome: cacheHome.map { Array($0.utf8) }, home: home.map { Array($0.utf8) })
        #expect(found?.path == expected.map { HostPath($0) })
    }

    @Test func theOldestFilesGoWhereThereAreTooMany() throws {
        let directory = StatCacheDirectory(temporary.host("cache/capsule"), limit: 500)
        // Each takes 160 bytes.
        for number in 1...5 {
            let session = StatCacheSession(directory, root: HostPath("/\(number)"), began: Self.later)
            session.record(Facts().status, Self.digest, hasAttributes: false)
            session.save()
            for name in try FileManager.default.contentsOfDirectory(atPath: temporary["cache/capsule"]) {
                let path = temporary["cache/capsule/" + name]
                let time = try FileManager.default.attributesOfItem(atPath: path)[.modificationDate] as? Date
                let earlier = try #require(time).addingTimeInterval(-100)
                try FileManager.default.setAttributes([.modificationDate: earlier], ofItemAtPath: path)
            }
        }
        #expect((1...5).map { load("/\($0)", in: directory) != nil } == [false, false, true, true, true])
    }

    @Test func whatKilledCommandsLeftGoesAfterADay() throws {
        keep([Facts()])
        let (old, new) = (String(repeating: "a", count: 64), String(repeating: "b", count: 64))
        for (name, age) in [
            (".\(old).stat.00000000.tmp", 90_000.0), (".\(new).stat.00000000.tmp", 10), ("c", 90_000), ("notes.tmp", 90_000),
            (".a.stat.00000000.tmp", 90_000),
        ] {
            try Files.write("", to: temporary["cache/capsule/" + name])
            try FileManager.default.setAttributes(
                [.modificationDate: Date().addingTimeInterval(-age)], ofItemAtPath: temporary["cache/capsule/" + name])
        }
        keep([Facts().with { $0.size = 5 }])
        let names = try FileManager.default.contentsOfDirectory(atPath: temporary["cache/capsule"])
        #expect(
            names.filter { !$0.hasSuffix(".stat") }.sorted()
                == [".a.stat.00000000.tmp", ".\(new).stat.00000000.tmp", "c", "notes.tmp"])
    }
}
