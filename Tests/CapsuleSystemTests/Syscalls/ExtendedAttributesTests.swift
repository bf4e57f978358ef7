import CapsuleCore
import TestSupport
import Testing

@testable import CapsuleSystem

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
