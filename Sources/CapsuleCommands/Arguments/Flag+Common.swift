extension Flag {
    /// How many things may be worked on at once: what `--jobs` and CAPSULE_JOBS accept.
    static let jobsRange = 1...256

    /// The flags that every verb has; they may stand before the verb too.
    static let common: [Flag] = [
        Flag(
            .color, "color", value: Value("WHEN", .words(ColorChoice.self)), in: .common,
            summary: "use color: auto (the default), always or never",
            details: """
                When to color what is printed: `auto`, `always` or `never`. The default, `auto`, does so on a terminal \
                unless NO_COLOR is set in the environment.
                """),
        Flag(
            .help, "help", "h", in: .common,
            summary: "print this short help; --help prints all of it",
            details: "`-h` prints a short help, `--help` all of it."),
        Flag(
            .jobs, "jobs", "j", value: Value("N", .integer(jobsRange)), in: .common,
            summary: "work on N things at once (default: one per core)",
            details: """
                Work on *N* things at once, from 1 to 256. The default is CAPSULE_JOBS, else the number of cores. The \
                result has the same bytes whatever *N* is.
                """),
        Flag(
            .json, "json", in: .common,
            summary: "report as JSON, one object a line",
            details: """
                Report on standard output as JSON, one object a line, instead of text. What `cat`, `generate`, \
                `help` and `plist print` print stays as it is.
                """),
        Flag(
            .quiet, "quiet", "q", in: .common,
            summary: "print no progress, notes or summaries",
            details: """
                Print no progress, notes or summaries, and none of the changes that `diff` finds: its status says whether \
                there are any. Warnings, errors and hints are still printed, and so are conflicts, what breaks an expectation, \
                and what `--json` reports.
                """
        ),
        Flag(
            .verbose, "verbose", "v", in: .common,
            summary: "say more about what is packed",
            details: """
                Say more, on standard error: what `pack` took the container for, and each entry that it left out. The other \
                verbs have no more to say.
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
