import CapsuleArguments
import CapsuleContainers
import CapsuleCore
import CapsuleEngine
import CapsuleRules

/// Answers a shell's requests for completions: `capsule __complete SHELL …`. Only the scripts of `capsule generate completions`
/// use this. It prints what the shell itself can complete (see ``Completion``), then one line per matching word, and nothing to
/// standard error, and always ends with status 0.
struct Completer {
    private static let mark = Array("__complete".utf8)
    /// The time limit in seconds, since nobody waits longer for a completion.
    private static let seconds: UInt32 = 2

    /// Returns the answer if a command line is a request; nil for any other.
    /// - Parameter arguments: without the program's name. After the shell's name, bash and zsh pass the line up to the cursor and the
    ///   characters that separate its words; fish passes the words, of which the last is raw.
    static func answer(to arguments: [[UInt8]]) -> [UInt8]? {
        guard arguments.first == mark else { return nil }
        CompletionNames.endProcess(afterSeconds: seconds)
        guard arguments.count > 2, let shell = Shell(rawValue: String(decoding: arguments[1], as: UTF8.self)) else { return [] }
        let completer: Completer
        switch shell {
        case .bash, .zsh:
            let words = ShellWord.words(of: arguments[2], breaks: arguments.count > 3 ? arguments[3] : [])
            completer = Completer(words.dropFirst().map(\.value), words.last)
        case .fish:
            let last = ShellWord.words(of: arguments[arguments.count - 1], breaks: []).last
            completer = Completer(Array(arguments[2...].dropLast()) + [last?.value ?? []], last)
        }
        return completer.lines(for: shell).flatMap { $0 + [UInt8(ascii: "\n")] }
    }

    private let typed: PartialCommandLine
    private let word: ShellWord

    init(_ words: [[UInt8]], _ last: ShellWord?) {
        typed = PartialCommandLine(words)
        word = last ?? ShellWord()
    }

    /// The shell's own part, then the words. fish quotes them itself, and bash has no place for descriptions.
    func lines(for shell: Shell) -> [[UInt8]] {
        let words = (described.isEmpty ? names.map { ($0, "") } : described).compactMap { name, description -> [UInt8]? in
            let name = shell == .fish ? name : word.completed(to: name)
            return name.map { shell == .bash || description.isEmpty ? $0 : $0 + Array("\t\(description)".utf8) }
        }
        return [Array(completion.rawValue.utf8)] + words
    }

    /// The part of the shell if there are no words.
    private var completion: Completion {
        switch typed.place {
        case .value(let flag, _): flag.value?.form.completion ?? .nothing
        case .positional(let positional) where positional.arity.isProgram: programCompletion(positional)
        case .positional(let positional): positional.form.completion
        case .verb, .form, .flag, .extra: .nothing
        }
    }

    /// A program in `PATH`, then files as its arguments; both only after `--`.
    private func programCompletion(_ positional: PositionalDefinition) -> Completion {
        guard typed.areFlagsOver else { return .nothing }
        return typed.arguments[positional.id] == nil && !word.text.contains(UInt8(ascii: "/")) ? .program : .files
    }

    /// The verbs, forms or flags that begin with the last word, with what they do.
    private var described: [(name: [UInt8], description: String)] {
        let found: [(String, String)] =
            switch typed.place {
            case .verb: CommandTable.capsule.verbs.map { ($0.verb ?? "", $0.summary) }
            case .form: typed.command?.forms.map { ($0.word ?? "", $0.summary) } ?? []
            case .flag: typed.openFlags.flatMap { flag in flag.spellings.map { ($0, flag.summary) } }
            case .value, .positional, .extra: []
            }
        return found.map { (Array($0.utf8), $1) }.filter { $0.0.starts(with: word.text) }
    }

    /// The possible completions of the last word. Each begins with its text and can be shown on one line.
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
        case .verb, .form, .flag, .extra: found = []
        }
        return found.filter { $0.starts(with: word.text) && Self.isPlain($0) }
    }

    /// Returns true if a name is one line of text that a terminal and a shell's script can use unchanged.
    private static func isPlain(_ name: [UInt8]) -> Bool {
        var rest = name[...]
        while !rest.isEmpty {
            guard let scalar = TerminalCharacters.scalar(at: rest), TerminalCharacters.isPlain(scalar) else { return false }
            rest = rest.dropFirst(UTF8.width(scalar))
        }
        return true
    }
}

/// The names that a shell can complete by itself. The raw value is the first line of an answer.
enum Completion: String, Sendable {
    case nothing, files, directories
    case program
}

extension ValueForm {
    fileprivate var completion: Completion {
        switch self {
        case .container, .propertyList, .file: .files
        case .directory: .directories
        default: .nothing
        }
    }
}

/// The possible values of an argument whose beginning was typed.
private struct CompletionCandidates {
    private let command: PartialCommandLine
    private let typed: [UInt8]
    private let expanded: [UInt8]

    init(_ command: PartialCommandLine, _ typed: [UInt8], expanded: [UInt8]? = nil) {
        self.command = command
        self.typed = typed
        self.expanded = expanded ?? typed
    }

