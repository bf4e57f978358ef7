import CapsuleContainers

extension CommandDefinition {
    static let apply = CommandDefinition(
        verb: "apply",
        summary: "apply overlays to a property list or a container",
        otherWords: ["merge-plist", "overlay-apply", "patch", "plistbuddy", "update"],
        forms: [CommandForm(.apply, .overlays, .target)],
        flags: applying
            + FlagDefinition.list(
                .arrays, .definitions, .expand, .require, .targetPath, .when,
                .deep.worded(
                    details: """
                        Read a JSON object as a partial property list. Without this flag, it is a JSON Merge Patch (RFC \
                        7396), which replaces whole arrays.
                        """),
                .force.replacing(
                    summary: "replace an existing FILE and files that drifted",
                    details: """
                        Replace an existing *FILE* of `--output`, and of `--undo` if *TARGET* is a property list, when the new \
                        one is complete. In a container, replace files that differ from what the overlay expects; an existing \
                        undo file is never replaced. A file for which the overlay stores only changed blocks must still match \
                        its recorded base.
                        """),
                .output.worded(
                    summary: "write the result to FILE instead of TARGET",
                    details: """
                        Write the result to *FILE*, and leave the property list *TARGET* unchanged. `-` is standard output. \
                        *FILE* is written even if nothing changes.
                        """)),
        constraints: [
            .conflict(Constraint.Use(.check), Constraint.Use(.output), reason: "'--check' writes nothing"),
            .conflict(Constraint.Use(.dryRun), Constraint.Use(.output), reason: "'--dry-run' writes nothing"),
            .conflict(Constraint.Use(.check), Constraint.Use(.undo), reason: "'--check' writes nothing"),
            .conflict(Constraint.Use(.dryRun), Constraint.Use(.undo), reason: "'--dry-run' writes nothing"),
            .conflict(
                Constraint.Use(.force), Constraint.Use(.threeWay),
                reason: "'--force' replaces files that drifted, '--three-way' merges them"),
            .conflict(
                Constraint.Use(.undo, ["-"]), Constraint.Use(.output, ["-"]), reason: "both would write to standard output"),
            .conflict(Constraint.Use(.undo, ["-"]), Constraint.Use(.json), reason: "both would write to standard output"),
            .conflict(Constraint.Use(.output, ["-"]), Constraint.Use(.json), reason: "both would write to standard output"),
        ],
        description: [
            """
            Apply each *OVERLAY*, in order, to *TARGET*, a property list or a live container. An overlay is a partial \
            property list in any encoding, which is deep-merged; a JSON Merge Patch (RFC 7396); a JSON Patch (RFC 6902); or \
            a document. A document is a dictionary with `CapsuleOverlay` = 1. It has operations and conditions, and files if \
            `capsule diff --overlay` compared containers. If *OVERLAY* is a capsule, the overlays stored in that version are \
            applied. `capsule-overlay`(5) describes overlays.
            """,
            """
            In a text property list, only the bytes of the values that change are rewritten. Comments, the order of keys and the \
            indentation stay, and the file keeps its encoding and its mode. It is replaced atomically. If nothing changes, \
            or if anything fails, nothing is written. `CONTAINER:PATH` names a property list or an overlay in a container of any \
            form; one in a capsule or an archive is only read.
            """,
            """
            A container is changed in one transaction: everything is checked and prepared before any file is replaced. If \
            the container differs where the overlay applies, nothing is changed. All files that differ are listed, or in a \
            property list that still exists the first value that differs. Differences elsewhere don't matter. After a crash, the next `apply` or `restore`, or `capsule recover`, completes or undoes \
            the transaction.
            """,
        ],
        examples: [
            Example(
                meaning: "Give a test build its own scene delegate:",
                command: "capsule apply Testing.plist Info.plist"),
            Example(
                meaning: "Replay a recorded change, and keep an undo file:",
                command: "capsule apply run.capsule sim:com.example.gifs --undo back.capsule"),
            Example(
                meaning: "Change the defaults for a test, with an undo file:",
                command: "capsule apply seed.plist defaults.plist --undo undo.plist"),
            Example(
                meaning: "Write the result to a different file, with build settings expanded:",
                command: "capsule apply --expand Testing.plist Info.plist -o Build/Info.plist"),
        ],
        statuses: [
            Meaning("0", "Success. With `--check`: nothing would change."),
            Meaning("1", "With `--check`: something would change."),
            Meaning("2", "Failure; a message on standard error says why. Nothing was written."),
        ] + Meaning.always,
        environment: Meaning.commonEnvironment.filter { ["NO_COLOR", "XCODE_VERSION_ACTUAL"].contains($0.term) }
            + [Meaning("NAME", "Any variable that a condition or `$(NAME)` uses. `--define` has precedence.")],
        related: ["diff", "overlay", "plist", "recover", "restore", "undo"])

