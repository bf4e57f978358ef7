import CapsuleCore
import CapsuleSystem
import Testing

@testable import CapsuleArchive

/// The entries that make up a tree, and those that are refused.
@Suite struct ForeignListingTests {
    private static func entry(
        _ name: String, _ kind: ForeignEntry.Kind = .file, target: String = "", size: UInt64 = 0
    ) -> ForeignEntry {
        ForeignEntry(
            name: Array(name.utf8), kind: kind, mode: FileMode(0o640), modified: Timestamp(seconds: 5), size: size,
            target: Array(target.utf8))
    }

    private func list(_ entries: [ForeignEntry]) throws(CapsuleError) -> ForeignListing {
        var listing = ForeignListing(archiveLength: 1_000)
        for (number, entry) in entries.enumerated() { try listing.add(entry, file: number) }
        return listing
    }

    @Test(
        arguments: [
            ("a", "a"), ("./a", "a"), (".//./a/./b", "a/b"), ("a//b", "a/b"), ("a/", "a"), ("...", "..."), ("a/..b", "a/..b"),
            ("a\\..\\b", "a\\..\\b"), ("/a", "a"), ("//a/b", "a/b"),
        ])
    func spellings(_ name: String, _ path: String) throws {
        #expect(try list([Self.entry(name)]).entries.contains { $0.path.description == path && $0.kind == .file })
    }

    @Test(
        arguments: [
            "", "/", "..", "/..", "/../a", "/a/../b", "../a", "a/..", "a/../b", "./..", "a\0b",
            String(repeating: "c", count: 1_024),
            String(repeating: "d/", count: 2_100) + "e",
        ])
    func namesThatNoTreeHolds(_ name: String) throws {
        let error = #expect(throws: CapsuleError.self) { try list([Self.entry(name)]) }
        #expect(error?.path?.bytes == Array(name.utf8))
    }

    static let collisions: [[ForeignEntry]] = [
        [entry("a"), entry("a")], [entry("a"), entry("./a")], [entry("a", .link, target: "b"), entry("a")],
        [entry("a", .link, target: "b"), entry("a/x")], [entry("a"), entry("a/x")], [entry("a/x"), entry("a")],
        [entry("a/x"), entry("a", .link, target: "b")], [entry("a", .directory), entry("a", .link, target: "b")],
        [entry("a", .link, target: "b"), entry("a", .directory)], [entry("a", .special(.pipe)), entry("a/x")],
        [entry("a", .special(.pipe)), entry("a")], [entry("a/b"), entry("a/b/c/d")], [entry("."), entry("a")],
        [entry("a", .link, target: "")], [entry("a", .link, target: String(repeating: "t", count: 4_097))],
        [entry("a", .hardLink, target: "b")], [entry("a", .hardLink, target: "a")], [entry("b", .hardLink, target: "../a")],
        [entry("a"), entry("/a")], [entry("a"), entry("b", .hardLink, target: "/../a")],
        [entry("d", .directory), entry("b", .hardLink, target: "d")],
        [entry("d/x"), entry("b", .hardLink, target: "d")], [entry("a", .hardLink, target: "b"), entry("b")],
        [entry("l", .link, target: "d"), entry("b", .hardLink, target: "l/x")], [entry("a", .file, size: 1 << 45)],
        [entry("a", .file, size: 20 << 30), entry("b", .file, size: 20 << 30)],
        [entry("a", .file, size: 20 << 30), entry("b", .hardLink, target: "a")],
        [entry("a", .file, size: UInt64.max), entry("b", .file, size: 2)],
    ]

    @Test(arguments: collisions)
    func entriesThatNoTreeHolds(_ entries: [ForeignEntry]) throws {
        let error = #expect(throws: CapsuleError.self) { try list(entries) }
        #expect(entries.contains { $0.name == error?.path?.bytes }, "\(String(describing: error))")
    }

    @Test func missingDirectoriesAreMadeUp() throws {
        let listing = try list([Self.entry("a/b/c"), Self.entry("a", .directory)])
        let found = listing.entries.map { "\($0.path) \($0.kind.word) \($0.mode.octal) \($0.modified.seconds)" }.sorted()
        #expect(found == ["a directory 0640 5", "a/b directory 0755 5", "a/b/c file 0640 5"])
        #expect(listing.top?.mode == FileMode(0o755))
    }

    @Test func hardLinksShareTheirContent() throws {
        let listing = try list([
            Self.entry("a", .file, size: 3), Self.entry("b", .hardLink, target: "./a"), Self.entry("l", .link, target: "x"),
            Self.entry("c", .hardLink, target: "b"), Self.entry("k", .hardLink, target: "l"),
        ])
        #expect(listing.entries.map(\.path.description) == ["a", "b", "l", "c", "k"])
        #expect(listing.files == [0, 0, -1, 0, -1])
        #expect(listing.hardLinks.map(\.entry) == [0, 1, 3])
        #expect(listing.entries.map(\.size) == [3, 3, 0, 3, 0])
        #expect(listing.entries[4].target == Array("x".utf8))
    }
}
