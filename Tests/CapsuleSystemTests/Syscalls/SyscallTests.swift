import CapsuleCore
import TestSupport
import Testing

@testable import CapsuleSystem

/// Without the advice, users read "operation not permitted" for their own files, and don't know what to do.
@Suite struct PermissionAdviceTests {
    private static let chattr = "chattr -i"
    private static let chflags = "chflags nouchg"
    private static let access = "Full Disk Access"

    private func hint(_ operation: String, _ path: String, _ platform: PermissionAdvice.Platform) -> String? {
        PermissionAdvice.hint(for: operation, on: HostPath(path), platform: platform)
    }

    @Test(arguments: [
        "create", "delete", "delete a file of another program", "create the directory", "create the link", "open for writing",
        "rename", "replace", "resize", "set its mode", "set its times", "set the attribute 'user.x'",
        "remove the attribute 'user.x'", "write",
    ])
    func changesMeetLocks(operation: String) throws {
        #expect(try #require(hint(operation, "/data/file", .linux)).contains(Self.chattr))
        let apple = try #require(hint(operation, "/Users/ann/file", .apple))
        #expect(apple.contains(Self.chflags) && !apple.contains(Self.access))
        let guarded = try #require(hint(operation, "/Users/ann/Library/Containers/com.example.gifs/Data/file", .apple))
        #expect(guarded.contains(Self.chflags) && guarded.contains(Self.access))
    }

    @Test(arguments: ["open", "list", "stat", "find", "read", "list its attributes", "read the attribute 'user.x'"])
    func readingMeetsPrivacyAlone(operation: String) {
        let paths = [
            "/Users/ann/Library/Containers", "/Users/ann/Library/Containers/com.example.gifs/Data/Documents",
            "/Users/ann/Library/Group Containers/group.com.example.gifs", "Library/Containers/x",
        ]
        for path in paths {
            #expect(
                hint(operation, path, .apple)
                    == "give the terminal Full Disk Access (System Settings > Privacy & Security > Full Disk Access)")
            #expect(hint(operation, path, .linux) == nil)
        }
        #expect(hint(operation, "/data/file", .linux) == nil)
    }

    /// The data of a simulator is not protected, nor are paths that only start like protected ones.
    @Test(arguments: [
        "/Users/ann/file", "/Users/ann/Library/Developer/CoreSimulator/Devices/X/data/Containers/Data/Application/Y",
        "/Users/ann/Library/Containers2/x", "/Users/ann/MyLibrary/Containers/x", "/Users/ann/Library/x/Containers", "", "/",
    ])
    func otherPlacesAreNotGuarded(path: String) {
        #expect(hint("open", path, .apple) == nil)
        #expect(hint("run", path, .apple) == nil)
        #expect(hint("delete", path, .apple)?.contains(Self.access) == false)
    }

    /// A new file can't be given to another user whose file it replaces. A directory that is closed is named.
    @Test func whatCannotBeKeptAndWhereNothingCanBeMade() {
        let path = HostPath("/nothing/of/that/name")
        for platform in PermissionAdvice.Platform.allCases {
            #expect(PermissionAdvice.hint(for: "keep its owner", on: path, platform: platform)?.contains("owner") == true)
        }
        let error = CapsuleError(errno: EACCES, "create", path).creating(path)
        #expect(error.path == HostPath("/nothing/of/that"))
        #expect(error.code == .notPermitted && error.message.hasPrefix("cannot create files in this directory: "))
        #expect(error.hint?.contains("directory") == true)
    }

    /// For a file's mode, the system's text is enough; a lock is not the reason there.
    @Test func otherErrorsHaveNoAdvice() {
        for number in [EACCES, EROFS, ENOENT, EIO] {
            #expect(CapsuleError(errno: number, "delete", HostPath("/nothing/of/that/name")).hint == nil)
        }
        #expect(
            CapsuleError(errno: EPERM, "delete", HostPath("/nothing/of/that/name")).hint
                == PermissionAdvice.hint(for: "delete", on: HostPath("/nothing/of/that/name"), platform: .current))
    }
}

@Suite(
    .enabled(if: FileSystemTraits.temporary.keepsAttributes, "the file system keeps no extended attributes"),
    .disabled(if: PlatformCalls.isApple, "Linux alone keeps names of attributes behind 'user.'"))
struct ExtendedAttributesTests {
    private static func file(_ directory: TemporaryDirectory, _ attributes: [String: [UInt8]]) throws -> OwnedDescriptor {
        try (["f": .file("x", attributes: attributes)] as TreeLiteral).make(at: directory["tree"])
        return try RootDirectory(directory.host("tree")).openFile(RelativePath(validating: [UInt8(ascii: "f")]))
    }

    @Test func namesArePortableAndSorted() throws {
        let directory = try TemporaryDirectory()
        let given: [String: [UInt8]] = [
            "user.z": [1], "user.com.apple.metadata:x": [0, 0xFF], "user.a": [], "user.com.apple.quarantine": [1],
            "user.com.apple.provenance": [1], "user.com.apple.lastuseddate#PS": [1],
        ]
        let file = try Self.file(directory, given)
        let reading = try ExtendedAttributes.read(file.raw, path: HostPath("f"))
        #expect(
            reading.attributes == [
                ExtendedAttribute(name: Array("com.apple.metadata:x".utf8), value: [0, 0xFF]),
                ExtendedAttribute(name: Array("user.a".utf8), value: []),
                ExtendedAttribute(name: Array("user.z".utf8), value: [1]),
            ])
        #expect(reading.tooLong.isEmpty)
    }

    @Test func setUnderLinuxNames() throws {
        let directory = try TemporaryDirectory()
        let file = try Self.file(directory, [:])
        for name in ["com.apple.x", "user.y"] {
            try ExtendedAttributes.set(
                ExtendedAttribute(name: Array(name.utf8), value: Array(name.utf8)), on: file.raw, path: HostPath("f"))
        }
        let found = try TreeLiteral(reading: directory["tree"])["f"]?.attributes
        #expect(found == ["user.com.apple.x": Array("com.apple.x".utf8), "user.y": Array("user.y".utf8)])
        #expect(throws: CapsuleError.self) {
            try ExtendedAttributes.set(
                ExtendedAttribute(name: Array("nowhere".utf8), value: []), on: file.raw, path: HostPath("f"))
        }
    }
}

@Suite struct FailedCallTests {
    @Test func theSystemsTextIsToldInLowerCase() {
        let error = CapsuleError(errno: ENOENT, "open", HostPath("x"))
        #expect(error.code == .notFound)
        #expect(error.message == "cannot open: no such file or directory")
        #expect(error.call?.reason == "no such file or directory")
    }

    /// The system's text mentions characters, or an "illegal byte sequence", which does not suggest that the name is the problem.
    @Test func aNameThatIsNotUTF8() {
        let error = CapsuleError(errno: EILSEQ, "create", HostPath([0x61, 0xff]))
        #expect(error.code == .notUTF8)
        #expect(error.message == "cannot create: this file system allows only UTF-8 names")
        #expect(error.at(HostPath("d/x")).code == .notUTF8)
        // For content, the message is another one.
        #expect(CapsuleError(errno: EILSEQ, "sync", HostPath("x")).code == .failure)
    }
}