    private static let applying = FlagDefinition.list(
        .check, .differentApp, .dryRun, .noCache, .noGroups, .noUndo, .threeWay, .undo,
        .app.worded(
            in: .input,
            summary: "also change the app's property lists in DIR",
            details: """
                With a container: also change the property lists of the app in *DIR*, such as its Info.plist. Without this \
                flag, the parts of an overlay for `AppBundle` are skipped, with a warning.
                """),
        .keychain.worded(
            summary: "also change the device's keychain",
            details: """
                With an app on a simulator: also change the keychain of the whole device, as undoing `restore --keychain` does. The \
                simulator must be shut down. Without this flag, changes of it are skipped, with a warning.
                """),
        .groups.worded(
            used: .target,
            summary: "also change app group ID in DIR (repeatable)",
            details: """
                With a container: also change the app group *ID* in the directory *DIR*. The parts of an overlay for other \
                groups are skipped, with a warning. Repeatable.
                """))

    static let undo = CommandDefinition(
        verb: "undo",
        summary: "undo a change with its undo file",
        otherWords: ["back", "unapply", "uninstall"],
        forms: [CommandForm(.undo, .overlays.single("FILE"), .target)],
        flags: applying
            + FlagDefinition.list(
                .force.replacing(
                    summary: "replace files that changed since",
                    details: """
                        Replace files of a container that have changed since. Replace an existing *FILE* of `--undo` if \
                        *TARGET* is a property list; for a container, an existing undo file is never replaced.
                        """)),
        constraints: [
            .conflict(Constraint.Use(.check), Constraint.Use(.undo), reason: "'--check' writes nothing"),
            .conflict(Constraint.Use(.dryRun), Constraint.Use(.undo), reason: "'--dry-run' writes nothing"),
            .conflict(
                Constraint.Use(.force), Constraint.Use(.threeWay),
                reason: "'--force' replaces files that drifted, '--three-way' merges them"),
            .conflict(Constraint.Use(.undo, ["-"]), Constraint.Use(.json), reason: "both would write to standard output"),
        ],
        description: [
            """
            Undo the change that wrote the undo file *FILE*: `restore`, `apply`, `drop` and `undo` write one with `--undo`. \
            *TARGET* is the container or property list that was changed. It becomes what it was before, and files that the \
            change did not touch stay as they are.
            """,
            """
            An undo file is an overlay, and `undo` applies it as `capsule apply` does: in one transaction, and only if \
            *TARGET* still has what the change wrote. If it does not, all places that differ are listed and nothing is \
            changed. In a container, undoing twice is safe: the second time there is nothing to change.
            """,
            """
            To undo an overlay for which there is no undo file, invert it first with `capsule overlay invert`.
            """,
        ],
        examples: [
            Example(
                meaning: "Restore an app's data, and go back:",
                command: "capsule undo back.capsule sim:booted/com.example.gifs"),
            Example(
                meaning: "Show what undoing would change:",
                command: "capsule undo back.capsule Data --dry-run"),
            Example(
                meaning: "Undo, and keep a file that redoes the change:",
                command: "capsule undo back.capsule Data --undo again.capsule"),
        ],
        statuses: [
            Meaning("0", "Success. With `--check`: nothing would change."),
            Meaning("1", "With `--check`: something would change."),
            Meaning("2", "Failure; a message on standard error says why. Nothing was written."),
        ] + Meaning.always,
        environment: Meaning.commonEnvironment + [.cacheHome],
        related: ["apply", "overlay", "recover", "restore"])
}

