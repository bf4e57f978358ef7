import CapsulePropertyList

/// The matches whose paths fit an entry, indexed so that a document with many places need not be tested against all of them.
struct MatchCandidates: Sendable {
    /// An exact value that a match asks for.
    private enum Key: Hashable {
        case place([PlistString])
        case cell(PlistString, PlistValue)
    }

    /// The number of matches up to which all of them are tested one by one.
    private static let few = 16

    /// The numbers of all matches, in order.
    let all: [Int]
    /// The matches for one place or one cell; nil if there are few matches.
    private var exact: [Key: [Int]]?
    /// The matches that are not in ``exact``.
    private var rest: [Int] = []
    /// The matches with a pointer to one place, by each place above it; nil if there are few matches.
    private var below: [[PlistString]: [Int]]?
    /// The matches with any other pointer.
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

    /// Returns the matches that may fit a place inside a value that the part reports as a whole.
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

    /// Returns the matches that may fit a part of a detail, in order.
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
    /// True if a value on either side may contain places.
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

/// Finds the matches that a path may fit. All matches with a complete path take one lookup; patterns are tested one by one.
struct PathTable: Sendable {
    /// A match with a pattern for its path, or for any path.
    private struct Pattern: Sendable {
        let number: Int
        /// The range in ``prefixes`` of the bytes that every matching path begins with.
        let prefix: Range<Int>
        /// The pattern for the whole path; nil if every path with the prefix matches.
        let glob: Glob?
    }

    /// The numbers of the matches with a complete path, by that path.
    private var exact: [[UInt8]: [Int]] = [:]
    /// The other matches, in order.
    private var patterns: [Pattern] = []
    /// The prefixes of all patterns, concatenated. They rule out most patterns for most paths.
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

    /// Returns the numbers of the matches whose path pattern matches an entry, in order.
    func candidates(for entry: EntryChange) -> [Int] {
        var found = candidates(for: entry.path)
        if case .renamed(let from) = entry.kind { found = Set(found + candidates(for: from)).sorted() }
        return found
    }

    /// Returns the numbers of the matches whose path pattern matches a path, in order.
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
