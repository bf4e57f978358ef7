/// One way to call a verb: `capsule generate` has two, `man` and `completions`; most verbs have one without a word.
struct CommandForm: Sendable {
    /// What is to be run. `help` never is: the parser answers it with a ``HelpRequest``.
    enum ID: Sendable, Hashable, CaseIterable {
        case pack, info, ls, cat, unpack, verify, apply, generateMan, generateCompletions, help
    }

    let id: ID
    /// The word after the verb that picks this form; nil if the verb has only one.
    let word: String?
    /// What this form does, in one line; empty if the verb has only one.
    let summary: String
    let positionals: [Positional]

    init(_ id: ID, word: String? = nil, summary: String = "", _ positionals: [Positional]) {
        self.id = id
        self.word = word
        self.summary = summary
        self.positionals = positionals
    }
}
