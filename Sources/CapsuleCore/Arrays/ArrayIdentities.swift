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
