import CapsuleCore
import CapsuleEngine

/// What an argument may be of which the beginning was typed.
struct CompletionCandidates {
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
