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
                reason: "'--codec zstd' accepts levels from 1 to 19"),
            .conflict(
                Constraint.Use(.output, ["-"]), Constraint.Use(.json),
                reason: "both would write to standard output"),
            .conflict(
                Constraint.Use(.append), Constraint.Use(.force),
                reason: "'--append' adds to the capsule, '--force' replaces it"),
            .conflict(
                Constraint.Use(.append), Constraint.Use(.output, ["-"]),
                reason: "'--append' needs a file"),
        ] + Constraint.common,
        description: [
            """
            Pack *CONTAINER* as version 1 of a new capsule, or with `--append` as the next version of an existing one. A \
            version has every file, directory and symbolic link with its name, mode, time and extended attributes, and the \
            SHA-256 digest of each file.
            """,
            """
            Without `--output` the capsule is `NAME.capsule` in the current directory. NAME is the bundle's name without its \
            date, or else the bundle identifier, or else the directory's name. An existing file is replaced only with \
            `--force`, and never if it is the file being packed. The capsule is written to a temporary file and renamed when \
            it is complete: a command that fails earlier leaves no file. If only the summary can't be printed, the capsule \
            exists, and the message says so. Only users who can list the container's top directory can read the capsule, \
            and the umask can restrict its permissions further.
            """,
            """
            `--append` adds a version to the capsule, or creates the capsule if it does not exist. Data that an earlier \
            version already has is not stored again, and a large file that changed is stored only where it changed. Earlier \
            versions stay as they are. If the command fails or is stopped, the file is unchanged. `FILE@VERSION` names a \
            version in every command that takes a container, and `capsule log` lists the versions. Stock `tar` always sees \
            the first one.
            """,
            """
            To detect damage, an append rereads data that the new version shares with earlier ones: all of it if that is at \
            most a few MiB, otherwise a sample of at least 1/64, a different one each time. Damaged data that the container \
            still has is stored again, with a warning. This does not replace `capsule verify`: if you append every night, verify every \
            night.
            """,
            """
            If *CONTAINER* is itself a version of a capsule, its label and note are not copied. Set new ones with \
            `--label` and `--note`.
            """,
            """
            A capsule is also an archive that stock `tar` opens. It contains a container as `NAME.xcappdata/`, ready for \
            Xcode, and a plain directory as `NAME/`. It is neither encrypted nor signed: anyone who has the file can read \
            the app's data.
            """,
            """
            A SQLite database is read together with its journal and write-ahead log (WAL). If one of them changes during the \
            copy, all are read again. `--checkpoint-wal` packs each database as one file. Sockets, pipes and devices can't \
            be stored: they are left out and recorded, and `capsule info` lists everything that was left out. Attributes \
            that macOS adds to protect files (such as `com.apple.quarantine`) are not stored.
            """,
        ],
        explainsContainers: true,
        examples: [
            Example(
                meaning: "Pack a bundle from a device as com.example.gifs.capsule:",
                command: "capsule pack 'com.example.gifs 2026-03-01 10:20.30.400.xcappdata'"),
            Example(
                meaning: "Pack a container before a UI test, without its caches:",
                command: "capsule pack Data -o before.capsule --drop caches,tmp --checkpoint-wal"),
            Example(
                meaning: "Append the state after the test:",
                command: "capsule pack Data --append -o before.capsule --label after"),
            Example(
                meaning: "Convert an archive to a capsule on standard output:",
                command: "capsule pack - -o - < container.tar.xz > container.capsule"),
        ],
        statuses: Meaning.statuses(
            done: "Packed.",
            failed:
                """
                Failure; a message on standard error says why. Unless writing to standard output failed, no capsule was \
                written, and an existing one is unchanged.
                """),
        environment: sorted(Meaning.commonEnvironment + [.sourceDateEpoch, .cacheHome]),
        related: ["compact", "info", "log", "unpack", "verify"])

    private static let packInput = [
        Flag(
            .allowChanging, "allow-changing", in: .input,
            summary: "accept a file that keeps changing",
            details: """
                If a file keeps changing, pack the content that was read last, and record that the file was changing. Without this flag, `pack` reads a file \
                again if it changes during the read, and after three tries fails and names the file.
                """),
        Flag(
            .foldWAL, "checkpoint-wal", aliases: ["fold-wal"], in: .input,
            summary: "pack each database as one file",
            details: """
                Pack each SQLite database as one file: checkpoint its WAL, or roll back its journal, as if the app had \
                closed it. This happens in a private copy in `$TMPDIR`; the container is not changed. The logs and the WAL's \
                index are left out and recorded, and the database gets the latest time of its files. Databases are detected \
                by content, not by name. A database without a log is packed byte for byte. A damaged or encrypted one is \
                packed unchanged, with its logs and a warning; with `--strict` it is an error.
                """),
        Flag(
            .drop, "drop", value: Flag.Value("CLASSES", .text), in: .input,
            summary: "leave out classes of noise, such as caches,tmp",
            details: """
                Leave out files of these classes of noise, and record which classes were dropped. *CLASSES* is a \
                comma-separated list of `scene-sessions` (Library/Saved Application State), `splashboard` \
                (Library/SplashBoard), `caches` (Library/Caches), `system` (the system's files in SystemData) and `tmp`. It \
                is not an error if the container has no files of a class. Without this flag, noise is packed like everything \
                else.
                """),
        Flag(
            .exclude, "exclude", value: Flag.Value("GLOB", .glob, isRepeatable: true), in: .input,
            summary: "leave out entries that match GLOB (repeatable)",
            details: """
                Leave out entries whose path matches *GLOB*, and record them. `*` matches within a name, `**` across \
                directories, `?` one character, and `[a-z]` one of a range. `\\` escapes the next character. Quote the \
                pattern, or the shell expands it. A directory is left out with everything in it. AppDataInfo.plist and other \
                files next to AppData can't be left out. The pattern must match the whole path: `**/*.gif` matches in every \
                directory. A pattern that begins or ends with `/` is an error. A pattern that matches nothing is a warning; \
                with `--strict-patterns` it is an error. Repeatable.
                """),
        Flag(
            .group, "group", value: Flag.Value("ID=DIR", .namedDirectory(.input), isRepeatable: true), in: .input,
            summary: "also pack app group ID from DIR (repeatable)",
            details: """
                Also pack the directory *DIR* as the app group whose identifier is *ID*, as `AppGroups/ID` in the capsule. Bundles from Xcode \
                never contain app groups. Repeatable.
                """),
        Flag(
            .noCache, "no-cache", in: .input,
            summary: "ignore the digest cache",
            details: """
                Read every file, and neither use nor update the digest cache. The cache holds the digests of a live \
                container's files with their sizes and times, in `$XDG_CACHE_HOME/capsule` or else `~/.cache/capsule`. A \
                file with the same size and times counts as unchanged. Use this flag for apps that write through mapped \
                memory (Realm, MMKV): such a file can change without a new modification time. Without `--append`, every \
                file is read anyway.
                """),
        Flag(
            .skipUnreadable, "skip-unreadable", in: .input,
            summary: "leave out unreadable entries",
            details: "Leave out entries that can't be read, and record them. Without this flag they are an error."),
        Flag(
            .strict, "strict", in: .input,
            summary: "fail if an entry can't be stored",
            details: """
                Fail if the container has a socket, a pipe, a device or anything else that can't be stored, instead of \
                leaving it out.
                """),
        .strictPatterns(in: .input, "Fail before writing anything if an `--exclude` matches nothing."),
    ]

    private static let packOutput = [
        Flag(
            .codec, "codec", value: Flag.Value("gzip|zstd", .words(CodecChoice.self)), in: .output,
            summary: "compression (default: gzip)",
            details: """
                Set the compression. With the default, `gzip`, every `tar` opens the capsule. `zstd` is faster, but needs a \
                `tar` that supports zstd; the one in macOS does not.
                """),
        .force(
            summary: "replace an existing FILE", details: "Replace an existing *FILE* when the new one is complete."),
        Flag(
            .level, "level",
            value: Flag.Value(
                "N", .integer(1...max(CodecChoice.gzip.levels.upperBound, CodecChoice.zstd.levels.upperBound)),
                expectation: "a whole number "
                    + CodecChoice.allCases.map {
                        "from \($0.levels.lowerBound) to \($0.levels.upperBound) with \($0.rawValue)"
                    }.joined(separator: ", or ")),
            in: .output,
            summary: "compression level: gzip 1 to 12, zstd 1 to 19",
            details: """
                Set the compression level: from 1 to 12 with gzip, from 1 to 19 with zstd. A higher level is smaller and \
                slower. The default favors speed.
                """),
        Flag(
            .output, "output", "o", value: Flag.Value("FILE", .file(.output(.file, inPlaceWith: .append))), in: .output,
            summary: "write the capsule to FILE (default: NAME.capsule)",
            details: """
                Write the capsule to *FILE*. `-` is standard output, which must not be a terminal. The default is \
                `NAME.capsule` in the current directory.
                """),
    ]

    private static let packVersion = [
        Flag(
            .label, "label", value: Flag.Value("LABEL", .label), in: .version,
            summary: "label the version: FILE@LABEL then names it",
            details: """
                Give the version a label: `FILE@LABEL` then names it. A label has letters, digits, `.`, `_` and `-`. It \
                can't consist only of digits, or be `latest` or `first`.
                """),
        Flag(
            .note, "note", value: Flag.Value("TEXT", .text), in: .version,
            summary: "store TEXT with the version",
            details: "Store *TEXT* with the version; `capsule info` shows it."),
        Flag(
            .packedOverlay, "overlay", value: Flag.Value("PATH=FILE", .namedFile(.input), isRepeatable: true), in: .version,
            summary: "store an overlay for PATH (repeatable)",
            details: """
                Store the overlay *FILE* for the property list *PATH* in the container, such as \
                `Library/Preferences/com.example.app.plist`. For a property list in the app bundle, put `AppBundle:` \
                before *PATH*, as in `AppBundle:Info.plist=Test.plist`; for one in an app group, put `AppGroup:ID:` \
                there. The overlay is tested against the packed files, \
                which stay unchanged: `capsule unpack --overlays` applies it. Repeatable.
                """),
    ]

    private static let packAppending = [
        Flag(
            .append, "append", in: .appending,
            summary: "add a version to an existing capsule",
            details: """
                Add *CONTAINER* to the capsule as its next version, or create the capsule if it does not exist. The version \
                uses the capsule's compression and must have the same layout: app container or plain directory. If it has a \
                label, the label must be new.
                """),
        Flag(
            .differentApp, "different-app", in: .appending,
            summary: "allow a version of a different app",
            details: "Allow a version of an app whose bundle identifier differs from that of the previous version."),
        .lockTimeout(in: .appending),
    ]
}