extension Flag<Bool> {
    package static var require: Self {
        Self(
            "require", in: .output,
            summary: "fail if no part of an overlay applies",
            details: "Fail, and write nothing, if the conditions of an overlay exclude all of it.")
    }

    package static var threeWay: Self {
        Self(
            "three-way", in: .output,
            summary: "merge files that drifted in a container",
            details: """
                In a container, if a file matches neither the old nor the new state of the overlay, merge the overlay's \
                change into it, as `capsule merge` does. A file that both sides added is merged with an empty base. The \
                overlay must contain the whole file, old and new; for large files, use `diff --overlay --carry-whole`. \
                If there is a conflict, every place is listed and nothing is changed.
                """)
    }

    package static var check: Self {
        Self(
            "check", in: .output,
            summary: "write nothing; status 1 if anything would change",
            details: "Change nothing, and exit with status 1 if anything would change.")
    }

    package static var dryRun: Self {
        Self(
            "dry-run", otherWords: ["-n", "--simulate"], in: .output,
            summary: "write nothing; show what would change",
            details: "Change nothing, and show what would change.")
    }

    package static var expand: Self {
        Self(
            "expand", in: .overlay,
            summary: "expand $(NAME) in the overlay's values",
            details: """
                Replace `$(NAME)` and `${NAME}` in the overlay's values, as Xcode does: \
                `$(PRODUCT_NAME:rfc1034identifier)`. `$$` is a dollar sign. A name without a value is an error. \
                Keys, and values that the target already has, are not expanded.
                """)
    }
}

extension Flag<[UInt8]?> {
    package static var undo: Self {
        Self(
            "undo", value: "FILE", .file(.output(nil)), in: .output,
            summary: "write an overlay that undoes the change to FILE",
            details: """
                Write an undo file to *FILE* before anything is changed; `capsule undo` reverts the change with it. \
                It contains the old values, including secrets, and only its owner can read it. For a container, give \
                it a name that ends in `.capsule`. `-` is standard output.
                """)
    }
}

extension Flag<Bool> {
    package static var noUndo: Self {
        Self(
            "no-undo", in: .output,
            summary: "in a project: don't keep what 'capsule undo' needs",
            details: """
                In a project, what a change of the app's container replaces is kept until the next one, for `capsule undo` without \
                arguments: in the cache directory, where only you can read it. With this flag, it is not.
                """)
    }
}

extension Flag<[NamedValue]> {
    package static var definitions: Self {
        Self(
            "define", values: "NAME=VALUE", .definition, in: .overlay,
            summary: "set NAME to VALUE (repeatable)",
            details: """
                Set *NAME* to *VALUE*, for conditions and for `$(NAME)` in overlays. This has precedence over the \
                environment. Repeatable.
                """)
    }
}

extension Flag<String?> {
    package static var targetPath: Self {
        Self(
            "target", value: "PATH", .text, in: .overlay,
            summary: "apply only the part of the overlay for PATH",
            details: """
                Apply only the part of the overlay whose `Path` is *PATH*. Required if *TARGET* is a property list and the \
                overlay has parts with paths. With a container: apply an overlay without paths to the property list *PATH* \
                in it.
                """)
    }
}

extension Flag<[String]> {
    package static var when: Self {
        Self(
            "when", values: "COND", .text, in: .overlay,
            summary: "apply only if COND is true (repeatable)",
            details: """
                Apply only if *COND* is true: `NAME=VALUE`, or `NAME` for any value except the empty string, `NO`, `0` and \
                `false`. Don't put spaces around `=`. All conditions must be true. Repeatable.
                """)
    }
}
