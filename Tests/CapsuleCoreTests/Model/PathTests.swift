import CapsuleCore
import Testing

@Suite struct RelativePathTests {
    private static func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

    @Test(arguments: [
        "a", "a/b", ".a", "..a", "a..", "...", "a/.../b", " ", "a ", "-", "~", "@2", "a:b", "日本/é", "line\nbreak", "\u{1}",
        "C:\\x", "a/.b/..c",
    ])
    func soundPathsAreTaken(text: String) throws {
        let path = try RelativePath(validating: Self.bytes(text))
        #expect(path.bytes == Self.bytes(text))
        #expect(!path.isRoot)
    }

    @Test func anyBytesButNULAndSlashAreTaken() throws {
        for byte in UInt8.min...UInt8.max where ![0, UInt8(ascii: "/"), UInt8(ascii: ".")].contains(byte) {
            #expect(try RelativePath(validating: [byte]).bytes == [byte])
        }
    }

    @Test(arguments: [
        ("", PathError.Problem.empty), ("/", .absolute), ("/a", .absolute), ("//", .absolute), ("a/", .emptyComponent),
        ("a//b", .emptyComponent), (".", .dotComponent), ("./a", .dotComponent), ("a/.", .dotComponent), ("a/./b", .dotComponent),
        ("..", .climbing), ("../a", .climbing), ("a/..", .climbing), ("a/../b", .climbing), ("\0", .nul), ("a\0", .nul),
        ("a/b\0c", .nul), ("a/../\0", .climbing),
    ])
    func unsoundPathsAreRefused(text: String, problem: PathError.Problem) {
        #expect(throws: PathError.self) { try RelativePath(validating: Self.bytes(text)) }
        do {
            _ = try RelativePath(validating: Self.bytes(text))
        } catch {
            #expect(error.problem == problem)
            #expect(error.bytes == Self.bytes(text))
            #expect(!error.message.isEmpty && !error.message.hasSuffix("."))
        }
    }

    /// Ends of components are searched for in eight bytes at a time.
    @Test func problemsAreFoundAtAnyPlace() {
        for count in 1..<20 {
            for filler: UInt8 in [0x01, 0x30, 0x80, 0xAF, 0xFF] {
                let name = [UInt8](repeating: filler, count: count)
                #expect(Self.problem(name + Self.bytes("/") + name) == nil)
                #expect(Self.problem(name + Self.bytes("/../") + name) == .climbing)
                #expect(Self.problem(name + Self.bytes("//") + name) == .emptyComponent)
                #expect(Self.problem(name + Self.bytes("/a\0/") + name) == .nul)
                #expect(Self.problem(name + Self.bytes("/")) == .emptyComponent)
            }
        }
    }

    private static func problem(_ bytes: [UInt8]) -> PathError.Problem? {
        do {
            _ = try RelativePath(validating: bytes)
            return nil
        } catch {
            return error.problem
        }
    }

    @Test func limitsAreTheFormats() throws {
        #expect(RelativePath.maximumLength == 4_096)
        #expect(RelativePath.maximumComponentLength == 1_023)
        let component = [UInt8](repeating: UInt8(ascii: "c"), count: 1_023)
        #expect(try RelativePath(validating: component).bytes.count == 1_023)
        let slash = UInt8(ascii: "/")
        let whole = Array([[UInt8]](repeating: component, count: 4).joined(separator: [slash]))
        #expect(whole.count == 4_095)
        #expect(try RelativePath(validating: whole).bytes.count == 4_095)
        #expect(try RelativePath(validating: Array("a/".utf8) + Array(whole.dropLast(1))).bytes.count == 4_096)
    }

    @Test(arguments: [(1_024, PathError.Problem.componentTooLong), (4_096, .componentTooLong), (4_097, .tooLong)])
    func overLongPathsAreRefused(length: Int, problem: PathError.Problem) {
        do {
            _ = try RelativePath(validating: [UInt8](repeating: UInt8(ascii: "c"), count: length))
            Issue.record("a component of \(length) bytes was taken")
        } catch {
            #expect(error.problem == problem)
        }
    }

