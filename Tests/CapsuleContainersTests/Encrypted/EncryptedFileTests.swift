import CapsuleArchive
import CapsuleCore
import CapsuleSystem
import Foundation
import TestSupport
import Testing

@testable import CapsuleContainers

/// Files of age: how they are recognized, and how they are written.
@Suite struct EncryptedFileTests {
    @Test(
        arguments: [
            ("age-encryption.org/v1\n-> X25519 abc\n", true), ("-----BEGIN AGE ENCRYPTED FILE-----\nYWdl\n", true),
            ("age-encryption.org/v", false), ("-----BEGIN AGE", false), ("", false),
        ])
    func recognized(text: String, isEncrypted: Bool) {
        #expect(EncryptedFile.isEncrypted(Array(text.utf8)) == isEncrypted)
        #expect(InputKind.isArchive(Array(text.utf8)) == isEncrypted)
    }

    @Test(arguments: [("a.age", true), ("a.capsule.age", true), (".age", false), ("age", false), ("a.age.capsule", false)])
    func named(name: String, isNamed: Bool) { #expect(EncryptedFile.isNamed(Array(name.utf8)) == isNamed) }

    @Test(arguments: ["AGE-SECRET-KEY-1ABC", "age-secret-key-1abc", "-----BEGIN OPENSSH PRIVATE KEY-----"])
    func secretKeysAreNoRecipients(key: String) throws {
        let error = failure { _ = try AgeRecipients([key], file: nil) }
        #expect(error?.code == .usage)
        #expect(error?.message.contains(key) == false)
    }

    private static let hasAge = ProgramPath.find("age") != nil

    /// A key in a directory, its recipient, and a staged file for it.
    private struct Place {
        let directory: TemporaryDirectory
        let recipients: AgeRecipients
        let staged: StagedFile

        init() throws {
            directory = try TemporaryDirectory()
            let keygen = HostPath("age-keygen")
            let key = try ChildProcess.output(of: keygen, [], limit: 1 << 12)
            try Files.write(key.output, to: directory["key"])
            let shown = try ChildProcess.output(of: keygen, [Array("-y".utf8), Array(directory["key"].utf8)], limit: 1 << 12)
            let recipient = String(decoding: shown.output.dropLast(), as: UTF8.self)
            recipients = try AgeRecipients([recipient], file: nil)
            staged = try StagedFile(for: HostPath(directory["x.age"]))
        }

        func decrypted() throws -> [UInt8] {
            let arguments = ["-d", "-i", directory["key"], directory["x.age"]].map { Array($0.utf8) }
            return try ChildProcess.output(of: HostPath("age"), arguments, limit: 1 << 27).output
        }
    }

    @Test(.enabled(if: hasAge)) func whatIsWrittenAgainReplacesWhatWasHeldBack() throws {
        let place = try Place()
        let output = try place.staged.members(encryptedFor: place.recipients)
        try Array("abcdef".utf8).withUnsafeBytes { try output.write($0, at: 0) }
        try output.rewind(to: 3)
        try Array("xy".utf8).withUnsafeBytes { try output.write($0, at: 3) }
        try output.finish(length: 5)
        try place.staged.commit(replacing: false)
        #expect(try place.decrypted() == Array("abcxy".utf8))
    }

    @Test(.enabled(if: hasAge)) func whatIsEncryptedStays() throws {
        let place = try Place()
        let output = try place.staged.members(encryptedFor: place.recipients)
        let bytes = (0..<(1 << 20)).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        for number in 0..<40 { try bytes.withUnsafeBytes { try output.write($0, at: UInt64(number * bytes.count)) } }
        let error = failure { try output.rewind(to: 0) }
        #expect(error?.message.contains("changed while it was packed") == true)
        try output.rewind(to: 39 << 20)
        try output.finish(length: 39 << 20)
        try place.staged.commit(replacing: false)
        let plain = try place.decrypted()
        #expect(plain.count == 39 << 20 && plain.suffix(bytes.count).elementsEqual(bytes))
    }

    @Test(.enabled(if: hasAge)) func ageSaysWhyItEndsEarly() throws {
        // As in the program.
        signal(SIGPIPE, SIG_IGN)
        let directory = try TemporaryDirectory()
        let staged = try StagedFile(for: HostPath(directory["x.age"]))
        let output = try staged.members(encryptedFor: try AgeRecipients(["nobody"], file: nil))
        let bytes = [UInt8](repeating: 1, count: 40 << 20)
        let error = failure {
            try bytes.withUnsafeBytes { try output.write($0, at: 0) }
            try output.finish(length: UInt64(bytes.count))
        }
        #expect(error?.code == .failure)
        #expect(error?.message.starts(with: "age can't encrypt it: ") == true)
    }
}
