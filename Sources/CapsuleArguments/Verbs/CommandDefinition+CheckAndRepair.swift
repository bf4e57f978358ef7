package import CapsuleCore

extension CommandDefinition {
    static let verify = CommandDefinition(
        verb: "verify",
        summary: "check the integrity of a capsule",
        otherWords: ["check", "fsck", "test", "validate"],
        forms: [CommandForm(.verify, .file)],
        flags: FlagDefinition.list(
            .identity, .requireSignature, .revokedKeys, .signers,
            .strict.worded(
                summary: "check every byte; a torn tail is an error",
                details: """
                    Check every byte of *FILE*: also rebuild the archive that stock `tar` sees from the index, and compare \
                    the two. A torn tail is then an error.
                    """)),
        constraints: [
            .requirement(Constraint.Use(.signers), of: Constraint.Use(.requireSignature), reason: "it says whose are good"),
            .requirement(Constraint.Use(.signers), of: Constraint.Use(.revokedKeys), reason: "it says which keys may sign"),
        ],
        description: [
            """
            Read the whole capsule *FILE* and check every digest of every version. Damage is reported with its place in the \
            file and the versions and entries that it affects, one line per place. *FILE* must be a file: standard input and \
            single versions, such as `FILE@1`, can't be verified.
            """,
            """
            A torn tail, which a command leaves if it is killed while it appends, doesn't affect earlier versions. It is a \
            warning, or an error with `--strict`.
            """,
            """
            Without `--strict`, the archive that stock `tar` sees is not compared with the index. In a forged capsule it \
            could contain different files. The report says that it was not checked.
            """,
            """
            If you append to a capsule every night, verify it too: an append reads back only a part of the data that it \
            shares with earlier versions.
            """,
            """
            An intact capsule can come from anyone. With `--signers`, also check the signature of each version, or of *VERSION* of \
            `FILE@VERSION`, that `capsule sign` wrote to `FILE.N.sig`, *N* being the number of the version, and print who signed it. A \
            signature that is not good is an error. A version without one is only reported, unless `--require-signature` is given.
            """,
        ],
        examples: [
            Example(meaning: "Check a capsule after a copy:", command: "capsule verify fixtures.capsule"),
            Example(
                meaning: "Fail CI if a fixture is damaged in any way:",
                command: "capsule verify --strict --quiet Tests/fixtures.capsule"),
            Example(
                meaning: "Accept only what people of a list signed:",
                command: "capsule verify run.capsule --signers signers --require-signature"),
        ],
        statuses: [
            Meaning("0", "OK. A torn tail is a warning, unless `--strict` is given."),
            Meaning(
                "2",
                "Damaged or unreadable. With `--strict`: also a torn tail. With `--signers`: also a signature that is not good."),
        ] + Meaning.always,
        environment: Meaning.commonEnvironment.filter { $0.term != "TMPDIR" },
        related: ["info", "sign", "unpack"])

    static let recover = CommandDefinition(
        verb: "recover",
        summary: "complete or undo an interrupted apply or restore",
        otherWords: ["resume"],
        forms: [CommandForm(.recover, .target)],
        flags: FlagDefinition.list(.clean),
        description: [
            """
            Find an `apply` or `restore` in the directory *TARGET* that was killed or lost power, and complete or undo it. \
            The directory is then in exactly the old or exactly the new state, and the output says which. If nothing is \
            unfinished, nothing is changed.
            """,
            """
            An `apply` or `restore` first writes all new files to `TARGET/.capsule-transaction`, then a journal of the \
            changes, and only then changes anything. If the journal is complete, the changes are completed; if not, the new \
            files are removed. If the changes can't be completed, because another program has created something at the same \
            place, they are undone. If that fails too, the place is reported and nothing is deleted: the files that were \
            replaced or deleted are in `TARGET/.capsule-transaction/old`.
            """,
            """
            A transaction is used only if you own it and *TARGET*, and no other user can write to them. Otherwise the owner \
            is reported and nothing is touched. This applies to root too.
            """,
            """
            The next `apply` or `restore` of *TARGET* does the same automatically. Until then, other verbs refuse to read \
            *TARGET* if it can be between the two states. If several directories took part, such as an app and its app \
            groups, all of them are recovered, no matter which one you name.
            """,
            """
            A command writes a new file or directory as `.NAME.xxxxxxxx.tmp` next to its final place. A command that is \
            killed leaves this file behind. `recover` reports these files for *TARGET*, which can be any file or directory, \
            or not exist.
            """,
            """
            Commands make private copies, of databases for example, in `$TMPDIR` or `/tmp`, as `.capsule.xxxxxxxx.tmp`. To \
            find those that are left, name `$TMPDIR/capsule`, which doesn't have to exist.
            """,
        ],
        examples: [
            Example(
                meaning: "Recover a container after a restore was killed:",
                command: "capsule recover com.example.gifs.xcappdata"),
            Example(
                meaning: "Recover the data of an app on the booted simulator:",
                command: "capsule recover sim:booted/com.example.gifs"),
            Example(
                meaning: "Delete private copies that killed commands left:",
                command: "capsule recover --clean \"$TMPDIR/capsule\""),
            Example(
                meaning: "Recover in a script, with the result as JSON:",
                command: "capsule recover --json com.example.gifs.xcappdata"),
        ],
        statuses: Meaning.statuses(
            done: "Success: nothing is unfinished.",
            failed:
                "Failure; a message on standard error says why. The transaction is still unfinished, and no data is lost."),
        environment: Meaning.commonEnvironment.filter { ["NO_COLOR", "XCODE_VERSION_ACTUAL"].contains($0.term) } + [
            Meaning("TMPDIR", "The directory for private temporary files; see above.")
        ],
        related: ["apply", "unpack"])

