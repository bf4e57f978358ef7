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
