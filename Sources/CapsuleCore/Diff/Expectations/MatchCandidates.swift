import CapsulePropertyList

/// The matches that an entry's path fits, sorted so that a document of many places need not try all of them on each.
struct MatchCandidates {
    /// Fewer are tried one by one.
    private static let few = 16

    /// All of them, in order.
    let all: [Int]
    /// Those of exactly one place, by it; nil where they are few.
    private var exact: [[PlistString]: [Int]]?
    /// The others.
    private var rest: [Int] = []

    init(_ all: [Int], match: (Int) -> ChangeMatch) {
        self.all = all
        guard all.count > Self.few else { return }
        var exact: [[PlistString]: [Int]] = [:]
        for number in all {
            if let place = match(number).pointer?.literal {
                exact[place, default: []].append(number)
            } else {
                rest.append(number)
            }
        }
        self.exact = exact
    }

    /// Those that may fit a part of a line, in order.
    func candidates(for part: DetailPart) -> [Int] {
        guard let exact else { return all }
        let place: PlistPointer? =
            switch part {
            case .whole(let detail): if case .value(let change) = detail.content { change.pointer } else { nil }
            case .column(_, _, let nested): nested?.pointer
            }
        guard let place, let found = exact[place.steps] else { return rest }
        return (rest + found).sorted()
    }
}
