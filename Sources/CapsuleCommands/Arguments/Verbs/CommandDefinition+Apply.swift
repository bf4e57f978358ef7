import CapsuleEngine

extension CommandDefinition {
    /// `capsule apply`
    static let apply = CommandDefinition(
        verb: "apply",
        summary: "apply overlays to a property list or a container",
        otherWords: ["merge-plist", "overlay-apply", "patch", "plistbuddy", "undo", "update"],
        forms: [
            CommandForm(
                .apply, [Positional(.overlays, "OVERLAY", .file(.input), .some), Positional(.target, "TARGET", .file(.target))])
        ],
        flags: applyTarget + applyOutput + overlayReading + Flag.common,
        constraints: [
            .conflict(Constraint.Use(.check), Constraint.Use(.output), reason: "'--check' writes nothing"),
            .conflict(Constraint.Use(.dryRun), Constraint.Use(.output), reason: "'--dry-run' writes nothing"),
            .conflict(Constraint.Use(.check), Constraint.Use(.undo), reason: "'--check' writes nothing"),
            .conflict(Constraint.Use(.dryRun), Constraint.Use(.undo), reason: "'--dry-run' writes nothing"),
            .conflict(Constraint.Use(.force), Constraint.Use(.threeWay), reason: "one replaces what drifted, one merges it"),
            .conflict(
                Constraint.Use(.undo, ["-"]), Constraint.Use(.output, ["-"]), reason: "both would write to standard output"),
            .conflict(
                Constraint.Use(.undo, ["-"]), Constraint.Use(.json), reason: "both would write to standard output"),
            .conflict(
                Constraint.Use(.output, ["-"]), Constraint.Use(.json), reason: "both would write to standard output"),
        ] + Constraint.common,
        description: [
            """
            Applies each *OVERLAY*, in order, to *TARGET*, a property list or a live container. An overlay may be a truncated property list in \
            any encoding, which is merged deep; a JSON Merge Patch (RFC 7396) or a JSON Patch (RFC 6902); or a document, a \
            dictionary with `CapsuleOverlay` = 1, that has operations and conditions, and whole files where `capsule diff \
            --overlay` compared containers; or a capsule, of whose version the overlays are taken that it carries. \
            `capsule-overlay`(5) describes them.
            """,
            """
            Only the bytes of the values that change are rewritten: comments, the order of keys and the indentation stay, and \
            the file keeps its encoding and its mode. It is replaced at once, so that nobody sees half of it. If nothing \
            changes, nothing is written. If anything fails, nothing is written either.
            """,
            """
            A container is changed in one transaction: everything is checked and made ready before anything is renamed into \
            place. Where it is not what the overlay was made for, each place is named, and nothing is changed; elsewhere it may \
            differ. After a crash the next `apply` or `restore`, or `capsule recover`, brings it to the old or to the new state.
            """,
        ],
        examples: [
            Example(
                meaning: "Let a test build use its own scene delegate; the overlay holds just the path to that key:",
                command: "capsule apply Testing.plist Info.plist"),
            Example(
                meaning: "Do to another container what a run did to this one:",
                command: "capsule apply run.capsule sim:com.example.gifs --undo back.capsule"),
            Example(
                meaning: "Change the defaults for a test, and put them back afterwards:",
                command: "capsule apply seed.plist defaults.plist --undo undo.plist"),
            Example(
                meaning: "Write the result elsewhere, with build settings filled in:",
                command: "capsule apply --expand Testing.plist Info.plist -o Build/Info.plist"),
        ],
        statuses: [
            Meaning("0", "Done; with `--check`, nothing would change."),
            Meaning("1", "With `--check`: something would change."),
            Meaning("2", "Failure; a message on standard error says why. Nothing was written."),
        ] + Meaning.always,
        environment: sorted(
            Meaning.commonEnvironment.filter { ["NO_COLOR", "XCODE_VERSION_ACTUAL"].contains($0.term) }
                + [Meaning("NAME", "Any variable that a condition or `$(NAME)` asks for; `--define` has precedence.")]),
        related: ["diff", "overlay", "plist", "recover", "restore"])

    private static let applyOutput =
        applyModes.dropLast() + [
            .force(
                summary: "replace an existing FILE, and what has drifted",
                details: """
                    Replace an existing *FILE* of `--output`, and of `--undo` where *TARGET* is a property list, once the new one \
                    is whole. In a container, put the files that an overlay brings in place of whatever is there; the way back \
                    is never written over. A file of which the overlay carries only the changed parts must be the one that it \
                    was made for all the same.
                    """),
            Flag(
                .output, "output", "o", value: Flag.Value("FILE", .file(.output(.file))), in: .output,
                summary: "write the result to FILE, and leave TARGET alone",
                details: """
                    Write the result to *FILE*, and leave the property list *TARGET* as it is. `-` is standard output. It is \
                    written even if nothing changes.
                    """),
            Flag(
                .threeWay, "three-way", in: .output,
                summary: "merge files that drifted in a container",
                details: """
                    In a container: where a file is neither as the overlay was made for nor as it makes it, merge what the overlay does \
                    with what is there, as `capsule merge` does. A file that both made is merged as if it had been empty before. The \
                    overlay has to carry the file whole, before and after: a large one is carried so by `diff --overlay \
                    --carry-whole`. A conflict ends it, with each place named, and nothing is changed.
                    """),
        ] + applyModes.suffix(1)

