import CapsuleContainers

/// A flag, declared once: everything that the parser, the help, the man pages, the completions and the commands need. A command
/// reads it as `command[.force]`. A flag of one verb, or of verbs that have it from another one, is declared beside that verb, in
/// `Verbs`; the others are in this file.
package struct Flag<Value: Sendable>: Sendable {
    private(set) var definition: FlagDefinition
    /// Returns the flag's value from those that the parser accepted in a call, in the order given: none if the flag was not given.
    let read: @Sendable ([ArgumentValue]) -> Value

    package var id: ArgumentID { definition.id }

    /// Returns the flag with another heading, use of its file, or texts, for a verb where those differ.
    func worded(
        _ value: String? = nil, used use: FileUse? = nil, in group: FlagDefinition.Group? = nil, summary: String? = nil,
        details: String? = nil
    ) -> Self {
        var flag = self
        if let value { flag.definition.value?.name = value }
        if let use { flag.definition.value?.form.use = use }
        flag.definition.group = group ?? definition.group
        flag.definition.summary = summary ?? definition.summary
        flag.definition.details = details ?? definition.details
        return flag
    }

    /// Returns the flag with the words, with one dash, that `defaults write` has for it.
    func inDefaults(_ words: String...) -> Self {
        var flag = self
        flag.definition.defaultsWords = words
        return flag
    }
}

extension Flag<Bool> {
    init(
        _ name: String, _ letter: Character? = nil, aliases: [String] = [], otherWords: [String] = [],
        in group: FlagDefinition.Group, summary: String, details: String
    ) {
        definition = FlagDefinition(
            id: ArgumentID("--" + name, Value.self), name: name, aliases: aliases, otherWords: otherWords, letter: letter,
            group: group, summary: summary, details: details)
        read = { !$0.isEmpty }
    }
}

extension Flag {
    /// A flag with a value, nil if it is not given. If it is given twice, the last value counts, as users of GNU tools expect: an alias or
    /// a script may set a flag, and its caller may set it again.
    init<Element>(
        _ name: String, _ letter: Character? = nil, value: String, _ type: ArgumentType<Element>, expectation: String? = nil,
        in group: FlagDefinition.Group, summary: String, details: String
    ) where Value == Element? {
        definition = FlagDefinition(
            id: ArgumentID("--" + name, Value.self), name: name, letter: letter, group: group,
            value: FlagDefinition.Value(value, type.form, expectation: expectation), summary: summary, details: details)
        read = { $0.last.map(type.value) }
    }

    /// A flag with a value, and a default if it is not given. The last value counts.
    init(
        _ name: String, value: String, _ type: ArgumentType<Value>, default standard: Value, in group: FlagDefinition.Group,
        summary: String, details: String
    ) {
        definition = FlagDefinition(
            id: ArgumentID("--" + name, Value.self), name: name, group: group, value: FlagDefinition.Value(value, type.form),
            summary: summary, details: details)
        read = { $0.last.map(type.value) ?? standard }
    }

    /// A flag that can be repeated: each occurrence adds a value.
    init<Element>(
        _ name: String, values: String, _ type: ArgumentType<Element>, in group: FlagDefinition.Group, summary: String,
        details: String
    ) where Value == [Element] {
        definition = FlagDefinition(
            id: ArgumentID("--" + name, Value.self), name: name, group: group,
            value: FlagDefinition.Value(values, type.form, isRepeatable: true), summary: summary, details: details)
        read = { $0.map(type.value) }
    }
}

/// The identity of a flag or a positional, whatever a verb's texts for it are. Values are looked up by it. A verb has at most one
/// flag of a name. Flags of different verbs that have a name in common are the same flag if their values have the same type.
package struct ArgumentID: Sendable, Hashable {
    /// `--force`, `CONTAINER`
    package let name: String
    private let type: ObjectIdentifier

    init<Value>(_ name: String, _ type: Value.Type) {
        self.name = name
        self.type = ObjectIdentifier(type)
    }
}

