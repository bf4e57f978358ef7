package import CapsuleCore
package import CapsulePropertyList

/// The rules that classify changes as noise. The last matching rule decides. A change that no rule matches is not noise.
/// (docs/diff.md, section 4)
package struct NoiseRules: Sendable {
    /// A class of noise, with an explanation for people.
    package struct NamedClass: Hashable, Sendable {
        package let name: NoiseClass
        package let text: String

        package init(_ name: NoiseClass, _ text: String) {
            self.name = name
            self.text = text
        }
    }

    /// The built-in rules, followed by the user's.
    package let rules: [NoiseRule]
    /// The number of built-in rules. They don't change the class of what a handler found to be noise.
    let builtInCount: Int
    package let classes: [NamedClass]
    let paths: PathTable
    /// Called with the index of each of ``userRules`` that decides about a change, on any thread.
    package var onUse: (@Sendable (Int) -> Void)?

    package init() {
        self = Self.withoutUserRules
    }

    private static let withoutUserRules = NoiseRules(rules: [])

    package init(rules: [NoiseRule], classes: [NamedClass] = []) {
        self.init(
            builtIn: Self.builtIn, rules: rules,
            classes: Self.builtInClasses.filter { known in
                !classes.contains { $0.name == known.name }
            } + classes)
    }

    private init(builtIn: [NoiseRule], rules: [NoiseRule], classes: [NamedClass]) {
        self.rules = builtIn + rules
        builtInCount = builtIn.count
        self.classes = classes
        paths = PathTable(self.rules.lazy.map(\.match))
    }

    func recordUse(of number: Int) {
        if number >= builtInCount { onUse?(number - builtInCount) }
    }

    /// Not even the built-in rules.
    package static let none = NoiseRules(builtIn: [], rules: [], classes: [])

    package var userRules: [NoiseRule] { Array(rules[builtInCount...]) }
}

/// Assigns a class of noise to the changes that a match selects.
package struct NoiseRule: Hashable, Sendable {
    package let match: ChangeMatch
    /// The class; ``NoiseClass/signal`` for changes that are never noise.
    package let noise: NoiseClass
    package let note: String?

    package init(_ match: ChangeMatch, _ noise: NoiseClass, note: String? = nil) {
        self.match = match
        self.noise = noise
        self.note = note
    }
}

extension NoiseRules {
    package static let mark: PlistString = "CapsuleRules"
    private static let keys = ["CapsuleRules", "Classes", "Rules"]

    package init(_ document: PlistValue) throws(OverlayError) {
        let part = try DocumentPart(document, marked: Self.mark)
        try part.checkKeys(Self.keys)
        var classes: [NamedClass] = []
        let named = try part.dictionary("Classes") ?? PlistDictionary()
        for (name, text) in named {
            guard let text = text.string else { throw part.error("Classes", name, "must be a string") }
            classes.append(NamedClass(try Self.noise(name, in: part.place("Classes", name)), text.string))
        }
        guard let elements = try part.array("Rules") else {
            throw part.missing("Rules", hint: "an array of matches, each with a 'Class'")
        }
        var rules: [NoiseRule] = []
        for (number, element) in elements.enumerated() {
            let rule = try part.part(element, "Rules", number)
            // Misspelled keys are reported first: a 'Clas' is not a missing 'Class'.
            let match = try ChangeMatch(rule, others: ["Class", "Note"])
            guard let name = try rule.string("Class") else {
                throw rule.missing("Class", hint: "the class of the changes, or 'signal'")
            }
            let noise = try Self.noise(PlistString(name), in: rule.place("Class"))
            rules.append(NoiseRule(match, noise, note: try rule.string("Note")))
        }
        self.init(rules: rules, classes: classes)
    }

