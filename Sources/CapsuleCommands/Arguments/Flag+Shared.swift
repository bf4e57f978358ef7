extension Flag {
    /// `--force` and `--force=all`, of every verb that writes a file or a directory under a name of its own.
    ///
    /// - Parameters:
    ///   - summary: what is replaced.
    ///   - details: the same in a sentence or more.
    static func force(summary: String, details: String) -> Flag {
        Flag(
            .force, "force", "f", value: Value("all", .words(ForceChoice.self), isOptional: true), in: .output,
            summary: summary,
            details: details + " " + """
                `--force=all` also replaces a capsule with several versions, and a file of `capsule merge --conflicts` in \
                which a conflict is already resolved. An input is never replaced.
                """)
    }

    /// The longest wait for a lock, in seconds: a day.
    static let longestLockTimeout = 86_400

    /// `--lock-timeout`, of every verb that writes to a capsule in its place.
    static func lockTimeout(in group: Group) -> Flag {
        Flag(
            .lockTimeout, "lock-timeout", value: Value("SECONDS", .seconds(longestLockTimeout)), in: group,
            summary: "wait at most SECONDS for the lock (default: 10)",
            details: """
                Wait at most *SECONDS* for another command that writes to the same capsule; the default is 10. Decimals are \
                allowed, and 0 means not to wait.
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
            summary: "ignore the digest cache",
            details: """
                Read every file that may be equal, and neither use nor update the digest cache. The cache holds the digests of \
                files with their sizes and times. Use this flag for apps that write through mapped memory (Realm, MMKV): such \
                a file can change without a new modification time.
                """)
    }
}
