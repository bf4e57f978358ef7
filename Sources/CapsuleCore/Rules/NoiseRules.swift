public import CapsulePropertyList

/// The rules that tell noise from changes: the last one that fits decides, and what none fits is no noise.
/// (docs/diff.md, section 4)
public struct NoiseRules: Sendable {
    /// A class, and what it is for people.
    public struct NamedClass: Hashable, Sendable {
        /// The class.
        public let name: NoiseClass
        /// What it is for, in a few words.
        public let text: String

        /// A class with its explanation.
        public init(_ name: NoiseClass, _ text: String) {
            self.name = name
            self.text = text
        }
    }

    /// Those that are built in, then a user's.
    public let rules: [NoiseRule]
    /// How many of the rules are built in. They leave alone what a handler knows to be noise.
    let builtInCount: Int
    /// The classes that are explained, each once.
    public let classes: [NamedClass]
    let paths: PathTable
    /// Called with the number of each of ``userRules`` that decides about a change, by any thread.
    public var onUse: (@Sendable (Int) -> Void)?

    /// What is built in alone.
    public init() {
        self.init(rules: [], classes: [])
    }

    /// A user's rules behind what is built in.
    public init(rules: [NoiseRule], classes: [NamedClass] = []) {
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

    /// Notes that a rule decides about a change.
    func noteUse(of number: Int) {
        if number >= builtInCount { onUse?(number - builtInCount) }
    }

    /// No rules at all.
    static let none = NoiseRules(builtIn: [], rules: [], classes: [])

    /// These rules with more behind them, which override them.
    public func adding(_ more: NoiseRules) -> NoiseRules {
        let renamed = Set(more.userClasses.map(\.name))
        return NoiseRules(
            rules: userRules + more.userRules, classes: userClasses.filter { !renamed.contains($0.name) } + more.userClasses)
    }

    /// Those that are not built in.
    public var userRules: [NoiseRule] { Array(rules[builtInCount...]) }

    private var userClasses: [NamedClass] {
        classes.filter { !Self.builtInClasses.contains($0) }
    }
}

/// Says of which class the changes are that a match picks.
public struct NoiseRule: Hashable, Sendable {
    /// The changes that it speaks of.
    public let match: ChangeMatch
    /// ``NoiseClass/signal`` for what is never noise.
    public let noise: NoiseClass
    /// Why, for people.
    public let note: String?

    /// A rule of a match.
    public init(_ match: ChangeMatch, _ noise: NoiseClass, note: String? = nil) {
        self.match = match
        self.noise = noise
        self.note = note
    }
}

/// What iOS itself does not restore or keep, and what Core Data counts for itself.
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

    /// Directories whose whole content is of a class. A directory itself may come and go; its mode is the app's.
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

    /// Columns and tables that only Core Data has, by the names it gives them; nil for all rows of the table.
    private static let coreData: [(table: PlistString, column: PlistString?)] = [
        ("Z*", "Z_OPT"), ("Z_PRIMARYKEY", "Z_MAX"), ("Z_MODELCACHE", nil), ("ACHANGE", nil), ("ATRANSACTION", nil),
        ("ATRANSACTIONSTRING", nil),
    ]

    /// The rules of paths come last: a database among the caches is one of them, and nobody need look into it.
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

extension NoiseRules {
    /// The key that makes a property list a document of rules.
    public static let mark: PlistString = "CapsuleRules"
    private static let keys = ["CapsuleRules", "Classes", "Rules"]

    /// Reads a document of rules, strictly, and puts them behind what is built in.
    ///
    /// - Throws: `unsupported` for another version, `invalid` for all else that is wrong, with the place in the document.
    public init(_ document: PlistValue) throws(OverlayError) {
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
            // First what is misspelt: a 'Clas' is not a missing one.
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
    /// The class that paths alone decide, for what is no change: an entry that may be left out. nil if it is no noise, or
    /// what decides is not its path.
    public func noise(at path: RelativePath) -> NoiseClass? {
        for number in paths.candidates(for: path).reversed() where rules[number].match.isAboutPathsAlone {
            return rules[number].noise == .signal ? nil : rules[number].noise
        }
        return nil
    }

    /// The paths that a class is made of, the directories themselves among them, for what leaves noise out.
    ///
    /// - Throws: `invalid` for a class that no rule has, or that has no rules of paths alone.
    public func paths(of noise: NoiseClass) throws(OverlayError) -> [Glob] {
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

    /// The classes that have rules of paths alone, each once, in the order of the rules.
    public var classesOfPaths: [NoiseClass] {
        var found: [NoiseClass] = []
        for rule in rules where rule.match.isAboutPathsAlone && rule.match.path != nil && rule.noise != .signal {
            if !found.contains(rule.noise) { found.append(rule.noise) }
        }
        return found
    }
}

extension Glob {
    /// The directory of a pattern for all that is in one, `X/**`.
    fileprivate var directory: Glob? {
        let deep = Array("/**".utf8)
        guard pattern.count > deep.count, pattern.suffix(deep.count).elementsEqual(deep) else { return nil }
        return try? Glob(Array(pattern.dropLast(deep.count)))
    }
}

/// A rule of a user's that decides about no change: nothing matches it, or a later rule matches too.
public struct UnusedRule: Hashable, Sendable {
    /// Its number in the document, from 1.
    public let number: Int
    /// What it says.
    public let rule: NoiseRule
    /// The pattern without the wrapper's `AppData/`; nil for one that does not begin with it.
    public let pathInside: String?

    /// - Parameter isInAppData: whether paths of the comparison begin with `AppData/`, so that such a pattern is no slip.
    package init(_ rule: NoiseRule, number: Int, isInAppData: Bool) {
        self.number = number
        self.rule = rule
        pathInside = isInAppData ? nil : rule.match.pathPattern.flatMap { ContainerNames.insideAppData($0.pattern) }
    }

    /// Where it is in the document, as a JSON Pointer: `/Rules/0`.
    public var pointer: String { "/Rules/\(number - 1)" }

    /// What is wrong, on one line: `rule 2 is unused: tmp/x`.
    public var text: String { "rule \(number) is unused: \(rule.match)" }

    /// What to do about it, if that is known.
    public var hint: String? { pathInside.map(ContainerNames.hint(forPathInside:)) }
}
