public import CapsulePropertyList

/// Which arrays have which identity: what an overlay or the command line says, then the built-in table.
public struct ArrayIdentities: Hashable, Sendable {
    /// Where arrays are, and how their elements pair.
    public struct Rule: Hashable, Sendable {
        /// The arrays that it is about.
        public let pattern: PointerPattern
        /// How they pair.
        public let identity: ArrayIdentity

        /// A rule of these two parts.
        public init(_ pattern: PointerPattern, _ identity: ArrayIdentity) {
            self.pattern = pattern
            self.identity = identity
        }
    }

    /// Of the command line, then of the overlay; one that fits beats all that are built in.
    public private(set) var rules: [Rule]
    private let usesBuiltIn: Bool

    /// The built-in table alone, or with rules before it.
    public init(_ rules: [Rule] = [], usesBuiltIn: Bool = true) {
        self.rules = rules
        self.usesBuiltIn = usesBuiltIn
    }

    /// All that is asked for an identity.
    var patterns: [PointerPattern] { (rules + (usesBuiltIn ? Self.builtIn : [])).map(\.pattern) }

    /// The identity of the array at a place; nil if none is known.
    ///
    /// - Throws: `ambiguous` if two rules of different identities say equally much about it.
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

/// How the elements of two arrays are paired (docs/overlay.md, section 2).
public enum ArrayIdentity: Hashable, Sendable {
    /// By the value of a key that each element has.
    ///
    /// - isOptional: whether elements may do without, as `keyed(KEY?)`; those never pair.
    /// - ignoresCase: whether values that differ in case alone pair.
    case keyed(PlistString, isOptional: Bool = false, ignoresCase: Bool = false)
    /// By deep equality, without order.
    case set
    /// By index.
    case ordered
    /// Not at all: an overlay's array takes the base's place.
    case replace

    /// Reads `keyed(KEY)`, `keyed(KEY?)`, `keyed(KEY), nocase`, `set`, `ordered` or `replace`.
    ///
    /// - Throws: `invalid` with what to write instead.
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
    /// As it is written: `keyed(KEY?), nocase`.
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
    /// One line of the built-in table.
    public struct BuiltIn: Sendable {
        /// The key, as `UISceneConfigurations/*`.
        public let pattern: String
        /// How the arrays there pair.
        public let identity: ArrayIdentity
        /// Where the key is documented.
        public let source: String
    }

    /// The arrays that are known without being told.
    public static let builtInTable: [BuiltIn] = keyed + sets + replaced

    static let builtIn: [Rule] = builtInTable.compactMap { line in
        // A pattern of the table is never malformed: a test reads each.
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
