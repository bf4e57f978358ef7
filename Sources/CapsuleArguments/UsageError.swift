import CapsuleCore

/// An error in a command line. The caller prints it and ends with status 64.
package struct UsageError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The kind of error, for callers and tests; messages are for people.
    package enum Code: Sendable {
        case unknownVerb, unknownForm, unknownFlag
        case missingValue, unexpectedValue, invalidValue
        case missingArgument, unexpectedArgument
        /// Flags that can't be used together, or one that requires another.
        case conflict
    }

    package let code: Code
    /// The message: lower case, no period, one line.
    package let message: String
    /// The advice for the user, in the same style.
    package let hint: String?

    package var description: String { hint.map { "\(message) (\($0))" } ?? message }
}

extension CommandLineScan {
    private var helpHint: String { "'\(command.invocation) --help' lists its flags" }

    private var usageHint: String {
        command.forms.count > 2
            ? "'\(command.invocation) -h' shows the usage" : "usage: " + command.shortSynopsis.joined(separator: ", or ")
    }

    /// The verb, with the form's word if there is one.
    var calledForm: String { [command.verb, form?.word].compactMap { $0 }.joined(separator: " ") }

    func unknownVerb(_ typed: [UInt8]) -> UsageError {
        var near =
            CommandTable.advice(on: QuotedBytes(typed).text) ?? Suggestions.hint(for: table.suggestions(for: typed))
        // A flag of the program without its dashes, such as 'version'.
        let flag = table.program.flags.first { $0.name.utf8.elementsEqual(typed) && $0.value == nil && $0.group == .program }
        if let flag { near = "use '\(table.program.invocation) \(flag.longSpelling)'" }
        return UsageError(
            code: .unknownVerb, message: "unknown verb '\(QuotedBytes(typed).text)'",
            hint: near ?? "'capsule -h' lists the verbs")
    }

    func unknownForm(_ typed: [UInt8]) -> UsageError {
        let words = command.forms.compactMap(\.word)
        let text = QuotedBytes(typed).text
        let meant = command.forms.filter { $0.otherWords.contains(text) }.compactMap(\.word)
        return UsageError(
            code: .unknownForm,
            message: "unknown form '\(text)' for '\(command.verb ?? "")': expected \(Suggestions.alternatives(words))",
            hint: Suggestions.hint(for: meant) ?? Suggestions(for: text, among: words).hint ?? usageHint)
    }

    func missingForm() -> UsageError {
        let words = command.forms.compactMap(\.word)
        return UsageError(
            code: .missingArgument, message: "'\(command.verb ?? "")' needs \(Suggestions.alternatives(words))", hint: usageHint)
    }

    func missingProgram(_ positional: PositionalDefinition) -> UsageError {
        UsageError(
            code: .missingArgument, message: "'\(calledForm)' needs \(positional.synopsis)",
            hint: "put '--' before the command to run: " + command.shortSynopsis.joined(separator: ", or "))
    }

    /// `meant` are the flags to suggest, if they are known already.
    func unknownFlag(_ typed: [UInt8], meant: [String] = []) -> UsageError {
        let text = QuotedBytes(typed).text
        guard let verb = command.verb else {
            return UsageError(code: .unknownFlag, message: "unknown flag '\(text)'", hint: hintBeforeVerb(text, meant))
        }
        let isLong = text.hasPrefix("--")
        let meant = meant.isEmpty ? command.flags.filter { $0.otherWords.contains(text) }.map(\.longSpelling) : meant
        let near = meant.isEmpty && isLong ? Suggestions(for: text, among: command.flags.flatMap(\.longSpellings)).words : meant
        var hint = Suggestions.hint(for: near)
        if hint == nil, table.program.flags.contains(where: { $0.spellings.contains(text) }) {
            hint = "use it without a verb: 'capsule \(text)'"
        }
        return UsageError(code: .unknownFlag, message: "unknown flag '\(text)' for '\(verb)'", hint: hint ?? helpHint)
    }

    /// The hint for a flag before the verb, where only the common flags are allowed: one that belongs to a verb is in the wrong place.
    private func hintBeforeVerb(_ text: String, _ meant: [String]) -> String {
        if table.verbs.contains(where: { $0.flags.contains { ($0.spellings + $0.longSpellings).contains(text) } }) {
            return "put the flags of a verb after the verb"
        }
        let near = meant.isEmpty ? Suggestions(for: text, among: command.flags.map(\.longSpelling)).words : meant
        return Suggestions.hint(for: near) ?? "'capsule --help' lists the flags that can precede a verb"
    }

    func missingValue(_ value: FlagDefinition.Value, of spelling: String) -> UsageError {
        UsageError(code: .missingValue, message: "flag '\(spelling)' needs a value: \(value.expectation)", hint: helpHint)
    }

