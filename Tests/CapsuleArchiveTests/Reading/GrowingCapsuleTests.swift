import CapsuleCore
import CapsuleSystem
import Foundation
import TestSupport
import Testing

@testable import CapsuleArchive

/// A capsule that is read while another process writes to it.
@Suite struct GrowingCapsuleTests {
    private static func write(_ bytes: [UInt8], at offset: Int, to file: LockedFile) throws {
        let outcome: Result<Void, CapsuleError> = bytes.withUnsafeBytes { bytes in
            Result { () throws(CapsuleError) in try file.write(bytes, at: UInt64(offset)) }
        }
        try outcome.get()
    }

    /// During an unfinished append, a reader gets the version before it. The tail counts as growing, not as torn or damaged.
    @Test(arguments: MemberCodec.allCases)
    func aTailThatIsWrittenIsNoneOfAReadersBusiness(codec: MemberCodec) throws {
        let directory = try TemporaryDirectory()
        let (bytes, ends) = try CapsuleChainTests.capsule(codec, versions: 2)
        try Files.write(Array(bytes[..<ends[0]]), to: directory["capsule"])
        let file = try LockedFile(directory.host("capsule"), timeout: 0)
        let garbage = [UInt8](repeating: 0x55, count: 600)
        for tail in (1..<ends[1] - ends[0]).map({ Array(bytes[ends[0]..<ends[0] + $0]) }) + [garbage] {
            try file.truncate(to: UInt64(ends[0]))
            try Self.write(tail, at: ends[0], to: file)
            let reader = try CapsuleReader(try CapsuleFile(opening: directory.host("capsule")))
            #expect(reader.newest.version == 1)
            #expect(reader.tail == .growing(UInt64(ends[0])))
        }
        try Self.write(Array(bytes[ends[0]...]), at: ends[0], to: file)
        let reader = try CapsuleReader(try CapsuleFile(opening: directory.host("capsule")))
        #expect(reader.newest.version == 2)
        #expect(reader.tail == .whole)
    }

    /// After the writer has finished, the file is checked again, and not as it was when it was opened.
    @Test(arguments: MemberCodec.allCases)
    func anAppendThatIsJustOverIsSeen(codec: MemberCodec) throws {
        let directory = try TemporaryDirectory()
        let (bytes, ends) = try CapsuleChainTests.capsule(codec, versions: 2)
        for (length, version) in [(ends[1], 2), (ends[0], 1)] as [(Int, UInt32)] {
            try Files.write(Array(bytes[..<(ends[1] - 5)]), to: directory["capsule"])
            let opened = try CapsuleFile(opening: directory.host("capsule"))
            do {
                let file = try LockedFile(directory.host("capsule"), timeout: 0)
                try Self.write(Array(bytes.suffix(5)), at: ends[1] - 5, to: file)
                try file.truncate(to: UInt64(length))
            }
            let reader = try CapsuleReader(opened)
            #expect(reader.newest.version == version)
            #expect(reader.tail == .whole)
            #expect(reader.file.length == UInt64(length))
        }
    }

    /// The owner of the lock checks the file as it is, and keeps the lock.
    @Test func aReaderOfALockedFileLeavesTheLockAlone() throws {
        let directory = try TemporaryDirectory()
        let (bytes, ends) = try CapsuleChainTests.capsule(.gzip, versions: 2)
        try Files.write(Array(bytes[..<(ends[1] - 5)]), to: directory["capsule"])
        let file = try LockedFile(directory.host("capsule"), timeout: 0)
        let reader = try CapsuleReader(try CapsuleFile(adopting: try file.duplicate(), path: file.path))
        #expect(reader.tail == .torn(UInt64(ends[0])))
        #expect(throws: CapsuleError.self) { try LockedFile(directory.host("capsule"), timeout: 0) }
    }

    /// While appends succeed, fail and are undone, torn tails are cut off and files are replaced, readers see version 1 or 2,
    /// complete, and never a tail.
    @Test(arguments: MemberCodec.allCases)
    func readersNeverFailBesideAWriter(codec: MemberCodec) throws {
        let directory = try TemporaryDirectory()
        let (bytes, ends) = try CapsuleChainTests.capsule(codec, versions: 2)
        let first = Array(bytes[..<ends[0]])
        let path = directory.host("capsule")
        try Files.write(first, to: directory["capsule"])
        let findings = Findings()
        let writer = Thread {
            findings.noting {
                var generator = SeededGenerator(seed: 1)
                var round = 0
                // On a busy machine, readers make little progress.
                while round < 150 || findings.count <= 100 && round < 20_000 {
                    round += 1
                    do {
                        let file = try LockedFile(path, timeout: 60)
                        for _ in 0..<3 {
                            let count = Int.random(in: 1...2_000, using: &generator)
                            let garbage = [UInt8](repeating: UInt8(truncatingIfNeeded: round), count: count)
                            try Self.write(garbage, at: ends[0], to: file)
                            try file.truncate(to: UInt64(ends[0]))
                        }
                        var place = ends[0]
                        while place < ends[1] {
                            let count = min(Int.random(in: 1...300, using: &generator), ends[1] - place)
                            try Self.write(Array(bytes[place..<place + count]), at: place, to: file)
                            place += count
                        }
                    }
                    try Files.write(first, to: directory["fresh"])
                    rename(directory["fresh"], directory["capsule"])
                }
            }
            findings.end()
        }
        writer.start()
        DispatchQueue.concurrentPerform(iterations: 4) { _ in
            while !findings.isEnded {
                findings.noting {
                    let reader = try CapsuleReader(try CapsuleFile(opening: path))
                    switch reader.tail {
                    case .whole, .growing: break
                    case .torn, .damaged: throw SupportError("\(reader.tail)")
                    }
                    for footer in try reader.footers() { _ = try reader.manifest(of: footer) }
                }
            }
        }
        #expect(findings.all == [])
        #expect(findings.count > 100)
    }
}

/// The findings of all threads.
private final class Findings: @unchecked Sendable {
    private let lock = NSLock()
    private var found: [String] = []
    private var isOver = false
    private var done = 0

    var all: [String] { lock.withLock { found } }
    var count: Int { lock.withLock { done } }
    var isEnded: Bool { lock.withLock { isOver } }
    func end() { lock.withLock { isOver = true } }

    func noting(_ body: () throws -> Void) {
        do {
            try body()
            lock.withLock { done += 1 }
        } catch {
            lock.withLock { found.append("\(error)") }
        }
    }
}
