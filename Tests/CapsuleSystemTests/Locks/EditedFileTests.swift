import CapsuleCore
import Foundation
import TestSupport
import Testing

@testable import CapsuleSystem

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
