import CapsulePropertyList

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
