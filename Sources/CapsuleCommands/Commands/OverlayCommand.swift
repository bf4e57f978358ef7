import CapsuleCore
import CapsuleEngine

/// `capsule overlay`
struct OverlayCommand {
    let context: CommandContext

    func check() throws(CapsuleError) -> ExitStatus {
        let overlay = try OverlayInspection(source())
        let carried = try overlay.check()
        if context.isReported {
            try context.write(context.reporter.checked(overlay, carried, as: context.command[.overlay]))
        }
        return .success
    }

    func show() throws(CapsuleError) -> ExitStatus {
        let overlay = try OverlayInspection(source())
        try context.write(context.reporter.shown(overlay, as: context.command[.overlay], isFull: context.command[.full]))
        return .success
    }

    func compose() throws(CapsuleError) -> ExitStatus {
        var composer = OverlayComposer()
        for path in context.command[.overlays] { try composer.add(try source(path)) }
        try composer.write(to: output, captured: try context.captured(), jobs: try context.jobs())
        return .success
    }

    func invert() throws(CapsuleError) -> ExitStatus {
        try OverlayInverter(try source()).write(to: output, captured: try context.captured(), jobs: try context.jobs())
        return .success
    }

    func identities() throws(CapsuleError) -> ExitStatus {
        try context.write(context.reporter.identities(ArrayIdentities.builtInTable))
        return .success
    }

    private func source() throws(CapsuleError) -> OverlaySource {
        try source(context.command[.overlay], isDeep: context.command[.deep])
    }

    private func source(_ argument: [UInt8], isDeep: Bool = false) throws(CapsuleError) -> OverlaySource {
        let diagnostics = context.diagnostics
        return try OverlaySource(argument, isDeep: isDeep) { diagnostics.warning($0) }
    }

    private var output: OverlayOutput {
        OverlayOutput(
            HostPath(context.command[.output] ?? HostPath.standardStream.bytes), replaces: context.command[.replacement])
    }
}

/// The arguments that control how overlays are applied.
struct OverlayArguments {
    private let command: ParsedCommand

    init(_ command: ParsedCommand) {
        self.command = command
    }

    /// Returns the environment with the definitions added, the conditions and the identities.
    func context() throws(CapsuleError) -> OverlayContext {
        var context = OverlayContext(
            values: HostProcess.wholeEnvironment, expands: command[.expand], targetPath: command[.targetPath],
            nested: .compressing)
        do throws(OverlayError) {
            for definition in command[.definitions] {
                let name = String(decoding: definition.name, as: UTF8.self)
                let value = String(decoding: definition.value, as: UTF8.self)
                try SettingName.check(name, value: value)
                context.values[name] = value
            }
            for text in command[.when] { context.conditions.append(try Condition(argument: text)) }
        } catch {
            throw CapsuleError(.usage, error.message, hint: error.hint)
        }
        context.arrays = try arrays()
        context.requires = command[.require]
        return context
    }

    /// Returns the identities of `--arrays`.
    func arrays() throws(CapsuleError) -> [ArrayIdentities.Rule] {
        var rules: [ArrayIdentities.Rule] = []
        do throws(OverlayError) {
            for text in command[.arrays] { rules.append(try Self.rule(text)) }
        } catch {
            throw CapsuleError(.usage, error.message, hint: error.hint)
        }
        return rules
    }

    /// Parses `PATTERN=IDENTITY`, split at the last `=`: a pattern may contain one, an identity can't.
    private static func rule(_ text: String) throws(OverlayError) -> ArrayIdentities.Rule {
        guard let equals = text.lastIndex(of: "=") else {
            throw OverlayError.noIdentity(text)
        }
        return ArrayIdentities.Rule(
            try PointerPattern(String(text[..<equals])), try ArrayIdentity(String(text[text.index(after: equals)...])))
    }
}
