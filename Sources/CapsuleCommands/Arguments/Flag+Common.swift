extension Flag {
    /// How many things may be worked on at once: what `--jobs` and CAPSULE_JOBS accept.
    static let jobsRange = 1...256

    /// The flags that every verb has; they may stand before the verb too.
    static let common: [Flag] = [
        Flag(
            .color, "color", value: Value("WHEN", .words(ColorChoice.self)), in: .common,
            summary: "use color: auto (the default), always or never",
            details: """
                Color the output: `auto`, `always` or `never`. The default, `auto`, uses color on a terminal unless the \
                environment sets NO_COLOR.
                """),
        Flag(
            .help, "help", "h", in: .common,
            summary: "print short help; --help prints full help",
            details: "Print help. `-h` is short, `--help` is complete."),
        Flag(
            .jobs, "jobs", "j", value: Value("N", .integer(jobsRange)), in: .common,
            summary: "run N jobs in parallel (default: one per core)",
            details: """
                Run *N* jobs in parallel, from 1 to 256. The default is CAPSULE_JOBS, else the number of cores. The \
                result is the same for every *N*, byte for byte.
                """),
        Flag(
            .json, "json", in: .common,
            summary: "report as JSON, one object per line",
            details: """
                Report on standard output as JSON, one object per line, instead of text. An error is the last \
                line, and a message on standard error, too. It has no effect on the output of `cat`, `generate` and `help`.
                """),
        Flag(
            .quiet, "quiet", "q", otherWords: ["--brief", "--silent"], in: .common,
            summary: "hide progress, notes and summaries",
            details: """
                Hide progress, notes and summaries, and the changes that `diff` finds: its exit status says whether there are \
                any. Warnings, errors, hints, conflicts, failed expectations and the output of `--json` are still printed.
                """
        ),
        Flag(
            .verbose, "verbose", "v", in: .common,
            summary: "print details of what pack does",
            details: """
                Print details on standard error: the kind of container that `pack` detected, and each entry that it left \
                out. It has no effect on other verbs.
                """),
    ]

    /// The flags of `capsule` itself.
    static let program: [Flag] =
        [
            Flag(
                .version, "version", "V", in: .program,
                summary: "print the version of this program",
                details: "Print the version of this program.")
        ] + common
}
