import CapsulePropertyList

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
