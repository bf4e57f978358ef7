import CapsuleArchive
import CapsuleContainers
import CapsuleCore
import CapsulePropertyList
import CapsuleSQLite
import CapsuleSystem

/// Finds clauses of an expectation that name a path, a table, a column or a pointer that is on neither side. Most of them are
/// misspelled.
///
/// Something that could not be searched for, or whose search would take too long, is assumed to exist.
struct UnmatchableClauseFinder {
    private let old: ComparedSide
    private let new: ComparedSide
    private let options: DiffOptions

    /// The most path patterns for which databases are searched.
    private static let patternLimit = 64
    /// The most files whose first bytes are read for one clause.
    private static let fileLimit = 2_000
    /// The most databases that are opened, and the most bytes that they have together.
    private static let databaseLimit = 32
    private static let byteLimit: UInt64 = 256 << 20

    init(_ old: ComparedSide, _ new: ComparedSide, _ options: DiffOptions) {
        self.old = old
        self.new = new
        self.options = options
    }

    /// Returns the clauses, in the order of the document.
    func find(in diff: ContainerDiff) throws(CapsuleError) -> [UnmatchableClause] {
        guard let expectation = options.expectation else { return [] }
        var classed = diff
        options.rules.classify(&classed)
        let rules = expectation.evaluate(classed).unmatched
        let isNaming = rules.map(\.clause.match).contains { $0.pathPattern != nil || $0.namesTables || $0.namesPlaces }
        guard isNaming else { return [] }
        // The wrapper around a container and the identity are not compared.
        let entries = (old.tree.entries + new.tree.entries).filter { $0.isListed && $0.kind != .identity }
        let paths = KnownPaths(entries.map(\.path))
        let isListed = old.unlisted.isEmpty && new.unlisted.isEmpty
        var tables = DatabaseTables(old: old, new: new, diff: diff)
        return try UnmatchableClause.find(among: rules, in: paths, isWhole: isListed) { (pattern) throws(CapsuleError) in
            try tables.tables(at: pattern)
        } places: { (search) throws(CapsuleError) in
            try DocumentPlaces(old: old, new: new).look(&search)
        }
    }

    /// The tables of the databases of both sides, each opened at most once.
    private struct DatabaseTables {
        let old: ComparedSide
        let new: ComparedSide
        let diff: ContainerDiff
        private var known: [RelativePath: [NamedTable]?] = [:]
        private var answers: [Glob?: [NamedTable]?] = [:]
        private var opened = 0
        private var bytes: UInt64 = 0

        init(old: ComparedSide, new: ComparedSide, diff: ContainerDiff) {
            self.old = old
            self.new = new
            self.diff = diff
            for entry in diff.entries where !entry.tables.isEmpty { known[entry.path] = entry.tables }
        }

        /// Returns all tables of the databases whose paths match; nil if they are not known.
        mutating func tables(at pattern: Glob?) throws(CapsuleError) -> [NamedTable]? {
            if let answer = answers[pattern] { return answer }
            guard answers.count < UnmatchableClauseFinder.patternLimit else { return nil }
            let answer = try find(pattern)
            answers.updateValue(answer, forKey: pattern)
            return answer
        }

        private mutating func find(_ pattern: Glob?) throws(CapsuleError) -> [NamedTable]? {
            var places: [RelativePath: [(side: ComparedSide, place: Int)]] = [:]
            for side in [old, new] {
                for (place, entry) in side.tree.entries.enumerated()
                where entry.kind == .file && pattern?.matches(entry.path) ?? true {
                    places[entry.path, default: []].append((side, place))
                    if places.count > UnmatchableClauseFinder.fileLimit { return nil }
                }
            }
            var tables: [NamedTable] = []
            for (path, sides) in places.sorted(by: { $0.key < $1.key }) {
                if known[path] == nil {
                    let found = try read(sides)
                    known.updateValue(found, forKey: path)
                }
                guard let found = known[path] ?? nil else { return nil }
                tables += found
            }
            return tables
        }

