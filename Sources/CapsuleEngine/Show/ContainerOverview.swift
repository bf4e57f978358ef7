package import CapsuleContainers
package import CapsuleCore
import CapsuleDatabases
import CapsulePropertyList
package import CapsuleRules
import CapsuleSQLite
import CapsuleSystem

/// A container at a glance: where it comes from, what takes its space, and what can be looked into.
package struct ContainerOverview: Sendable {
    package struct Database: Sendable {
        package let path: RelativePath
        /// The tables by name; nil if the database can't be read.
        package let tables: [TableSummary]?
    }

    package let origin: SideOrigin
    package let name: [UInt8]
    package let groups: [[UInt8]]
    package let entries: UInt64
    package let bytes: UInt64
    package let omitted: Int
    /// The directories of at most two names by the size of everything in them, largest first, without empty ones.
    package let directories: [(path: [UInt8], bytes: UInt64)]
    /// The largest files, the largest first.
    package let largest: [(path: RelativePath, bytes: UInt64)]
    package let databases: [Database]
    /// The property lists of Preferences with the numbers of their keys; nil for one that can't be read.
    package let preferences: [(path: RelativePath, keys: Int?)]
    /// The number of databases and property lists beyond ``most``, which are not looked into.
    package let more: Int

    package static let most = 40
    private static let databaseTime = Duration.seconds(5)

    package init(_ container: Container, _ opened: OpenedContainer) throws(CapsuleError) {
        origin = try SideOrigin(container, opened)
        name = opened.name
        groups = opened.groups
        let listed = opened.entries.indices.filter { opened.entries[$0].isListed }
        entries = UInt64(listed.count)
        bytes = listed.map { opened.entries[$0] }.totalSize
        omitted = opened.omitted.count
        directories = Self.directories(listed.map { opened.entries[$0] })
        let files = listed.filter { opened.entries[$0].kind.hasContent && opened.entries[$0].size > 0 }
        largest = files.sorted { (opened.entries[$1].size, $0) < (opened.entries[$0].size, $1) }.prefix(5).map {
            (opened.entries[$0].path, opened.entries[$0].size)
        }
        let databases = listed.filter { opened.isDatabase($0) }
        let preferences = listed.filter { Self.isPreference(opened.entries[$0]) }
        more = max(0, databases.count - Self.most) + max(0, preferences.count - Self.most)
        try opened.contents.fetch(databases.prefix(Self.most) + preferences.prefix(Self.most))
        self.databases = try databases.prefix(Self.most).map { (number) throws(CapsuleError) in
            try CapsuleError.checkInterruption()
            let limits = WorkLimits(time: Self.databaseTime)
            let unit = UnitReader(opened.contents, opened.entries, database: number)
            return Database(
                path: opened.entries[number].path, tables: try? unit.copy().open(limits: limits).tableSummaries(limits: limits))
        }
        self.preferences = preferences.prefix(Self.most).map { number in
            let content = (try? opened.open(number)).map { ComparedContent($0, size: opened.entries[number].size) }
            let bytes = (try? content?.all()).flatMap { $0 }
            let value = bytes.flatMap { try? PlistReader.readLeniently($0).value }
            return (opened.entries[number].path, value?.dictionary.map { $0.count })
        }
    }

    private static func isPreference(_ entry: TreeEntry) -> Bool {
        entry.kind == .file && entry.path.bytes.suffix(6).elementsEqual(".plist".utf8)
            && entry.path.parent.map { $0.name.elementsEqual("Preferences".utf8) } ?? false
    }

    private static func directories(_ entries: [TreeEntry]) -> [(path: [UInt8], bytes: UInt64)] {
        var sizes: [[UInt8]: UInt64] = [:]
        for entry in entries where entry.kind == .file {
            let names = entry.path.components.dropLast().prefix(2)
            guard !names.isEmpty else { continue }
            let directory = Array(names.joined(separator: [UInt8(ascii: "/")]))
            sizes[directory] = (sizes[directory] ?? 0).addingReportingOverflow(entry.size).partialValue
        }
        return sizes.filter { $0.value > 0 }.map { ($0.key, $0.value) }
            .sorted { $0.1 != $1.1 ? $0.1 > $1.1 : $0.0.lexicographicallyPrecedes($1.0) }
    }
}