    @Test func childrenAreCheckedToo() throws {
        let path = try RelativePath(validating: Self.bytes("a/b"))
        #expect(try path.appending(Self.bytes("c")).bytes == Self.bytes("a/b/c"))
        #expect(try RelativePath.root.appending(Self.bytes("c")).bytes == Self.bytes("c"))
        func appending(listed name: [UInt8], to path: RelativePath) throws -> RelativePath {
            try name.withUnsafeBytes { try path.appending(listed: $0) }
        }
        #expect(try appending(listed: Self.bytes("c"), to: path).bytes == Self.bytes("a/b/c"))
        #expect(try appending(listed: Self.bytes("c"), to: RelativePath.root).bytes == Self.bytes("c"))
        #expect(throws: PathError.self) { try path.appending(Self.bytes("..")) }
        #expect(throws: PathError.self) { try path.appending([]) }
        #expect(throws: PathError.self) { try RelativePath.root.appending([]) }
        for name in ["c/d", "/c", "c/"] { #expect(throws: PathError.self) { try path.appending(Self.bytes(name)) } }
        let long = [UInt8](repeating: 1, count: 1_023)
        #expect(throws: PathError.self) { try appending(listed: long + [1], to: path) }
        var deep = try RelativePath(validating: long)
        for _ in 0..<3 { deep = try appending(listed: long, to: deep) }
        #expect(throws: PathError.self) { try appending(listed: [1, 1], to: deep) }
        #expect(throws: PathError.self) { try deep.appending([1, 1]) }
    }

    @Test(arguments: [("a", "", "a"), ("a/b", "a", "b"), ("a/b/c", "a/b", "c"), (".x/..y", ".x", "..y")])
    func partsAreFound(text: String, parent: String, name: String) throws {
        let path = try RelativePath(validating: Self.bytes(text))
        #expect(path.parent?.bytes == Self.bytes(parent))
        #expect(Array(path.name) == Self.bytes(name))
        #expect(path.components.map { Array($0) } == text.split(separator: "/").map { Array($0.utf8) })
    }

    @Test func theRootHasNoParts() {
        #expect(RelativePath.root.isRoot)
        #expect(RelativePath.root.parent == nil)
        #expect(RelativePath.root.name.isEmpty)
        #expect(RelativePath.root.components.isEmpty)
    }

    @Test(arguments: [
        ("a", "a", ""), ("a/b", "a", "b"), ("a/b/c", "a", "b/c"), ("a/b", "", "a/b"), ("ab", "a", nil), ("a", "a/b", nil),
        ("b/a", "a", nil), ("a.b", "a", nil),
    ])
    func belowIsByComponents(text: String, ancestor: String, rest: String?) throws {
        let path = try RelativePath(validating: Self.bytes(text))
        let above = ancestor.isEmpty ? RelativePath.root : try RelativePath(validating: Self.bytes(ancestor))
        #expect(path.isAtOrBelow(above) == (rest != nil))
        #expect(path.relative(to: above)?.bytes == rest.map(Self.bytes))
    }

    @Test func theOrderIsMemcmpShorterFirst() throws {
        let ordered: [[UInt8]] = [
            Self.bytes("A"), Self.bytes("a"), Self.bytes("a b"), Self.bytes("a-b"), Self.bytes("a.b"), Self.bytes("a/b"),
            Self.bytes("a0"), Self.bytes("ab"), Self.bytes("b"), [0x80], [0xFF], [0xFF, 1],
        ]
        let paths = try ordered.map { try RelativePath(validating: $0) }
        for (left, right) in zip(paths, paths.dropFirst()) {
            #expect(left < right)
            #expect(!(right < left))
        }
        #expect(paths.shuffled().sorted() == paths)
        #expect(!(paths[0] < paths[0]))
    }
}

@Suite struct HostPathTests {
    @Test(arguments: [
        ("a", "a", "."), ("a/b", "b", "a"), ("/a", "a", "/"), ("/a/b/", "b", "/a"), ("a//", "a", "."), ("/", "", "."),
        ("///", "", "."),
        ("", "", "."), (".", ".", "."), ("..", "..", "."), ("../x", "x", ".."), ("a/b//", "b", "a"),
    ])
    func parts(text: String, name: String, directory: String) {
        #expect(HostPath(text).name == Array(name.utf8))
        #expect(HostPath(text).directory == HostPath(directory))
    }

