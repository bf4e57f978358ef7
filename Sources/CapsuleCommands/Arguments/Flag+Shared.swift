// The flags that several verbs have, with the texts of most of them. A verb says what differs with `worded`.

import CapsuleContainers

extension FlagDefinition {
    /// The flags that every verb has. They may also precede the verb.
    static let common = list(.color, .help, .jobs, .json, .quiet, .verbose)
}

extension Flag<ColorChoice> {
    static var color: Self {
        Self(
            "color", value: "WHEN", .words, default: .auto, in: .common,
            summary: "use color: auto (the default), always or never",
            details: """
                Color the output: `auto`, `always` or `never`. The default, `auto`, uses color on a terminal unless the \
                environment sets NO_COLOR.
                """)
    }
}

extension Flag<Int?> {
    /// The numbers of parallel jobs that `--jobs` and CAPSULE_JOBS accept.
    static var jobsRange: ClosedRange<Int> { 1...256 }

    static var jobs: Self {
        Self(
            "jobs", "j", value: "N", .integer(jobsRange), in: .common,
            summary: "run N jobs in parallel (default: one per core)",
            details: """
                Run *N* jobs in parallel, from 1 to 256. The default is CAPSULE_JOBS, else the number of cores. The \
                result is the same for every *N*, byte for byte.
                """)
    }
}

extension Flag<Bool> {
    static var help: Self {
        Self(
            "help", "h", in: .common,
            summary: "print short help; --help prints full help",
            details: "Print help. `-h` is short, `--help` is complete.")
    }

    static var json: Self {
        Self(
            "json", in: .common,
            summary: "report as JSON, one object per line",
            details: """
                Report on standard output as JSON, one object per line, instead of text. An error is the last \
                line, and a message on standard error, too. It has no effect on the output of `cat`, `generate` and `help`.
                """)
    }

    static var quiet: Self {
        Self(
            "quiet", "q", otherWords: ["--brief", "--silent"], in: .common,
            summary: "hide progress, notes and summaries",
            details: """
                Hide progress, notes and summaries, and the changes that `diff` finds: its exit status says whether there are \
                any. Warnings, errors, hints, conflicts, failed expectations and the output of `--json` are still printed.
                """)
    }

    static var verbose: Self {
        Self(
            "verbose", "v", in: .common,
            summary: "print details of what pack does",
            details: """
                Print details on standard error: the kind of container that `pack` detected, and each entry that it left \
                out. It has no effect on other verbs.
                """)
    }
}

// Reading containers

extension Flag<Bool> {
    /// For verbs that check whether two containers are of the same app.
    static var differentApp: Self {
        Self(
            "different-app", in: .input,
            summary: "allow an overlay made from a different app",
            details: "Allow an overlay made from the container of an app with a different bundle identifier.")
    }

    static var foldWAL: Self {
        Self(
            "checkpoint-wal", aliases: ["fold-wal"], in: .input,
            summary: "pack each database as one file",
            details: """
                Pack each SQLite database as one file, without its WAL and its journal, as if the app had closed it. \
                Capsule does this in a private copy; the container is not changed. A damaged or encrypted database \
                is packed with its logs, and a warning says so; with `--strict` it is an error.
                """)
    }

    /// For verbs that list a container.
    static var noCache: Self {
        Self(
            "no-cache", in: .input,
            summary: "ignore the digest cache",
            details: """
                Read every file. Without this flag, Capsule remembers the digests of files, and does not read a file \
                again if its size and times are the same. Use this flag for apps that write through mapped memory \
                (Realm, MMKV), because the times of such files can be wrong.
                """)
    }

    static var strict: Self {
        Self(
            "strict", in: .input,
            summary: "fail if an entry can't be stored",
            details: """
                Fail if the container has a socket, a pipe, a device or anything else that can't be stored.
                """)
    }

    /// For verbs that print a warning if a pattern matches nothing.
    static var strictPatterns: Self {
        Self(
            "strict-patterns", in: .input, summary: "fail if a pattern matches nothing",
            details: "Fail, and write nothing, if an `--exclude` pattern matches nothing.")
    }
}

