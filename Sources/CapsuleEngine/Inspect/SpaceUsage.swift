import CapsuleArchive
package import CapsuleContainers
package import CapsuleCore
import CapsuleRules
import CapsuleSystem

/// The space that the files of a container take.
package struct SpaceUsage: Sendable {
    package enum Grouping: Sendable {
        /// By directory, each with everything below it, down to a depth.
        case directory(depth: Int?)
        /// Each file by itself, with its kind.
        case file
        /// By the format of the files, as their first bytes show it.
        case kind
        /// By the class of noise that `--drop` removes.
        case noise
        /// By the version of a capsule.
        case version
    }

    package struct Row: Sendable, Equatable {
        package enum Name: Sendable, Equatable {
            /// A directory, or the one file that was asked for; empty for the container's own directory.
            case path([UInt8])
            /// A kind or a class; nil for the files of no class.
            case word(String?)
            case version(UInt32, [VersionLabel])
        }

        package let name: Name
        package fileprivate(set) var bytes: UInt64 = 0
        /// The bytes that a capsule has for the files; nil for another container.
        package fileprivate(set) var stored: UInt64?
        package fileprivate(set) var files: UInt64 = 0
        /// The kind of a single file, in a list of files.
        package fileprivate(set) var kind: FileKind?
    }

    /// The largest first. Rows of the same size are in the order of their names.
    package let rows: [Row]
    package let total: Row

    /// - Parameter paths: the paths or patterns to measure, with everything below them. If it is empty, the whole tree is measured.
    package init(
        _ container: Container, paths: [[UInt8]] = [], by grouping: Grouping, jobs: Int = 1
    ) throws(CapsuleError) {
        if case .version = grouping {
            try self.init(versionsOf: container, paths)
            return
        }
        let files = try MeasuredFiles(container, paths, jobs: jobs)
        let rows =
            switch grouping {
            case .directory(let depth): try files.directories(depth: depth)
            case .file: try files.each(try files.kinds(jobs: jobs))
            case .kind: try files.rows(by: try files.kinds(jobs: jobs).map(\.rawValue))
            case .noise: try files.rows(by: try files.classes().map { $0?.rawValue })
            case .version: [Row]()
            }
        try self.init(rows, total: try files.total())
    }

    /// Only manifests and footers are read.
    private init(versionsOf container: Container, _ paths: [[UInt8]]) throws(CapsuleError) {
        let name = HostPath(container.argument)
        guard case .capsule(let capsule, _) = try container.resolve() else {
            throw CapsuleError(.usage, "has no versions, because it is not a capsule", path: name)
        }
        guard paths.isEmpty else {
            throw CapsuleError(.usage, "'--by version' measures whole versions, so it can't be used with PATH")
        }
        let log = try VersionLog(capsule)
        var rows: [Row] = []
        var total = Row(name: .path([]), stored: 0)
        for version in log.versions {
            guard let details = version.details else {
                throw CapsuleError(
                    .damaged, "version \(version.number) can't be read: \(version.problem ?? "")", path: name,
                    hint: name.verifyHint)
            }
            var row = Row(name: .version(version.number, version.labels), stored: 0)
            try row.add(details.bytes, version.added, files: details.entries)
            try total.add(row)
            rows.append(row)
        }
        try self.init(rows, total: total)
    }

    private init(_ rows: [Row], total: Row) throws(CapsuleError) {
        // Rows are in the order of their names.
        self.rows = rows.enumerated().sorted { ($1.element.bytes, $0.offset) < ($0.element.bytes, $1.offset) }.map(\.element)
        self.total = total
    }
}

extension SpaceUsage.Row {
    fileprivate mutating func add(_ more: UInt64, _ moreStored: UInt64?, files count: UInt64) throws(CapsuleError) {
        let sums = [(bytes, more), (stored ?? 0, moreStored ?? 0), (files, count)].map { $0.addingReportingOverflow($1) }
        guard !sums.contains(where: \.overflow) else {
            throw CapsuleError("the sizes of the files are impossible: their sum is too large")
        }
        (bytes, files) = (sums[0].partialValue, sums[2].partialValue)
        if stored != nil { stored = sums[1].partialValue }
    }

    fileprivate mutating func add(_ row: Self) throws(CapsuleError) { try add(row.bytes, row.stored, files: row.files) }
}

/// The files of a container that are measured.
private struct MeasuredFiles {
    private let opened: OpenedContainer
    /// The numbers of the entries.
    private let numbers: [Int]
    /// For each of the entries, the bytes that a capsule has for it; nil for another container.
    private let stored: [UInt64]?

    init(_ container: Container, _ paths: [[UInt8]], jobs: Int) throws(CapsuleError) {
        opened = try container.openLeniently(jobs: jobs)
        numbers = try ContainerListing.numbers(paths, in: opened)
        guard case .capsule = try container.resolve() else {
            stored = nil
            return
        }
        var shares = StoredShares(count: numbers.count)
        stored = numbers.map { [opened] number in
            let entry = opened.entries[number]
            guard entry.kind.hasContent, let extents = opened.contents.extents(of: entry, number: number) else { return 0 }
            return shares.bytes(of: extents)
        }
    }

    private func makeRow(_ name: SpaceUsage.Row.Name) -> SpaceUsage.Row {
        SpaceUsage.Row(name: name, stored: stored == nil ? nil : 0)
    }

