import CapsuleContainers

extension CommandDefinition {
    static let pack = CommandDefinition(
        verb: "pack",
        summary: "pack a container into a capsule",
        otherWords: ["add", "append", "archive", "capture", "create", "save"],
        forms: [CommandForm(.pack, .container)],
        flags: FlagDefinition.list(
            .allowChanging, .append, .codec, .drop, .exclude, .checkpointWAL, .force, .groups, .identity,
            .keychain.worded(summary: "also pack the keychain of the whole device"), .label, .level, .moveLabel,
            .noGroups, .note,
            .packedOverlays, .recipients, .recipientsFile, .redact, .findText, .findFile, .secretKeys, .keptPlaces,
            .skipUnreadable, .strict, .strictPatterns,
            .differentApp.worded(
                in: .appending,
                summary: "allow a version of a different app",
                details: "Allow a version of an app with a different bundle identifier."),
            .lockTimeout.worded(in: .appending),
            .noCache.worded(
                details: """
                    With `--append`: read every file. Without this flag, Capsule remembers the digests of files, and \
                    does not read a file again if its size and times are the same. Use this flag for apps that write \
                    through mapped memory (Realm, MMKV), because the times of such files can be wrong.
                    """),
            .output.worded(
                used: .output(.file, inPlaceWith: Flag.append.id),
                summary: "write the capsule to FILE (default: NAME.capsule)",
                details: "Write the capsule to *FILE*. `-` is standard output.")),
        constraints: [
            .requirement(Constraint.Use(.append), of: Constraint.Use(.moveLabel), reason: "only an existing capsule has labels"),
            .requirement(Constraint.Use(.label), of: Constraint.Use(.moveLabel), reason: nil),
            .limit(
                Constraint.Use(.level), CodecChoice.gzip.levels, unless: Constraint.Use(.codec, [CodecChoice.zstd.rawValue]),
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
            .conflict(Constraint.Use(.append), Constraint.Use(.redact), reason: "the other versions would have the secrets"),
            .requirement(Constraint.Use(.redact), of: Constraint.Use(.findText), reason: nil),
            .requirement(Constraint.Use(.redact), of: Constraint.Use(.findFile), reason: nil),
            .requirement(Constraint.Use(.redact), of: Constraint.Use(.secretKeys), reason: nil),
            .requirement(Constraint.Use(.redact), of: Constraint.Use(.keptPlaces), reason: nil),
            .conflict(Constraint.Use(.append), Constraint.Use(.recipients), reason: "an encrypted capsule can't be changed"),
            .conflict(Constraint.Use(.append), Constraint.Use(.recipientsFile), reason: "an encrypted capsule can't be changed"),
        ] + Constraint.ofRecipients,
        description: [
            """
            Pack *CONTAINER* into a new capsule. A capsule stores every file, directory and symbolic link with its \
            name, mode, modification time and extended attributes, and a SHA-256 digest of each file.
            """,
            """
            Without `--output`, the capsule is created in the current directory. Its name is that of the bundle, \
            without the date, or that of the directory. Capsule writes a temporary file and renames it at the end, \
            so the capsule is complete or does not exist. An existing file is replaced only with `--force`.
            """,
            """
            `--append` adds a version to an existing capsule. Data that the capsule already has is not stored again. \
            Earlier versions don't change. `capsule log` lists the versions, and `FILE@VERSION` names one.
            """,
            """
            A SQLite database is packed with its write-ahead log (WAL) and its journal. Sockets, pipes and devices \
            are left out; `capsule info` lists everything that was left out.
            """,
            """
            By default, a capsule is also a `.tar.gz` archive. Any `tar` opens it and extracts the first version. It \
            is neither encrypted nor signed: anyone who has the file can read the app's data. With `--recipient` or \
            `--recipients-file`, the program `age` encrypts it: FILE then ends in `.age`. Only `tar` after `age -d` opens it, \
            and it can't be appended to.
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
                Failure; a message on standard error says why. No capsule was written, and an existing one is unchanged. With \
                `-o -`, a part may already be on standard output.
                """),
        environment: Meaning.commonEnvironment + [.sourceDateEpoch, .cacheHome],
        related: ["compact", "info", "log", "redact", "unpack", "verify"])
}

extension Flag<Bool> {
    package static var redact: Self {
        Self(
            "redact", in: .input,
            summary: "replace secrets, as capsule redact does",
            details: """
                Replace the secrets of the container, as `capsule redact` does, which explains it. `--drop` then has the same \
                default as there.
                """)
    }