/// A flag of a verb without the type of its value, for tables of flags.
package struct FlagDefinition: Sendable {
    /// A heading in the help. The order of the cases is the order in which headings are printed.
    enum Group: String, Sendable, CaseIterable {
        case program = "Program"
        case input = "Input"
        case noise = "Noise"
        case expectation = "Expectations"
        case conflict = "Conflicts"
        case output = "Output"
        case version = "Version"
        case appending = "Appending"
        case overlay = "Overlays"
        case value = "New value"
        case common = "Every verb"

        var place: Int { Self.allCases.firstIndex(of: self) ?? Self.allCases.count }
    }

    package struct Value: Sendable {
        /// The name of the value in help: `FILE`, or the words themselves, `gzip|zstd`.
        var name: String
        package var form: ValueForm
        /// True if each occurrence adds a value. If not, the last one wins.
        package let isRepeatable: Bool
        /// The values that are allowed, for messages. It can say more than the form, for example if they depend on another flag.
        let expectation: String

        init(_ name: String, _ form: ValueForm, isRepeatable: Bool = false, expectation: String? = nil) {
            self.name = name
            self.form = form
            self.isRepeatable = isRepeatable
            self.expectation = expectation ?? form.expectation
        }
    }

    package let id: ArgumentID
    /// The long name, without its dashes.
    let name: String
    /// Other names that the parser accepts, without their dashes: earlier names of the flag.
    var aliases: [String] = []
    /// Spellings that users of other tools try for this flag, with their dashes: `--brief` for `--quiet`.
    var otherWords: [String] = []
    /// Spellings with one dash that the parser accepts, those of `defaults write`.
    var defaultsWords: [String] = []
    var letter: Character?
    var group: Group
    package var value: Value?
    /// One line for `-h`: lower case, no period, plain text.
    package var summary: String
    /// Sentences for `--help` and the man page, in marked text (see ``MarkedText``).
    var details: String

    package static func list<each Value>(_ flags: repeat Flag<each Value>) -> [FlagDefinition] {
        var definitions: [FlagDefinition] = []
        repeat definitions.append((each flags).definition)
        return definitions
    }

    /// `--output`: the spelling in messages, whichever one was typed.
    package var longSpelling: String { "--" + name }

    /// The long spelling, then those of the aliases.
    package var longSpellings: [String] { [longSpelling] + aliases.map { "--" + $0 } }

    /// `-o`
    package var shortSpelling: String? { letter.map { "-" + String($0) } }

    /// The spellings: short first, then long.
    package var spellings: [String] { (shortSpelling.map { [$0] } ?? []) + [longSpelling] }
}

// The flags that several verbs have, with the texts of most of them. A verb says what differs with `worded`.

extension FlagDefinition {
    /// The flags that every verb has. They may also precede the verb.
    package static let common = list(.color, .help, .jobs, .json, .quiet, .verbose)
}

