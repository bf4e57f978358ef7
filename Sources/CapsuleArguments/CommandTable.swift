import CapsuleCore

/// The command line as data: `capsule` itself and its verbs. The parser, help, man pages and completions are all made from it.
package struct CommandTable: Sendable {
    /// A verb and its definition, which is made when it is first needed: a call needs only its own.
    struct Verb: Sendable {
        let name: String
        private let make: @Sendable () -> CommandDefinition

        init(_ name: String, _ definition: @escaping @Sendable @autoclosure () -> CommandDefinition) {
            self.name = name
            make = definition
        }

        var definition: CommandDefinition { make() }
    }

    /// Verbs that help lists under one heading.
    struct VerbGroup: Sendable {
        let title: String
        fileprivate let table: [Verb]

        init(_ title: String, _ table: [Verb]) {
            self.title = title
            self.table = table
        }

        var verbs: [CommandDefinition] { table.map(\.definition) }
    }

    /// `capsule` without a verb.
    package let program: CommandDefinition
    let groups: [VerbGroup]

    package var verbs: [CommandDefinition] { groups.flatMap(\.verbs) }

    package static let capsule = CommandTable(
        program: .program,
        groups: [
            VerbGroup(
                "Every day",
                [
                    Verb("pack", .pack), Verb("restore", .restore), Verb("diff", .diff), Verb("unpack", .unpack),
                    Verb("locate", .locate),
                ]),
            VerbGroup(
                "Look",
                [
                    Verb("show", .show), Verb("info", .info), Verb("ls", .ls), Verb("du", .du), Verb("cat", .cat),
                    Verb("grep", .grep),
                    Verb("log", .log), Verb("redact", .redact),
                ]),
            VerbGroup(
                "Change",
                [
                    Verb("apply", .apply), Verb("undo", .undo), Verb("drop", .drop), Verb("merge", .merge),
                    Verb("overlay", .overlay),
                    Verb("plist", .plist),
                ]),
            VerbGroup(
                "Project and team",
                [
                    Verb("init", .`init`), Verb("run", .run), Verb("watch", .watch), Verb("serve", .serve), Verb("push", .push),
                    Verb("pull", .pull),
                    Verb("tags", .tags),
                ]),
            VerbGroup(
                "Check and repair",
                [
                    Verb("verify", .verify), Verb("sign", .sign), Verb("recover", .recover), Verb("repair", .repair),
                    Verb("compact", .compact),
                    Verb("label", .label),
                ]),
            VerbGroup("Set up", [Verb("git", .git), Verb("generate", .generate), Verb("help", .help)]),
        ])

    package func verb(named name: some Sequence<UInt8>) -> CommandDefinition? {
        groups.lazy.flatMap(\.table).first { $0.name.utf8.elementsEqual(name) }?.definition
    }

    var verbNames: [String] { groups.flatMap { $0.table.map(\.name) } }

    /// The program and its verbs: everything with a man page.
    var all: [CommandDefinition] { [program] + verbs }

    /// Returns the verbs most similar to a misspelled one, nearest first. If other tools use the word for certain verbs, only these are
    /// returned.
    func suggestions(for verb: [UInt8]) -> [String] {
        let typed = QuotedBytes(verb).text
        var known = verbs.filter { $0.otherWords.contains(typed) }.compactMap(\.verb)
        if known.isEmpty {
            // The word of a form without its verb: `status` for `git status`.
            known = verbs.flatMap { command in
                command.forms.filter { $0.word == typed }.map { "\(command.verb ?? "") \($0.word ?? "")" }
            }
        }
        return known.isEmpty ? Suggestions(for: typed, among: verbNames).words : Array(known.prefix(3))
    }

    /// Returns the hint for a word that is not a verb: what does today what other tools use it for; nil for any other word.
    static func advice(on typed: String) -> String? {
        switch typed {
        case "query":
            "'capsule show CONTAINER PATH:TABLE' shows the rows of a table; 'capsule unpack CONTAINER PATH -C DIR' extracts a database with its logs, which sqlite3 opens"
        case "rm": "'capsule compact FILE --drop VERSION' removes a version, 'capsule drop TARGET caches' what an app makes again"
        case "encrypt": "'capsule pack CONTAINER -o NAME.capsule.age --recipient KEY' encrypts a capsule with age"
        case "save": "'capsule pack CONTAINER' saves it in a capsule; in a project, 'capsule pack app: --label NAME' the app"
        case "reset": "'capsule restore CAPSULE TARGET' resets TARGET; in a project, 'capsule restore @VERSION app:' the app"
        case "changes": "'capsule diff A B' shows them; in a project, 'capsule diff @VERSION app:' those of the app"
        case "states": "'capsule log FILE' lists the versions of a capsule; in a project, 'capsule log @' those of its own"
        case "backup": "'capsule pack CONTAINER' saves it in a new capsule"
        case "import": "'capsule restore CONTAINER TARGET' loads a container, 'capsule pack CONTAINER' makes a capsule of one"
        default: nil
        }
    }
}

