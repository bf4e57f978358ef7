extension CommandDefinition {
    /// `capsule unpack`
    static let unpack = CommandDefinition(
        verb: "unpack",
        summary: "unpack a container, or some of it",
        otherWords: ["decompress", "expand", "export", "extract", "untar", "unzip"],
        forms: [
            CommandForm(
                .unpack, [Positional(.container, "CONTAINER", .container(.input)), Positional(.paths, "PATH", .path, .any)])
        ],
        flags: unpackOutput + unpackOverlays + Flag.common,
        constraints: [
            .conflict(
                Constraint.Use(.directory), Constraint.Use(.output),
                reason: "'--directory' says where the result appears, '--output' names the result itself"),
            .requirement(
                Constraint.Use(.unpackForm, UnpackForm.allCases.filter(\.isArchive).map(\.rawValue)),
                of: Constraint.Use(.output, ["-"]), reason: "only an archive can go to standard output"),
            .conflict(
                Constraint.Use(.output, ["-"]), Constraint.Use(.json),
                reason: "both would write to standard output"),
        ] + ofCarriedOverlays + Constraint.common,
        description: [
            """
            Unpacks *CONTAINER*: as `NAME.xcappdata`, `NAME` or an archive in the current directory, or in *DIR* with \
            `--directory`. With *PATH* only that entry and what lies under it is unpacked; *PATH* may be given more than once. If the \
            name would be that of *CONTAINER*, the result then is `NAME-part`.
            """,
            """
            A SQLite database comes out with its write-ahead log, its rollback journal and the files of its external blobs, also \
            where *PATH* names the database alone; a note says so. `--fold-wal` makes one file of a database and its log.
            """,
            """
            The result is made beside its place and moved there when it is whole. An existing one is replaced only with \
            `--force`, and then as a whole: nothing of it stays. Each file's digest is checked.
            """,
            """
            Modes come back as they were, whatever the umask, but no setuid and setgid bits; those are reported. Times, \
            symbolic links, holes and extended attributes come back too, and what cannot be set is reported.
            """,
            """
            A version may carry overlays for its property lists, as `capsule info` lists them. Without `--overlays` it comes out \
            as it was packed.
            """,
        ],
        explainsContainers: true,
        examples: [
            Example(
                meaning: "Make a bundle for Xcode's scheme editor:",
                command: "capsule unpack fixtures.capsule@login -C AppData --force"),
            Example(
                meaning: "Bring only the documents back, into a directory called saved:",
                command: "capsule unpack fixtures.capsule Documents --as directory -o saved"),
            Example(
                meaning: "Turn a bundle into a zip:",
                command: "capsule unpack com.example.gifs.xcappdata --as zip"),
            Example(
                meaning: "Send a version to somebody who has no capsule:",
                command: "capsule unpack run.capsule@2 --as tar.gz -o - | ssh host tar xz"),
        ],
        statuses: Meaning.statuses(
            done: "Unpacked. If the reader of a pipe goes away, that is no failure.",
            failed: "Failure; a message on standard error says why. What was there before is still there."),
        environment: sorted(Meaning.commonEnvironment),
        related: ["cat", "ls", "pack"])

    private static let unpackOutput = [
        Flag(
            .unpackForm, "as", value: Flag.Value("FORM", .words(UnpackForm.self)), in: .output,
            summary: "make xcappdata, container, directory, tar.gz, tar.zst or zip",
            details: """
                What to make: `xcappdata`, the whole bundle; `container`, the content of AppData with its identity, but \
                without app groups; `directory`, the tree alone, with app groups under AppGroups; `tar.gz`, `tar.zst` or \
                `zip`, an archive. By default a container becomes a bundle and a plain directory a directory. A plain \
                directory cannot become a bundle or a container.
                """),
        Flag(
            .directory, "directory", "C", value: Flag.Value("DIR", .directory(.results)), in: .output,
            summary: "unpack into DIR (default: here)",
            details: """
                Unpack into *DIR*, as `tar -C` does: the result appears in it under its own name. *DIR* is made if it is \
                missing. Not with `--output`.
                """),
        Flag(
            .foldWAL, "fold-wal", in: .output,
            summary: "unpack databases with their logs folded in",
            details: """
                Unpack each SQLite database as one file, into which the content of its write-ahead log or rollback journal has \
                moved as if the app had closed it. That is done in a private copy in `$TMPDIR`. A database that is damaged or \
                encrypted comes out as it is, with its logs and a warning.
                """),
        .force(summary: "replace an existing result, as a whole", details: "Replace an existing result, as a whole."),
        Flag(
            .output, "output", "o", value: Flag.Value("PATH", .file(.output(nil))), in: .output,
            summary: "call the result PATH",
            details:
                "Call the result itself *PATH*. `-` is standard output, for an archive that `--as` names. Not with `--directory`."
        ),
    ]

    private static let unpackOverlays =
        [appOfOverlays] + overlayReading.filter { [.define, .expand].contains($0.id) } + [
            Flag(
                .overlays, "overlays", in: .overlay,
                summary: "apply the overlays that the version carries",
                details: "Apply the overlays that the version carries, in their order, to the property lists in the result.")
        ]

    /// What is for the overlays that a version carries needs `--overlays`.
    static let ofCarriedOverlays: [Constraint] = [
        .requirement(
            Constraint.Use(.overlays), of: Constraint.Use(.app), reason: "it is for the overlays of the app bundle"),
        .requirement(
            Constraint.Use(.overlays), of: Constraint.Use(.define), reason: "it is for conditions and names of overlays"),
        .requirement(
            Constraint.Use(.overlays), of: Constraint.Use(.expand), reason: "it is for names in overlays"),
    ]

    /// `--app`, where overlays are those that a version carries.
    static let appOfOverlays = Flag(
        .app, "app", value: Flag.Value("DIR", .directory(.target)), in: .overlay,
        summary: "with --overlays: change the app's property lists in DIR",
        details: """
            With `--overlays`: change the property lists of the app in *DIR*, such as its Info.plist, in place. Without this flag \
            the overlays for it are passed over, with a warning.
            """)
}
