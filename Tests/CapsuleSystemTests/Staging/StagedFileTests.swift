import CapsuleCore
import Foundation
import TestSupport
import Testing

@testable import CapsuleSystem

@Suite struct StagedFileTests {
    private static func write(_ text: String, to file: StagedFile) throws {
        let outcome: Result<Void, CapsuleError> = Array(text.utf8).withUnsafeBytes { bytes in
            Result { () throws(CapsuleError) in try file.write(bytes, at: 0) }
        }
        try outcome.get()
    }

    /// A program that links the library keeps its signal handlers.
    @Test func signalsAreLeftAlone() throws {
        func disposition() -> UInt {
            var action = sigaction()
            sigaction(SIGTERM, nil, &action)
            return withUnsafeBytes(of: action) { $0.load(as: UInt.self) }
        }
        let before = disposition()
        let directory = try TemporaryDirectory()
        let staged = try StagedFile(for: directory.host("out"))
        #expect(disposition() == before)
        withExtendedLifetime(staged) {}
    }

    @Test func droppedItLeavesNothing() throws {
        let directory = try TemporaryDirectory()
        do {
            let staged = try StagedFile(for: directory.host("out"))
            try Self.write("half", to: staged)
            let names = try directory.names
            #expect(names.count == 1 && names[0].hasPrefix(".out.") && names[0].hasSuffix(".tmp"))
            withExtendedLifetime(staged) {}
        }
        #expect(try directory.names == [])
    }

    /// The content goes into the target itself, from another directory.
    @Test(arguments: [nil, "", "old", "old and longer than the new one"])
    func fromElsewhereItIsWrittenInPlace(old: String?) throws {
        let directory = try TemporaryDirectory()
        let elsewhere = try TemporaryDirectory()
        if let old { try Files.write(old, to: directory["out"]) }
        let before = try Syscall.statusIfThere(directory.host("out"))
        do {
            let staged = try StagedFile(for: directory.host("out"), in: RootDirectory(elsewhere.host(".")))
            try Self.write("the new content", to: staged)
            if before != nil {
                #expect(throws: CapsuleError.self) { try staged.commit(replacing: false) }
                #expect(try Files.read(directory["out"]) == Array((old ?? "").utf8))
            }
            try staged.commit(replacing: true, mode: FileMode(0o640))
        }
        #expect(try Files.read(directory["out"]) == Array("the new content".utf8))
        let after = try Syscall.status(directory.host("out"))
        #expect(before.map { $0.isSameFile(as: after) && $0.mode == after.mode } ?? (after.mode.rawValue == 0o640))
        #expect(try directory.names == ["out"] && elsewhere.names == [])
    }

    @Test func committedItHasItsName() throws {
        let directory = try TemporaryDirectory()
        do {
            let staged = try StagedFile(for: directory.host("out"))
            try Self.write("whole", to: staged)
            try staged.commit(replacing: false)
        }
        #expect(try directory.names == ["out"])
        #expect(try Files.read(directory["out"]) == Array("whole".utf8))
        #expect(try Syscall.status(directory.host("out")).mode.rawValue == CreationMask.fileMode)
    }