/// A verb, or `capsule` itself, as data: its syntax and all of its help. Texts other than summaries are marked text (see
/// ``MarkedText``).
package struct CommandDefinition: Sendable {
    /// An example call for help. A test parses each one.
    struct Example: Sendable {
        /// The effect of the call: begins with a capital letter, ends in a colon.
        let meaning: String
        let command: String
    }

    /// The meaning of an exit status or an environment variable.
    struct Meaning: Sendable {
        let term: String
        let text: String

        init(_ term: String, _ text: String) {
            self.term = term
            self.text = text
        }
    }

    /// The word after `capsule`; nil for `capsule` itself.
    package private(set) var verb: String?
    /// The effect in one line: lower case, no period.
    package private(set) var summary: String
    /// Words that users of other tools try for this verb: `extract` for `unpack`.
    let otherWords: [String]
    package private(set) var forms: [CommandForm]
    /// All its flags, including the common ones: by group, and by name within a group.
    package private(set) var flags: [FlagDefinition]
    /// All constraints between its flags, including those of the common ones.
    let constraints: [Constraint]
    let description: [String]
    let explainsContainers: Bool
    private(set) var examples: [Example]
    let statuses: [Meaning]
    /// The variables, in alphabetical order.
    let environment: [Meaning]
    /// Verbs with related pages; none for `capsule` itself, whose page lists them all.
    private(set) var related: [String]

    /// - Parameters:
    ///   - flags: those that not every verb has, in any order.
    ///   - constraints: those between these flags.
    init(
        verb: String?, summary: String, otherWords: [String] = [], forms: [CommandForm], flags: [FlagDefinition] = [],
        constraints: [Constraint] = [], description: [String], explainsContainers: Bool = false, examples: [Example],
        statuses: [Meaning], environment: [Meaning], related: [String]
    ) {
        self.verb = verb
        self.summary = summary
        self.otherWords = otherWords
        self.forms = forms
        self.flags = (flags + FlagDefinition.common).sorted { ($0.group.place, $0.name) < ($1.group.place, $1.name) }
        self.constraints = constraints + Constraint.common
        self.description = description
        self.explainsContainers = explainsContainers
        self.examples = examples
        self.statuses = statuses
        self.environment = environment.sorted { $0.term < $1.term }
        self.related = related
    }

    /// The invocation: `capsule pack`.
    var invocation: String { verb.map { "capsule " + $0 } ?? "capsule" }

    /// The name of its man page: `capsule-pack`.
    var pageName: String { verb.map { "capsule-" + $0 } ?? "capsule" }
    package func flag(_ id: ArgumentID) -> FlagDefinition? { flags.first { $0.id == id } }

    /// The flags except those that every verb has.
    package var ownFlags: [FlagDefinition] { flags.filter { $0.group != .common } }

    /// The flags that its pages list, by group, in the order of the headings. Groups without flags are left out. Flags that every verb has
    /// are listed only on the program's pages.
    var listedGroups: [(group: FlagDefinition.Group, flags: [FlagDefinition])] {
        FlagDefinition.Group.allCases.compactMap { group in
            let members = flags.filter { $0.group == group && (group != .common || verb == nil) }
            return members.isEmpty ? nil : (group, members)
        }
    }

    /// Returns a definition for the help of one form: its syntax with its own flags and examples. Everything else is the same as for the
    /// verb.
    func narrowed(to form: CommandForm) -> CommandDefinition {
        guard let verb, let word = form.word else { return self }
        let name = "\(verb) \(word)"
        var command = self
        command.verb = name
        command.summary = form.summary
        command.forms = [form.only]
        command.flags = flags.filter(form.takes)
        command.examples = examples.filter { $0.command.contains("capsule \(name)") }
        command.related = [verb] + related
        return command
    }
}