    private func forEachFile(
        _ body: (_ entry: TreeEntry, _ place: Int, _ stored: UInt64?) throws(CapsuleError) -> Void
    ) throws(CapsuleError) {
        for (place, number) in numbers.enumerated() where opened.entries[number].kind.hasContent {
            try body(opened.entries[number], place, stored?[place])
        }
    }

    private var kinds: EntryKinds { EntryKinds(opened: opened, numbers: numbers) }
    func classes() throws(CapsuleError) -> [NoiseClass?] { try kinds.classes() }
    func kinds(jobs: Int) throws(CapsuleError) -> [FileKind] { try kinds.kinds(try classes(), jobs: jobs) }

    func total() throws(CapsuleError) -> SpaceUsage.Row {
        var total = makeRow(.path(top))
        try forEachFile { (entry, _, stored) throws(CapsuleError) in try total.add(entry.size, stored, files: 1) }
        return total
    }

    /// Returns a row for each file.
    func each(_ kinds: [FileKind]) throws(CapsuleError) -> [SpaceUsage.Row] {
        var rows: [SpaceUsage.Row] = []
        try forEachFile { (entry, place, stored) throws(CapsuleError) in
            var row = makeRow(.path(entry.path.bytes))
            try row.add(entry.size, stored, files: 1)
            row.kind = kinds[place]
            rows.append(row)
        }
        return rows.sorted { first, second in
            guard case .path(let first) = first.name, case .path(let second) = second.name else { return false }
            return first.lexicographicallyPrecedes(second)
        }
    }

    /// - Parameter words: the words of the entries, in the order of ``numbers``.
    func rows(by words: [String?]) throws(CapsuleError) -> [SpaceUsage.Row] {
        var rows: [String?: SpaceUsage.Row] = [:]
        try forEachFile { (entry, place, stored) throws(CapsuleError) in
            try rows[words[place], default: makeRow(.word(words[place]))].add(entry.size, stored, files: 1)
        }
        return rows.sorted { ($0.key ?? "") < ($1.key ?? "") }.map(\.value)
    }
}

// Directories

extension MeasuredFiles {
    private static let slash = UInt8(ascii: "/")

    /// The directory that has all entries in it, or the only entry; empty for the container's own directory.
    private var top: [UInt8] {
        if numbers.count == 1 { return opened.entries[numbers[0]].path.bytes }
        var top: [ArraySlice<UInt8>]?
        for number in numbers {
            let entry = opened.entries[number]
            let names = entry.path.bytes.split(separator: Self.slash).dropLast(entry.kind == .directory ? 0 : 1)
            top = top.map { old in Array(zip(old, names).prefix { $0 == $1 }.map(\.0)) } ?? Array(names)
            if top == [] { break }
        }
        return Array((top ?? []).joined(separator: [Self.slash]))
    }

    /// Returns the directories that have files in them.
    func directories(depth: Int?) throws(CapsuleError) -> [SpaceUsage.Row] {
        let top = top
        if numbers.count == 1, opened.entries[numbers[0]].kind != .directory { return [try total()] }
        let topDepth = Self.depth(of: top)
        var rows: [(path: [UInt8], row: SpaceUsage.Row)] = []
        // The directories around the current file, which follow each other in the order of the entries.
        var open = [(path: top, row: makeRow(.path(top)))]
        func close() throws(CapsuleError) {
            let closed = open.removeLast()
            if !open.isEmpty { try open[open.count - 1].row.add(closed.row) }
            if depth.map({ Self.depth(of: closed.path) - topDepth <= $0 }) ?? true { rows.append(closed) }
        }
        try forEachFile { (entry, _, stored) throws(CapsuleError) in
            let path = entry.path.bytes
            while open.count > 1, let last = open.last?.path, !(path.starts(with: last) && path[last.count] == Self.slash) {
                try close()
            }
            var start = open[open.count - 1].path.count
            if start > 0 { start += 1 }
            while let slash = path[start...].firstIndex(of: Self.slash) {
                let directory = Array(path[..<slash])
                open.append((directory, makeRow(.path(directory))))
                start = slash + 1
            }
            try open[open.count - 1].row.add(entry.size, stored, files: 1)
        }
        while !open.isEmpty { try close() }
        return rows.sorted { $0.path.lexicographicallyPrecedes($1.path) }.map(\.row)
    }

    private static func depth(of path: [UInt8]) -> Int { path.isEmpty ? 0 : path.count { $0 == slash } + 1 }
}

/// The part of a capsule that each file takes: of a compressed member, its share by length. Content that several files have counts for the
/// first.
private struct StoredShares {
    private struct Place: Hashable {
        let member: UInt64
        let inner: UInt32
    }

    private var counted: Set<Place> = []

    init(count: Int) {
        counted.reserveCapacity(count)
    }

    mutating func bytes(of extents: FileExtents) -> UInt64 {
        var sum: UInt64 = 0
        for placed in extents {
            guard let member = placed.member, member.raw > 0,
                counted.insert(Place(member: member.offset, inner: placed.extent.inner)).inserted
            else { continue }
            // An extent is no longer than its member.
            let length = min(placed.extent.length, UInt64(member.raw))
            let (next, overflow) = sum.addingReportingOverflow(
                (length * UInt64(member.stored) + UInt64(member.raw) - 1) / UInt64(member.raw))
            sum = overflow ? .max : next
        }
        return sum
    }
}
