extension CommandDefinition {
    /// `capsule` without a verb: its page is the introduction.
    package static let program = CommandDefinition(
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
        environment: Meaning.commonEnvironment + [.sourceDateEpoch],
        related: [])
}

extension Flag<Bool> {
    package static var version: Self {
        Self(
            "version", "V", in: .program,
            summary: "print the version of this program",
            details: "Print the version of this program. With `-v`, also print the version of each library, one per line.")
    }
}
