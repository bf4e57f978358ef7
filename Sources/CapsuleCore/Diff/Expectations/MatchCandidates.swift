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
