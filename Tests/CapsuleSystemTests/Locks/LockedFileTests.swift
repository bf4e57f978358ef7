import CapsuleCore
import Foundation
import TestSupport
import Testing

@testable import CapsuleSystem

@Suite struct LockedFileTests {
    /// The maximum time to wait in seconds, long enough for every machine. A test that waits so long has failed.
    private static let patience = 60.0

    private static func directory() throws -> TemporaryDirectory {
        let directory = try TemporaryDirectory()
        try Files.write("old", to: directory["file"])
        return directory
    }

    private static func text(of file: LockedFile) throws -> String {
        let room = UnsafeMutableRawBufferPointer.allocate(byteCount: 100, alignment: 1)
        defer { room.deallocate() }
        let count = try file.read(at: 0, into: room)
        return String(decoding: room[..<count], as: UTF8.self)
    }

    private static func code(_ path: HostPath, timeout: Double) -> CapsuleError.Code? {
        do throws(CapsuleError) {
            _ = try LockedFile(path, timeout: timeout)
            return nil
        } catch {
            return error.code
        }
    }

    @Test func itIsWrittenAndCutInPlace() throws {
        let directory = try Self.directory()
        let file = try LockedFile(directory.host("file"), timeout: 0)
        let outcome: Result<Void, CapsuleError> = Array("newer".utf8).withUnsafeBytes { bytes in
            Result { () throws(CapsuleError) in try file.write(bytes, at: 3) }
        }
        try outcome.get()
        try file.truncate(to: 6)
        try file.sync()
        #expect(try Self.text(of: file) == "oldnew")
        #expect(try file.status().size == 6)
        #expect(try Files.read(directory["file"]) == Array("oldnew".utf8))
    }

    @Test(arguments: [0, 0.1, -1, .nan]) func aSecondOneGivesUp(timeout: Double) throws {
        let directory = try Self.directory()
        let first = try LockedFile(directory.host("file"), timeout: 0)
        let start = ContinuousClock.now
        #expect(Self.code(directory.host("file"), timeout: timeout) == .locked)
        let waited = ContinuousClock.now - start
        #expect(waited >= .seconds(timeout > 0 ? timeout : 0) && waited < .seconds(Self.patience))
        withExtendedLifetime(first) {}
    }

    @Test func aSecondOneHasItOnceTheFirstIsDone() throws {
        let directory = try Self.directory()
        var first: LockedFile? = try LockedFile(directory.host("file"), timeout: 0)
        let held = Held(first)
        first = nil
        held.drop(after: 0.1)
        _ = try LockedFile(directory.host("file"), timeout: Self.patience)
        #expect(held.isDropped)
    }

    /// Compacting renames a new file over the old one. The new file is the one to write to.
    @Test func aFileReplacedMeanwhileIsOpenedAgain() throws {
        let directory = try Self.directory()
        let held = Held(try LockedFile(directory.host("file"), timeout: 0))
        try Files.write("new", to: directory["other"])
        #expect(rename(directory["other"], directory["file"]) == 0)
        // The lock on the old file is still held, but the new file of that name is free, so there is no wait.
        let second = try LockedFile(directory.host("file"), timeout: 0)
        #expect(try Self.text(of: second) == "new")
        held.drop()
    }

    @Test func aFileReplacedWhileOneWaitsIsOpenedAgain() throws {
        let directory = try Self.directory()
        let held = Held(try LockedFile(directory.host("file"), timeout: 0))
        try Files.write("new", to: directory["other"])
        let (old, new) = (directory["other"], directory["file"])
        held.drop(after: 0.1) { _ = rename(old, new) }
        let second = try LockedFile(directory.host("file"), timeout: Self.patience)
        #expect(try Self.text(of: second) == "new")
    }

    @Test func aFileGoneWhileOneWaitsIsAnError() throws {
        let directory = try Self.directory()
        let held = Held(try LockedFile(directory.host("file"), timeout: 0))
        let path = directory["file"]
        held.drop(after: 0.1) { unlink(path) }
        #expect(Self.code(directory.host("file"), timeout: Self.patience) == .notFound)
    }

    @Test func aDuplicateKeepsTheLock() throws {
        let directory = try Self.directory()
        do {
            let copy = try LockedFile(directory.host("file"), timeout: 0).duplicate()
            #expect(Self.code(directory.host("file"), timeout: 0) == .locked)
            #expect(try Syscall.status(of: copy.raw, path: directory.host("file")).size == 3)
        }
        #expect(Self.code(directory.host("file"), timeout: Self.patience) == nil)
    }

    /// A reader holds a shared lock only for a moment, so even a writer with no timeout need not fail because of it.
    @Test func aReadersGlanceIsWaitedFor() throws {
        let directory = try Self.directory()
        let reader = try Syscall.openFile(directory.host("file"))
        #expect(try Syscall.tryLock(reader.raw, exclusive: false, path: directory.host("file")))
        let copy = try Syscall.duplicate(reader.raw, path: directory.host("file"))
        let raw = copy.raw
        Thread.detachNewThread {
            usleep(1_000)
            flock(raw, LOCK_UN)
        }
        #expect(Self.code(directory.host("file"), timeout: 0) == nil)
        withExtendedLifetime(reader) {}
    }

