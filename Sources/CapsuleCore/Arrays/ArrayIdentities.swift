package import CapsulePropertyList

/// The identities of arrays: those that an overlay or the command line sets, then the built-in table.
package struct ArrayIdentities: Hashable, Sendable {
    /// An identity for the arrays at the places that a pattern matches.
    package struct Rule: Hashable, Sendable {
        package let pattern: PointerPattern
        package let identity: ArrayIdentity

        package init(_ pattern: PointerPattern, _ identity: ArrayIdentity) {
            self.pattern = pattern
            self.identity = identity
        }
    }

    /// The rules of the command line, then those of the overlay. A rule that matches takes precedence over the built-in table.
    package private(set) var rules: [Rule]
    private let usesBuiltIn: Bool

    package init(_ rules: [Rule] = [], usesBuiltIn: Bool = true) {
        self.rules = rules
        self.usesBuiltIn = usesBuiltIn
    }

    /// - Throws: `ambiguous` if two equally specific rules set different identities.
    package func identity(at place: [PlistString]) throws(OverlayError) -> ArrayIdentity? {
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
package enum ArrayIdentity: Hashable, Sendable {
    /// Elements are paired by the value of a key that each of them has.
    ///
    /// - isOptional: true if elements may lack the key, as in `keyed(KEY?)`. Such elements are never paired.
    /// - ignoresCase: true if values that differ only in case are paired.
    case keyed(PlistString, isOptional: Bool = false, ignoresCase: Bool = false)
    case set, ordered
    /// Elements are not paired: an overlay's array replaces the base's array.
    case replace

    package init(_ text: String) throws(OverlayError) {
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
    package var description: String {
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
    package struct BuiltIn: Sendable {
        package let pattern: String
        package let identity: ArrayIdentity
        /// The document that describes the key.
        package let source: String
    }

    package static let builtInTable: [BuiltIn] = keyed + sets + replaced

    static let builtIn: [Rule] = builtInTable.compactMap { line in
        // The patterns of the table are never malformed: a test reads each of them.
        (try? PointerPattern(line.pattern)).map { Rule($0, line.identity) }
    }

    private static let infoPlist = "Information Property List"
    private static let privacy = "Privacy manifest files"
    private static let entitlements = "Entitlements"
    private static let settings = "Settings Application Schema Reference"
    private static let xctestrun = "xcodebuild.xctestrun(5)"
    private static let packageResolved = "Package.resolved of Swift Package Manager"

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
        line("/pins", .keyed("identity"), packageResolved),
        line("/object/pins", .keyed("package"), packageResolved),
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

/// A pattern for the places of a property list. `*` matches one key or index, `**` any number of them.
///
/// A pattern with a leading `/` begins at the root. Any other one begins anywhere, as if it had a leading `**/`.
/// (docs/overlay.md, section 2)
package struct PointerPattern: Hashable, Sendable {
    enum Step: Hashable, Sendable {
        case literal(PlistString)
        case any, deep
    }

    let steps: [Step]

    /// The number of literal steps. If several patterns match, the one with the greatest weight is used.
    package var weight: Int {
        steps.count { step in
            if case .literal = step { true } else { false }
        }
    }

    /// Creates a pattern from its text. Its steps are escaped as in a pointer (RFC 6901), with `~0` and `~1`.
    package init(_ text: String) throws(OverlayError) {
        guard !text.isEmpty else {
            throw OverlayError(.invalid, "the pattern is empty", hint: "write a key, 'A/*/B' or '/A/B'")
        }
        let isAnchored = text.beginsWithSlash
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

    package func matches(_ place: [PlistString]) -> Bool {
        // Most patterns end with another key.
        if case .literal(let key) = steps.last, key != place.last { return false }
        return DeepMatching.matches(steps, place, isDeep: { $0 == .deep }, fits: fits)
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
    package var description: String {
        let isAnchored = steps.first != .deep
        let words = (isAnchored ? steps : Array(steps.dropFirst())).map { step in
            switch step {
            case .literal(let key): PlistPointer(steps: [key]).description.withoutSlash
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
package enum DeepMatching {
    /// Returns true if the pattern matches all steps of a place, in time proportional to the product of their lengths at most.
    @inline(__always)
    package static func matches<Step, Word>(
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

/// Pairs the elements of arrays by the value of a key (docs/overlay.md, section 2).
package struct KeyedElements {
    package let key: PlistString
    package let isOptional: Bool
    let ignoresCase: Bool

    package init(key: PlistString, isOptional: Bool, ignoresCase: Bool) {
        self.key = key
        self.isOptional = isOptional
        self.ignoresCase = ignoresCase
    }

    package struct UsedKeys {

        package init() {}
        fileprivate var elements: [PlistValue: Int] = [:]
    }

    /// Returns the value that an element is paired by. Returns nil if the key is missing or empty, or if the element is not a
    /// dictionary.
    package func value(of element: PlistValue) -> PlistValue? {
        guard let value = element.dictionary?[key] else { return nil }
        return value.string?.isEmpty == true ? nil : value
    }

    package func index(of elements: [PlistValue]) -> [PlistValue: [Int]] {
        var index: [PlistValue: [Int]] = [:]
        for (number, element) in elements.enumerated() {
            if let value = value(of: element) { index[folded(value), default: []].append(number) }
        }
        return index
    }

    func numbers(of elements: [PlistValue]) -> [Int?] {
        var numbers: [PlistValue: Int] = [:]
        return elements.map { element in
            guard let value = value(of: element).map(folded) else { return nil }
            let number = numbers[value] ?? numbers.count
            numbers[value] = number
            return number
        }
    }

    package func checkUnique(_ elements: [PlistValue], _ place: [PlistString]) throws(OverlayError) {
        var taken = UsedKeys()
        for (number, element) in elements.enumerated() {
            if let value = value(of: element) { try claim(value, by: number, &taken, place) }
        }
    }

    /// Records that an element of the overlay has a value, as it is written or expanded.
    package func claim(_ value: PlistValue, by number: Int, _ taken: inout UsedKeys, _ place: [PlistString]) throws(OverlayError)
    {
        guard let other = taken.elements.updateValue(number, forKey: folded(value)) else { return }
        throw OverlayError(
            .ambiguous, "elements \(other) and \(number) of the overlay's array both have \(named(value))",
            at: PlistPointer(steps: place), hint: "combine them into one element")
    }

    package func partner(_ value: PlistValue, in index: [PlistValue: [Int]], at place: [PlistString]) throws(OverlayError) -> Int?
    {
        guard let found = index[folded(value)], let first = found.first else { return nil }
        guard found.count == 1 else {
            let list = found.prefix(8).map(String.init).joined(separator: " and ")
            throw OverlayError(
                .ambiguous, "elements \(list) of the base's array all have \(named(value))", at: PlistPointer(steps: place),
                hint: "choose one by its index, with an operation at '…/\(first)'")
        }
        return first
    }

    /// Returns the element without its key, so that the base's spelling of the value is kept.
    package func withoutKey(_ element: PlistValue) -> PlistValue {
        guard var dictionary = element.dictionary, value(of: element) != nil else { return element }
        dictionary[key] = nil
        return .dictionary(dictionary)
    }

    package func unpaired(_ number: Int, base count: Int, at place: [PlistString]) -> OverlayError {
        let pointer = PlistPointer(steps: place)
        if count == 0 {
            return OverlayError(
                .unpaired,
                "element \(number) of the overlay's array has no \(key.quoted), and the base's array has no element to match",
                at: pointer, hint: "write \(key) to add an element")
        }
        return OverlayError(
            .unpaired,
            "element \(number) of the overlay's array has no \(key.quoted), and the base has \(count) element\(count == 1 ? "" : "s")",
            at: pointer, hint: "write \(key) to choose an element")
    }

    func named(_ value: PlistValue) -> String {
        "\(key.quoted) = \(value.string?.quoted ?? value.description)"
    }

    /// Returns the form of a value that is the same for all values that are paired with it.
    package func folded(_ value: PlistValue) -> PlistValue {
        guard ignoresCase, let text = value.string else { return value }
        return .string(PlistString(text.string.lowercased()))
    }
}

/// Finds out if an array already has an element that is to be inserted. Each lookup is fast, even if there are many.
package struct ElementLookup {
    package enum LookupResult {
        case nothing, equal
        /// Another element has the key. The text names the key and its value.
        case other(PlistValue, String)
    }

    package let place: PlistPointer
    private let identity: ArrayIdentity?
    private var byKey: [PlistValue: [PlistValue]] = [:]
    private var known: Set<PlistValue> = []

    package init(_ elements: [PlistValue], at place: PlistPointer, _ identity: ArrayIdentity?) {
        self.place = place
        self.identity = identity
        for element in elements { add(element) }
    }

    private var keyed: KeyedElements? {
        guard case .keyed(let key, let isOptional, let ignoresCase) = identity else { return nil }
        return KeyedElements(key: key, isOptional: isOptional, ignoresCase: ignoresCase)
    }

    package mutating func add(_ element: PlistValue) {
        if let keyed {
            if let value = keyed.value(of: element) { byKey[keyed.folded(value), default: []].append(element) }
        } else if identity == .set {
            known.insert(element)
        }
    }

    package mutating func find(_ new: PlistValue) -> LookupResult {
        if let keyed {
            guard let value = keyed.value(of: new), let found = byKey[keyed.folded(value)], let first = found.first else {
                return .nothing
            }
            return found.contains(new) ? .equal : .other(first, keyed.named(value))
        }
        return known.contains(new) ? .equal : .nothing
    }
}

/// Assigns numbers to values, the same number to equal values, so that comparing two values takes constant time.
package struct ValueInterner {
    private var known: [PlistValue: Int] = [:]

    package init() {}

    mutating func number(of value: PlistValue) -> Int {
        let next = known.count
        return known.withDefault(next, for: value)
    }

    package mutating func numbers(of values: [PlistValue]) -> [Int] {
        var numbers: [Int] = []
        numbers.reserveCapacity(values.count)
        for value in values { numbers.append(number(of: value)) }
        return numbers
    }
}

extension [PlistValue: Int] {
    /// Returns the value of a key, after setting it to a default if there is none. The key is hashed once.
    fileprivate mutating func withDefault(_ number: Int, for key: PlistValue) -> Int {
        func keep(_ slot: inout Int) -> Int { slot }
        return keep(&self[key, default: number])
    }
}