    private static func noise(_ name: PlistString, in place: PlistPointer) throws(OverlayError) -> NoiseClass {
        let isWord = name.withUTF8 { $0.allSatisfy { $0 > 0x20 && $0 != 0x7F } } && !name.isEmpty
        guard isWord else {
            throw OverlayError(
                .invalid, "\(name.quoted) is not a valid class name", in: place,
                hint: "write a word such as 'clock' or 'game-center'")
        }
        return NoiseClass(rawValue: name.string)
    }
}

extension NoiseRules {
    /// Returns patterns for the paths that have a class, including the directories themselves, for leaving noise out.
    package func paths(of noise: NoiseClass) throws(OverlayError) -> [Glob] {
        let ofClass = rules.filter { $0.noise == noise }
        let globs = ofClass.filter(\.match.isAboutPathsAlone).compactMap(\.match.path)
        guard globs.isEmpty else { return globs.flatMap { [$0] + ($0.directory.map { [$0] } ?? []) } }
        let known = classesOfPaths.map(\.rawValue)
        let isKnown = !ofClass.isEmpty || classes.contains { $0.name == noise }
        throw OverlayError(
            .invalid, isKnown ? "the class '\(noise.rawValue)' has no path rules" : "there is no class '\(noise.rawValue)'",
            hint: (isKnown ? nil : Suggestions(for: noise.rawValue, among: known).hint)
                ?? "there are \(Suggestions.alternatives(known))")
    }

    /// The classes that have rules for paths alone, each once, in the order of the rules.
    package var classesOfPaths: [NoiseClass] {
        var found: [NoiseClass] = []
        for rule in rules where rule.match.isAboutPathsAlone && rule.match.path != nil && rule.noise != .signal {
            if !found.contains(rule.noise) { found.append(rule.noise) }
        }
        return found
    }
}

extension Glob {
    fileprivate var directory: Glob? {
        let deep = Array("/**".utf8)
        guard pattern.count > deep.count, pattern.suffix(deep.count).elementsEqual(deep) else { return nil }
        return try? Glob(Array(pattern.dropLast(deep.count)))
    }
}

/// A user's rule that decides about no change: nothing matches it, or a later rule matches, too.
package struct UnusedRule: Hashable, Sendable {
    /// The number of the rule in the document, from 1.
    package let number: Int
    package let rule: NoiseRule
    /// The pattern without the wrapper's `AppData/`; nil if it doesn't begin with it, or if paths of the comparison do.
    package let pathInside: String?

    /// - Parameter isInAppData: true if paths of the comparison begin with `AppData/`, so that such a pattern is not a mistake.
    package init(_ rule: NoiseRule, number: Int, isInAppData: Bool) {
        self.number = number
        self.rule = rule
        pathInside = isInAppData ? nil : rule.match.path.flatMap { ContainerNames.insideAppData($0.pattern) }
    }

    /// The JSON Pointer of the rule in the document: `/Rules/0`.
    package var pointer: String { "/Rules/\(number - 1)" }
    /// The problem on one line: `rule 2 is unused: tmp/x`.
    package var text: String { "rule \(number) is unused: \(rule.match)" }
    package var hint: String? { pathInside.map(ContainerNames.hint(forPathInside:)) }
}

extension NoiseRules {
    func ofEntry(at path: RelativePath) -> EntryRules { EntryRules(self, paths.candidates(for: path)) }

    /// Returns the class that the last matching rule gives. If the class is already known, only the user's rules are tested.
    ///
    /// A rule that takes changes out of noise also decides if it only may match, so that an unknown value is not hidden as noise.
    ///
    /// - Parameter fits: tests a match. The second argument is true if unknown values count as matching.
    func decide(_ candidates: [Int], known: NoiseClass?, _ fits: (ChangeMatch, Bool) -> Bool) -> NoiseClass? {
        for number in candidates.reversed() {
            if known != nil, number < builtInCount { break }
            guard fits(rules[number].match, rules[number].noise == .signal) else { continue }
            recordUse(of: number)
            return rules[number].noise == .signal ? nil : rules[number].noise
        }
        return known
    }
}