    @Test func aLinkIsFollowed() throws {
        let directory = try Self.directory()
        #expect(symlink("file", directory["link"]) == 0)
        let file = try LockedFile(directory.host("link"), timeout: 0)
        #expect(try Self.text(of: file) == "old")
        #expect(Self.code(directory.host("file"), timeout: 0) == .locked)
        withExtendedLifetime(file) {}
    }

    @Test func onlyAPlainFileWillDo() throws {
        let directory = try Self.directory()
        #expect(mkfifo(directory["pipe"], 0o600) == 0)
        #expect(Self.code(directory.host("pipe"), timeout: 0) == .notAFile)
        #expect(Self.code(HostPath("/dev/null"), timeout: 0) == .notAFile)
        #expect(Self.code(directory.host("none"), timeout: 0) == .notFound)
        let error = #expect(throws: CapsuleError.self) { try LockedFile(HostPath(directory.path), timeout: 0) }
        #expect(error?.errno == EISDIR)
        #expect(error?.path == HostPath(directory.path))
    }
}

/// A lock that another thread releases.
private final class Held: @unchecked Sendable {
    private let mutex = NSLock()
    private var file: LockedFile?

    init(_ file: LockedFile?) { self.file = file }

    var isDropped: Bool { mutex.withLock { file == nil } }

    func drop() { mutex.withLock { file = nil } }

    /// Calls `first` and releases the lock, `seconds` from now.
    func drop(after seconds: Double, first: @escaping @Sendable () -> Void = {}) {
        Thread.detachNewThread {
            usleep(UInt32(seconds * 1e6))
            first()
            self.drop()
        }
    }
}

@Suite struct EditedFileTests {
    private static func directory() throws -> TemporaryDirectory {
        let directory = try TemporaryDirectory()
        try Files.write("old", to: directory["file"])
        return directory
    }

    private static func file(_ path: HostPath, locks: Bool = true) throws -> EditedFile {
        try EditedFile(path, limit: 100, locks: locks, timeout: 0)
    }

    /// Otherwise the slower of two commands would replace what the other one wrote. A command that only reads does not wait.
    @Test func itIsLockedUntilItIsReplaced() throws {
        let directory = try Self.directory()
        let path = directory.host("file")
        let file = try Self.file(path)
        let error = #expect(throws: CapsuleError.self) { try Self.file(path) }
        #expect(error?.code == .locked)
        #expect(error?.message == "another process is changing it")
        #expect(try Self.file(path, locks: false).bytes == Array("old".utf8))
        try file.replace(with: Array("new".utf8))
        let next = try Self.file(path)
        #expect(next.bytes == Array("new".utf8) && next.warning == nil)
        withExtendedLifetime(file) {}
    }

    @Test func itIsLockedUntilItIsReleased() throws {
        let directory = try Self.directory()
        var file: EditedFile? = try Self.file(directory.host("file"))
        #expect(file?.warning == nil)
        file = nil
        _ = try Self.file(directory.host("file"))
    }

    /// A file that its user may not write to is replaced, as its directory allows.
    @Test func aFileThatIsNotWritableIsLocked() throws {
        let directory = try Self.directory()
        let path = directory.host("file")
        #expect(chmod(directory["file"], 0o444) == 0)
        try Self.file(path).replace(with: Array("new".utf8))
        #expect(try Files.read(directory["file"]) == Array("new".utf8))
    }

    #if DEBUG
    /// A file can be edited where the file system has no locks, with a warning.
    @Test(arguments: [ENOLCK, EOPNOTSUPP, ENOTSUP, EBADF])
    func withoutLocksItIsEditedWithAWarning(errno: Int32) throws {
        let directory = try Self.directory()
        let path = directory.host("file")
        let (file, _) = try InjectedFaults.during(below: HostPath(directory.path), [(1, .failure(errno))]) {
            try Self.file(path)
        }
        #expect(
            file.warning?.message == "can't be locked on this file system: other changes at the same time may be lost")
        try Files.write("other", to: directory["file"])
        let error = #expect(throws: CapsuleError.self) { try file.replace(with: Array("new".utf8)) }
        #expect(error?.code == .changed)
        #expect(try Files.read(directory["file"]) == Array("other".utf8))
    }

    @Test func anotherFailureOfTheLockIsAnError() throws {
        let directory = try Self.directory()
        let path = directory.host("file")
        let error = #expect(throws: CapsuleError.self) {
            try InjectedFaults.during(below: HostPath(directory.path), [(1, .failure(EIO))]) {
                try Self.file(path)
            }
        }
        #expect(error?.errno == EIO)
    }
    #endif
}