/// One form of a verb: `capsule generate` has two, `man` and `completions`. Most verbs have one, without a word.
package struct CommandForm: Sendable {
    /// The command to run. `help` is never run: the parser returns a ``HelpRequest`` instead.
    package enum ID: Sendable, Hashable, CaseIterable {
        case pack, show, grep, redact, info, ls, du, cat, unpack, verify, sign, log, label, repair, compact, diff, apply, undo,
            drop,
            restore,
            recover,
            merge
        case overlayCheck, overlayShow, overlayCompose, overlayInvert, overlayIdentities
        case plistLint, plistGet, plistSet, plistAdd, plistAppend, plistRemove, plistConvert, plistPrint
        case gitInstall, gitUninstall, gitStatus, gitTextconv, gitMergeDriver
        case push, pull, tags
        case `init`, run, watch, serve, locate, generateMan, generateCompletions, help

        /// True if it writes something that no argument of the call names: a file with a default name, or git's settings.
        package var writesUnasked: Bool {
            switch self {
            case .pack, .unpack, .sign, .`init`, .run, .gitInstall, .gitUninstall, .pull: true
            case .push, .tags, .watch, .serve, .show, .grep, .redact, .info, .ls, .du, .cat, .verify, .log, .label, .repair,
                .compact,
                .diff,
                .apply,
                .undo,
                .drop,
                .restore,
                .recover,
                .merge,
                .overlayCheck, .overlayShow, .overlayCompose, .overlayInvert, .overlayIdentities, .plistLint, .plistGet,
                .plistSet, .plistAdd, .plistAppend, .plistRemove, .plistConvert, .plistPrint, .gitStatus, .gitTextconv,
                .gitMergeDriver, .locate, .generateMan,
                .generateCompletions, .help:
                false
            }
        }

        /// True if it writes data to standard output. `--json` does not change such data.
        package var printsData: Bool {
            switch self {
            case .cat, .generateMan, .generateCompletions, .gitTextconv, .gitMergeDriver, .help: true
            default: false
            }
        }

        /// True if it works only with property lists, in memory.
        package var isPlistOnly: Bool {
            switch self {
            case .overlayCheck, .overlayShow, .overlayIdentities, .plistLint, .plistGet, .plistSet, .plistAdd, .plistAppend,
                .plistRemove, .plistConvert, .plistPrint:
                true
            case .push, .pull, .tags, .pack, .show, .grep, .redact, .info, .ls, .du, .cat, .unpack, .verify, .sign, .log, .label,
                .repair,
                .compact,
                .diff,
                .apply,
                .undo, .drop,
                .restore,
                .recover, .`init`, .run, .watch, .serve, .merge, .overlayCompose, .overlayInvert, .gitInstall, .gitUninstall,
                .gitStatus,
                .gitTextconv,
                .gitMergeDriver,
                .locate, .generateMan, .generateCompletions, .help:
                false
            }
        }
    }

    package let id: ID
    /// The word after the verb that selects this form; nil if the verb has only one form.
    package private(set) var word: String?
    /// Words of other tools that select it as well.
    let aliases: [String]
    /// Words that users of other tools try for this form, but that don't select it: `insert` for `add`.
    let otherWords: [String]
    /// The effect of this form in one line; empty if the verb has only one.
    package let summary: String
    package private(set) var positionals: [PositionalDefinition] = []
    /// The flags of the verb that this form takes, without those of every verb; nil for all.
    let flags: Set<ArgumentID>?

    init<each Value>(
        _ id: ID, word: String? = nil, aliases: [String] = [], otherWords: [String] = [], summary: String = "",
        _ positionals: repeat Positional<each Value>, flags: [FlagDefinition]? = nil
    ) {
        self.id = id
        self.word = word
        self.aliases = aliases
        self.otherWords = otherWords
        self.summary = summary
        self.flags = flags.map { Set($0.map(\.id)) }
        repeat self.positionals.append((each positionals).definition)
    }

    /// The form without its word, as the only form of a verb.
    fileprivate var only: CommandForm {
        var form = self
        form.word = nil
        return form
    }

    func isPicked(by typed: [UInt8]) -> Bool {
        ([word].compactMap { $0 } + aliases).contains { $0.utf8.elementsEqual(typed) }
    }

    func takes(_ flag: FlagDefinition) -> Bool { flag.group == .common || flags?.contains(flag.id) ?? true }
}

