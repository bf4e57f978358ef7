import CapsuleCore
import CapsulePropertyList

/// The rules that would classify the differences between two captures of an idle app as noise, for a person to review.
/// (docs/diff.md, section 4)
package struct LearnedRules: Hashable, Sendable {
    /// A rule in the making, with the changes that it was made from.
    private struct Draft: Hashable {
        let match: PlistDictionary
        var kinds: ChangeKinds
        /// The number of wildcards in the rule, with those in its path counted twice. A smaller number means a narrower rule.
        let width: Int
        var count: Int
        let example: String
    }

    static let noise = NoiseClass(rawValue: "learned")

    /// The most rules of one document. Nobody reads a longer document, and memory must be bounded.
    static let draftLimit = 200_000

    private var drafts: [Draft] = []
    /// The index of each draft, by the text of its match. Dictionaries with similar content have few distinct hash values.
    private var numbers: [PlistString: Int] = [:]
    var isFull = false

    mutating func add(_ other: LearnedRules) {
        for draft in other.drafts { add(draft) }
        isFull = isFull || other.isFull
    }

    var document: PlistValue {
        let order = drafts.indices.filter { !isCovered(drafts[$0]) }.sorted { (drafts[$0].width, $0) < (drafts[$1].width, $1) }
        let rules: [PlistValue] = order.map { number in
            let draft = drafts[number]
            var rule: PlistDictionary = ["Class": .string(PlistString(Self.noise.rawValue))]
            for (key, value) in draft.match { rule[key] = value }
            let kinds = draft.kinds.words.map { PlistValue.string(PlistString($0)) }
            rule["Kind"] = kinds.count == 1 ? kinds[0] : .array(kinds)
            let seen = draft.count == 1 ? "seen once" : "seen \(draft.count) times"
            rule["Note"] = .string(PlistString("\(seen): \(draft.example)"))
            return .dictionary(rule)
        }
        return [
            "CapsuleRules": 1, "Classes": [.init(Self.noise.rawValue): "changes that an idle app makes by itself"],
            "Rules": .array(rules),
        ]
    }

    /// Returns true if another rule has the same place, any value, and all kinds of this one. It is wider, so it comes later and
    /// decides.
    private func isCovered(_ draft: Draft) -> Bool {
        var match = draft.match
        (match["From"], match["To"]) = (nil, nil)
        guard match.count < draft.match.count, let number = numbers[Self.key(match)] else { return false }
        return drafts[number].kinds.isSuperset(of: draft.kinds)
    }

    mutating func learn(_ place: ChangePlace) {
        let start = Self.start(GeneratedText(place.path.bytes))
        learn(place, start.match, start.width)
    }

    /// Returns the match of a path alone. Its wildcards count twice, as a pattern for files is wider than one for places in a file.
    static func start(_ path: GeneratedText) -> (match: PlistDictionary, width: Int) {
        (["Path": DescribedForm(pattern: path).value], 2 * path.width)
    }

    mutating func learn(_ place: ChangePlace, _ start: PlistDictionary, _ width: Int) {
        var match = start
        switch place.detail.content {
        case .value(let change):
            learn(change, start, width, place)
        case .row(let row):
            match["Table"] = .string(PlistString(GeneratedText.nameEscaping(row.table)))
            guard row.operation == .modified, !row.columns.isEmpty else {
                // Rows are added to this table and deleted from it while the app is idle.
                add(match, row.operation == .modified ? .row : row.operation.kinds, width + 1, place)
                return
            }
            for column in row.columns where column.noise == nil {
                var place = place
                place.column = column.name
                match["Column"] = .string(PlistString(column.name))
                for nested in column.nested { learn(nested, match, width, place) }
                guard column.nested.isEmpty else { continue }
                learn(.modified, match, (column.old, column.new), width, place)
            }
        case .schema(let change):
            if change.object == "table" { match["Table"] = .string(PlistString(GeneratedText.nameEscaping(change.name))) }
            add(match, .schema, width + 1, place)
        case .metadata(let change):
            learn(.metadata, match, (change.old, change.new), width, place)
        case .cookie: add(match, .cookie, width + 1, place)
        case .text, .bytes, .image, .encoding, .fallback, .limit:
            add(match, place.detail.kinds.subtracting(.modified), width + 1, place)
        }
    }

    private mutating func learn(
        _ change: PlistChange, _ start: PlistDictionary, _ width: Int, _ place: ChangePlace
    ) {
        var match = start
        let steps = change.pointer.steps.map { GeneratedText(Array($0.utf8)) }
        match["Pointer"] = .string(PlistString(PlistPointer(steps: steps.map { PlistString($0.step) }).description))
        let width = steps.reduce(width) { $0 + $1.width }
        let isGenerated = steps.contains(where: \.isGenerated)
        let (old, new) = change.sides
        switch change.kind {
        case .added:
            // A value that is new between two captures has another value in the next one.
            learn([.added, .modified], match, (nil, new), width, place)
            // If its key is generated, it may be deleted.
            if isGenerated { learn(.deleted, match, (new, nil), width, place) }
        case .deleted:
            learn(.deleted, match, (old, nil), width, place)
            if isGenerated { learn(.added, match, (nil, old), width, place) }
        case .modified: learn(.modified, match, (old, new), width, place)
        case .order: add(match, .order, width, place)
        case .encoding: add(match, .encoding, width, place)
        }
    }

    /// Adds a rule for values of the narrowest shape that both values have, or for any value if they have no shape in common.
    private mutating func learn(
        _ kinds: ChangeKinds, _ start: PlistDictionary, _ sides: (old: DisplayValue?, new: DisplayValue?), _ width: Int,
        _ place: ChangePlace
    ) {
        var match = start
        let known = [sides.old, sides.new].compactMap { $0 }
        let shape = MatchForm.Shape.narrowestFirst.first { shape in known.allSatisfy { shape.fits($0) } }
        if let shape { match[sides.new == nil ? "From" : "To"] = ["Is": .string(PlistString(shape.rawValue))] }
        add(match, kinds, shape == nil ? width + 1 : width, place)
    }

    private mutating func add(_ match: PlistDictionary, _ kinds: ChangeKinds, _ width: Int, _ place: ChangePlace) {
        add(match, kinds, width, example: place.hidingSecrets.text)
    }

    mutating func add(
        _ match: PlistDictionary, _ kinds: ChangeKinds, _ width: Int, example: @autoclosure () -> String
    ) {
        let key = Self.key(match)
        if let number = numbers[key] {
            drafts[number].kinds.formUnion(kinds)
            drafts[number].count += 1
        } else {
            append(Draft(match: match, kinds: kinds, width: width, count: 1, example: example()), key)
        }
    }

    private mutating func add(_ draft: Draft) {
        let key = Self.key(draft.match)
        if let number = numbers[key] {
            drafts[number].kinds.formUnion(draft.kinds)
            drafts[number].count += draft.count
        } else {
            append(draft, key)
        }
    }

    private mutating func append(_ draft: Draft, _ key: PlistString) {
        guard drafts.count < Self.draftLimit else {
            isFull = true
            return
        }
        numbers[key] = drafts.count
        drafts.append(draft)
    }

    private static func key(_ match: PlistDictionary) -> PlistString {
        PlistString(PlistValue.dictionary(match).line(length: nil, values: .max))
    }
}

extension GeneratedText {
    fileprivate var width: Int { parts.count { if case .literal = $0 { false } else { true } } }
}

extension MatchForm.Shape {
    /// The shapes of values, each before the wider shapes that include it.
    fileprivate static let narrowestFirst: [MatchForm.Shape] = [
        .uuid, .containerPath, .date, .boolean, .integer, .real, .data, .null, .string,
    ]
}
