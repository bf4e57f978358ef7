import CapsuleArguments
import CapsuleContainers
import CapsuleCore

/// The files and directories that a call names, each with its use according to the table of verbs.
struct CommandFiles {
    /// A file or a directory that is written under a name of its own.
    struct Output {
        let path: HostPath
        /// The kind of output; nil if the command determines it.
        let kind: OutputKind?
        let flag: String
    }

    /// The inputs as the user named them; `-` is standard input.
    private(set) var inputs: [[UInt8]] = []
    private(set) var targets: [[UInt8]] = []
    private(set) var outputs: [Output] = []
    private var streams: [Output] = []
    private(set) var results: [Output] = []
    /// The arguments that must not be addresses.
    private var local: [(path: [UInt8], flag: String?)] = []
    private let command: ParsedCommand

    init(_ command: ParsedCommand) {
        self.command = command
        for positional in command.form.positionals { add(positional.id, positional.form, flag: positional.name) }
        for flag in command.definition.flags { add(flag.id, flag.value?.form, flag: flag.longSpelling) }
    }

    private mutating func add(_ id: ArgumentID, _ form: ValueForm?, flag: String) {
        guard let form, let use = form.use else { return }
        for path in (command.arguments[id] ?? []).compactMap(\.file) {
            if !takesAddress(form) { local.append((path, use.isCreated ? flag : nil)) }
            let isStream = HostPath(path) == .standardStream
            switch use {
            case .input: inputs.append(path)
            case .output(let kind, inPlaceWith: _) where isStream:
                streams.append(Output(path: .standardStream, kind: kind, flag: flag))
            case .target where isStream: inputs.append(path)
            case .results where isStream: break
            case .target: targets.append(path)
            case .output(_, inPlaceWith: let other?) where command.arguments[other] != nil: break
            case .output(let kind, inPlaceWith: _): outputs.append(Output(path: HostPath(path), kind: kind, flag: flag))
            case .results: results.append(Output(path: HostPath(path), kind: nil, flag: flag))
            }
        }
    }

    /// Returns true if the command takes an address for an argument of this form.
    private func takesAddress(_ form: ValueForm) -> Bool {
        switch (command.id, form) {
        case (_, .container(.input)), (.log, .file(.input)), (.verify, .file(.input)), (.push, .file(.target)),
            (.pull, .file(.input)), (.tags, .file(.input)):
            true
        case (.compact, .file(.target)): command[.output] != nil
        case (.pack, .file): command[.append]
        default: false
        }
    }

    /// - Throws: with the code `usage` for an address where there can be none, and if an output would replace an input, a target or another
    ///   output; with the code `exists` if it may not replace an existing file.
    func check() throws(CapsuleError) {
        for (path, flag) in local {
            do throws(CapsuleError) {
                try RemoteName.refuse(path, flag: flag)
            } catch {
                throw error.hinting(command.id == .pack && flag != nil ? "'--append' adds a version at an oci: address" : nil)
            }
        }
        // A command that only reads does not need to resolve its containers twice.
        if outputs.isEmpty, results.isEmpty, targets.isEmpty, streams.count < 2 { return }
        let places = InputPaths(inputs, changed: targets)
        for output in outputs { try places.refuse(output.path, flag: output.flag) }
        for directory in results { try places.refuse(resultsIn: directory.path, flag: directory.flag) }
        for target in targets { try InputPaths(inputs).refuse(changing: HostPath(target)) }
        try OutputPaths.refuse((outputs + streams).map { ($0.path, $0.flag) })
        // To append to a capsule would keep secrets beside their replacements.
        let isRedacted = command.id == .redact || command[ifTaken: .redact]
        for output in outputs {
            guard let kind = output.kind else { continue }
            try OutputPaths.check(
                output.path, as: kind, replacing: command[ifTaken: .force], flag: output.flag,
                hint: isRedacted ? "choose another name, or replace it with '--force'" : nil)
        }
    }

    func checkOutputDirectories() throws(CapsuleError) {
        for output in outputs { try OutputPaths.checkDirectory(of: output.path) }
    }

    /// True if the command leaves anything behind other than what it prints.
    var areWritten: Bool {
        if command[ifTaken: .check] || command[ifTaken: .dryRun] { return false }
        return command.id.writesUnasked || !targets.isEmpty || !outputs.isEmpty || !results.isEmpty
    }
}

extension ArgumentValue {
    fileprivate var file: [UInt8]? {
        switch self {
        case .bytes(let bytes): bytes
        case .named(let named): named.value
        case .on, .text, .integer, .seconds: nil
        }
    }
}
