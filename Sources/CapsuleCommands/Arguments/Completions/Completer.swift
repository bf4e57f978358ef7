import CapsuleCore
import CapsuleEngine

/// Answers what a shell asks while somebody types: `capsule __complete SHELL …`.
///
/// That is for the scripts of `capsule generate completions` alone. It prints a line for each word that fits, nothing on standard
/// error, and always ends with status 0.
struct Completer {
    /// What stands before a question.
    private static let mark = Array("__complete".utf8)
    /// Nobody waits longer.
    private static let seconds: UInt32 = 2

    /// The answer to a command line that is a question; nil for any other.
    ///
    /// - Parameter arguments: without the program's name. Behind the shell's name, bash and zsh hand over the line up to the cursor
    ///   and what parts its words, fish the words, of which the last is raw.
    static func answer(to arguments: [[UInt8]]) -> [UInt8]? {
        guard arguments.first == mark else { return nil }
        CompletionNames.endProcess(afterSeconds: seconds)
        guard arguments.count > 2, let shell = Shell(rawValue: String(decoding: arguments[1], as: UTF8.self)) else { return [] }
        let replies: [[UInt8]]
        switch shell {
        case .bash, .zsh:
            let words = ShellWord.words(of: arguments[2], breaks: arguments.count > 3 ? arguments[3] : [])
            replies = Completer(words.dropFirst().map(\.value), words.last).replies
        case .fish:
            let last = ShellWord.words(of: arguments[arguments.count - 1], breaks: []).last
            replies = Completer(Array(arguments[2...].dropLast()) + [last?.value ?? []], last).plainReplies
        }
        return replies.flatMap { $0 + [UInt8(ascii: "\n")] }
    }

    private let typed: TypedCommand
    /// The last one.
    private let word: ShellWord

    init(_ words: [[UInt8]], _ last: ShellWord?) {
        typed = TypedCommand(words)
        word = last ?? ShellWord()
    }

    /// As a shell takes them that quotes nothing by itself.
    private var replies: [[UInt8]] { names.compactMap { word.completed(to: $0) } }

    /// For fish, which quotes by itself, and knows of `--flag=` already.
    private var plainReplies: [[UInt8]] {
        guard case .value(_, let length) = typed.place else { return names }
        return names.map { Array($0.dropFirst(length)) }
    }

    /// What the last word may become: each begins with its text, and can be looked at on one line.
    var names: [[UInt8]] {
        guard !word.isOpaque else { return [] }
        let found: [[UInt8]]
        switch typed.place {
        case .value(let flag, let length):
            guard word.text.count >= length else { return [] }
            let value = Array(word.text[length...])
            found = CompletionCandidates(typed, value).values(of: flag).map { word.text[..<length] + $0 }
        case .positional(let positional):
            found = CompletionCandidates(typed, word.text, expanded: word.value).arguments(for: positional)
        case .other: found = []
        }
        return found.filter { $0.starts(with: word.text) && Self.isPlain($0) }
    }

    /// Whether a name is one line of text that a terminal and a shell's script take as it is.
    private static func isPlain(_ name: [UInt8]) -> Bool {
        var rest = name[...]
        while !rest.isEmpty {
            guard let scalar = TerminalCharacters.scalar(at: rest), TerminalCharacters.isPlain(scalar) else { return false }
            rest = rest.dropFirst(UTF8.width(scalar))
        }
        return true
    }
}

/// What an argument may be of which the beginning was typed.
private struct CompletionCandidates {
    private let command: TypedCommand
    /// The beginning of the argument.
    private let typed: [UInt8]
    /// The same with its variables filled in.
    private let expanded: [UInt8]

    init(_ command: TypedCommand, _ typed: [UInt8], expanded: [UInt8]? = nil) {
        self.command = command
        self.typed = typed
        self.expanded = expanded ?? typed
    }

    func arguments(for positional: Positional) -> [[UInt8]] {
        switch (positional.id, positional.form) {
        case (.identifier, _): bytes(identifiers)
        case (.pointer, _):
            file.map { bytes(CompletionNames.pointers(in: HostPath($0), beginningWith: String(decoding: typed, as: UTF8.self))) }
                ?? []
        case (.topics, _): bytes(forms)
        case (.noise, _): list(NoiseRules().classesOfPaths.map(\.rawValue))
        case (.plistFile, _), (.plistFiles, _): containers + contained
        case (_, .container): takesFilesOfContainers ? containers + contained : containers
        case (_, .path): file.map { CompletionNames.paths(in: $0, beginningWith: typed) } ?? []
        default: []
        }
    }

