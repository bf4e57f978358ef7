extension CommandDefinition {
    /// `capsule undo`
    static let undo = CommandDefinition(
        verb: "undo",
        summary: "undo a change with its undo file",
        otherWords: ["back", "unapply", "uninstall"],
        forms: [
            CommandForm(
                .undo, [Positional(.overlays, "FILE", .file(.input)), Positional(.target, "TARGET", .file(.target))])
        ],
        flags: applyTarget
            + applyModes.dropLast() + [
                .force(
                    summary: "replace files that changed since",
                    details: """
                        Replace files of a container that have changed since. Replace an existing *FILE* of `--undo` if \
                        *TARGET* is a property list; for a container, an existing undo file is never replaced.
                        """)
            ] + applyOutput.filter { $0.id == .threeWay } + applyModes.suffix(1) + Flag.common,
        constraints: [
            .conflict(Constraint.Use(.check), Constraint.Use(.undo), reason: "'--check' writes nothing"),
            .conflict(Constraint.Use(.dryRun), Constraint.Use(.undo), reason: "'--dry-run' writes nothing"),
            .conflict(
                Constraint.Use(.force), Constraint.Use(.threeWay),
                reason: "'--force' replaces files that drifted, '--three-way' merges them"),
            .conflict(Constraint.Use(.undo, ["-"]), Constraint.Use(.json), reason: "both would write to standard output"),
        ] + Constraint.common,
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
        environment: sorted(Meaning.commonEnvironment + [.cacheHome]),
        related: ["apply", "overlay", "recover", "restore"])
}