        /// Returns the tables of a database on both sides; nil if it can't be read, or the limits are reached.
        private mutating func read(_ sides: [(side: ComparedSide, place: Int)]) throws(CapsuleError) -> [NamedTable]? {
            var tables: [NamedTable] = []
            for (side, place) in sides {
                if side.failures[place] != nil { return nil }
                guard side.isDatabase(place) else { continue }
                try CapsuleError.checkInterruption()
                let unit = UnitReader(side.contents, side.tree.entries, database: place)
                opened += 1
                bytes += unit.places.reduce(0) { $0 + side.tree.entries[$1].size }
                guard opened <= UnmatchableClauseFinder.databaseLimit, bytes <= UnmatchableClauseFinder.byteLimit,
                    unit.places.allSatisfy({ side.failures[$0] == nil })
                else { return nil }
                do throws(CapsuleError) {
                    guard let found = try unit.copy().open().namedTables() else { return nil }
                    tables += found
                } catch {
                    if error.code == .interrupted { throw error }
                    return nil
                }
            }
            return tables
        }
    }
}

/// Passes the property lists and JSON documents of both sides to a search for places that clauses name.
private struct DocumentPlaces {
    let old: ComparedSide
    let new: ComparedSide

    /// The most files that are searched for one clause.
    private static let fileLimit = 2_000
    /// The most bytes to read, together with those from decompressing files.
    private static let byteLimit = 64 << 20

    /// Searches the files that the clauses concern, until all places are found.
    func look(_ search: inout ClausePointerSearch) throws(CapsuleError) {
        var places: [RelativePath: [(side: ComparedSide, place: Int)]] = [:]
        for side in [old, new] {
            for (place, entry) in side.tree.entries.enumerated()
            where entry.kind == .file && entry.isListed && search.concerns(entry.path) {
                places[entry.path, default: []].append((side, place))
            }
        }
        let paths = places.keys.sorted()
        search.leaveOut(of: paths, moreThan: Self.fileLimit)
        // Clauses about a database are left out before any document is read for them.
        for path in paths where search.concerns(path) {
            try CapsuleError.checkInterruption()
            let found = places[path] ?? []
            if found.contains(where: { $0.side.failures[$0.place] != nil || $0.side.isDatabase($0.place) }) {
                search.assumeAllFound(at: path)
            }
        }
        var bytes = Self.byteLimit
        for path in paths {
            var seen: Set<ContentDigest> = []
            for (side, place) in places[path] ?? [] where search.concerns(path) {
                try CapsuleError.checkInterruption()
                // Most files have the same content on both sides.
                guard seen.insert(side.tree.entries[place].digest).inserted else { continue }
                switch try document(side, place, &bytes) {
                case .value(let value): search.look(into: value, at: path)
                case .noPlaces: break
                case .unknown: search.assumeAllFound(at: path)
                }
            }
        }
    }

    private enum Document {
        case value(PlistValue)
        /// The file has no places, such as a text or an image.
        case noPlaces
        /// The file can't be read, or is too long.
        case unknown
    }

    private func document(_ side: ComparedSide, _ place: Int, _ left: inout Int) throws(CapsuleError) -> Document {
        do throws(CapsuleError) {
            var content = ComparedContent(try side.open(place), size: side.tree.entries[place].size)
            for _ in 0...ContentDiffer.deepest {
                let kind = ContentKind.candidates(try content.head(), size: content.size).first ?? .bytes
                switch kind {
                case .sqlite: return .unknown
                case .text, .image, .cookies, .bytes: return .noPlaces
                case .plist, .json, .gzip, .zlib: break
                }
                guard content.size <= UInt64(left), let bytes = try content.all() else { return .unknown }
                left -= bytes.count
                if kind == .plist || kind == .json {
                    do throws(PlistError) {
                        return .value(try kind == .json ? JSONContent.read(bytes) : PlistReader.readLeniently(bytes).value)
                    } catch {
                        return .unknown
                    }
                }
                guard let inflated = CompressedData.inflate(bytes, limit: left) else { return .unknown }
                content = ComparedContent(inflated)
            }
            return .unknown
        } catch {
            if error.code == .interrupted { throw error }
            return .unknown
        }
    }
}