    func values(of flag: Flag) -> [[UInt8]] {
        switch (flag.id, flag.value?.form) {
        case (.drop, _): list(NoiseRules().classesOfPaths.map(\.rawValue))
        case (.device, _): bytes(CompletionNames.simulators(in: devices))
        case (_, .versions?): list(file.map { CompletionNames.versions(of: HostPath($0)) } ?? [])
        default: []
        }
    }

    /// What the other arguments are about: the first of them that names a file.
    private var file: [UInt8]? {
        let first = command.form?.positionals.first { $0.form.use != nil }
        return first.flatMap { command.arguments[.positional($0.id)]?.first }
    }

    // MARK: Containers

    /// `FILE@VERSION`, `FILE@1..2` and `sim:[DEVICE/]BUNDLE-ID`; files are the shell's.
    private var containers: [[UInt8]] {
        if typed.starts(with: "sim:".utf8) { return bytes(CompletionNames.applications(beginningWith: typed)) }
        let at = UInt8(ascii: "@")
        guard let end = typed.lastIndex(of: at), let fileEnd = expanded.lastIndex(of: at) else { return [] }
        let versions = bytes(CompletionNames.versions(of: HostPath(Array(expanded[..<fileEnd]))))
        // Behind `1..` the second of two.
        var start = typed.index(after: end)
        let dot = UInt8(ascii: ".")
        for place in typed.indices.dropFirst(start + 1) where typed[place] == dot && typed[place - 1] == dot { start = place + 1 }
        return versions.map { typed[..<start] + $0 }
    }

    /// Whether a container on this command line can be a file in one.
    private var takesFilesOfContainers: Bool { command.form.map { [.cat, .diff].contains($0.id) } ?? false }

    /// `CONTAINER:PATH`: the paths in what precedes the colon.
    private var contained: [[UInt8]] {
        guard let name = CompletionNames.contained(in: expanded), typed.suffix(name.path.count).elementsEqual(name.path) else {
            return []
        }
        let head = typed.dropLast(name.path.count)
        return CompletionNames.paths(in: name.container, beginningWith: name.path).map { head + $0 }
    }

    // MARK: Simulators

    private var devices: HostPath {
        if let directory = command.arguments[.flag(.devices)]?.last { return HostPath(directory) }
        let set = command.arguments[.flag(.set)]?.last.flatMap { SimulatorSet(rawValue: String(decoding: $0, as: UTF8.self)) }
        return (try? (set ?? .standard).directory()) ?? HostPath("")
    }

    private var identifiers: [String] {
        let kind = command.arguments[.flag(.kind)]?.last.flatMap {
            LocatedContainer.Kind(rawValue: String(decoding: $0, as: UTF8.self))
        }
        let device = command.arguments[.flag(.device)]?.last.map { SimulatorChoice(String(decoding: $0, as: UTF8.self)) }
        return CompletionNames.identifiers(kind, in: devices, on: device)
    }

    // MARK: Words

    /// What `capsule help` takes: topics, or the forms of a verb behind it.
    private var forms: [String] {
        guard let verb = command.arguments[.positional(.topics)]?.first else { return CommandTable.capsule.topics }
        return CommandTable.capsule.verb(named: verb)?.forms.compactMap(\.word) ?? []
    }

    /// Lists with commas between: what was typed up to the last comma, with each word that isn't in there yet.
    private func list(_ words: [String]) -> [[UInt8]] {
        let comma = UInt8(ascii: ",")
        let start = typed.lastIndex(of: comma).map { $0 + 1 } ?? 0
        let given = typed[..<start].split(separator: comma)
        return words.map { Array($0.utf8) }.filter { word in !given.contains { $0.elementsEqual(word) } }.map {
            typed[..<start] + $0
        }
    }

    private func bytes(_ names: [String]) -> [[UInt8]] { names.map { Array($0.utf8) } }
}
