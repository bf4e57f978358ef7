extension CommandDefinition {
    static let unpack = CommandDefinition(
        verb: "unpack",
        summary: "unpack a container, or a part of it",
        otherWords: ["decompress", "expand", "export", "extract", "untar", "unzip"],
        forms: [CommandForm(.unpack, .container, .paths)],
        flags: FlagDefinition.list(
            .app, .definitions, .directory, .expand, .identity, .recipients, .recipientsFile, .unpackForm, .tree,
            .keychain.worded(
                summary: "also unpack the device's keychain",
                details: """
                    Also unpack the keychain of the whole device that a version has, or that of the simulator that the app is on. \
                    Without this flag, it is left out, with a note.
                    """),
            .applyOverlays.worded(
                details: "Apply the overlays stored in the version, in order, to the property lists in the result."),
            .checkpointWAL.worded(
                in: .output,
                summary: "unpack each database as one file",
                details: """
                    Unpack each SQLite database as one file, without its WAL and its journal, as if the app had closed \
                    it. A damaged or encrypted database is unpacked with its logs, and a warning says so.
                    """),
            .force.replacing(
                summary: "replace an existing result",
                details: """
                    Replace an existing result. A directory is replaced as a whole only if everything in it is \
                    written again, or if it is a container of the same app in the same form. Of a part, each file \
                    replaces only itself.
                    """),
            .output.worded(
                "PATH", used: .output(nil),
                summary: "write the result to PATH",
                details: """
                    Write the result to *PATH*. Without `--as`, a name that ends in `.xcappdata`, `.tar.gz`, `.tgz`, \
                    `.tar.zst`, `.tar` or `.zip` sets the form, unless the only *PATH* to unpack ends in the same. `-` is \
                    standard output, for an archive that `--as` names. This can't be combined with `--directory`.
                    """)),
        constraints: [
            .conflict(
                Constraint.Use(.directory), Constraint.Use(.output),
                reason: "'--directory' sets the directory of the result, '--output' its path"),
            .requirement(
                Constraint.Use(.unpackForm, UnpackForm.allCases.filter(\.isArchive).map(\.rawValue)),
                of: Constraint.Use(.output, ["-"]), reason: "only an archive can go to standard output"),
            .conflict(
                Constraint.Use(.output, ["-"]), Constraint.Use(.json),
                reason: "both would write to standard output"),
        ] + Constraint.ofRecipients + ofCarriedOverlays,
        description: [
            """
            Unpack *CONTAINER* to the current directory, or to *DIR* with `--directory`. An app's container becomes \
            a bundle, `NAME.xcappdata`, and a plain directory becomes a directory, *NAME*. *NAME* is the name of the \
            bundle, without its date, or of the directory that was packed.
            """,
            """
            With *PATH*s, unpack only these entries and everything in them, to `NAME-part`. With one *PATH* and \
            `--output`, the result is this file or directory itself, as `cp -R` writes it. Several *PATH*s, a pattern, \
            `--as` and `--tree` keep the directories around them. A part is written into a directory that exists, \
            and leaves everything else in it alone.
            """,
            """
            A *PATH* can be a pattern: without a `/`, as in `'*.plist'`, it matches names in every directory. Put a \
            pattern in quotes, so that the shell does not expand it.
            """,
            """
            A SQLite database is unpacked with its write-ahead log (WAL), its journal and the files of its external \
            values, even if *PATH* names only the database.
            """,
            """
            The result appears when it is complete. Every digest is checked. Nothing that exists is replaced without \
            `--force`.
            """,
            """
            Modes, times, symbolic links and extended attributes are restored. Capsule reports what it can't set, \
            and never sets setuid and setgid bits.
            """,
            """
            A version can contain overlays, which `capsule info` lists. They are applied only with `--overlays`.
            """,
        ],
        explainsContainers: true,
        examples: [
            Example(
                meaning: "Write a bundle for Xcode's scheme editor:",
                command: "capsule unpack fixtures.capsule@login -C AppData --force"),
            Example(
                meaning: "Unpack one file or directory:",
                command: "capsule unpack fixtures.capsule Documents -o saved"),
            Example(
                meaning: "Convert a bundle to a zip file:",
                command: "capsule unpack com.example.gifs.xcappdata --as zip"),
            Example(
                meaning: "Send a version to a host without capsule:",
                command: "capsule unpack run.capsule@2 --as tar.gz -o - | ssh host tar xz"),
        ],
        statuses: Meaning.statuses(
            done: "Unpacked.",
            failed: "Failure; a message on standard error says why. Existing files are unchanged."),
        environment: Meaning.commonEnvironment,
        related: ["cat", "ls", "pack"])

    /// The flags for the overlays that a version contains require `--overlays`.
    static let ofCarriedOverlays: [Constraint] = [
        .requirement(Constraint.Use(.applyOverlays), of: Constraint.Use(.app), reason: "it applies overlays for the app bundle"),
        .requirement(Constraint.Use(.applyOverlays), of: Constraint.Use(.definitions), reason: "it sets names for overlays"),
        .requirement(Constraint.Use(.applyOverlays), of: Constraint.Use(.expand), reason: "it expands names in overlays"),
    ]

}

extension Flag<UnpackForm?> {
    package static var unpackForm: Self {
        Self(
            "as", value: "FORM", .words, in: .output,
            summary: "form: xcappdata, container, directory, tar.gz, tar.zst, tar or zip",
            details: """
                Set the form of the result. `xcappdata` is a bundle for Xcode. `container` is the data directory \
                alone, as a simulator has it, with the metadata that iOS keeps in it. `directory` is the same \
                without this metadata, and with app groups in `AppGroups`. `tar.gz`, `tar.zst`, `tar` and `zip` \
                are archives.
                """)
    }
}

extension Flag<Bool> {
    package static var tree: Self {
        Self(
            "tree", in: .output,
            summary: "keep the directories around a single PATH",
            details: "Keep the directories around a single *PATH*, as for several ones.")
    }
}

extension Flag<[UInt8]?> {
    package static var directory: Self {
        Self(
            "directory", "C", value: "DIR", .directory(.results), in: .output,
            summary: "unpack to DIR (default: current directory)",
            details: """
                Unpack to *DIR*, as `tar -C` does, and create *DIR* if it does not exist. This can't be combined \
                with `--output`.
                """)
    }
}
