extension CommandDefinition {
    /// `capsule` without a verb: its page is the way in.
    static let program = CommandDefinition(
        verb: nil,
        summary: "pack, compare, change and merge the data of iOS apps",
        forms: [],
        flags: Flag.program,
        constraints: Constraint.common,
        description: [
            """
            A *container* is an app's data directory: a bundle that Xcode downloaded from a device, a simulator's container, \
            a plain directory, or an archive of one. A *capsule* is a single file that holds one or more versions of a \
            container, exactly: names, modes, times, symbolic links, extended attributes, and a SHA-256 digest of every file.
            """,
            """
            A capsule is also a `.tar.gz` or `.tar.zst` that stock `tar` opens. It is neither encrypted nor signed.
            """,
            """
            An *overlay* turns one property list, or one container, into another; a truncated property list is one. `diff` shows \
            what differs and writes it as an overlay, `apply` applies it and touches nothing else, `restore` makes a live container \
            equal to a version, and `merge` joins what was made of a container in two places. `plist` reads and edits single values.
            """,
            """
            Flags may stand anywhere after the verb, the flags of every verb before it too. `--` ends them, and `-` is \
            standard input or output where a verb says so. Of a flag that is given twice the last value counts, unless it \
            is marked as repeatable. Flags and verbs cannot be abbreviated.
            """,
            """
            With `--json` a verb reports in JSON that scripts can rely on. The file `docs/json.md` of the source describes \
            every object and says what stays as it is.
            """,
        ],
        explainsContainers: true,
        examples: [
            Example(
                meaning: "Pack what Xcode downloaded from a device:",
                command: "capsule pack 'com.example.gifs 2026-03-01 10:20.30.400.xcappdata'"),
            Example(meaning: "See what is in it:", command: "capsule ls -l com.example.gifs.capsule"),
            Example(
                meaning: "Bring it back as a bundle that Xcode takes:",
                command: "capsule unpack com.example.gifs.capsule -C Fixtures"),
            Example(meaning: "Read all about a verb:", command: "capsule help unpack"),
        ],
        statuses: [
            Meaning("0", "Done. If the reader of a pipe goes away, that is no failure."),
            Meaning("1", "What `diff` compared differs, or what `apply --check` was given would change."),
            Meaning("2", "Failure; a message on standard error says why."),
        ] + Meaning.always,
        environment: sorted(Meaning.commonEnvironment + [.sourceDateEpoch]),
        related: [])

    /// The variables in alphabetical order.
    static func sorted(_ meanings: [Meaning]) -> [Meaning] {
        meanings.sorted { $0.term < $1.term }
    }
}