    func unexpectedValue(_ bytes: [UInt8], of spelling: String) -> UsageError {
        UsageError(
            code: .unexpectedValue, message: "flag '\(spelling)' does not take a value, but has '\(QuotedBytes(bytes).text)'",
            hint: nil)
    }

    func invalidValue(_ bytes: [UInt8], of name: String, _ form: ValueForm, expectation: String? = nil) -> UsageError {
        let text = QuotedBytes(bytes).text
        var hint: String?
        if case .words(let words) = form { hint = Suggestions(for: text, among: words).hint }
        if case .label = form {
            let label = text.split(separator: " ").joined(separator: "-")
            if text.contains(" "), form.value(of: Array(label.utf8)) != nil { hint = "write '\(name) \(label)'" }
        }
        return UsageError(
            code: .invalidValue, message: "invalid value '\(text)' for '\(name)': expected \(expectation ?? form.expectation)",
            hint: hint)
    }

    func missingArgument(_ positional: PositionalDefinition) -> UsageError {
        UsageError(
            code: .missingArgument, message: "'\(calledForm)' needs \(positional.name)",
            hint: overlayHint ?? undoHint ?? usageHint)
    }

    /// The hint for `undo` with one argument, such as the container whose last change is to be undone.
    private var undoHint: String? {
        form?.id == .undo ? "'restore', 'apply' and 'drop' write FILE with '--undo FILE'; \(usageHint)" : nil
    }

    /// The hint for two property lists, of which one is to be merged into the other.
    private var overlayHint: String? {
        let names = positionals.map { HostPath($0).shellWord }
        guard form?.id == .merge, names.count == 2, names.allSatisfy({ $0.hasSuffix(".plist") || $0.hasSuffix(".json") }) else {
            return nil
        }
        // Other tools name either first. An app's property list is the one to change.
        let isTarget = positionals.map { HostPath($0).name == Array("Info.plist".utf8) }
        guard isTarget[0] != isTarget[1] else { return "'capsule apply OVERLAY TARGET' changes TARGET as OVERLAY says" }
        let (overlay, target) = isTarget[0] ? (names[1], names[0]) : (names[0], names[1])
        return "'capsule apply \(overlay) \(target)' changes \(target) as \(overlay) says"
    }

    /// The hint for a capsule that is not named by '-o', or for a second container.
    private func packHint(_ extra: [UInt8]) -> String? {
        guard form?.id == .pack, let name = positionals.first else { return nil }
        let (first, extra) = (HostPath(name).shellWord, HostPath(extra).shellWord)
        if let output = values[Flag<[UInt8]?>.output.id]?.last?.bytes {
            let output = HostPath(output).shellWord
            return "a capsule has one container per version; add the second with 'capsule pack \(extra) --append -o \(output)'"
        }
        guard extra.hasSuffix(".capsule") else { return nil }
        return "'capsule pack \(first)\(values[Flag.append.id] == nil ? "" : " --append") -o \(extra)'"
    }

    func unexpectedArgument(_ bytes: [UInt8]) -> UsageError {
        UsageError(
            code: .unexpectedArgument,
            message: "unexpected argument '\(QuotedBytes(bytes).text)' for '\(calledForm)'",
            hint: typedValueHint(bytes) ?? packHint(bytes) ?? restoreHint ?? containedHint ?? usageHint)
    }

    /// A hint for a value without its type, such as `plist set Info.plist /CFBundleVersion 9`.
    private func typedValueHint(_ bytes: [UInt8]) -> String? {
        guard let form, [.plistSet, .plistAdd, .plistAppend].contains(form.id), let first = bytes.first,
            ![UInt8(ascii: "/"), UInt8(ascii: ":")].contains(first)
        else { return nil }
        return "give the value with its type, as in '--string TEXT' or '--integer NUMBER'"
    }

    /// The hint for a path behind the target, or between the container and the target.
    private var restoreHint: String? {
        guard form?.id == .restore, positionals.count == 3 else { return nil }
        let arePaths = positionals.map { name in ContainerNames.top.contains { name.starts(with: $0.utf8) } }
        let (path, target) = arePaths[1] && !arePaths[2] ? (positionals[1], positionals[2]) : (positionals[2], positionals[1])
        let names = [positionals[0], target].map { HostPath($0).shellWord }.joined(separator: " ")
        return "'capsule restore \(names) --only \(path.shellWord)' restores only this path"
    }

    /// The hint for a property list that was named by a container and a path, as for other verbs.
    private var containedHint: String? {
        let takesPropertyList = { (positional: PositionalDefinition) in
            if case .propertyList = positional.form { true } else { false }
        }
        guard let place = form?.positionals.firstIndex(where: takesPropertyList), place + 1 < positionals.count,
            positionals[place + 1].first != UInt8(ascii: "/")
        else { return nil }
        let name = positionals[place] + [UInt8(ascii: ":")] + positionals[place + 1]
        return "'\(QuotedBytes(name).text)' names a property list in a container"
    }
}
