import CapsuleCore

/// The command line as data: `capsule` itself and its verbs. Parser, help, man pages and completions all come from it.
struct CommandTable: Sendable {
    /// `capsule` without a verb.
    let program: CommandDefinition
    /// In the order in which help lists them.
    let verbs: [CommandDefinition]

    /// The table of this program.
    static let capsule = CommandTable(
        program: .program,
        verbs: [
            .pack, .info, .ls, .cat, .unpack, .verify, .log, .repair, .compact, .diff, .apply, .restore, .recover, .merge,
            .overlay,
            .plist, .locate, .git, .generate, .help,
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
        let known = verbs.filter { $0.otherWords.contains(typed) }.compactMap(\.verb)
        return known.isEmpty ? Suggestions(for: typed, among: verbNames).words : known
    }
}