extension Flag<ColorChoice> {
    package static var color: Self {
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
    package static var jobsRange: ClosedRange<Int> { 1...256 }

    package static var jobs: Self {
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
    package static var help: Self {
        Self(
            "help", "h", in: .common,
            summary: "print short help; --help prints full help",
            details: "Print help. `-h` is short, `--help` is complete.")
    }

    package static var json: Self {
        Self(
            "json", in: .common,
            summary: "report as JSON, one object per line",
            details: """
                Report on standard output as JSON, one object per line, instead of text. An error is the last \
                line, and a message on standard error, too. It has no effect on the output of `cat`, `generate` and `help`.
                """)
    }

    package static var quiet: Self {
        Self(
            "quiet", "q", otherWords: ["--brief", "--silent"], in: .common,
            summary: "hide progress, notes and summaries",
            details: """
                Hide progress, notes and summaries, and the changes that `diff` finds: its exit status says whether there are \
                any. Warnings, errors, hints, conflicts, failed expectations and the output of `--json` are still printed.
                """)
    }

    package static var verbose: Self {
        Self(
            "verbose", "v", in: .common,
            summary: "print details of what pack does",
            details: """
                Print details on standard error: the kind of container that `pack` detected, and each entry that it left \
                out. It has no effect on other verbs, but `capsule --version -v` prints the versions of the libraries.
                """)
    }
}

// Reading containers

extension Flag<[UInt8]?> {
    package static var identity: Self {
        Self(
            "identity", value: "FILE", .file(.input), in: .input,
            summary: "decrypt a container with the key in FILE",
            details: """
                Decrypt a container that the program `age` encrypted (`.age`) with the age or SSH key in *FILE*. Without this \
                flag, the variable CAPSULE_IDENTITY names the file.
                """)
    }

    package static var recipientsFile: Self {
        Self(
            "recipients-file", "R", value: "FILE", .file(.input), in: .output,
            summary: "encrypt for each public key in FILE",
            details: "Encrypt the result for each public key in *FILE*, one on a line, as with `--recipient`.")
    }
}

extension Flag<[String]> {
    package static var recipients: Self {
        Self(
            "recipient", values: "KEY", .text, in: .output,
            summary: "encrypt for the owner of a public key (repeatable)",
            details: """
                Encrypt the result with the program `age`, for the owner of the public key *KEY* of age or SSH. The name of the \
                result then ends in `.age`, and plain bytes are not written to a disk. Repeatable.
                """)
    }
}

extension Flag<Bool> {
    package static var differentApp: Self {
        Self(
            "different-app", in: .input,
            summary: "allow an overlay made from a different app",
            details: "Allow an overlay made from the container of an app with a different bundle identifier.")
    }

    package static var checkpointWAL: Self {
        Self(
            "checkpoint-wal", aliases: ["fold-wal"], in: .input,
            summary: "pack each database as one file",
            details: """
                Pack each SQLite database as one file, without its WAL and its journal, as if the app had closed it. \
                Capsule does this in a private copy; the container is not changed. A damaged or encrypted database \
                is packed with its logs, and a warning says so; with `--strict` it is an error.
                """)
    }

    package static var noCache: Self {
        Self(
            "no-cache", in: .input,
            summary: "ignore the digest cache",
            details: """
                Read every file. Without this flag, Capsule remembers the digests of files, and does not read a file \
                again if its size and times are the same. Use this flag for apps that write through mapped memory \
                (Realm, MMKV), because the times of such files can be wrong.
                """)
    }

    package static var strict: Self {
        Self(
            "strict", in: .input,
            summary: "fail if an entry can't be stored",
            details: """
                Fail if the container has a socket, a pipe, a device or anything else that can't be stored.
                """)
    }

    package static var strictPatterns: Self {
        Self(
            "strict-patterns", in: .input, summary: "fail if a pattern matches nothing",
            details: "Fail, and write nothing, if an `--exclude` pattern matches nothing.")
    }
}

extension Flag<[NamedValue]> {
    package static var groups: Self {
        Self(
            "group", values: "ID=DIR", .namedDirectory(.input), in: .input,
            summary: "also pack app group ID from DIR (repeatable)",
            details: """
                Also pack the directory *DIR*, as the app group *ID*. A bundle from Xcode contains no app groups. \
                Repeatable.
                """)
    }
}

extension Flag<Bool> {
    package static var noGroups: Self {
        Self(
            "no-groups", in: .input,
            summary: "take no app groups of an app on a simulator",
            details: """
                Leave out the app groups of an app on a simulator. Without this flag, `sim:`*BUNDLE-ID* includes all app groups of \
                the app that exist there.
                """)
    }

    package static var keychain: Self {
        Self(
            "keychain", in: .input,
            summary: "also the keychain of the whole device",
            details: """
                Also pack the keychain of the simulator that the app is on, with the logins of all its apps, and keep that of a \
                capsule. The capsule can be read only by its owner, and a warning says what it holds.
                """)
    }
}

extension Flag<String?> {
    package static var drop: Self {
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
    package static var arrays: Self {
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

extension Flag<Bool> {
    package static var force: Self {
        Self(
            "force", "f", in: .output,
            summary: "replace an existing FILE",
            details: details("Replace an existing *FILE*."))
    }

    /// Returns the flag for a verb that replaces other files: in a few words, and in a sentence or more.
    func replacing(summary: String, details: String) -> Self {
        worded(summary: summary, details: Self.details(details))
    }

    private static func details(_ replaced: String) -> String {
        """
        \(replaced) A capsule with several versions, a damaged one, a conflicts file of `capsule merge` that has been edited, a \
        file that can't be read, and a file that the command reads are never replaced.
        """
    }
}

extension Flag<[UInt8]?> {
    /// `-` is standard output.
    package static var output: Self {
        Self(
            "output", "o", value: "FILE", .file(.output(.file)), in: .output,
            summary: "write the result to FILE",
            details: "Write the result to *FILE*. For property lists `-` is standard output.")
    }
}

extension Flag<Double> {
    /// For verbs that write to a capsule in place. The longest wait is a day.
    package static var lockTimeout: Self {
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
    package static var full: Self {
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
    package static var app: Self {
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
    package static var applyOverlays: Self {
        Self(
            "overlays", in: .overlay,
            summary: "apply the overlays stored in the version",
            details: "Apply the overlays stored in the version, in order, to the restored property lists.")
    }

    package static var deep: Self {
        Self(
            "deep", in: .overlay,
            summary: "read a JSON object as a partial property list",
            details: """
                Read a JSON object as a partial property list. Without this flag, it is a JSON Merge Patch (RFC \
                7396).
                """)
    }
}
