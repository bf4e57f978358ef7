// What several verbs say alike.

extension CommandDefinition.Meaning {
    /// The statuses of a verb for which success is `done`.
    static func statuses(done: String, failed: String = "Failure; a message on standard error says why.") -> [Self] {
        [Self("0", done), Self("2", failed)] + always
    }

    /// The statuses that no verb gives another meaning.
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
        "The digest cache is `$XDG_CACHE_HOME/capsule`. If the variable is not an absolute path, it is `~/.cache/capsule`.")

    /// What a CONTAINER may be.
    static let containerForms = [
        Self("X.xcappdata", "A bundle that Xcode downloaded from a device."),
        Self(
            "DIRECTORY",
            """
            A container without a bundle around it: downloaded by Device Hub, in a simulator \
            (`.../data/Containers/Data/Application/UUID`), or the data of a sandboxed macOS app \
            (`~/Library/Containers/ID/Data`). Any other directory is read as a plain directory.
            """),
        Self(
            "FILE.capsule[@VERSION]",
            """
            A version of a capsule: a number, a label, `latest` (the default), `first`, or `~1` for the version before the \
            latest. A file whose name is exactly this text has precedence. If the end of the capsule is damaged, only a number \
            works.
            """),
        Self(
            "ARCHIVE",
            "A `.tar`, `.tar.gz`, `.tar.zst`, `.tar.xz`, `.tar.bz2`, `.zip` or `.ipa` file that contains any of these."),
        Self(
            "sim:[DEVICE/]BUNDLE-ID",
            """
            The data container of an app on a simulator. *DEVICE* is its UDID, its name, or `booted`. If several simulators have \
            the app, *DEVICE* is required. `capsule locate` lists the apps and simulators.
            """),
        Self("-", "A capsule or an archive on standard input."),
    ]
}