/// A constraint between the flags of one call, as data. The parser checks it when all arguments are parsed.
package enum Constraint: Sendable {
    /// A flag in a call: with any value, or with one of `values`.
    package struct Use: Sendable {
        let flag: ArgumentID
        var values: [String] = []

        init(_ flag: ArgumentID) { self.flag = flag }

        init<Value>(_ flag: Flag<Value>, _ values: [String] = []) {
            self.flag = flag.id
            self.values = values
        }
    }

    /// The two can't be used together. `reason`, if any, is a hint for the user.
    case conflict(Use, Use, reason: String?)
    /// The second is allowed only with the first.
    case requirement(Use, of: Use, reason: String?)
    /// The last is allowed only with at least one of the others.
    case requirementOfAny([Use], of: Use, reason: String?)
    /// The number of `flag` must be in `range` unless `exception` is used; `condition` describes when that is, as in `with gzip`.
    case limit(Use, ClosedRange<Int>, unless: Use, condition: String, reason: String?)

    /// A form needs exactly one of the flags.
    case choice([Use], for: CommandForm.ID, reason: String?)

    static let common = [Constraint.conflict(Use(.quiet), Use(.verbose), reason: nil)]

    /// The constraints of the flags that encrypt the output.
    static let ofRecipients = [
        Constraint.conflict(
            Use(.output, ["-"]), Use(.recipients), reason: "the result is a file; 'age' encrypts standard input"),
        Constraint.conflict(
            Use(.output, ["-"]), Use(.recipientsFile), reason: "the result is a file; 'age' encrypts standard input"),
    ]
}

// Texts that several verbs share.

extension CommandDefinition.Meaning {
    /// `done` is the meaning of status 0.
    static func statuses(done: String, failed: String = "Failure; a message on standard error says why.") -> [Self] {
        [Self("0", done), Self("2", failed)] + always
    }

    /// The statuses that have the same meaning for all verbs.
    static let always = [
        Self("64", "Usage error: an unknown verb or flag, an invalid value, or a missing argument."),
        Self("130", "Interrupted by `^C`. Any other signal gives 128 plus its number. No partial file is left."),
    ]

    static let commonEnvironment = [
        Self("CAPSULE_IDENTITY", "The file with the age or SSH key for encrypted containers if `--identity` is not given."),
        Self("CAPSULE_JOBS", "The number of parallel jobs if `--jobs` is not given."),
        Self("NO_COLOR", "If set and not empty, `--color auto` means never."),
        Self(
            "TMPDIR",
            """
            The directory for private temporary files: archives, standard input and output, and copies of databases. They are \
            deleted at the end. If other users can rename files in this directory, copies of databases go to `/tmp`.
            """),
        Self(
            "XCODE_VERSION_ACTUAL",
            "Set by Xcode in build phases. Messages then begin with `error:`, `warning:` or `note:`, and Xcode shows them."),
    ]

    static let sourceDateEpoch = Self(
        "SOURCE_DATE_EPOCH",
        """
        Seconds since 1970. Recorded instead of the current time. With it, the same input and the same flags always give the \
        same bytes.
        """)

