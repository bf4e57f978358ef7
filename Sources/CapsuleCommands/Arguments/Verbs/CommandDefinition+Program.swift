extension CommandDefinition {
    /// `capsule` without a verb: its page is the introduction.
    static let program = CommandDefinition(
        verb: nil,
        summary: "save, restore, diff and merge the data of iOS apps",
        forms: [],
        flags: FlagDefinition.list(.version),
        description: [
            """
            A *container* is an app's data directory: a bundle that Xcode downloaded from a device, a simulator's container, \
            a plain directory, or an archive of one. A *capsule* is one file with one or more exact versions of a container: \
            names, modes, times, symbolic links, extended attributes, and a SHA-256 digest of every file.
            """,
            """
            A capsule is also a `.tar.gz` or `.tar.zst` archive that stock `tar` opens. It is neither encrypted nor signed.
            """,
            """
            An *overlay* turns one property list or container into another. The simplest is a partial property list. \
            `diff` shows changes and writes them as an overlay. `apply` applies an overlay and touches nothing else. \
            `restore` makes a live container equal to a version. `merge` is a three-way merge. `plist` reads and edits \
            single values.
            """,
            """
            Flags can be anywhere after the verb. Flags that every verb takes can also precede it. `--` ends the flags. `-` \
            is standard input or output for verbs that say so. If a flag is given twice, the last value counts, unless the \
            flag is marked as repeatable. Flags and verbs can't be abbreviated.
            """,
            """
            With `--json`, a verb prints JSON for scripts. The file `docs/json.md` in the source describes every object and \
            which parts are stable.
            """,
        ],
        explainsContainers: true,
        examples: [
            Example(
                meaning: "Pack what Xcode downloaded from a device:",
                command: "capsule pack 'com.example.gifs 2026-03-01 10:20.30.400.xcappdata'"),
            Example(meaning: "List its files:", command: "capsule ls -l com.example.gifs.capsule"),
            Example(
                meaning: "Unpack it as a bundle for Xcode:",
                command: "capsule unpack com.example.gifs.capsule -C Fixtures"),
            Example(meaning: "Read the full help of a verb:", command: "capsule help unpack"),
        ],
        statuses: [
            Meaning("0", "Success, even if the reader of a listing exits early."),
            Meaning(
                "1",
                """
                The answer is "different" or "no": `diff` found differences, an expectation did not pass, `merge` left conflicts open, or with `--check` \
                something would change.
                """),
            Meaning("2", "Failure; a message on standard error says why."),
        ] + Meaning.always,
        environment: sorted(Meaning.commonEnvironment + [.sourceDateEpoch]),
        related: [])

    /// The variables in alphabetical order.
    static func sorted(_ meanings: [Meaning]) -> [Meaning] {
        meanings.sorted { $0.term < $1.term }
    }
}

extension Flag<Bool> {
    static var version: Self {
        Self(
            "version", "V", in: .program,
            summary: "print the version of this program",
            details: "Print the version of this program.")
    }
}

// Texts that several verbs share.

extension CommandDefinition.Meaning {
    /// Returns the statuses of a verb. `done` is the meaning of status 0.
    static func statuses(done: String, failed: String = "Failure; a message on standard error says why.") -> [Self] {
        [Self("0", done), Self("2", failed)] + always
    }

    /// The statuses that have the same meaning for all verbs.
    static let always = [
        Self("64", "Usage error: an unknown verb or flag, an invalid value, or a missing argument."),
        Self("130", "Interrupted by `^C`. Any other signal gives 128 plus its number. No partial file is left."),
    ]

    /// The environment of verbs that read containers.
    static let commonEnvironment = [
        Self("CAPSULE_JOBS", "The number of parallel jobs if `--jobs` is not given."),
        Self("NO_COLOR", "If set and not empty, `--color auto` means never."),
        Self(
            "TMPDIR",
            """
            The directory for private temporary files: archives, standard input and output, and copies of databases. They are \
            deleted at the end. If other users can rename files in this directory, copies of databases go to `/tmp`.
            """),
        Self(
            "XCODE_VERSION_ACTUAL",
            "Set by Xcode in build phases. Messages then begin with `error:`, `warning:` or `note:`, and Xcode shows them."),
    ]

    static let sourceDateEpoch = Self(
        "SOURCE_DATE_EPOCH",
        """
        Seconds since 1970. Recorded instead of the current time. With it, the same input and the same flags always give the \
        same bytes.
        """)

    static let pager = Self(
        "PAGER",
        "The pager for long reports on a terminal. The default is `less`. Set it to the empty string or `cat` for no pager.")

    static let cacheHome = Self(
        "XDG_CACHE_HOME",
        "The digest cache is in `$XDG_CACHE_HOME/capsule`, or in `~/.cache/capsule` if the variable is not an absolute path.")
}
