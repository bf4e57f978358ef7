public import CapsulePropertyList

/// The identities of arrays: those that an overlay or the command line sets, then the built-in table.
public struct ArrayIdentities: Hashable, Sendable {
    /// An identity for the arrays at the places that a pattern matches.
    public struct Rule: Hashable, Sendable {
        /// The pattern of the places of the arrays.
        public let pattern: PointerPattern
        /// The identity of the arrays.
        public let identity: ArrayIdentity

        /// Creates a rule.
        public init(_ pattern: PointerPattern, _ identity: ArrayIdentity) {
            self.pattern = pattern
            self.identity = identity
        }
    }

    /// The rules of the command line, then those of the overlay. A rule that matches takes precedence over the built-in table.
    public private(set) var rules: [Rule]
    private let usesBuiltIn: Bool

    /// Creates identities from the given rules, followed by the built-in table unless `usesBuiltIn` is false.
    public init(_ rules: [Rule] = [], usesBuiltIn: Bool = true) {
        self.rules = rules
        self.usesBuiltIn = usesBuiltIn
    }

    /// The patterns of all rules, including the built-in ones.
    var patterns: [PointerPattern] { (rules + (usesBuiltIn ? Self.builtIn : [])).map(\.pattern) }

    /// Returns the identity of the array at a place, or nil if none is known.
    ///
    /// - Throws: `ambiguous` if two equally specific rules set different identities.
    public func identity(at place: [PlistString]) throws(OverlayError) -> ArrayIdentity? {
        if let own = try Self.best(rules, at: place) { return own }
        return usesBuiltIn ? try Self.best(Self.builtIn, at: place) : nil
    }

    private static func best(_ rules: [Rule], at place: [PlistString]) throws(OverlayError) -> ArrayIdentity? {
        var best: Rule?
        for rule in rules where rule.pattern.matches(place) {
            guard let known = best else {
                best = rule
                continue
            }
            if rule.pattern.weight > known.pattern.weight {
                best = rule
            } else if rule.pattern.weight == known.pattern.weight, rule.identity != known.identity {
                throw OverlayError(
                    .ambiguous,
                    "'\(known.pattern)' and '\(rule.pattern)' both match, but set different identities: \(known.identity) and \(rule.identity)",
                    at: PlistPointer(steps: place), hint: "make one pattern more specific")
            }
        }
        return best?.identity
    }
}

/// The way in which the elements of two arrays are paired (docs/overlay.md, section 2).
public enum ArrayIdentity: Hashable, Sendable {
    /// Elements are paired by the value of a key that each of them has.
    ///
    /// - isOptional: true if elements may lack the key, as in `keyed(KEY?)`. Such elements are never paired.
    /// - ignoresCase: true if values that differ only in case are paired.
    case keyed(PlistString, isOptional: Bool = false, ignoresCase: Bool = false)
    /// Elements are paired by deep equality, regardless of order.
    case set
    /// Elements are paired by index.
    case ordered
    /// Elements are not paired: an overlay's array replaces the base's array.
    case replace

    /// Creates an identity from `keyed(KEY)`, `keyed(KEY?)`, `keyed(KEY), nocase`, `set`, `ordered` or `replace`.
    ///
    /// - Throws: `invalid`, with a hint at the valid forms.
    public init(_ text: String) throws(OverlayError) {
        switch text {
        case "set": self = .set
        case "ordered": self = .ordered
        case "replace": self = .replace
        default: self = try Self.keyed(text)
        }
    }

    private static func keyed(_ text: String) throws(OverlayError) -> ArrayIdentity {
        let malformed = OverlayError(
            .invalid, "\(PlistString(text).quoted) is not an array identity",
            hint: "write 'keyed(KEY)', 'keyed(KEY?)', 'keyed(KEY), nocase', 'set', 'ordered' or 'replace'")
        let parts = text.split(separator: ")", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0].hasPrefix("keyed(") else { throw malformed }
        var key = parts[0].dropFirst("keyed(".count)
        let isOptional = key.hasSuffix("?")
        if isOptional { key = key.dropLast() }
        let rest = parts[1].filter { $0 != " " }
        guard !key.isEmpty, rest.isEmpty || rest == ",nocase" else { throw malformed }
        return .keyed(PlistString(String(key)), isOptional: isOptional, ignoresCase: !rest.isEmpty)
    }
}