    /// - Parameter report: what is added, the beginning of a sentence.
    static func stepSummary(_ report: String) -> Self {
        Self(
            "GITHUB_STEP_SUMMARY",
            "\(report) is also appended to this file, as long as it has at most 1 MiB, which is GitHub's limit.")
    }

    static let pager = Self(
        "PAGER",
        "The pager for long reports on a terminal. The default is `less`. Set it to the empty string or `cat` for no pager.")

    static let cacheHome = Self(
        "XDG_CACHE_HOME",
        "The digest cache is in `$XDG_CACHE_HOME/capsule`, or in `~/.cache/capsule` if the variable is not an absolute path.")
}

/// An argument that is identified by its position, declared once. A command reads it as `command[.container]`.
package struct Positional<Value: Sendable>: Sendable {
    private(set) var definition: PositionalDefinition
    let read: @Sendable ([ArgumentValue]) -> Value

    package var id: ArgumentID { definition.id }

    init(_ name: String, _ type: ArgumentType<Value>) {
        definition = PositionalDefinition(id: ArgumentID(name, Value.self), name: name, arity: .one, form: type.form)
        read = { values in
            guard let value = values.last else { preconditionFailure("the parser assigned no argument to \(name)") }
            return type.value(value)
        }
    }

    init<Element>(optional name: String, _ type: ArgumentType<Element>) where Value == Element? {
        definition = PositionalDefinition(id: ArgumentID(name, Value.self), name: name, arity: .optional, form: type.form)
        read = { $0.last.map(type.value) }
    }

    init<Element>(_ name: String, _ type: ArgumentType<Element>, _ arity: PositionalDefinition.Arity) where Value == [Element] {
        definition = PositionalDefinition(id: ArgumentID(name, Value.self), name: name, arity: arity, form: type.form)
        read = { $0.map(type.value) }
    }

    func single(_ name: String? = nil) -> Self {
        var positional = self
        positional.definition.name = name ?? definition.name
        positional.definition.arity = .one
        return positional
    }

    func named(_ name: String) -> Self {
        var positional = self
        positional.definition.name = name
        return positional
    }

    func taking(_ type: ArgumentType<Value>) -> Self {
        var positional = self
        positional.definition.form = type.form
        return positional
    }
}

/// A positional without the type of its value, for tables of forms.
package struct PositionalDefinition: Sendable {
    /// The number of arguments that a positional takes. `optional` and `any` come last, in that order. If a form has a `some`, its other
    /// positionals are `one`.
    package enum Arity: Sendable, Hashable {
        case one
        case optional
        /// Zero or more.
        case any
        /// One or more: all except those that the following positionals need.
        case some
        /// All arguments after `--`, one or more: a program with its arguments. It comes last, and no other positional takes them.
        case program
        /// The same, or none.
        case optionalProgram

        package var isProgram: Bool { self == .program || self == .optionalProgram }
    }

    package let id: ArgumentID
    /// The name in help: `CONTAINER`, or the words themselves.
    package var name: String
    package var arity: Arity
    package var form: ValueForm

    /// `CONTAINER`, `[DIR]`, `[PATH]...`, `OVERLAY...`, `-- COMMAND...`
    var synopsis: String {
        switch arity {
        case .one: name
        case .optional: "[\(name)]"
        case .any: "[\(name)]..."
        case .some: "\(name)..."
        case .program: "-- \(name)..."
        case .optionalProgram: "[-- \(name)...]"
        }
    }
}

// The positionals of several verbs; those of one verb are declared beside it.

extension Positional<[UInt8]> {
    package static var container: Self { Self("CONTAINER", .container(.input)) }
    /// The capsule of `verify`, `log`, `repair` and `compact`, the overlay of `overlay`, the file of `git textconv`.
    package static var file: Self { Self("FILE", .file(.input)) }
    package static var target: Self { Self("TARGET", .file(.target)) }
}

extension Positional<[[UInt8]]> {
    package static var paths: Self { Self("PATH", .path, .any) }
    /// The overlays of `apply` and `overlay compose`; the undo file of `undo`.
    package static var overlays: Self { Self("OVERLAY", .file(.input), .some) }
}
