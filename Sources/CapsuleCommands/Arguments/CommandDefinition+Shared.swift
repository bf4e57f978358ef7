// What several verbs say alike.

extension CommandDefinition.Meaning {
    /// The statuses of a verb for which success is `done`.
    static func statuses(done: String, failed: String = "Failure; a message on standard error says why.") -> [Self] {
        [Self("0", done), Self("2", failed)] + always
    }

    /// The statuses that no verb gives another meaning.
    static let always = [
        Self("64", "The command line is wrong: an unknown verb or flag, a value that is not allowed, an argument missing."),
        Self("130", "Interrupted by `^C`, and 128 + its number for another signal; no partial file is left."),
    ]

    /// The environment of verbs that read containers.
    static let commonEnvironment = [
        Self("CAPSULE_JOBS", "How many things to work on at once, if `--jobs` does not say."),
        Self("NO_COLOR", "If set and not empty, `--color auto` means never."),
        Self(
            "TMPDIR",
            """
            Where archives, and what comes on standard input or goes to standard output, are kept in a private file \
            meanwhile. It is deleted at the end. Copies of databases go to `/tmp` if other users can exchange names in \
            this directory.
            """),
        Self(
            "XCODE_VERSION_ACTUAL",
            "Set by Xcode in build phases. Messages then begin with `error:`, `warning:` or `note:`, so that Xcode shows them."),
    ]

    static let sourceDateEpoch = Self(
        "SOURCE_DATE_EPOCH",
        """
        Seconds since 1970, recorded in place of the time of capture. With it the same container and the same flags give \
        the same bytes.
        """)

    static let pager = Self(
        "PAGER",
        "What shows a long report on a terminal, `less` if it is not set; empty or `cat` for nothing.")

    static let cacheHome = Self(
        "XDG_CACHE_HOME",
        "Where the cache of files that have not changed is kept, in `capsule`; `~/.cache` if it is not an absolute path.")

    /// What a CONTAINER may be.
    static let containerForms = [
        Self("X.xcappdata", "A bundle, as Xcode downloads it from a device."),
        Self(
            "DIRECTORY",
            """
            A container without a bundle around it: one that Device Hub downloaded, one of a simulator \
            (`.../data/Containers/Data/Application/UUID`), or the data of a sandboxed macOS app \
            (`~/Library/Containers/ID/Data`). Any other directory is taken as it stands, as a plain directory.
            """),
        Self(
            "FILE.capsule[@VERSION]",
            """
            A version of a capsule: a number, a label, `latest` (the default), `first`, or `~1` for the one before the \
            latest. A path that exists as it stands wins. Where the file's tail is damaged only a number will do.
            """),
        Self(
            "ARCHIVE",
            "A `.tar`, `.tar.gz`, `.tar.zst`, `.tar.xz`, `.tar.bz2`, `.zip` or `.ipa` that holds any of these."),
        Self(
            "sim:[DEVICE/]BUNDLE-ID",
            """
            The data container of an app on a simulator; *DEVICE* is its UDID, its name, or `booted`. If several simulators have \
            the app, *DEVICE* must say which is meant. `capsule locate` lists what there is.
            """),
        Self("-", "A capsule or an archive on standard input."),
    ]
}