extension NoiseRules {
    /// The rules whose path patterns match one entry. They classify the entry's own line and the changes inside.
    struct EntryRules: Sendable {
        let all: NoiseRules
        let candidates: [Int]
        private let hasSignals: Bool

        init(_ all: NoiseRules, _ candidates: [Int]) {
            self.all = all
            self.candidates = candidates
            hasSignals = candidates.contains { all.rules[$0].noise == .signal }
        }

        /// - Parameter names: the names that rules may use for the table; nil if only its rows show them.
        func mayConcern(tables names: [String]?) -> Bool {
            candidates.contains { all.rules[$0].match.mayConcern(tables: names) }
        }

        var mayTakeOutInside: Bool {
            hasSignals && candidates.contains { all.rules[$0].noise == .signal && all.rules[$0].match.needsDetail }
        }

        func takesOut(_ detail: ChangeDetail) -> Bool {
            let parts = DetailPart.parts(of: detail)
            return takesOut { match, isSignal in parts.contains { match.mayFit($0, assumingUnknown: isSignal) } }
        }

        func mayTakeOut(_ content: ChangeDetail.Content) -> Bool {
            takesOut { match, isSignal in isSignal && match.mayFit(behind: content) }
        }

        private func takesOut(_ fits: (ChangeMatch, Bool) -> Bool) -> Bool {
            for number in candidates.reversed() {
                let rule = all.rules[number]
                // A rule about the entry's own line decides, as does a rule that matches the change. Earlier rules are not tested
                // then.
                guard rule.match.needsDetail else { return false }
                guard fits(rule.match, rule.noise == .signal) else { continue }
                if rule.noise == .signal { all.recordUse(of: number) }
                return rule.noise == .signal
            }
            return false
        }

        /// Classifies a change, or a note on content that was not compared. A note is noise only if a rule makes everything in the
        /// entry noise.
        ///
        /// - Parameter mayHideSignal: set to true if a rule that takes changes out of noise may match that content.
        func classify(_ detail: inout ChangeDetail, _ mayHideSignal: inout Bool) {
            if detail.isChange { return classify(&detail) }
            if !candidates.isEmpty { detail.noise = nil }
            for number in candidates.reversed() {
                let rule = all.rules[number]
                if rule.match.isAboutPathsAlone {
                    if rule.noise != .signal { detail.noise = rule.noise }
                    return
                }
                guard rule.noise == .signal, rule.match.mayFit(behind: detail.content) else { continue }
                all.recordUse(of: number)
                mayHideSignal = true
                return
            }
        }

        func classify(_ detail: inout ChangeDetail) {
            guard let last = candidates.last else { return }
            if all.rules[last].match.isAboutPathsAlone {
                classifyAlike(&detail, by: last)
            } else {
                classifyByPlace(&detail)
            }
        }

        private func classifyAlike(_ detail: inout ChangeDetail, by number: Int) {
            if number < all.builtInCount, detail.noise != nil { return }
            all.recordUse(of: number)
            let noise = all.rules[number].noise == .signal ? nil : all.rules[number].noise
            detail.noise = noise
            guard case .row(var row) = detail.content, row.operation == .modified else { return }
            for index in row.columns.indices { row.columns[index].noise = noise }
            detail.content = .row(row)
        }

