extension Flag {
    /// The longest wait for a lock, in seconds: a day.
    static let longestLockTimeout = 86_400

    /// `--lock-timeout`, of every verb that writes to a capsule in its place.
    static func lockTimeout(in group: Group) -> Flag {
        Flag(
            .lockTimeout, "lock-timeout", value: Value("SECONDS", .seconds(longestLockTimeout)), in: group,
            summary: "wait so long for another command (default: 10)",
            details: """
                Wait at most *SECONDS*, which may have decimals, for another command that writes to the same capsule; the \
                default is 10. With 0 it does not wait.
                """)
    }

    /// `--strict-patterns`, of verbs for which a pattern that matches nothing is a warning.
    static func strictPatterns(in group: Group, _ details: String) -> Flag {
        Flag(
            .strictPatterns, "strict-patterns", in: group, summary: "fail if a pattern matches nothing", details: details)
    }

    /// `--no-cache`, of verbs that list a container to change it.
    static func noCache(in group: Group) -> Flag {
        Flag(
            .noCache, "no-cache", in: group,
            summary: "neither use nor keep what is known of unchanged files",
            details: """
                Read every file that may be equal, and leave the cache alone, which holds digests of files with their sizes and \
                times. A file that an app writes through mapped memory (Realm, MMKV) may change without a new time: this flag is \
                for such apps.
                """)
    }
}
