import CapsuleContainers
import CapsuleCore
import Testing

@testable import CapsuleEngine

/// The files that a record must mention because they are one unit with a file that changed.
@Suite struct OverlayUnitFinderTests {
    /// Content in which every file with `db` in its name begins like a database.
    private struct Databases: ContentSource {
        var isLive: Bool { false }
        func open(_ entry: TreeEntry, number: Int) -> any OpenContent {
            let isDatabase = String(decoding: entry.path.name, as: UTF8.self).contains("db")
            return InMemoryContent(isDatabase ? DatabaseUnit.magic : Array(repeating: 0, count: 16), as: entry)
        }
    }

    private static func path(_ text: String) throws -> RelativePath { try RelativePath(validating: Array(text.utf8)) }

    private static func units(_ paths: [String]) throws -> OverlayUnitFinder {
        let entries = try paths.map { text in
            TreeEntry(path: try path(text), kind: .file, mode: FileMode(0o644), modified: .epoch, size: 16)
        }.sorted(by: TreeEntry.isOrdered)
        let side = ComparedSide(tree: TreeSide(entries), contents: EntryContents(Databases(), count: entries.count))
        var places: [RelativePath: (old: Int?, new: Int?)] = [:]
        for (number, entry) in entries.enumerated() { places[entry.path] = (number, number) }
        return OverlayUnitFinder(old: side, new: side, places: places)
    }

    /// Databases with and without an extension. Other files with the same beginning don't belong to them.
    @Test(arguments: [
        (["m.db", "m.sqlite", "m", "mm.db", "m.db.old", "m/x.db", "m-db", "m.txt"], ["m.db", "m.db-wal", "m.db-journal"]),
        (["mdb", "mdb.x"], []),
        (["mm.db", "l.db"], []),
    ])
    func findsTheDatabaseOfASupportDirectory(_ others: [String], _ expected: [String]) throws {
        let blob = "d/.m_SUPPORT/_EXTERNAL_DATA/1"
        let units = try Self.units(others.map { "d/" + $0 } + [blob])
        let guards = units.guards(for: [try Self.path(blob)])
        #expect(guards.map(\.description).sorted() == ((expected.isEmpty ? [] : [blob]) + expected.map { "d/" + $0 }).sorted())
    }

    /// There are so many that comparing each with all others would take too long.
    @Test func findsThoseOfManyDirectories() throws {
        let numbers = 0..<20_000
        let blobs = numbers.map { "d/.n\($0)_SUPPORT/x" }
        let units = try Self.units(blobs + numbers.filter { $0 % 1_000 == 0 }.map { "d/n\($0).db" })
        let guards = units.guards(for: try blobs.map(Self.path))
        // Each has the database, two logs and the blob.
        #expect(guards.count == 20 * 4)
        #expect(guards.contains(try Self.path("d/n19000.db-wal")))
    }
}
