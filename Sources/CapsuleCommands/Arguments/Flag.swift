/// One flag of a verb, as data: everything that the parser, the help, the man pages and the completions need.
struct Flag: Sendable {
    /// The identity of a flag, independent of its name. Values are looked up by it, through an ``ArgumentKey``.
    enum ID: Sendable, Hashable, CaseIterable {
        case help, version
        case color, jobs, json, quiet, verbose
        case codec, force, level, output
        case label, note
        case allowChanging, append, drop, exclude, foldWAL, group, skipUnreadable, strict
        case differentApp, lockTimeout, noCache
        case keep, plist
        case longListing
        case directory, unpackForm
        case check
        case arrays, deep, define, expand, target, when
        case dryRun, require, undo
        case conflicts, marks, partial, prefer, resolve, threeWay
        case allowUnmatched, clean, keptPath, rebasePaths, simctl
        case strictPatterns
        case byValue, carryWhole, exitZero, full, nameStatus, null, oneWay, overlayFile, plain
        case all, context, expect, expectUpdate, expectWrite, html, junit, learn, lines, open, rows, rules, showSecrets, stat,
            times
        case bool, data, date, fromJSON, integer, real, string
        case createParents, lenient, lossy, unarchive
        case app, overlays, packedOverlay
        case device, devices, kind, set
        case globalScope, localScope
        case bySection
    }

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
    }

    /// The value of a flag.
    struct Value: Sendable {
        /// The name of the value in help: `FILE`, or the words themselves, `gzip|zstd`.
        let name: String
        let form: ValueForm
        /// True if each occurrence adds a value. If not, the last one wins, as users of GNU tools expect: an alias or a script may set a
        /// flag, and its caller may set it again.
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

    let id: ID
    /// The long name, without its dashes.
    let name: String
    /// Other names that the parser accepts, without their dashes: earlier names of the flag.
    let aliases: [String]
    /// Spellings that users of other tools try for this flag, with their dashes: `--brief` for `--quiet`.
    let otherWords: [String]
    /// The letter of the short form.
    let letter: Character?
    let group: Group
    /// The value that the flag takes; nil for a switch.
    let value: Value?
    /// One line for `-h`: lower case, no period, plain text.
    let summary: String
    /// Sentences for `--help` and the man page, in marked text (see ``MarkedText``).
    let details: String

    init(
        _ id: ID, _ name: String, _ letter: Character? = nil, aliases: [String] = [], otherWords: [String] = [],
        value: Value? = nil,
        in group: Group, summary: String, details: String
    ) {
        self.id = id
        self.name = name
        self.aliases = aliases
        self.otherWords = otherWords
        self.letter = letter
        self.value = value
        self.group = group
        self.summary = summary
        self.details = details
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

extension Flag {
    /// The numbers of parallel jobs that `--jobs` and CAPSULE_JOBS accept.
    static let jobsRange = 1...256

    /// The flags that every verb has. They may also precede the verb.
    static let common: [Flag] = [
        Flag(
            .color, "color", value: Value("WHEN", .words(ColorChoice.self)), in: .common,
            summary: "use color: auto (the default), always or never",
            details: """
                Color the output: `auto`, `always` or `never`. The default, `auto`, uses color on a terminal unless the \
                environment sets NO_COLOR.
                """),
        Flag(
            .help, "help", "h", in: .common,
            summary: "print short help; --help prints full help",
            details: "Print help. `-h` is short, `--help` is complete."),
        Flag(
            .jobs, "jobs", "j", value: Value("N", .integer(jobsRange)), in: .common,
            summary: "run N jobs in parallel (default: one per core)",
            details: """
                Run *N* jobs in parallel, from 1 to 256. The default is CAPSULE_JOBS, else the number of cores. The \
                result is the same for every *N*, byte for byte.
                """),
        Flag(
            .json, "json", in: .common,
            summary: "report as JSON, one object per line",
            details: """
                Report on standard output as JSON, one object per line, instead of text. An error is the last \
                line, and a message on standard error, too. It has no effect on the output of `cat`, `generate` and `help`.
                """),
        Flag(
            .quiet, "quiet", "q", otherWords: ["--brief", "--silent"], in: .common,
            summary: "hide progress, notes and summaries",
            details: """
                Hide progress, notes and summaries, and the changes that `diff` finds: its exit status says whether there are \
                any. Warnings, errors, hints, conflicts, failed expectations and the output of `--json` are still printed.
                """
        ),
        Flag(
            .verbose, "verbose", "v", in: .common,
            summary: "print details of what pack does",
            details: """
                Print details on standard error: the kind of container that `pack` detected, and each entry that it left \
                out. It has no effect on other verbs.
                """),
    ]
}

/// An argument that is identified by its position, not by a flag.
struct Positional: Sendable {
    /// The identity of a positional. Values are looked up by it, through an ``ArgumentKey``.
    enum ID: Sendable, Hashable, CaseIterable {
        case container, file, path, paths, manDirectory, shell, topics, overlays, target
        case old, new, base, ours, theirs, overlay, plistFile, plistFiles, pointer, format
        case identifier, noise, command
        case driverBase, driverOurs, driverTheirs, markSize, driverPath
    }

    /// The number of arguments that a positional takes. `optional` and `any` come last, in that order. If a form has a `some`, its other
    /// positionals are `one`.
    enum Arity: Sendable, Hashable {
        case one
        case optional
        /// Zero or more.
        case any
        /// One or more: all except those that the following positionals need.
        case some
        /// All arguments after `--`, one or more: a program with its arguments. It comes last, and no other positional takes them.
        case program
    }

    let id: ID
    /// The name in help: `CONTAINER`, or the words themselves.
    let name: String
    let arity: Arity
    let form: ValueForm

    init(_ id: ID, _ name: String, _ form: ValueForm, _ arity: Arity = .one) {
        self.id = id
        self.name = name
        self.arity = arity
        self.form = form
    }

    /// `CONTAINER`, `[DIR]`, `[PATH]...`, `OVERLAY...`, `-- COMMAND...`
    var synopsis: String {
        switch arity {
        case .one: name
        case .optional: "[\(name)]"
        case .any: "[\(name)]..."
        case .some: "\(name)..."
        case .program: "-- \(name)..."
        }
    }
}