    package static var allowChanging: Self {
        Self(
            "allow-changing", in: .input,
            summary: "accept a file that keeps changing",
            details: """
                Accept a file that keeps changing: pack the content that was read last, and record that. Without \
                this flag, `pack` reads the file three times and then fails.
                """)
    }

    package static var skipUnreadable: Self {
        Self(
            "skip-unreadable", in: .input,
            summary: "leave out unreadable entries",
            details: "Leave out entries that can't be read. Without this flag, such an entry is an error.")
    }

    package static var append: Self {
        Self(
            "append", in: .appending,
            summary: "add a version to an existing capsule",
            details: """
                Add *CONTAINER* as the next version of the capsule, or create the capsule if it does not exist. The \
                compression of an existing capsule stays the same.
                """)
    }
}

extension Flag<[[UInt8]]> {
    package static var exclude: Self {
        Self(
            "exclude", values: "GLOB", .glob, in: .input,
            summary: "leave out entries that match GLOB (repeatable)",
            details: """
                Leave out entries whose path matches *GLOB*. A directory is left out with everything in it. `*` \
                matches within a name, `**` across directories, `?` one character and `[a-z]` a range. `*.gif` \
                matches in every directory; a pattern with a `/` must match the whole path, and `./*.gif` matches only at \
                the top. Put the pattern in quotes, so that the shell does not expand it. A pattern that matches nothing is a \
                warning. Repeatable.
                """)
    }
}

extension Flag<CodecChoice?> {
    package static var codec: Self {
        Self(
            "codec", value: "gzip|zstd", .words, in: .output,
            summary: "compression (default: gzip)",
            details: """
                Set the compression. Every `tar` opens a capsule with `gzip`. `zstd` is faster, but the `tar` of \
                macOS does not support it.
                """)
    }
}

extension Flag<Int?> {
    package static var level: Self {
        Self(
            "level", value: "N", .integer(1...max(CodecChoice.gzip.levels.upperBound, CodecChoice.zstd.levels.upperBound)),
            expectation: "a whole number "
                + CodecChoice.allCases.map {
                    "from \($0.levels.lowerBound) to \($0.levels.upperBound) with \($0.rawValue)"
                }.joined(separator: ", or "), in: .output,
            summary: "compression level: gzip 1 to 12, zstd 1 to 19",
            details: """
                Set the compression level: 1 to 12 for gzip, 1 to 19 for zstd. A higher level is smaller and slower.
                """)
    }
}

extension Flag<String?> {
    package static var label: Self {
        Self(
            "label", value: "LABEL", .label, in: .version,
            summary: "label the version: FILE@LABEL then names it",
            details: """
                Give the version a label, so that `FILE@LABEL` names it. A label consists of letters, digits, `.`, \
                `_` and `-`, and not of digits alone. `latest` and `first` are reserved.
                """)
    }

    package static var note: Self {
        Self(
            "note", "m", value: "TEXT", .text, in: .version,
            summary: "store TEXT with the version",
            details: "Store *TEXT* with the version; `capsule info` shows it.")
    }
}

extension Flag<[NamedValue]> {
    package static var packedOverlays: Self {
        Self(
            "overlay", values: "PATH=FILE", .namedFile(.input), in: .version,
            summary: "store an overlay for PATH (repeatable)",
            details: """
                Store the overlay *FILE* with the version; `capsule unpack --overlays` applies it. *PATH* is the \
                property list that it changes, such as `Library/Preferences/com.example.app.plist`. For a property \
                list of the app itself, write `AppBundle:Info.plist`; for one in an app group, `AppGroup:ID:PATH`. \
                The packed files are not changed. Repeatable.
                """)
    }
}
