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
