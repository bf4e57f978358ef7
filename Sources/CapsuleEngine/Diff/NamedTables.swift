import CapsuleContainers
import CapsuleCore
import CapsuleDatabases
import CapsuleSQLite
import CapsuleSystem

/// The tables that `PATH:TABLE` arguments name in one side of a comparison.
struct NamedTables {
    /// The paths to compare: those of the databases, and the other arguments.
    private(set) var paths: [[UInt8]] = []
    private(set) var tables: [EntryPath: Set<SQLName>] = [:]
    private(set) var unmatched: [UnmatchedPath] = []

    init(_ arguments: [[UInt8]], in container: OpenedContainer) throws(CapsuleError) {
        for argument in arguments {
            guard let (number, name) = try Self.find(argument, in: container) else {
                paths.append(argument)
                continue
            }
            let entry = container.entries[number]
            do throws(CapsuleError) {
                let table = try Self.table(name, of: number, in: container)
                tables[entry.place, default: []].insert(table)
            } catch {
                // The other side may have the table.
                guard error.code == .notFound else { throw error }
                unmatched.append(
                    UnmatchedPath(error: CapsuleError(error.code, error.message, path: HostPath(argument), hint: error.hint)))
                tables[entry.place, default: []].formUnion([])
            }
            paths.append(entry.path.bytes)
        }
        // A database that is also named by itself is compared as a whole.
        guard !tables.isEmpty else { return }
        let whole = try NamedPaths(arguments, in: container, isCompared: true)
        tables = tables.filter { place, _ in
            container.entries.index(at: place).map { !whole.covers(container.entries[$0]) } ?? false
        }
    }

    /// Returns the number of the file and the place in it; nil for an argument that is a path or a pattern, or names nothing.
    private static func find(_ argument: [UInt8], in container: OpenedContainer) throws(CapsuleError) -> (Int, String)? {
        guard argument.contains(UInt8(ascii: ":")), try NamedPaths.find(argument, in: container).isEmpty else { return nil }
        do throws(CapsuleError) {
            let (number, place) = try container.place(named: argument)
            return place.map { (number, $0) }
        } catch {
            guard error.code == .notFound else { throw error }
            return nil
        }
    }

    private static func table(
        _ name: String, of number: Int, in container: OpenedContainer
    ) throws(CapsuleError) -> SQLName {
        guard container.isDatabase(number) else {
            throw CapsuleError(
                .notFound, "is not a table, because the file is not a database",
                hint: "'capsule diff A:PATH B:PATH' compares one file")
        }
        let unit = UnitReader(container.contents, container.entries, database: number)
        try container.contents.fetch(unit.numbers)
        return try unit.copy().open().existingTable(named: name)
    }
}