    static let repair = CommandDefinition(
        verb: "repair",
        summary: "remove a torn or damaged tail of a capsule",
        otherWords: ["fix", "mend", "salvage"],
        forms: [CommandForm(.repair, .file.taking(.file(.target)))],
        flags: FlagDefinition.list(.lockTimeout),
        description: [
            """
            Cut the capsule *FILE* after its last complete version. All versions stay unchanged, byte for byte.
            """,
            """
            A *torn* tail is left by a command that was killed while it appended, or by an incomplete copy. It is not a \
            version, and is cut off. Any other tail is *damaged*: it can be a version with one wrong bit in its footer. It \
            is first copied to `FILE.damaged`, which must not exist, and the output lists the versions that can be read in \
            it.
            """,
            """
            Damage inside a version can't be repaired: `repair` lists the versions that can be read, and changes nothing. \
            Otherwise it then verifies the versions that stay. If one of them is damaged, the status is 2; `capsule verify` \
            says what you can do.
            """,
        ],
        examples: [
            Example(meaning: "Repair a capsule after a crash:", command: "capsule repair fixtures.capsule"),
            Example(
                meaning: "Fail immediately if another command is writing to it:",
                command: "capsule repair --lock-timeout 0 fixtures.capsule"),
        ],
        statuses: Meaning.statuses(
            done: "Success: the file ends with a complete version, and all versions are OK.",
            failed: """
                Failure; a message on standard error says why. The capsule is unchanged, or it was repaired and only the last \
                sync failed or a version that stays is damaged.
                """
        ),
        environment: Meaning.commonEnvironment.filter { $0.term != "TMPDIR" },
        related: ["log", "verify"])

    static let compact = CommandDefinition(
        verb: "compact",
        summary: "remove versions and the data that only they use",
        otherWords: ["gc", "prune", "shrink", "squash", "vacuum"],
        forms: [CommandForm(.compact, .file.taking(.file(.target)))],
        flags: FlagDefinition.list(
            .droppedVersions, .keep, .lockTimeout,
            .output.worded(
                used: .output(nil),
                summary: "write a new capsule instead of changing FILE",
                details: "Write the result to a new *FILE*, which must not exist, and leave the capsule unchanged.")),
        constraints: [
            .conflict(Constraint.Use(.keep), Constraint.Use(.droppedVersions), reason: "'--keep' drops all other versions")
        ],
        description: [
            """
            Rewrite the capsule *FILE* with only some of its versions. They keep their numbers, labels, notes and times, so \
            numbers can have gaps. The oldest version that stays becomes the first in the file, the one that stock `tar` \
            sees. `--keep latest` keeps only the newest version.
            """,
            """
            The new capsule is written to a temporary file, verified as by `capsule verify --strict`, and then replaces \
            *FILE* atomically, while *FILE* is locked. A command that is stopped leaves *FILE* unchanged, and a command that \
            waits to append appends to the new capsule. Without `--keep` and `--drop`, all versions stay and only a torn tail is \
            removed; if there is none, the file is not changed.
            """,
        ],
        examples: [
            Example(meaning: "Keep only the newest version:", command: "capsule compact fixtures.capsule --keep latest"),
            Example(
                meaning: "Copy two versions to a new capsule:",
                command: "capsule compact fixtures.capsule --keep before,after -o pair.capsule"),
        ],
        statuses: Meaning.statuses(
            done: "Success, or nothing to do.",
            failed: """
                Failure; a message on standard error says why. The capsule is unchanged, or new and intact if only the last \
                sync failed.
                """
        ),
        environment: Meaning.commonEnvironment,
        related: ["pack", "repair", "verify"])
}

extension Flag<Bool> {
    package static var clean: Self {
        Self(
            "clean", in: .output,
            summary: "delete temporary files next to TARGET",
            details: """
                Delete temporary files that killed commands left next to *TARGET*, but only if Capsule created them for \
                you and no command is using them. All others are only reported.
                """)
    }
}

extension Flag<[[VersionSelector]]> {
    package static var droppedVersions: Flag<[[VersionSelector]]> {
        Self(
            "drop", values: "VERSIONS", .versions, in: .version,
            summary: "remove these versions (repeatable)",
            details: """
                Remove *VERSIONS*, a comma-separated list as with `--keep`, with all data that only they use. All other \
                versions stay. Repeatable.
                """)
    }
}

extension Flag<[VersionSelector]?> {
    package static var keep: Flag<[VersionSelector]?> {
        Self(
            "keep", value: "VERSIONS", .versions, in: .version,
            summary: "keep these versions (default: all)",
            details: """
                Keep only *VERSIONS*, a comma-separated list of numbers, labels, `latest`, `first` or `~N`. All other \
                versions are removed, with all data that only they use.
                """)
    }
}
