public import CapsulePropertyList

/// The rules that would silence what differs between two captures of an app that was idle, for a person to review.
/// (docs/diff.md, section 4)
public struct LearnedRules {
    /// A rule that is being made, and what it was made of.
    private struct Draft {
        /// All of the match but the kinds.
        let match: PlistDictionary
        var kinds: ChangeKinds
        /// How many signs in it stand for more than themselves: the less, the narrower.
        let width: Int
        var count = 0
        let example: String
    }

    /// The class of the rules.
    static let noise = NoiseClass(rawValue: "learned")

    private var drafts: [Draft] = []
    /// By the match, spelled out: dictionaries that are much alike have few hashes.
    private var numbers: [PlistString: Int] = [:]

    /// A document of rules, the narrowest first, for the changes that the rules there are do not call noise.
    public static func make(from diff: ContainerDiff, existing: NoiseRules = NoiseRules()) -> PlistValue {
        var diff = diff
        existing.classify(&diff)
        var learned = LearnedRules()
        for (number, entry) in diff.entries.enumerated() { learned.learn(entry, number, in: diff) }
        return learned.document
    }

    private var document: PlistValue {
        let order = drafts.indices.sorted { (drafts[$0].width, $0) < (drafts[$1].width, $1) }
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
            "CapsuleRules": 1, "Classes": [.init(Self.noise.rawValue): "changes that an idle app made by itself"],
            "Rules": .array(rules),
        ]
    }

    // MARK: Changes

    private mutating func learn(_ entry: EntryChange, _ number: Int, in diff: ContainerDiff) {
        let path = GeneratedText(entry.path.bytes)
        let start: PlistDictionary = ["Path": DescribedForm(pattern: path).value]
        // A pattern of files is wider than one of places in a file.
        let width = 2 * path.width
        let place = ChangeReference(entry: number)
        if entry.countsItself, entry.noise == nil {
            // The next run makes another of such a name, and may take this one away.
            let comesAndGoes = path.isGenerated && (entry.kind == .added || entry.kind == .deleted)
            add(start, comesAndGoes ? [.added, .deleted] : entry.kinds, width, diff, place)
            if case .renamed(let from) = entry.kind {
                // It is noise if it is at both of its places.
                let name = GeneratedText(from.bytes)
                let match: PlistDictionary = ["Path": DescribedForm(pattern: name).value]
                if match != start { add(match, .renamed, 2 * name.width, diff, place) }
            }
        }
        for (index, detail) in entry.details.enumerated() where detail.isChange && detail.noise == nil {
            var place = place
            place.detail = index
            learn(detail, start, width, diff, place)
        }
    }

    private mutating func learn(
        _ detail: ChangeDetail, _ start: PlistDictionary, _ width: Int, _ diff: ContainerDiff, _ place: ChangeReference
    ) {
        var match = start
        switch detail.content {
        case .value(let change):
            learn(change, start, width, diff, place)
        case .row(let row):
            match["Table"] = .string(PlistString(row.table))
            guard row.operation == .modified, !row.columns.isEmpty else {
                // Rows come and go in this table while nothing is done.
                add(match, row.operation == .modified ? .row : row.operation.kinds, width + 1, diff, place)
                return
            }
            for column in row.columns where column.noise == nil {
                var place = place
                place.column = column.name
                match["Column"] = .string(PlistString(column.name))
                for nested in column.nested { learn(nested, match, width, diff, place) }
                guard column.nested.isEmpty else { continue }
                learn(.modified, match, (column.old, column.new), width, diff, place)
            }
        case .schema(let change):
            if change.object == "table" { match["Table"] = .string(PlistString(change.name)) }
            add(match, .schema, width + 1, diff, place)
        case .metadata(let change):
            learn(.metadata, match, (change.old, change.new), width, diff, place)
        case .cookie: add(match, .cookie, width + 1, diff, place)
        case .text, .bytes, .image, .encoding, .fallback, .limit:
            add(match, detail.kinds.subtracting(.modified), width + 1, diff, place)
        }
    }

    private mutating func learn(
        _ change: PlistChange, _ start: PlistDictionary, _ width: Int, _ diff: ContainerDiff, _ place: ChangeReference
    ) {
        var match = start
        let steps = change.pointer.steps.map { GeneratedText(Array($0.utf8)) }
        match["Pointer"] = .string(PlistString(PlistPointer(steps: steps.map { PlistString($0.step) }).description))
        let width = steps.reduce(width) { $0 + $1.width }
        let isGenerated = steps.contains(where: \.isGenerated)
        switch change.kind {
        case .added(let new):
            // What is new between two captures is another value in the next.
            learn([.added, .modified], match, (nil, .value(new)), width, diff, place)
            // And one whose key is made up may be gone.
            if isGenerated { learn(.deleted, match, (.value(new), nil), width, diff, place) }
        case .deleted(let old):
            learn(.deleted, match, (.value(old), nil), width, diff, place)
            if isGenerated { learn(.added, match, (nil, .value(old)), width, diff, place) }
        case .modified(let old, let new): learn(.modified, match, (.value(old), .value(new)), width, diff, place)
        case .order: add(match, .order, width, diff, place)
        case .encoding: add(match, .encoding, width, diff, place)
        }
    }

    /// Adds a rule for values of the narrowest form that both have; for any value if they have none in common.
    private mutating func learn(
        _ kinds: ChangeKinds, _ start: PlistDictionary, _ sides: (old: ShownValue?, new: ShownValue?), _ width: Int,
        _ diff: ContainerDiff, _ place: ChangeReference
    ) {
        var match = start
        let known = [sides.old, sides.new].compactMap { $0 }
        let shape = MatchForm.Shape.narrowestFirst.first { shape in known.allSatisfy { shape.fits($0) } }
        if let shape { match[sides.new == nil ? "From" : "To"] = ["Is": .string(PlistString(shape.rawValue))] }
        add(match, kinds, shape == nil ? width + 1 : width, diff, place)
    }

    private mutating func add(
        _ match: PlistDictionary, _ kinds: ChangeKinds, _ width: Int, _ diff: ContainerDiff, _ place: ChangeReference
    ) {
        let key = PlistString(PlistValue.dictionary(match).line(length: nil, values: .max))
        let number = numbers[key] ?? drafts.count
        if number == drafts.count {
            numbers[key] = number
            drafts.append(Draft(match: match, kinds: kinds, width: width, example: diff.description(of: place)))
        }
        drafts[number].kinds.formUnion(kinds)
        drafts[number].count += 1
    }
}

extension GeneratedText {
    /// How many of its parts stand for more than themselves.
    fileprivate var width: Int {
        parts.count { if case .literal = $0 { false } else { true } }
    }
}

extension MatchForm.Shape {
    /// The forms of values, each before those that it is one of.
    fileprivate static let narrowestFirst: [MatchForm.Shape] = [
        .uuid, .containerPath, .date, .boolean, .integer, .real, .data, .null, .string,
    ]
}
