import CapsuleCore

/// The command line as data: `capsule` itself and its verbs. Parser, help, man pages and completions all come from it.
struct CommandTable: Sendable {
    /// Verbs that help lists under one heading.
    struct VerbGroup: Sendable {
        let title: String
        let verbs: [CommandDefinition]

        init(_ title: String, _ verbs: [CommandDefinition]) {
            self.title = title
            self.verbs = verbs
        }
    }

    /// `capsule` without a verb.
    let program: CommandDefinition
    /// In the order in which help lists them.
    let groups: [VerbGroup]
    /// The verbs of all groups, in that order.
    let verbs: [CommandDefinition]

    init(program: CommandDefinition, groups: [VerbGroup]) {
        self.program = program
        self.groups = groups
        verbs = groups.flatMap(\.verbs)
    }

    /// The table of this program.
    static let capsule = CommandTable(
        program: .program,
        groups: [
            VerbGroup("Every day", [.pack, .restore, .diff, .unpack, .locate]),
            VerbGroup("Look", [.info, .ls, .cat, .log]),
            VerbGroup("Change", [.apply, .undo, .drop, .merge, .overlay, .plist]),
            VerbGroup("Project", [.run]),
            VerbGroup("Check and repair", [.verify, .recover, .repair, .compact]),
            VerbGroup("Set up", [.git, .generate, .help]),
        ])

    /// The verb of that name.
    func verb(named name: some Sequence<UInt8>) -> CommandDefinition? {
        verbs.first { $0.verb?.utf8.elementsEqual(name) == true }
    }

    /// The names of all verbs, in order.
    var verbNames: [String] { verbs.compactMap(\.verb) }

    /// The program and its verbs: everything that has a page.
    var all: [CommandDefinition] { [program] + verbs }

    /// The verbs that stand nearest to a misspelt one, nearest first; a word that another tool uses for verbs means these.
    func suggestions(for verb: [UInt8]) -> [String] {
        let typed = QuotedBytes(verb).text
        var known = verbs.filter { $0.otherWords.contains(typed) }.compactMap(\.verb)
        if known.isEmpty {
            // A form without its verb: `status` for `git status`.
            known = verbs.flatMap { command in
                command.forms.filter { $0.word == typed }.map { "\(command.verb ?? "") \($0.word ?? "")" }
            }
        }
        return known.isEmpty ? Suggestions(for: typed, among: verbNames).words : Array(known.prefix(3))
    }
}

/// A verb, or `capsule` itself, as data: how it is called and all that help says about it.
///
/// Texts other than summaries are marked text (see ``MarkedText``).
struct CommandDefinition: Sendable {
    /// A call that works, shown in help; a test parses each with the parser itself.
    struct Example: Sendable {
        /// What it does: upper case, ends in a colon.
        let meaning: String
        /// As typed at a shell.
        let command: String
    }

    /// What a status or an environment variable means.
    struct Meaning: Sendable {
        let term: String
        let text: String

        init(_ term: String, _ text: String) {
            self.term = term
            self.text = text
        }
    }

    /// What is typed after `capsule`; nil for `capsule` itself.
    let verb: String?
    /// What it does, in one line: lower case, no period.
    let summary: String
    /// Words that users of other tools try for this verb: `extract` for `unpack`.
    let otherWords: [String]
    let forms: [CommandForm]
    /// All its flags, the common ones included, group by group, by name within a group.
    let flags: [Flag]
    let constraints: [Constraint]
    /// Paragraphs.
    let description: [String]
    /// Whether its page explains what a CONTAINER may be.
    let explainsContainers: Bool
    let examples: [Example]
    let statuses: [Meaning]
    let environment: [Meaning]
    /// Verbs whose pages tell more; none for `capsule` itself, whose page names them all.
    let related: [String]

    init(
        verb: String?, summary: String, otherWords: [String] = [], forms: [CommandForm], flags: [Flag],
        constraints: [Constraint] = [], description: [String], explainsContainers: Bool = false, examples: [Example],
        statuses: [Meaning], environment: [Meaning], related: [String]
    ) {
        self.verb = verb
        self.summary = summary
        self.otherWords = otherWords
        self.forms = forms
        self.flags = flags
        self.constraints = constraints
        self.description = description
        self.explainsContainers = explainsContainers
        self.examples = examples
        self.statuses = statuses
        self.environment = environment
        self.related = related
    }

    /// What is typed: `capsule pack`.
    var invocation: String { verb.map { "capsule " + $0 } ?? "capsule" }

    /// The name of its man page: `capsule-pack`.
    var pageName: String { verb.map { "capsule-" + $0 } ?? "capsule" }

    /// The flag with that identity.
    func flag(_ id: Flag.ID) -> Flag? { flags.first { $0.id == id } }

    /// The flags but for those that every verb has.
    var ownFlags: [Flag] { flags.filter { $0.group != .common } }

    /// The flags that its pages list, in their groups, in the order of the headings; groups without flags are left out. Flags
    /// that every verb has are on the program's pages alone.
    var listedGroups: [(group: Flag.Group, flags: [Flag])] {
        Flag.Group.allCases.compactMap { group in
            let members = flags.filter { $0.group == group && (group != .common || verb == nil) }
            return members.isEmpty ? nil : (group, members)
        }
    }
}