        private func classifyByPlace(_ detail: inout ChangeDetail) {
            var kinds = detail.kinds
            if hasSignals { kinds.formUnion(detail.kindsInside) }
            var isPlain = false
            if case .row(let row) = detail.content { isPlain = row.isPlain }
            let candidates = candidates.filter { all.rules[$0].match.mayFit(kinds) && !(isPlain && isStoreRule($0)) }
            guard !candidates.isEmpty else { return }
            guard case .row(var row) = detail.content, row.operation == .modified, !row.columns.isEmpty else {
                let part = DetailPart.whole(detail)
                detail.noise = all.decide(candidates, known: detail.noise) { $0.mayFit(part, assumingUnknown: $1) }
                return
            }
            var isChanged = false
            for index in row.columns.indices {
                let known = row.columns[index].noise ?? detail.noise
                var noise: NoiseClass?
                for (number, part) in DetailPart.parts(of: row.columns[index], in: row).enumerated() {
                    guard let found = all.decide(candidates, known: known, { $0.mayFit(part, assumingUnknown: $1) }) else {
                        noise = nil
                        break
                    }
                    if number == 0 { noise = found }
                }
                isChanged = isChanged || noise != row.columns[index].noise
                row.columns[index].noise = noise
            }
            detail.noise = row.columns.contains { $0.noise == nil } ? nil : row.columns.first?.noise
            if isChanged { detail.content = .row(row) }
        }

        /// Returns true if a rule is about the tables that Core Data creates. Other databases may have tables with these names.
        private func isStoreRule(_ number: Int) -> Bool {
            number < all.builtInCount && all.rules[number].noise == .coreData
        }
    }
}

/// Built-in rules for data that iOS itself doesn't restore or keep, and for Core Data's own bookkeeping.
extension NoiseRules {
    static let builtInClasses = [
        NamedClass(.sceneSessions, "cached scenes, which iOS creates again"),
        NamedClass(.splashboard, "launch images, which iOS creates again"),
        NamedClass(.caches, "data that apps can fetch or compute again"),
        NamedClass(.system, "the system's own files in a container"),
        NamedClass(.tmp, "temporary files"),
        NamedClass(.sqlite, "differences in how SQLite stores the same data"),
        NamedClass(.coreData, "Core Data's own counters and history"),
        NamedClass(.cookiesOrder, "the same cookies in a different order"),
    ]

    /// Directories whose whole content has a class. The directory itself may be added or deleted, but its mode belongs to the app.
    private static let directories: [(String, NoiseClass)] = [
        ("Library/Saved Application State", .sceneSessions),
        ("Library/SplashBoard", .splashboard),
        ("Library/Caches", .caches),
        ("SystemData/com.apple.AuthenticationServices", .system),
        ("SystemData/com.apple.chrono", .system),
        ("SystemData/NewsstandArtwork", .system),
        ("NewsstandArtwork", .system),
        ("tmp", .tmp),
    ]

    /// Columns and tables that only Core Data has, under the names that it gives them. Without a column, all rows of the table are
    /// meant.
    private static let coreData: [(table: PlistString, column: PlistString?)] = [
        ("Z*", "Z_OPT"), ("Z_PRIMARYKEY", "Z_MAX"), ("Z_MODELCACHE", nil), ("ACHANGE", nil), ("ATRANSACTION", nil),
        ("ATRANSACTIONSTRING", nil),
    ]

    /// The built-in rules. Rules for paths come last, so that a database in the caches is classified without reading it.
    static let builtIn: [NoiseRule] =
        coreData.compactMap { table, column in
            var match: PlistDictionary = ["Path": "**", "Table": .string(table), "Kind": "row"]
            if let column {
                match["Column"] = .string(column)
                match["Kind"] = "modified"
            }
            return rule(match, .coreData)
        }
        + [rule(["Path": "**", "Table": "sqlite_sequence", "Kind": "row"], .sqlite)].compactMap { $0 }
        + directories.flatMap { directory, noise in
            [
                rule(["Path": .string(PlistString(directory)), "Kind": ["added", "deleted"]], noise),
                rule(["Path": .string(PlistString(directory + "/**"))], noise),
            ].compactMap { $0 }
        }

    private static func rule(_ match: PlistDictionary, _ noise: NoiseClass) -> NoiseRule? {
        (try? ChangeMatch(.dictionary(match))).map { NoiseRule($0, noise) }
    }
}