extension ArrayIdentity: CustomStringConvertible {
    /// The identity as it is written, as in `keyed(KEY?), nocase`.
    public var description: String {
        switch self {
        case .keyed(let key, let isOptional, let ignoresCase):
            "keyed(\(key)\(isOptional ? "?" : ""))\(ignoresCase ? ", nocase" : "")"
        case .set: "set"
        case .ordered: "ordered"
        case .replace: "replace"
        }
    }
}

extension ArrayIdentities {
    /// A line of the built-in table.
    public struct BuiltIn: Sendable {
        /// The pattern, such as `UISceneConfigurations/*`.
        public let pattern: String
        /// The identity of the arrays that match.
        public let identity: ArrayIdentity
        /// The document that describes the key.
        public let source: String
    }

    /// The arrays whose identities are built in.
    public static let builtInTable: [BuiltIn] = keyed + sets + replaced

    static let builtIn: [Rule] = builtInTable.compactMap { line in
        // The patterns of the table are never malformed: a test reads each of them.
        (try? PointerPattern(line.pattern)).map { Rule($0, line.identity) }
    }

    private static let infoPlist = "Information Property List"
    private static let privacy = "Privacy manifest files"
    private static let entitlements = "Entitlements"
    private static let settings = "Settings Application Schema Reference"
    private static let xctestrun = "xcodebuild.xctestrun(5)"

    private static let keyed: [BuiltIn] = [
        line("UISceneConfigurations/*", .keyed("UISceneConfigurationName"), infoPlist),
        line("UTExportedTypeDeclarations", .keyed("UTTypeIdentifier"), infoPlist),
        line("UTImportedTypeDeclarations", .keyed("UTTypeIdentifier"), infoPlist),
        line("SKAdNetworkItems", .keyed("SKAdNetworkIdentifier", ignoresCase: true), infoPlist),
        line("NSPrivacyAccessedAPITypes", .keyed("NSPrivacyAccessedAPIType"), privacy),
        line("NSPrivacyCollectedDataTypes", .keyed("NSPrivacyCollectedDataType"), privacy),
        line("UIApplicationShortcutItems", .keyed("UIApplicationShortcutItemType", isOptional: true), infoPlist),
        line("CFBundleURLTypes", .keyed("CFBundleURLName", isOptional: true), infoPlist),
        line("CFBundleDocumentTypes", .keyed("CFBundleTypeName", isOptional: true), infoPlist),
        line("PreferenceSpecifiers", .keyed("Key", isOptional: true), settings),
        line("TestConfigurations", .keyed("Name"), xctestrun),
        line("TestTargets", .keyed("BlueprintName"), xctestrun),
    ]

    private static let sets: [BuiltIn] =
        [
            "CFBundleURLSchemes", "CFBundleTypeExtensions", "CFBundleTypeMIMETypes", "CFBundleLocalizations", "UIBackgroundModes",
            "UIAppFonts", "UIRequiredDeviceCapabilities", "UISupportedExternalAccessoryProtocols", "LSApplicationQueriesSchemes",
            "LSItemContentTypes", "UTTypeConformsTo", "public.filename-extension", "public.mime-type", "NSBonjourServices",
            "NSUserActivityTypes", "INIntentsSupported", "BGTaskSchedulerPermittedIdentifiers", "WKAppBoundDomains",
        ].map { line($0, .set, infoPlist) }
        + ["NSPrivacyTrackingDomains", "NSPrivacyAccessedAPITypeReasons", "NSPrivacyCollectedDataTypePurposes"]
        .map { line($0, .set, privacy) }
        + [
            "com.apple.security.application-groups", "keychain-access-groups", "com.apple.developer.associated-domains",
            "com.apple.developer.icloud-container-identifiers", "com.apple.developer.ubiquity-container-identifiers",
            "com.apple.developer.icloud-services", "com.apple.developer.in-app-payments",
            "com.apple.developer.pass-type-identifiers",
        ].map { line($0, .set, entitlements) }

