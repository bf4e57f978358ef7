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