extension CommandDefinition {
    /// The help of one form: how it is called, with its own flags and examples. The rest is the verb's.
    func narrowed(to form: CommandForm) -> CommandDefinition {
        guard let verb, let word = form.word else { return self }
        let name = "\(verb) \(word)"
        return CommandDefinition(
            verb: name, summary: form.summary, forms: [CommandForm(form.id, form.positionals, flags: form.flags)],
            flags: flags.filter(form.takes), constraints: constraints, description: description,
            explainsContainers: explainsContainers,
            examples: examples.filter { $0.command.contains("capsule \(name)") }, statuses: statuses, environment: environment,
            related: [verb] + related)
    }
}

/// One way to call a verb: `capsule generate` has two, `man` and `completions`; most verbs have one without a word.
struct CommandForm: Sendable {
    /// What is to be run. `help` never is: the parser answers it with a ``HelpRequest``.
    enum ID: Sendable, Hashable, CaseIterable {
        case pack, info, ls, cat, unpack, verify, log, repair, compact, diff, apply, undo, drop, restore, recover, merge
        case overlayCheck, overlayShow, overlayCompose, overlayInvert, overlayIdentities
        case plistLint, plistGet, plistSet, plistAdd, plistAppend, plistRemove, plistConvert, plistPrint
        case gitInstall, gitUninstall, gitStatus, gitTextconv, gitMergeDriver
        case run, locate, generateMan, generateCompletions, help

        /// Whether it writes something that no argument of the call names: under a name of its own, or where git keeps its
        /// settings.
        var writesUnasked: Bool {
            switch self {
            case .pack, .unpack, .run, .gitInstall, .gitUninstall: true
            case .info, .ls, .cat, .verify, .log, .repair, .compact, .diff, .apply, .undo, .drop, .restore, .recover, .merge,
                .overlayCheck, .overlayShow, .overlayCompose, .overlayInvert, .overlayIdentities, .plistLint, .plistGet,
                .plistSet, .plistAdd, .plistAppend, .plistRemove, .plistConvert, .plistPrint, .gitStatus, .gitTextconv,
                .gitMergeDriver, .locate, .generateMan,
                .generateCompletions, .help:
                false
            }
        }

        /// Whether it writes data to standard output. `--json` does not change such data.
        var printsData: Bool {
            switch self {
            case .cat, .generateMan, .generateCompletions, .gitTextconv, .gitMergeDriver, .help: true
            default: false
            }
        }

        /// Whether it works on property lists alone, in memory.
        var isOfPropertyLists: Bool {
            switch self {
            case .overlayCheck, .overlayShow, .overlayIdentities, .plistLint, .plistGet, .plistSet, .plistAdd, .plistAppend,
                .plistRemove, .plistConvert, .plistPrint:
                true
            case .pack, .info, .ls, .cat, .unpack, .verify, .log, .repair, .compact, .diff, .apply, .undo, .drop, .restore,
                .recover, .run, .merge, .overlayCompose, .overlayInvert, .gitInstall, .gitUninstall, .gitStatus, .gitTextconv,
                .gitMergeDriver,
                .locate, .generateMan, .generateCompletions, .help:
                false
            }
        }
    }

    let id: ID
    /// The word after the verb that picks this form; nil if the verb has only one.
    let word: String?
    /// Words of other tools that pick it as well.
    let aliases: [String]
    /// Words that users of other tools try for this form, and that don't pick it: `insert` for `add`.
    let otherWords: [String]
    /// What this form does, in one line; empty if the verb has only one.
    let summary: String
    let positionals: [Positional]
    /// The flags of the verb that this form takes, but for those of every verb; nil for all.
    let flags: [Flag.ID]?

    init(
        _ id: ID, word: String? = nil, aliases: [String] = [], otherWords: [String] = [], summary: String = "",
        _ positionals: [Positional], flags: [Flag.ID]? = nil
    ) {
        self.id = id
        self.word = word
        self.aliases = aliases
        self.otherWords = otherWords
        self.summary = summary
        self.positionals = positionals
        self.flags = flags
    }

    /// Whether a word on the command line is its word or an alias of it.
    func isPicked(by typed: [UInt8]) -> Bool {
        ([word].compactMap { $0 } + aliases).contains { $0.utf8.elementsEqual(typed) }
    }

    /// Whether the form takes a flag of its verb.
    func takes(_ flag: Flag) -> Bool { flag.group == .common || flags?.contains(flag.id) ?? true }
}

/// What must hold between the flags of one call, as data; the parser checks it when all arguments are read.
enum Constraint: Sendable {
    /// A flag as a call uses it: with any value, or with one of `values`.
    struct Use: Sendable {
        let flag: Flag.ID
        let values: [String]

        init(_ flag: Flag.ID, _ values: [String] = []) {
            self.flag = flag
            self.values = values
        }
    }

    /// The two cannot stand together; `reason`, if any, tells a user why, as a hint.
    case conflict(Use, Use, reason: String?)
    /// The first is allowed only with the second.
    case requirement(Use, of: Use, reason: String?)
    /// The first is allowed only with one of the others.
    case requirementOfAny([Use], of: Use, reason: String?)
    /// The number of `flag` is held to `range` unless `exception` is used; `condition` says when that is, as in
    /// `with gzip`.
    case limit(Flag.ID, ClosedRange<Int>, unless: Use, condition: String, reason: String?)

    /// A form needs exactly one of the flags.
    case choice([Flag.ID], for: CommandForm.ID, reason: String?)

    /// What holds for the flags of every verb.
    static let common = [Constraint.conflict(Use(.quiet), Use(.verbose), reason: nil)]
}