    private static let replaced: [BuiltIn] = [
        "UISupportedInterfaceOrientations", "UISupportedInterfaceOrientations~0ipad", "UISupportedInterfaceOrientations~0iphone",
    ].map { line($0, .replace, infoPlist) }

    private static func line(_ pattern: String, _ identity: ArrayIdentity, _ source: String) -> BuiltIn {
        BuiltIn(pattern: pattern, identity: identity, source: source)
    }
}

/// The current place of a merge, and the identity of the array there.
struct MergePath {
    private let identities: ArrayIdentities
    private(set) var steps: [PlistString] = []
    private var startCount = 0
    /// Created when first needed: a merge of a few scalars does not use it.
    private var patterns: PatternStates?
    /// The states of the prefixes of the place, as far as they were needed. The first one is that of the empty prefix.
    private var states: [Int] = []
    /// The identities that were found for the arrays of each state.
    private var known: [Int: ArrayIdentity?] = [:]

    init(_ identities: ArrayIdentities) {
        self.identities = identities
    }

    var pointer: PlistPointer { PlistPointer(steps: steps) }

    /// True if no step was taken since the start.
    var isStart: Bool { steps.count == startCount }

    mutating func start(at steps: [PlistString]) {
        self.steps = steps
        startCount = steps.count
        states = []
    }

    mutating func push(_ step: PlistString) { steps.append(step) }

    mutating func pop() {
        steps.removeLast()
        if states.count > steps.count + 1 { states.removeLast() }
    }

    /// Returns a number that is the same for places below which all arrays are paired alike.
    mutating func state() -> Int {
        var patterns = self.patterns ?? PatternStates(identities.patterns)
        // A value with a second owner would be copied when it changes.
        self.patterns = nil
        defer { self.patterns = patterns }
        if states.isEmpty { states.append(PatternStates.start) }
        while states.count <= steps.count {
            states.append(patterns.next(states[states.count - 1], steps[states.count - 1]))
        }
        return states[steps.count]
    }

    /// Returns the identity of an array at this place, or nil if none is known.
    mutating func identity() throws(OverlayError) -> ArrayIdentity? {
        let state = state()
        if let known = known[state] { return known }
        let identity = try identities.identity(at: steps)
        known.updateValue(identity, forKey: state)
        return identity
    }
}

/// Assigns numbers to the progress of all patterns along a place. No pattern distinguishes places with the same state, whatever
/// steps follow.
///
/// The states are created as they are met, from sets of positions in the patterns (subset construction).
private struct PatternStates {
    private struct Move: Hashable {
        let state: Int
        /// The number of a step that occurs in a pattern, or nil for any other step.
        let literal: Int?
    }

    /// The state before any step.
    static let start = 0

    /// The steps of all patterns, one after the other, with nil at the end of each.
    private var steps: [PointerPattern.Step?] = []
    private var literals: [PlistString: Int] = [:]
    private var states: [Set<Int>] = []
    private var numbers: [Set<Int>: Int] = [:]
    private var moves: [Move: Int] = [:]

    init(_ patterns: [PointerPattern]) {
        var starts: [Int] = []
        for pattern in patterns {
            starts.append(steps.count)
            for step in pattern.steps {
                steps.append(step)
                if case .literal(let key) = step, literals[key] == nil { literals[key] = literals.count }
            }
            steps.append(nil)
        }
        var first: Set<Int> = []
        for position in starts { add(position, to: &first) }
        _ = number(of: first)
    }

    /// Returns the state after one more step.
    mutating func next(_ state: Int, _ step: PlistString) -> Int {
        let move = Move(state: state, literal: literals[step])
        if let known = moves[move] { return known }
        var positions: Set<Int> = []
        for position in states[state] {
            switch steps[position] {
            case .deep: add(position, to: &positions)
            case .any: add(position + 1, to: &positions)
            case .literal(let key): if key == step { add(position + 1, to: &positions) }
            case nil: break
            }
        }
        let next = number(of: positions)
        moves[move] = next
        return next
    }

    /// Adds a position and, because `**` may match no steps, the position after a `**`.
    private func add(_ position: Int, to positions: inout Set<Int>) {
        positions.insert(position)
        if case .deep = steps[position] { add(position + 1, to: &positions) }
    }