    func arguments(for positional: PositionalDefinition) -> [[UInt8]] {
        switch positional.form {
        case .words(let words): bytes(words)
        case .program: command.areFlagsOver ? [] : [Array("--".utf8)]
        case .bundleID: bytes(identifiers)
        case .pointer:
            file.map { bytes(CompletionNames.pointers(in: HostPath($0), beginningWith: String(decoding: typed, as: UTF8.self))) }
                ?? []
        case .topic: bytes(forms)
        case .noise: list(NoiseRules().classesOfPaths.map(\.rawValue) + (command.form?.id == .drop ? ["all"] : []))
        case .propertyList: containers + contained
        case .container: [.show, .cat, .diff].contains(command.form?.id) ? containers + contained : containers
        case .path: file.map { CompletionNames.paths(in: $0, beginningWith: typed) + places(in: $0, typed) } ?? []
        default: []
        }
    }

    func values(of flag: FlagDefinition) -> [[UInt8]] {
        switch flag.value?.form {
        case .words(let words): bytes(words)
        case .noise: list(NoiseRules().classesOfPaths.map(\.rawValue))
        case .device: bytes(CompletionNames.simulators(in: devices))
        case .versions: list(file.map { CompletionNames.versions(of: HostPath($0)) } ?? [])
        default: []
        }
    }

    /// The file that the other arguments refer to: the first one that names a file.
    private var file: [UInt8]? {
        let first = command.form?.positionals.first { $0.form.use != nil }
        return first.flatMap { command.arguments[$0.id]?.first }.map(fullName)
    }

    /// Returns a name of the project, such as `@clean`, in full. A file with such a name is itself.
    private func fullName(_ name: [UInt8]) -> [UInt8] {
        guard Project.isName(name), (try? FileProbe.exists(HostPath(name))) != true else { return name }
        return project?.fullName(name) ?? name
    }

    private var project: Project? { try? Project.find(home: HostProcess().environment("HOME")) }

    /// Completes `FILE@VERSION`, `FILE@1..2`, `sim:[DEVICE/]BUNDLE-ID`, and in a project `@VERSION` and `app:`. The shell completes files,
    /// which come before `app:`.
    private var containers: [[UInt8]] {
        if !typed.isEmpty, Project.appName.starts(with: typed), typed != Project.appName {
            return project == nil || CompletionNames.hasFiles(beginningWith: typed) ? [] : [Project.appName]
        }
        if typed.starts(with: "sim:".utf8) { return bytes(CompletionNames.applications(beginningWith: typed)) }
        let at = UInt8(ascii: "@")
        guard let end = typed.lastIndex(of: at), let fileEnd = expanded.lastIndex(of: at) else { return [] }
        let file = fileEnd == 0 ? project?.capsule ?? [] : Array(expanded[..<fileEnd])
        let versions = bytes(CompletionNames.versions(of: HostPath(file)))
        // After `1..`, the second version.
        var start = typed.index(after: end)
        let dot = UInt8(ascii: ".")
        for place in typed.indices.dropFirst(start + 1) where typed[place] == dot && typed[place - 1] == dot { start = place + 1 }
        return versions.map { typed[..<start] + $0 }
    }

    /// Completes `CONTAINER:PATH` with the paths in the container before the colon.
    private var contained: [[UInt8]] {
        guard let name = CompletionNames.contained(in: fullName(expanded)), typed.suffix(name.path.count).elementsEqual(name.path)
        else { return [] }
        let head = typed.dropLast(name.path.count)
        let places = command.form?.id == .diff ? [] : places(in: name.container, name.path)
        return (CompletionNames.paths(in: name.container, beginningWith: name.path) + places).map { head + $0 }
    }

    /// Completes `PATH:PLACE` for the verbs that look into a file.
    private func places(in container: [UInt8], _ path: [UInt8]) -> [[UInt8]] {
        switch command.form?.id {
        case .show, .log: CompletionNames.places(in: container, beginningWith: path, tablesOnly: false)
        case .cat, .diff: CompletionNames.places(in: container, beginningWith: path, tablesOnly: true)
        default: []
        }
    }

    private var devices: HostPath {
        if let directory = command.arguments[Flag.devices.id]?.last { return HostPath(directory) }
        let set = command.arguments[Flag.set.id]?.last.flatMap { SimulatorSet(rawValue: String(decoding: $0, as: UTF8.self)) }
        return (try? (set ?? .standard).directory()) ?? HostPath("")
    }

    private var identifiers: [String] {
        let kind = command.arguments[Flag.kind.id]?.last.flatMap {
            LocatedContainer.Kind(rawValue: String(decoding: $0, as: UTF8.self))
        }
        let device = command.arguments[Flag.device.id]?.last.map { SimulatorChoice(String(decoding: $0, as: UTF8.self)) }
        return CompletionNames.identifiers(kind, in: devices, on: device)
    }

    /// Completes `capsule help`: topics, or after a verb its forms.
    private var forms: [String] {
        guard let verb = command.arguments[Positional.topics.id]?.first else { return CommandTable.capsule.topics }
        return CommandTable.capsule.verb(named: verb)?.forms.compactMap(\.word) ?? []
    }

    /// Completes a comma-separated list: the text up to the last comma, with each word that is not in the list yet.
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