    /// The file has its name already. The error must not claim that nothing was written.
    @Test(arguments: [false, true])
    func aDirectoryThatCannotBeSyncedIsToldApart(isReplacing: Bool) throws {
        let directory = try TemporaryDirectory()
        if isReplacing { try Files.write("old", to: directory["out"]) }
        do {
            let staged = try StagedFile(for: directory.host("out"))
            try Self.write("whole", to: staged)
            let error = #expect(throws: CapsuleError.self) {
                try staged.commit(
                    replacing: isReplacing,
                    syncing: { (place) throws(CapsuleError) in throw CapsuleError(errno: EIO, "sync", place.path) })
            }
            #expect(error?.code == .unsynced && error?.errno == EIO)
            #expect(error?.path == directory.host("out"))
            #expect(error?.message.hasPrefix("cannot sync the directory of the finished file: ") == true)
        }
        #expect(try directory.names == ["out"])
        #expect(try Files.read(directory["out"]) == Array("whole".utf8))
    }

    @Test(arguments: [TreeNode.file("old"), .link("elsewhere"), .directory(), .pipe])
    func nothingIsReplacedUnasked(old: TreeNode) throws {
        let directory = try TemporaryDirectory()
        let tree: TreeLiteral = ["out": old]
        try tree.make(at: directory["d"])
        do {
            let staged = try StagedFile(for: directory.host("d/out"))
            try Self.write("new", to: staged)
            let error = #expect(throws: CapsuleError.self) { try staged.commit(replacing: false) }
            #expect(error?.code == .exists)
            #expect(error?.path == directory.host("d/out"))
        }
        #expect(tree.differences(from: try TreeLiteral(reading: directory["d"])) == [])
    }

    @Test func aFileIsReplacedWhenAsked() throws {
        let directory = try TemporaryDirectory()
        try Files.write("old", to: directory["out"])
        let staged = try StagedFile(for: directory.host("out"))
        try Self.write("new", to: staged)
        #expect(try Files.read(directory["out"]) == Array("old".utf8))
        try staged.commit(replacing: true)
        #expect(try Files.read(directory["out"]) == Array("new".utf8))
        #expect(try directory.names == ["out"])
    }

    @Test(arguments: ["victim", "nowhere"])
    func aLinkIsReplacedItself(target: String) throws {
        let directory = try TemporaryDirectory()
        try Files.write("untouched", to: directory["victim"])
        try FileManager.default.createSymbolicLink(atPath: directory["out"], withDestinationPath: target)
        let staged = try StagedFile(for: directory.host("out"))
        try Self.write("new", to: staged)
        try staged.commit(replacing: true)
        #expect(try Files.read(directory["victim"]) == Array("untouched".utf8))
        #expect(try Syscall.status(directory.host("out")).kind == .file)
        #expect(try directory.names == ["out", "victim"])
    }

    @Test func aDirectoryIsNeverReplaced() throws {
        let directory = try TemporaryDirectory()
        try (["out/x": .file("kept")] as TreeLiteral).make(at: directory["d"])
        do {
            let staged = try StagedFile(for: directory.host("d/out"))
            #expect(throws: CapsuleError.self) { try staged.commit(replacing: true) }
        }
        #expect(try TreeLiteral(reading: directory["d"]).paths.map(\.description) == ["", "out", "out/x"])
    }

    @Test func aMissingDirectoryIsAnError() throws {
        let directory = try TemporaryDirectory()
        let error = #expect(throws: CapsuleError.self) { try StagedFile(for: directory.host("missing/out")) }
        #expect(error?.code == .notFound)
    }

    private static let otherName: [UInt8] = FileSystemTraits.temporary.takesAnyBytes ? [0xFF, 0xFE] : Array("\u{E9}\n".utf8)

    @Test(arguments: [Array(repeating: UInt8(ascii: "n"), count: 255), otherName, Array("-".utf8)])
    func namesOfAnyBytesAndTheLongest(name: [UInt8]) throws {
        let directory = try TemporaryDirectory()
        let target = HostPath(directory.path).appending(name)
        let staged = try StagedFile(for: target)
        try staged.commit(replacing: false)
        #expect(try Syscall.status(target).kind == .file)
    }

    @Test func placesAreWrittenAndRead() throws {
        let directory = try TemporaryDirectory()
        let staged = try StagedFile(for: directory.host("out"))
        let bytes: [UInt8] = [1, 2, 3]
        try bytes.withRawBytes { (bytes) throws(CapsuleError) in try staged.write(bytes, at: 70_000) }
        try staged.truncate(to: 70_002)
        try staged.commit(replacing: false)
        let found = try Files.read(directory["out"])
        #expect(found.count == 70_002)
        #expect(found.suffix(3) == [0, 1, 2])
    }
}

@Suite struct SpoolFileTests {
    @Test func itHasNoNameAndIsGone() throws {
        let directory = try TemporaryDirectory()
        let spool = try SpoolFile(in: HostPath(directory.path))
        #expect(try directory.names == [])
        let written: Result<Void, CapsuleError> = [UInt8](repeating: 7, count: 100).withUnsafeBytes { bytes in
            Result { () throws(CapsuleError) in try spool.write(bytes, at: 0) }
        }
        try written.get()
        try spool.truncate(to: 50)
        let other = try spool.duplicate()
        let status = try Syscall.status(of: other.raw, path: HostPath("spool"))
        #expect(status.size == 50)
        #expect(status.links == 0)
        #expect(status.mode.rawValue == 0o600)
        let room = UnsafeMutableRawBufferPointer.allocate(byteCount: 100, alignment: 1)
        defer { room.deallocate() }
        #expect(try spool.read(at: 10, into: room) == 40)
    }

    @Test func aMissingDirectoryIsAnError() throws {
        let directory = try TemporaryDirectory()
        #expect(throws: CapsuleError.self) { try SpoolFile(in: directory.host("missing")) }
    }
}

@Suite struct MadeDirectoriesTests {
    @Test func theyGoAgainUnlessKept() throws {
        let directory = try TemporaryDirectory()
        do {
            let made = try CreatedDirectories(directory.host("a/b/c"))
            #expect(Files.exists(directory["a/b/c"]))
            withExtendedLifetime(made) {}
        }
        #expect(try directory.names == [])
        do {
            let made = try CreatedDirectories(directory.host("a/b/c"))
            made.keep()
        }
        #expect(Files.exists(directory["a/b/c"]))
    }

    @Test func whatWasThereStays() throws {
        let directory = try TemporaryDirectory()
        try (["a/x": .file()] as TreeLiteral).make(at: directory["top"])
        do {
            let made = try CreatedDirectories(directory.host("top/a/b"))
            withExtendedLifetime(made) {}
        }
        #expect(Files.exists(directory["top/a/x"]))
        #expect(!Files.exists(directory["top/a/b"]))
    }

    @Test func whatIsInThemKeepsThem() throws {
        let directory = try TemporaryDirectory()
        do {
            let made = try CreatedDirectories(directory.host("a/b"))
            try Files.write("x", to: directory["a/x"])
            withExtendedLifetime(made) {}
        }
        #expect(try TreeLiteral(reading: directory.path).paths.map(\.description) == ["", "a", "a/x"])
    }

    @Test func aFileInTheWayIsAnErrorAndNothingIsLeft() throws {
        let directory = try TemporaryDirectory()
        try Files.write("x", to: directory["a"])
        #expect(throws: CapsuleError.self) { try CreatedDirectories(directory.host("a/b/c")) }
        #expect(try directory.names == ["a"])
    }
}