    private mutating func number(of positions: Set<Int>) -> Int {
        if let known = numbers[positions] { return known }
        states.append(positions)
        numbers[positions] = states.count - 1
        return states.count - 1
    }
}

/// A pattern for the places of a property list. `*` matches one key or index, `**` any number of them.
///
/// A pattern with a leading `/` begins at the root. Any other one begins anywhere, as if it had a leading `**/`.
/// (docs/overlay.md, section 2)
public struct PointerPattern: Hashable, Sendable {
    /// One step of a pattern.
    enum Step: Hashable, Sendable {
        case literal(PlistString)
        case any
        case deep
    }

    let steps: [Step]

    /// The number of literal steps. If several patterns match, the one with the greatest weight is used.
    public var weight: Int {
        steps.count { step in
            if case .literal = step { true } else { false }
        }
    }

    /// Creates a pattern from its text. Its steps are escaped as in a pointer (RFC 6901), with `~0` and `~1`.
    ///
    /// - Throws: `invalid` for an empty pattern, or for a `~` that is part of neither.
    public init(_ text: String) throws(OverlayError) {
        guard !text.isEmpty else {
            throw OverlayError(.invalid, "the pattern is empty", hint: "write a key, 'A/*/B' or '/A/B'")
        }
        let isAnchored = text.hasPrefix("/")
        let pointer: PlistPointer
        do throws(PlistError) {
            pointer = try PlistPointer(isAnchored ? text : "/" + text)
        } catch {
            throw OverlayError(.invalid, error.message, hint: error.hint)
        }
        var steps: [Step] = isAnchored ? [] : [.deep]
        for step in pointer.steps {
            switch step.string {
            case "*": steps.append(.any)
            case "**": if steps.last != .deep { steps.append(.deep) }
            default: steps.append(.literal(step))
            }
        }
        self.steps = steps
    }

    /// Returns true if the pattern matches the whole place.
    public func matches(_ place: PlistPointer) -> Bool { matches(place.steps) }

    /// Returns true if the pattern matches all steps of a place, in time proportional to the product of their lengths at most.
    func matches(_ place: [PlistString]) -> Bool {
        DeepMatching.matches(steps, place, isDeep: { $0 == .deep }, fits: fits)
    }

    private func fits(_ step: Step, _ taken: PlistString) -> Bool {
        switch step {
        case .literal(let key): key == taken
        case .any: true
        case .deep: false
        }
    }
}

extension PointerPattern: CustomStringConvertible {
    /// The pattern as it can be written: `A/*/B`, `/A/**/B`.
    public var description: String {
        let isAnchored = steps.first != .deep
        let words = (isAnchored ? steps : Array(steps.dropFirst())).map { step in
            switch step {
            case .literal(let key): String(PlistPointer(steps: [key]).description.dropFirst())
            case .any: "*"
            case .deep: "**"
            }
        }
        guard !isAnchored else { return "/" + words.joined(separator: "/") }
        // A text that would be empty, or look like a pattern that begins at the root, gets a leading `**`.
        return words.isEmpty ? "**" : (words[0].isEmpty ? "**/" : "") + words.joined(separator: "/")
    }
}

/// Matches the steps of a place with those of a pattern, some of which match any number of steps.
enum DeepMatching {
    /// Returns true if the pattern matches all steps of a place, in time proportional to the product of their lengths at most.
    @inline(__always)
    static func matches<Step, Word>(
        _ steps: [Step], _ place: [Word], isDeep: (Step) -> Bool, fits: (Step, Word) -> Bool
    ) -> Bool {
        var (step, at) = (0, 0)
        // The position to continue from if the steps after the last deep step don't match.
        var retry: (step: Int, at: Int)?
        while at < place.count {
            if step < steps.count, isDeep(steps[step]) {
                retry = (step + 1, at)
                step += 1
            } else if step < steps.count, fits(steps[step], place[at]) {
                step += 1
                at += 1
            } else if let (from, tried) = retry {
                retry = (from, tried + 1)
                (step, at) = (from, tried + 1)
            } else {
                return false
            }
        }
        while step < steps.count, isDeep(steps[step]) { step += 1 }
        return step == steps.count
    }
}
