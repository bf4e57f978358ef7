public import CapsulePropertyList

/// The rules that classify changes as noise. The last matching rule decides. A change that no rule matches is not noise.
/// (docs/diff.md, section 4)
public struct NoiseRules: Sendable {
    /// A class of noise, with an explanation for people.
    public struct NamedClass: Hashable, Sendable {
        /// The class.
        public let name: NoiseClass
        /// The explanation, in a few words.
        public let text: String

        /// Creates a class with its explanation.
        public init(_ name: NoiseClass, _ text: String) {
            self.name = name
            self.text = text
        }
    }

    /// The built-in rules, followed by the user's.
    public let rules: [NoiseRule]
    /// The number of built-in rules. They don't change the class of what a handler found to be noise.
    let builtInCount: Int
    /// The classes that have an explanation, each once.
    public let classes: [NamedClass]
    let paths: PathTable
    /// Called with the index of each of ``userRules`` that decides about a change, on any thread.
    public var onUse: (@Sendable (Int) -> Void)?

    /// Creates the built-in rules.
    public init() {
        self.init(rules: [], classes: [])
    }

    /// Creates the built-in rules followed by a user's rules.
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

    /// Reports that a rule decided about a change.
    func recordUse(of number: Int) {
        if number >= builtInCount { onUse?(number - builtInCount) }
    }

    /// An empty set of rules.
    static let none = NoiseRules(builtIn: [], rules: [], classes: [])

    /// Returns these rules followed by further rules, which override them.
    public func adding(_ more: NoiseRules) -> NoiseRules {
        let renamed = Set(more.userClasses.map(\.name))
        return NoiseRules(
            rules: userRules + more.userRules, classes: userClasses.filter { !renamed.contains($0.name) } + more.userClasses)
    }

    /// The rules that are not built in.
    public var userRules: [NoiseRule] { Array(rules[builtInCount...]) }

    private var userClasses: [NamedClass] {
        classes.filter { !Self.builtInClasses.contains($0) }
    }
}

/// Assigns a class of noise to the changes that a match selects.
public struct NoiseRule: Hashable, Sendable {
    /// The match that selects the changes.
    public let match: ChangeMatch
    /// The class; ``NoiseClass/signal`` for changes that are never noise.
    public let noise: NoiseClass
    /// The reason for the rule, for people.
    public let note: String?

    /// Creates a rule from a match.
    public init(_ match: ChangeMatch, _ noise: NoiseClass, note: String? = nil) {
        self.match = match
        self.noise = noise
        self.note = note
    }
}

extension NoiseRules {
    /// The key that identifies a property list as a document of rules.
    public static let mark: PlistString = "CapsuleRules"
    private static let keys = ["CapsuleRules", "Classes", "Rules"]

    /// Reads a document of rules, rejects anything unknown in it, and adds the rules after the built-in ones.
    ///
    /// - Throws: `unsupported` for another version, `invalid` for any other error, with the place in the document.
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
    /// Returns the class of a path from the rules for paths alone, to decide if an entry may be left out. Returns nil if the path
    /// is not noise, or only other rules could decide.
    public func noise(at path: RelativePath) -> NoiseClass? {
        for number in paths.candidates(for: path).reversed() where rules[number].match.isAboutPathsAlone {
            return rules[number].noise == .signal ? nil : rules[number].noise
        }
        return nil
    }

    /// Returns patterns for the paths that have a class, including the directories themselves, for leaving noise out.
    ///
    /// - Throws: `invalid` if no rule has the class, or none of its rules is for paths alone.
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

    /// The classes that have rules for paths alone, each once, in the order of the rules.
    public var classesOfPaths: [NoiseClass] {
        var found: [NoiseClass] = []
        for rule in rules where rule.match.isAboutPathsAlone && rule.match.path != nil && rule.noise != .signal {
            if !found.contains(rule.noise) { found.append(rule.noise) }
        }
        return found
    }
}

extension Glob {
    /// The directory `X` of a pattern `X/**`; nil for any other pattern.
    fileprivate var directory: Glob? {
        let deep = Array("/**".utf8)
        guard pattern.count > deep.count, pattern.suffix(deep.count).elementsEqual(deep) else { return nil }
        return try? Glob(Array(pattern.dropLast(deep.count)))
    }
}

/// A user's rule that decides about no change: nothing matches it, or a later rule matches, too.
public struct UnusedRule: Hashable, Sendable {
    /// The number of the rule in the document, from 1.
    public let number: Int
    /// The rule itself.
    public let rule: NoiseRule
    /// The pattern without the wrapper's `AppData/`; nil if it doesn't begin with it, or if paths of the comparison do.
    public let pathInside: String?

    /// - Parameter isInAppData: true if paths of the comparison begin with `AppData/`, so that such a pattern is not a mistake.
    package init(_ rule: NoiseRule, number: Int, isInAppData: Bool) {
        self.number = number
        self.rule = rule
        pathInside = isInAppData ? nil : rule.match.pathPattern.flatMap { ContainerNames.insideAppData($0.pattern) }
    }

    /// The JSON Pointer of the rule in the document: `/Rules/0`.
    public var pointer: String { "/Rules/\(number - 1)" }

    /// The problem on one line: `rule 2 is unused: tmp/x`.
    public var text: String { "rule \(number) is unused: \(rule.match)" }

    /// The suggested correction, if one is known.
    public var hint: String? { pathInside.map(ContainerNames.hint(forPathInside:)) }
}