    @Test(arguments: [("a", "b", "a/b"), ("a/", "b", "a/b"), ("/", "b", "/b"), ("", "b", "b"), (".", "b", "b")])
    func appending(text: String, name: String, whole: String) {
        #expect(HostPath(text).appending(Array(name.utf8)) == HostPath(whole))
    }

    @Test func anyBytesAreKept() {
        #expect(HostPath([0x2F, 0xFF, 0x2F, 0xFE]).name == [0xFE])
        #expect(HostPath([0x2F, 0xFF, 0x2F, 0xFE]).directory == HostPath([0x2F, 0xFF]))
    }
}

@Suite struct ExtendedAttributeTests {
    @Test(arguments: [
        "com.apple.provenance", "com.apple.quarantine", "com.apple.lastuseddate#PS", "security.selinux", "security.",
        "system.posix_acl", "com.apple.macl", "trusted.overlay.opaque", "trusted.", "user.com.apple.quarantine",
        "user.com.apple.macl",
    ])
    func denied(name: String) {
        #expect(ExtendedAttribute.isDenied(Array(name.utf8)))
    }

    @Test(arguments: [
        "com.apple.metadata:kMDItemWhereFroms", "com.apple.provenance2", "com.apple.quarantin", "user.x", "x.security.y",
        "com.apple.FinderInfo", "com.apple.macl2",
        "com.apple.ResourceFork", "systemic", "trusted", "user.trusted.x", "user.com.apple.metadata:x",
    ])
    func kept(name: String) {
        #expect(!ExtendedAttribute.isDenied(Array(name.utf8)))
    }

    /// Both spellings are one attribute; only Apple's is stored.
    @Test(arguments: [
        ("com.apple.metadata:x", true), ("user.com.apple.metadata:x", false), ("user.x", true), ("user.com.applex", true),
        ("trusted.x", false), ("com.apple.quarantine", false), ("user.com.apple.quarantine", false), ("security.x", false),
    ])
    func oneSpellingIsStored(name: String, isStorable: Bool) {
        #expect(ExtendedAttribute.isStorable(Array(name.utf8)) == isStorable)
    }

    @Test(arguments: [
        ("user.com.apple.metadata:x", "com.apple.metadata:x"), ("user.other", "user.other"),
        ("user.com.applex", "user.com.applex"),
        ("trusted.x", "trusted.x"), ("user.com.apple.", "com.apple."),
    ])
    func linuxNames(linux: String, portable: String) {
        #expect(ExtendedAttribute.portableName(fromLinux: Array(linux.utf8)) == Array(portable.utf8))
        #expect(ExtendedAttribute.linuxName(fromPortable: Array(portable.utf8)) == Array(linux.utf8))
    }

    @Test(arguments: [
        (FileMode(0o644), "0644"), (FileMode(0), "0000"), (FileMode(0o7777), "7777"), (FileMode(0o100644), "0644"),
        (FileMode(0o1755), "1755"),
    ])
    func modesAreOctal(mode: FileMode, text: String) {
        #expect(mode.octal == text)
    }

    @Test(arguments: [
        (UInt16(0o7777), EntryKind.file, UInt16(0o777)), (0o7777, .directory, 0o1777), (0o1644, .file, 0o644),
        (0o4755, .directory, 0o755),
        (0o600, .identity, 0o600), (0o3777, .identity, 0o777),
    ])
    func modesComeBackWithoutSetuid(mode: UInt16, kind: EntryKind, restored: UInt16) {
        #expect(FileMode(mode).restorable(for: kind).rawValue == restored)
    }

    @Test(arguments: [
        ("Model.sqlite-wal", "Model.sqlite"), ("a/b-journal", "a/b"), ("x-wal-wal", "x-wal"), ("-wal", nil), ("a/-wal", nil),
        ("x-shm", nil),
        ("x.wal", nil), ("x", nil),
    ])
    func logsKnowTheirDatabases(path: String, database: String?) throws {
        let path = try RelativePath(validating: Array(path.utf8))
        #expect(DatabaseUnit.database(ofLog: path)?.bytes == database.map { Array($0.utf8) })
    }
}
