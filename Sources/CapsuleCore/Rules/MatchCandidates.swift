import CapsulePropertyList

/// The matches that an entry's path fits, sorted so that a document of many places need not try all of them on each.
struct MatchCandidates: Sendable {
    /// What a match asks for by a value of its own.
    private enum Key: Hashable {
        case place([PlistString])
        case cell(PlistString, PlistValue)
    }

    /// Fewer are tried one by one.
    private static let few = 16

    /// All of them, in order.
    let all: [Int]
    /// Those of one place or row alone; nil where they are few.
    private var exact: [Key: [Int]]?
    /// The others.
    private var rest: [Int] = []
    /// Those with one pointer, by each place above it; nil where they are few.
    private var below: [[PlistString]: [Int]]?
    /// The others with pointers.
    private var patterns: [Int] = []

    init(_ all: [Int], match: (Int) -> ChangeMatch) {
        self.all = all
        guard all.count > Self.few else { return }
        var exact: [Key: [Int]] = [:]
        for number in all {
            if let key = Self.key(of: match(number)) {
                exact[key, default: []].append(number)
            } else {
                rest.append(number)
            }
        }
        self.exact = exact
        var below: [[PlistString]: [Int]] = [:]
        for number in all {
            guard let pointer = match(number).pointer else { continue }
            if let place = pointer.literal {
                for length in place.indices { below[Array(place[..<length]), default: []].append(number) }
            } else {
                patterns.append(number)
            }
        }
        self.below = below
    }

    /// Those that may fit a place inside of a value that the part reports as a whole.
    func candidates(inside part: DetailPart) -> [Int] {
        let place: [PlistString]
        switch part {
        case .whole(let detail):
            switch detail.content {
            case .value(let change) where change.mayHavePlaces: place = change.pointer.steps
            case .row(let row) where row.operation != .modified && row.columns.contains(where: \.mayHavePlaces): place = []
            default: return []
            }
        case .column(_, _, let nested?) where nested.mayHavePlaces: place = nested.pointer.steps
        case .column: return []
        }
        guard let below else { return all }
        return ((below[place] ?? []) + patterns).sorted()
    }

    private static func key(of match: ChangeMatch) -> Key? {
        for test in match.row {
            if let value = test.form.equals { return .cell(test.column, value) }
        }
        return match.pointer?.literal.map { .place($0) }
    }

    /// Those that may fit a part of a line, in order.
    func candidates(for part: DetailPart) -> [Int] {
        guard let exact else { return all }
        var found = rest
        for key in Self.keys(of: part) {
            if let more = exact[key] { found += more }
        }
        return found.count == rest.count ? rest : Set(found).sorted()
    }

    private static func keys(of part: DetailPart) -> [Key] {
        let row: RowChange
        var keys: [Key] = []
        switch part {
        case .whole(let detail):
            if case .value(let change) = detail.content { return [.place(change.pointer.steps)] }
            guard case .row(let whole) = detail.content else { return [] }
            row = whole
        case .column(let whole, _, let nested):
            row = whole
            if let nested { keys.append(.place(nested.pointer.steps)) }
        }
        for key in row.key {
            if let value = key.value.whole { keys.append(.cell(PlistString(key.column), value)) }
        }
        for column in row.columns {
            guard let value = (column.new ?? column.old)?.whole else { continue }
            keys.append(.cell(PlistString(column.name), value))
            if let attribute = column.attribute { keys.append(.cell(PlistString(attribute), value)) }
        }
        return keys
    }
}

extension PlistChange {
    /// Whether a value on either side may have places of its own.
    fileprivate var mayHavePlaces: Bool {
        if case .order = kind { return false }
        return [old, new].contains { value in value.map { $0.mayHavePlaces || SecretData.hidesParts($0) } ?? false }
    }
}

extension RowChange.Column {
    fileprivate var mayHavePlaces: Bool {
        [old, new].contains { shown in
            if case .string? = shown?.whole { return true }
            return shown?.whole?.mayHavePlaces ?? false
        }
    }
}

extension PlistValue {
    fileprivate var mayHavePlaces: Bool {
        switch self {
        case .dictionary, .array, .data: true
        default: false
        }
    }
}

/// Finds, of many matches, those that a path may fit: one look for all that name a whole path, and then the patterns.
struct PathTable: Sendable {
    /// A match of a pattern, or of any path.
    private struct Pattern: Sendable {
        let number: Int
        /// Where the bytes are that all paths begin with that fit.
        let prefix: Range<Int>
        /// What follows them; nil for anything.
        let glob: Glob?
    }

    /// By the one path that they name, in order.
    private var exact: [[UInt8]: [Int]] = [:]
    /// The others, in order.
    private var patterns: [Pattern] = []
    /// The beginnings of all patterns, one after the other: most paths are told from most patterns by them.
    private var prefixes: [UInt8] = []

    init(_ matches: some Sequence<ChangeMatch>) {
        for (number, match) in matches.enumerated() {
            if let path = match.path?.literal {
                exact[path, default: []].append(number)
                continue
            }
            let start = prefixes.count
            prefixes += match.path?.prefix ?? []
            let isDecided = match.path?.steps == [.deepRun]
            patterns.append(
                Pattern(number: number, prefix: start..<prefixes.count, glob: isDecided ? nil : match.path))
        }
    }

    /// The numbers of the matches whose path an entry has, in order.
    func candidates(for entry: EntryChange) -> [Int] {
        var found = candidates(for: entry.path)
        if case .renamed(let from) = entry.kind { found = Set(found + candidates(for: from)).sorted() }
        return found
    }

    /// The numbers of the matches whose path fits, in order.
    func candidates(for path: RelativePath) -> [Int] {
        var found: [Int] = []
        path.bytes.withUnsafeBufferPointer { path in
            prefixes.withUnsafeBufferPointer { prefixes in
                patterns.withUnsafeBufferPointer { patterns in
                    for index in patterns.indices where begins(path, with: prefixes, patterns[index].prefix) {
                        if patterns[index].glob?.matches(path) ?? true { found.append(patterns[index].number) }
                    }
                }
            }
        }
        guard !exact.isEmpty, let whole = exact[path.bytes] else { return found }
        return found.isEmpty ? whole : (found + whole).sorted()
    }

    @inline(__always)
    private func begins(
        _ path: UnsafeBufferPointer<UInt8>, with prefixes: UnsafeBufferPointer<UInt8>, _ range: Range<Int>
    ) -> Bool {
        guard range.count <= path.count else { return false }
        for index in range where prefixes[index] != path[index &- range.lowerBound] { return false }
        return true
    }
}
