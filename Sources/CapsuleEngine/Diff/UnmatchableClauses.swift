import CapsuleArchive
import CapsuleCore
import CapsulePropertyList
import CapsuleSQLite

/// Finds clauses of an expectation that name a path, a table, a column or a pointer that is on neither side: most are misspelled.
///
/// What could not be looked at, or would take too long, is taken to be there.
struct UnmatchableClauses {
    private let old: ComparedSide
    private let new: ComparedSide
    private let options: ComparisonOptions

    /// Patterns of paths at which databases are looked for.
    private static let patternLimit = 64
    /// Files whose first bytes are looked at for one clause.
    private static let fileLimit = 2_000
    /// Databases that are opened, and their bytes together.
    private static let databaseLimit = 32
    private static let byteLimit: UInt64 = 256 << 20

    init(_ old: ComparedSide, _ new: ComparedSide, _ options: ComparisonOptions) {
        self.old = old
        self.new = new
        self.options = options
    }

    /// The clauses, in the order of the document.
    func find(in diff: ContainerDiff) throws(CapsuleError) -> [UnmatchableClause] {
        guard let expectation = options.expectation else { return [] }
        var classed = diff
        options.rules.classify(&classed)
        let rules = expectation.evaluate(classed).unmatched
        let isNaming = rules.map(\.clause.match).contains { $0.pathPattern != nil || $0.namesTables || $0.namesPlaces }
        guard isNaming else { return [] }
        // The wrapper around a container and what identifies it are not compared.
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

        /// All tables of the databases whose paths fit; nil where they are not known.
        mutating func tables(at pattern: Glob?) throws(CapsuleError) -> [NamedTable]? {
            if let answer = answers[pattern] { return answer }
            guard answers.count < UnmatchableClauses.patternLimit else { return nil }
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
                    if places.count > UnmatchableClauses.fileLimit { return nil }
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

        /// nil for what can't be read, or is too much.
        private mutating func read(_ sides: [(side: ComparedSide, place: Int)]) throws(CapsuleError) -> [NamedTable]? {
            var tables: [NamedTable] = []
            for (side, place) in sides {
                if side.failures[place] != nil { return nil }
                guard side.isDatabase(place) else { continue }
                try CapsuleError.checkInterruption()
                let unit = UnitReader(side.content, side.tree.entries, database: place)
                opened += 1
                bytes += unit.places.reduce(0) { $0 + side.tree.entries[$1].size }
                guard opened <= UnmatchableClauses.databaseLimit, bytes <= UnmatchableClauses.byteLimit,
                    unit.places.allSatisfy({ side.failures[$0] == nil })
                else { return nil }
                do throws(DatabaseError) {
                    guard let found = try unit.copy().open().namedTables() else { return nil }
                    tables += found
                } catch {
                    if error.code == .interrupted { throw CapsuleError(error) }
                    return nil
                }
            }
            return tables
        }
    }
}

/// Hands the property lists and the JSON of both sides to a search for places that clauses name.
private struct DocumentPlaces {
    let old: ComparedSide
    let new: ComparedSide

    /// Files that are looked at for one clause.
    private static let fileLimit = 2_000
    /// Bytes that are read, and those that come out of compressed files, together.
    private static let byteLimit = 64 << 20

    /// Looks at the files that the clauses are about, until all is found.
    func look(_ search: inout PlaceSearch) throws(CapsuleError) {
        var places: [RelativePath: [(side: ComparedSide, place: Int)]] = [:]
        for side in [old, new] {
            for (place, entry) in side.tree.entries.enumerated()
            where entry.kind == .file && entry.isListed && search.concerns(entry.path) {
                places[entry.path, default: []].append((side, place))
            }
        }
        let paths = places.keys.sorted()
        search.leaveOut(of: paths, moreThan: Self.fileLimit)
        // A clause that is about a database is left out before anything is read for it.
        for path in paths where search.concerns(path) {
            try CapsuleError.checkInterruption()
            let found = places[path] ?? []
            if found.contains(where: { $0.side.failures[$0.place] != nil || $0.side.isDatabase($0.place) }) {
                search.takeUnknown(at: path)
            }
        }
        var bytes = Self.byteLimit
        for path in paths {
            var seen: Set<ContentDigest> = []
            for (side, place) in places[path] ?? [] where search.concerns(path) {
                try CapsuleError.checkInterruption()
                // Most files are the same on both sides.
                guard seen.insert(side.tree.entries[place].digest).inserted else { continue }
                switch try document(side, place, &bytes) {
                case .value(let value): search.look(into: value, at: path)
                case .noPlaces: break
                case .unknown: search.takeUnknown(at: path)
                }
            }
        }
    }

    private enum Document {
        case value(PlistValue)
        /// It has no places: a text, or an image.
        case noPlaces
        /// What can't be read, or is too much.
        case unknown
    }

    private func document(_ side: ComparedSide, _ place: Int, _ left: inout Int) throws(CapsuleError) -> Document {
        do throws(CapsuleError) {
            var content = ComparedContent(try side.open(place), size: side.tree.entries[place].size)
            for _ in 0...ContentComparer.deepest {
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
