import CapsuleCore
import CapsuleEngine

/// The files and directories that a call names, each with what the table of verbs says is done with it.
struct CommandFiles {
    /// A file or a directory that is written under a name of its own.
    struct Output {
        let path: HostPath
        /// What it is; nil where the command finds out.
        let kind: OutputKind?
        /// What names it, as messages call that.
        let flag: String
    }

    /// What is read, as the user named it; `-` is standard input.
    private(set) var inputs: [[UInt8]] = []
    /// What is changed in place.
    private(set) var targets: [[UInt8]] = []
    private(set) var outputs: [Output] = []
    /// What is written to standard output.
    private var streams: [Output] = []
    /// Directories in which results appear.
    private(set) var results: [Output] = []

    private let command: ParsedCommand

    init(_ command: ParsedCommand, in table: CommandTable = .capsule) {
        self.command = command
        guard let definition = table.verb(named: command.verb.utf8) else { return }
        let form = definition.forms.first { $0.id == command.id }
        for positional in form?.positionals ?? [] {
            note(.positional(positional.id), positional.form.use, flag: positional.name)
        }
        for flag in definition.flags { note(.flag(flag.id), flag.value?.form.use, flag: flag.longSpelling) }
    }

    private mutating func note(_ id: ArgumentID, _ use: FileUse?, flag: String) {
        guard let use else { return }
        for path in (command.arguments[id] ?? []).compactMap(\.file) {
            let isStream = HostPath(path) == .standardStream
            switch use {
            case .input: inputs.append(path)
            case .output(let kind, inPlaceWith: _) where isStream:
                streams.append(Output(path: .standardStream, kind: kind, flag: flag))
            case .target where isStream: inputs.append(path)
            case .results where isStream: break
            case .target: targets.append(path)
            case .output(_, inPlaceWith: let other?) where command.arguments[.flag(other)] != nil: break
            case .output(let kind, inPlaceWith: _): outputs.append(Output(path: HostPath(path), kind: kind, flag: flag))
            case .results: results.append(Output(path: HostPath(path), kind: nil, flag: flag))
            }
        }
    }

    /// - Throws: with the code `usage` where something would be written in the place of what is read or changed, or of something
    ///   else that is written; with the code `exists` where it may not take the place of what is there.
    func check() throws(CapsuleError) {
        // What only reads need not find out where its containers are twice.
        if outputs.isEmpty, results.isEmpty, targets.isEmpty, streams.count < 2 { return }
        let places = ReadPlaces(inputs, changed: targets)
        for output in outputs { try places.refuse(output.path, flag: output.flag) }
        for directory in results { try places.refuse(resultsIn: directory.path, flag: directory.flag) }
        for target in targets { try ReadPlaces(inputs).refuse(changing: HostPath(target)) }
        try OutputPlaces.refuse((outputs + streams).map { ($0.path, $0.flag) })
        for output in outputs {
            guard let kind = output.kind else { continue }
            try OutputPlaces.check(output.path, as: kind, replacing: command[.replacement], flag: output.flag)
        }
    }

    /// - Throws: where the directory of an output is not there.
    func checkOutputDirectories() throws(CapsuleError) {
        for output in outputs { try OutputPlaces.checkDirectory(of: output.path) }
    }

    /// Whether the command leaves something behind besides what it prints.
    var areWritten: Bool {
        if command[.check] || command[.dryRun] { return false }
        return command.id.writesUnasked || !targets.isEmpty || !outputs.isEmpty || !results.isEmpty
    }
}

extension ArgumentValue {
    /// The name of a file, if it is one.
    fileprivate var file: [UInt8]? {
        switch self {
        case .bytes(let bytes): bytes
        case .named(let named): named.value
        case .on, .text, .integer, .seconds: nil
        }
    }
}