extension Flag<[NamedValue]> {
    static var groups: Self {
        Self(
            "group", values: "ID=DIR", .namedDirectory(.input), in: .input,
            summary: "also pack app group ID from DIR (repeatable)",
            details: """
                Also pack the directory *DIR*, as the app group *ID*. A bundle from Xcode contains no app groups. \
                Repeatable.
                """)
    }
}

extension Flag<String?> {
    static var drop: Self {
        Self(
            "drop", value: "CLASSES", .noise, in: .input,
            summary: "leave out classes of noise, such as caches,tmp",
            details: """
                Leave out files that iOS or the app creates again. *CLASSES* is a comma-separated list of \
                `scene-sessions` (Library/Saved Application State), `splashboard` (Library/SplashBoard), `caches` \
                (Library/Caches), `system` (the system's files in SystemData) and `tmp`.
                """)
    }
}

extension Flag<[String]> {
    /// For verbs that match elements of arrays.
    static var arrays: Self {
        Self(
            "arrays", values: "PATTERN=IDENTITY", .text, in: .overlay,
            summary: "how to pair the elements of arrays (repeatable)",
            details: details("`ordered` (elements match by position) or `replace` (the overlay's array replaces the other)"))
    }

    /// Returns the flag with the identities that don't depend on values, and their effect for a verb.
    func pairing(in group: FlagDefinition.Group, _ sequences: String) -> Self {
        worded(in: group, details: Self.details(sequences))
    }

    private static func details(_ sequences: String) -> String {
        """
        Set how elements of an array are matched. *PATTERN* is a JSON Pointer, in which `*` is one key or index and \
        `**` any number. *IDENTITY* is `keyed(KEY)` (elements with the same value of *KEY* match), `set` (equal elements \
        match), \(sequences). `capsule help overlays` describes more forms. Repeatable.
        """
    }
}

// Writing files

extension Flag<Replacement> {
    /// For verbs that write a file or a directory under a name of its own.
    static var force: Self {
        Self(
            "force", "f", optional: "all", .words, in: .output,
            summary: "replace an existing FILE",
            details: details("Replace an existing *FILE*."))
    }

    /// Returns the flag for a verb that replaces other files: in a few words, and in a sentence or more.
    func replacing(summary: String, details: String) -> Self {
        worded(summary: summary, details: Self.details(details))
    }

    private static func details(_ replaced: String) -> String {
        """
        \(replaced) `--force=all` also replaces a capsule with several versions, and a conflicts file of `capsule merge` that has \
        been edited. A file that the command reads is never replaced.
        """
    }
}

extension Flag<[UInt8]?> {
    /// `-` is standard output.
    static var output: Self {
        Self(
            "output", "o", value: "FILE", .file(.output(.file)), in: .output,
            summary: "write the result to FILE",
            details: "Write the result to *FILE*. For property lists `-` is standard output.")
    }
}

extension Flag<Double> {
    /// For verbs that write to a capsule in place. The longest wait is a day.
    static var lockTimeout: Self {
        Self(
            "lock-timeout", value: "SECONDS", .seconds(atMost: 86_400), default: 10, in: .output,
            summary: "wait at most SECONDS for the lock (default: 10)",
            details: """
                Wait at most *SECONDS* while another command writes to the same capsule. The default is 10; 0 means \
                not to wait.
                """)
    }
}

extension Flag<Bool> {
    static var full: Self {
        Self(
            "full", in: .output,
            summary: "show values in full",
            details: """
                Show complete values. Without this flag, long values are shortened, and the output marks that.
                """)
    }
}

// Overlays

extension Flag<[UInt8]?> {
    static var app: Self {
        Self(
            "app", value: "DIR", .directory(.target), in: .overlay,
            summary: "with --overlays: change the app's property lists in DIR",
            details: """
                With `--overlays`: change the property lists of the app in *DIR*, such as its Info.plist, in place. Without this \
                flag, overlays for the app are skipped, with a warning.
                """)
    }
}

extension Flag<Bool> {
    static var applyOverlays: Self {
        Self(
            "overlays", in: .overlay,
            summary: "apply the overlays stored in the version",
            details: "Apply the overlays stored in the version, in order, to the restored property lists.")
    }

    static var deep: Self {
        Self(
            "deep", in: .overlay,
            summary: "read a JSON object as a partial property list",
            details: """
                Read a JSON object as a partial property list. Without this flag, it is a JSON Merge Patch (RFC \
                7396).
                """)
    }
}
