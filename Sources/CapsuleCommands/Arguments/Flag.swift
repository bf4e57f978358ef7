import CapsuleContainers

/// A flag, declared once: everything that the parser, the help, the man pages, the completions and the commands need. A command reads it
/// as `command[.force]`.
///
/// A flag of one verb, or of verbs that have it from another one, is declared beside that verb, in `Verbs`; the others are in
/// `Flag+Shared.swift`.
struct Flag<Value: Sendable>: Sendable {
    private(set) var definition: FlagDefinition
    /// Returns the flag's value from those that the parser accepted in a call, in the order given: none if the flag was not given.
    let read: @Sendable ([ArgumentValue]) -> Value

    var id: ArgumentID { definition.id }

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
}

extension Flag<Bool> {
    /// A switch.
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

extension Flag<Replacement> {
    /// A flag that can be used with or without a word.
    init(
        _ name: String, _ letter: Character, optional word: String, _ type: ArgumentType<ForceChoice>,
        in group: FlagDefinition.Group, summary: String, details: String
    ) {
        definition = FlagDefinition(
            id: ArgumentID("--" + name, Value.self), name: name, letter: letter, group: group,
            value: FlagDefinition.Value(word, type.form, isOptional: true), summary: summary, details: details)
        read = { values in
            switch values.last {
            case nil: .nothing
            case .on: .ordinary
            case let word?: type.value(word).replacement
            }
        }
    }
}

/// The identity of a flag or a positional, whatever a verb's texts for it are. Values are looked up by it.
///
/// A verb has at most one flag of a name. Flags of different verbs that have a name in common are the same flag if their values have the
/// same type.
struct ArgumentID: Sendable, Hashable {
    /// `--force`, `CONTAINER`
    let name: String
    private let type: ObjectIdentifier

    init<Value>(_ name: String, _ type: Value.Type) {
        self.name = name
        self.type = ObjectIdentifier(type)
    }
}

/// A flag of a verb without the type of its value, for tables of flags.
struct FlagDefinition: Sendable {
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

        /// The place of the heading in the help.
        var place: Int { Self.allCases.firstIndex(of: self) ?? Self.allCases.count }
    }

    /// The value of a flag.
    struct Value: Sendable {
        /// The name of the value in help: `FILE`, or the words themselves, `gzip|zstd`.
        var name: String
        var form: ValueForm
        /// True if each occurrence adds a value. If not, the last one wins.
        let isRepeatable: Bool
        /// True if the flag can be used without the value. The value follows `=` in the same word: `--force`, `--force=all`.
        let isOptional: Bool
        /// The values that are allowed, for messages. It can say more than the form, for example if they depend on another flag.
        let expectation: String

        init(
            _ name: String, _ form: ValueForm, isRepeatable: Bool = false, isOptional: Bool = false, expectation: String? = nil
        ) {
            self.name = name
            self.form = form
            self.isRepeatable = isRepeatable
            self.isOptional = isOptional
            self.expectation = expectation ?? form.expectation
        }
    }

    let id: ArgumentID
    /// The long name, without its dashes.
    let name: String
    /// Other names that the parser accepts, without their dashes: earlier names of the flag.
    var aliases: [String] = []
    /// Spellings that users of other tools try for this flag, with their dashes: `--brief` for `--quiet`.
    var otherWords: [String] = []
    /// The letter of the short form.
    var letter: Character?
    var group: Group
    /// The value that the flag takes; nil for a switch.
    var value: Value?
    /// One line for `-h`: lower case, no period, plain text.
    var summary: String
    /// Sentences for `--help` and the man page, in marked text (see ``MarkedText``).
    var details: String

    /// Returns the definitions of typed flags: the flags of a verb or a form, in any order.
    static func list<each Value>(_ flags: repeat Flag<each Value>) -> [FlagDefinition] {
        var definitions: [FlagDefinition] = []
        repeat definitions.append((each flags).definition)
        return definitions
    }

    /// True if the flag's value is the next word, or the rest of the word with its letter.
    var takesNextWord: Bool { value.map { !$0.isOptional } ?? false }

    /// `--output`: the spelling in messages, whichever one was typed.
    var longSpelling: String { "--" + name }

    /// The long spelling, then those of the aliases.
    var longSpellings: [String] { [longSpelling] + aliases.map { "--" + $0 } }

    /// `-o`
    var shortSpelling: String? { letter.map { "-" + String($0) } }

    /// `--force=all`: the long form with each word that may follow in the same word.
    var spellingsWithWords: [String] {
        guard let value, value.isOptional, case .words(let words) = value.form else { return [] }
        return words.map { "\(longSpelling)=\($0)" }
    }

    /// The spellings: short first, then long.
    var spellings: [String] { (shortSpelling.map { [$0] } ?? []) + [longSpelling] }
}
