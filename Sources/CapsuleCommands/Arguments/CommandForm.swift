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