    /// What `apply` and `restore` do with what they worked out.
    static let applyModes = [
        Flag(
            .check, "check", in: .output,
            summary: "write nothing; status 1 if anything would change",
            details: """
                Write nothing, and end with status 1 if anything would change. A container with an unfinished transaction is \
                refused: `capsule recover` puts it in order.
                """),
        Flag(
            .dryRun, "dry-run", in: .output,
            summary: "write nothing; show what would change",
            details: """
                Write nothing, and show what would change, as `capsule diff` does. A container with an unfinished transaction is \
                refused: `capsule recover` puts it in order.
                """),
        Flag(
            .undo, "undo", value: Flag.Value("FILE", .file(.output(nil))), in: .output,
            summary: "write the overlay that takes the change back to FILE",
            details: """
                Write to *FILE* the overlay that takes the change back; it comes before *TARGET* is changed. If nothing \
                changes, it is not written. `-` is standard output. It holds the old values, secrets among them, and only its owner can \
                read it.
                """),
    ]

    private static let applyTarget = [
        Flag(
            .app, "app", value: Flag.Value("DIR", .directory(.target)), in: .input,
            summary: "change the app's property lists in DIR as well",
            details: """
                With a container: change the property lists of the app in *DIR*, such as its Info.plist, at the same time. \
                Without this flag what overlays have for `AppBundle` is passed over, with a warning.
                """),
        Flag(
            .differentApp, "different-app", in: .input,
            summary: "allow an overlay of another app's container",
            details: "Allow an overlay that was made of the container of an app with another bundle identifier."),
        Flag(
            .group, "group", value: Flag.Value("ID=DIR", .namedDirectory(.target), isRepeatable: true), in: .input,
            summary: "change app group ID in DIR as well (repeatable)",
            details: """
                With a container: change the app group *ID* in the directory *DIR* as well. What is for groups that have no \
                directory is passed over, with a warning. Repeatable.
                """),
        .noCache(in: .input),
    ]

    /// How overlays are read and what they may ask for.
    static let overlayReading = [
        Flag(
            .arrays, "arrays", value: Flag.Value("PATTERN=IDENTITY", .text, isRepeatable: true), in: .overlay,
            summary: "how the elements of arrays pair (repeatable)",
            details: """
                Say how the elements of the arrays that *PATTERN* names pair: `keyed(KEY)`, `keyed(KEY?)`, \
                `keyed(KEY), nocase`, `set`, `ordered` or `replace`. In the pattern `*` is one key or index and `**` any \
                number; with a leading `/` it begins at the root. Repeatable.
                """),
        Flag(
            .deep, "deep", in: .overlay,
            summary: "read a JSON object as a truncated property list",
            details: """
                Read a JSON object as a truncated property list, merged deep, in which null takes a key away. Without this \
                flag it is a JSON Merge Patch (RFC 7396), which replaces arrays whole.
                """),
        Flag(
            .define, "define", value: Flag.Value("NAME=VALUE", .definition, isRepeatable: true), in: .overlay,
            summary: "give NAME a value, over the environment (repeatable)",
            details: """
                Give *NAME* a value for conditions and for `$(NAME)`, whatever the environment says. A name has no spaces. \
                Repeatable.
                """),
        Flag(
            .expand, "expand", in: .overlay,
            summary: "expand $(NAME) in the overlay's values",
            details: """
                Expand `$(NAME)` and `${NAME}` in the overlay's values, with Xcode's operators, as in \
                `$(PRODUCT_NAME:rfc1034identifier)`. `$$` is a dollar sign, and a name without a value is an error. The \
                values that are there already stay as they are. Keys are not expanded; a warning names one with `$(NAME)` in it.
                """),
        Flag(
            .target, "target", value: Flag.Value("PATH", .text), in: .overlay,
            summary: "apply the part of the overlay that is for PATH",
            details: """
                Apply the part of the overlay whose `Path` is *PATH*; to a single property list a part with a path is an error \
                otherwise. To a container: apply an overlay without paths to the property list *PATH* in it.
                """),
        Flag(
            .when, "when", value: Flag.Value("COND", .text, isRepeatable: true), in: .overlay,
            summary: "apply only if COND holds (repeatable)",
            details: """
                Apply only if *COND* holds: `NAME=VALUE`, or `NAME` for a value that is none of the empty text, `NO`, `0` and \
                `false`. There are no spaces around `=`. All must hold. Repeatable.
                """),
    ]
}
