import CapsuleCore
import CapsuleEngine

/// What the command line says of how overlays are applied.
struct OverlayArguments {
    private let command: ParsedCommand

    init(_ command: ParsedCommand) {
        self.command = command
    }

    /// The environment with the definitions over it, conditions and identities.
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

    /// The identities of `--arrays`.
    func arrays() throws(CapsuleError) -> [ArrayIdentities.Rule] {
        var rules: [ArrayIdentities.Rule] = []
        do throws(OverlayError) {
            for text in command[.arrays] { rules.append(try Self.rule(text)) }
        } catch {
            throw CapsuleError(.usage, error.message, hint: error.hint)
        }
        return rules
    }

    /// `PATTERN=IDENTITY`, split at the last `=`: a pattern may have one, an identity never.
    private static func rule(_ text: String) throws(OverlayError) -> ArrayIdentities.Rule {
        guard let equals = text.lastIndex(of: "=") else {
            throw OverlayError.noIdentity(text)
        }
        return ArrayIdentities.Rule(
            try PointerPattern(String(text[..<equals])), try ArrayIdentity(String(text[text.index(after: equals)...])))
    }
}
