import CapsuleEngine

extension CommandDefinition {
    /// `capsule pack`
    static let pack = CommandDefinition(
        verb: "pack",
        summary: "pack a container into a capsule",
        otherWords: ["add", "append", "archive", "capture", "create", "save"],
        forms: [CommandForm(.pack, [Positional(.container, "CONTAINER", .container(.input))])],
        flags: packInput + packOutput + packVersion + packAppending + Flag.common,
        constraints: [
            .limit(
                .level, CodecChoice.gzip.levels, unless: Constraint.Use(.codec, [CodecChoice.zstd.rawValue]),
                condition: "with gzip",
                reason: "'--codec zstd' takes levels from 1 to 19"),
            .conflict(
                Constraint.Use(.output, ["-"]), Constraint.Use(.json),
                reason: "both would write to standard output"),
            .conflict(
                Constraint.Use(.append), Constraint.Use(.force),
                reason: "one adds to the capsule, the other replaces it"),
            .conflict(
                Constraint.Use(.append), Constraint.Use(.output, ["-"]),
                reason: "a version is appended to a file"),
        ] + Constraint.common,
        description: [
            """
            Packs *CONTAINER* as version 1 of a new capsule, or with `--append` as the next version of one: every file, directory and symbolic link with its name, mode, time \
            and extended attributes, and the SHA-256 digest of each file. The capsule is written beside its place and moved \
            there when it is whole, so that a command that fails before leaves no file. If only its summary can't be printed, the \
            capsule is there, and the message says so.
            """,
            """
            Without `--output` the capsule is `NAME.capsule` in the current directory. NAME is the bundle's name without its \
            date, else the bundle identifier, else the directory's name. An existing file is overwritten only with `--force`, and never if it is what is packed. Whoever can't list the \
            container's own directory can't read the capsule; the mask of the user applies, too.
            """,
            """
            `--append` adds a version to the capsule that is there, and makes a missing one. What any version has already is \
            not stored again, and of a large file that changed only what is new: a version costs what changed. The versions \
            before stay as they are; if the command fails or is stopped, so does the file. `FILE@VERSION` names a version for \
            every command that takes a container, and `capsule log` lists them. Stock `tar` always sees the first.
            """,
            """
            An append reads back some of the data that the new version shares with earlier ones: all of a few MiB, else one \
            part in up to 64, another with each version. What is damaged and still in the container is stored again, with a \
            warning. That is no substitute for `capsule verify`: whoever appends every night verifies every night.
            """,
            """
            Packing a capsule again does not carry its label and its note over: `--label` and `--note` give new ones.
            """,
            """
            A capsule is also an archive that stock `tar` opens: a container lies in it as `NAME.xcappdata/`, ready for \
            Xcode, a plain directory as `NAME/`. It is neither encrypted nor signed: whoever gets it can read what the app \
            stored.
            """,
            """
            A SQLite database is read together with its journal and write-ahead log, and again if any of them changed \
            meanwhile; `--fold-wal` packs it without them. Sockets, pipes and devices cannot be stored: they are left out and recorded, and `capsule info` lists \
            all that was left out. What macOS itself puts on files to guard them (`com.apple.quarantine` and the like) is \
            not taken along.
            """,
        ],
        explainsContainers: true,
        examples: [
            Example(
                meaning: "Pack a bundle from a device as com.example.gifs.capsule, here:",
                command: "capsule pack 'com.example.gifs 2026-03-01 10:20.30.400.xcappdata'"),
            Example(
                meaning: "Pack a container before a UI test, without its caches:",
                command: "capsule pack Data -o before.capsule --drop caches,tmp --fold-wal"),
            Example(
                meaning: "Append the state after the test to the same capsule:",
                command: "capsule pack Data --append -o before.capsule --label after"),
            Example(
                meaning: "Turn an archive into a capsule on standard output:",
                command: "capsule pack - -o - < container.tar.xz > container.capsule"),
        ],
        statuses: Meaning.statuses(
            done: "Packed. If the reader of a pipe goes away, that is no failure.",
            failed:
                """
                Failure; a message on standard error says why. Unless that is about standard output, no capsule was written, or the \
                one that was there is as before.
                """),
        environment: sorted(Meaning.commonEnvironment + [.sourceDateEpoch, .cacheHome]),
        related: ["compact", "info", "log", "unpack", "verify"])

    private static let packInput = [
        Flag(
            .allowChanging, "allow-changing", in: .input,
            summary: "take a file that keeps changing as it is",
            details: """
                Take a file that keeps changing as it was last read, and record it. Without this flag a file that changes \
                while it is read is read again, and after three tries `pack` fails and names it.
                """),
        Flag(
            .drop, "drop", value: Flag.Value("CLASSES", .text), in: .input,
            summary: "leave out classes of noise, as in caches,tmp",
            details: """
                Leave out what is of these classes of noise, as if the container had none, and record it: any of \
                `scene-sessions` (Library/Saved Application State), `splashboard` (Library/SplashBoard), `caches` \
                (Library/Caches), `system` (what the system keeps in SystemData) and `tmp`, with commas between. A class that \
                the container has nothing of is no error. Without this flag noise is packed as all else is.
                """),
        Flag(
            .exclude, "exclude", value: Flag.Value("GLOB", .glob, isRepeatable: true), in: .input,
            summary: "leave out what matches GLOB (repeatable)",
            details: """
                Leave out the entries whose whole path in the container matches *GLOB*, and record them. `*` matches within \
                a name, `**` across directories, `?` one character, `[a-z]` one of a range; `\\` takes away a character's \
                meaning. Quote it, or the shell will expand it. A directory goes with all that is in it. AppDataInfo.plist \
                and what else lies beside AppData cannot be left out. A pattern has to match the whole path: `**/*.gif` \
                matches in every directory. One that begins or ends with `/` is an error, and one that matches nothing \
                is a warning; with `--strict-patterns` it is an error. Repeatable.
                """),
        Flag(
            .foldWAL, "fold-wal", in: .input,
            summary: "pack databases with their logs folded in",
            details: """
                Pack each SQLite database as one file, into which the content of its write-ahead log or rollback journal \
                has moved as if the app had closed it. That is done in a private copy in `$TMPDIR`; the container stays as \
                it is. The logs are left out and recorded, with the index of a log that SQLite keeps beside it; the \
                database's time is that of the latest of its files. A database is told by its content and not by its name; \
                one without a log stays as it is to the byte. One that is damaged or encrypted is packed as it is, with its \
                logs and a warning; with `--strict` it is an error.
                """),
        Flag(
            .group, "group", value: Flag.Value("ID=DIR", .namedDirectory(.input), isRepeatable: true), in: .input,
            summary: "pack app group ID from DIR as well (repeatable)",
            details: """
                Pack the app group *ID* from the directory *DIR* as well; it lies in the capsule under `AppGroups/ID`. \
                Bundles from Xcode never hold app groups. Repeatable.
                """),
        Flag(
            .noCache, "no-cache", in: .input,
            summary: "neither use nor keep what is known of unchanged files",
            details: """
                Read every file, and leave the cache alone. The cache holds digests of a live container's files with their \
                sizes and times; it is in `$XDG_CACHE_HOME/capsule`, else in `~/.cache/capsule`. A file whose size and times \
                are those that it had is taken to be unchanged. A file that an app writes through mapped memory (Realm, MMKV) \
                may change without a new time: this flag is for such apps. A new capsule reads every file in any case.
                """),
        Flag(
            .skipUnreadable, "skip-unreadable", in: .input,
            summary: "leave out what cannot be read",
            details: "Leave out what cannot be read, and record it. Without this flag it is an error."),
        Flag(
            .strict, "strict", in: .input,
            summary: "fail if an entry cannot be stored",
            details:
                "Fail if there is a socket, a pipe, a device or anything else that cannot be stored, instead of recording it."),
        .strictPatterns(in: .input, "Fail if an `--exclude` matches nothing, before anything is written."),
    ]

    private static let packOutput = [
        Flag(
            .codec, "codec", value: Flag.Value("gzip|zstd", .words(CodecChoice.self)), in: .output,
            summary: "how to compress (default: gzip)",
            details: """
                How to compress. The default, `gzip`, makes a capsule that every `tar` opens. `zstd` is faster, but the `tar` \
                that opens it has to know zstd; that of macOS does not.
                """),
        .force(
            summary: "replace an existing FILE", details: "Replace an existing *FILE*, once the new one is whole."),
        Flag(
            .level, "level",
            value: Flag.Value("N", .integer(1...max(CodecChoice.gzip.levels.upperBound, CodecChoice.zstd.levels.upperBound))),
            in: .output,
            summary: "compress harder: gzip 1 to 12, zstd 1 to 19",
            details: """
                How hard to compress: from 1 to 12 with gzip, from 1 to 19 with zstd. Higher is smaller and slower. The \
                default favors speed.
                """),
        Flag(
            .output, "output", "o", value: Flag.Value("FILE", .file(.output(.capsule, inPlaceWith: .append))), in: .output,
            summary: "write the capsule to FILE (default: NAME.capsule)",
            details: """
                Write the capsule to *FILE*. `-` is standard output, which must not be a terminal. The default is \
                `NAME.capsule` in the current directory.
                """),
    ]

    private static let packVersion = [
        Flag(
            .label, "label", value: Flag.Value("LABEL", .label), in: .version,
            summary: "label the version, as in FILE@LABEL",
            details: """
                Give the version a label, by which `FILE@LABEL` finds it: letters, digits, `.`, `_` and `-`, but not digits \
                only and neither `latest` nor `first`.
                """),
        Flag(
            .note, "note", value: Flag.Value("TEXT", .text), in: .version,
            summary: "keep TEXT with the version",
            details: "Keep *TEXT* with the version; `capsule info` shows it."),
        Flag(
            .packedOverlay, "overlay", value: Flag.Value("PATH=FILE", .namedFile(.input), isRepeatable: true), in: .version,
            summary: "carry an overlay for PATH (repeatable)",
            details: """
                Carry the overlay in *FILE* for the property list at *PATH* in the container, as \
                `Library/Preferences/com.example.app.plist`; with `AppBundle:` before it *PATH* is one in the app, as \
                `AppBundle:Info.plist`, and with `AppGroup:ID:` one in an app group. The overlay is tried on what is packed, \
                which stays as it is: `capsule unpack --overlays` applies it. Repeatable.
                """),
    ]

    private static let packAppending = [
        Flag(
            .append, "append", in: .appending,
            summary: "add a version to the capsule that is there",
            details: """
                Add *CONTAINER* as the next version to the capsule that is there, or make the capsule if it is missing. The \
                version is compressed as the others are; it must have their layout, and its label must be a new one.
                """),
        Flag(
            .differentApp, "different-app", in: .appending,
            summary: "allow a version of another app",
            details: """
                Allow a version of an app whose bundle identifier is not that of the version before.
                """),
        .lockTimeout(in: .appending),
    ]
}
