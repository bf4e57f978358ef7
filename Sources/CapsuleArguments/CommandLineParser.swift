import CapsuleCore

/// Parses command lines according to a table. Flags follow GNU: long and short, `--flag=value` and `--flag value`, `-ofile` and
/// `-o file`, switches bundled as in `-fv`, flags anywhere. `--` ends the flags, and `-` is not a flag. A value is used as it is
/// even if it begins with a dash. A flag that is not repeatable may be given again: the last value wins. Names can't be
/// abbreviated, since a script that relies on an abbreviation breaks when a flag is added; the nearest names are suggested
/// instead.
package struct CommandLineParser: Sendable {
    let table: CommandTable

    package init(_ table: CommandTable = .capsule) {
        self.table = table
    }

    /// Parses `arguments`, raw bytes without the program's name. A request for help ends the parsing: nothing after it is read,
    /// so help is available for a command line that is not finished yet. After `--version` everything is read, but nothing has to be valid.
    package func parse(_ arguments: [[UInt8]]) throws(UsageError) -> Invocation {
        var scan = CommandLineScan(table: table, arguments: arguments)
        while let argument = scan.next() {
            do throws(UsageError) {
                if let request = try scan.parse(argument) { return request }
            } catch {
                if scan.values[Flag.version.id] == nil { throw error }
            }
        }
        return try scan.finish()
    }

    /// Returns true if the arguments request a JSON report, so that an error is printed as JSON too. The arguments can be invalid. Returns
    /// false for commands that write data to standard output.
    package func wantsJSON(_ arguments: [[UInt8]]) -> Bool {
        var scan = CommandLineScan(table: table, arguments: arguments)
        while let argument = scan.next() {
            // Errors are ignored, since they may come before '--json'.
            if let request = try? scan.parse(argument), case .help = request { return false }
        }
        return scan.values[Flag.json.id] != nil && !scan.givesDataToStandardOutput
    }
}

package enum Invocation: Sendable {
    case run(ParsedCommand)
    case help(HelpRequest)
    /// With `--verbose`, the libraries' versions too.
    case version(isVerbose: Bool)
    /// No verb was given: the short help of `capsule` goes to standard error, with the status of a usage error.
    case nothing
}

/// A valid command line: a form of a verb, with its checked values.
package struct ParsedCommand: Sendable {
    package let definition: CommandDefinition
    package let form: CommandForm
    package let arguments: [ArgumentID: [ArgumentValue]]

    package var id: CommandForm.ID { form.id }

    package subscript<Value>(flag: Flag<Value>) -> Value {
        precondition(definition.flag(flag.id) != nil, "'\(definition.invocation)' has no flag \(flag.id.name)")
        return self[ifTaken: flag]
    }

    /// The value of a flag, for code that verbs without the flag run too: there it is one that was not given.
    package subscript<Value>(ifTaken flag: Flag<Value>) -> Value { flag.read(arguments[flag.id] ?? []) }

    package subscript<Value>(positional: Positional<Value>) -> Value {
        precondition(
            form.positionals.contains { $0.id == positional.id }, "'\(definition.invocation)' has no \(positional.id.name)")
        return positional.read(arguments[positional.id] ?? [])
    }
}

/// A command line while it is parsed, argument by argument.
package struct CommandLineScan {
    let table: CommandTable
    private let arguments: [[UInt8]]
    private var position = 0
    /// For the outline of the line: the numbers of the arguments that are positionals, of `--`, and of containers that flags name.
    private(set) var positionalArguments: [Int] = []
    private(set) var endArgument: Int?
    private(set) var containerArguments: [CommandLineOutline.Name] = []
    /// True after `--`: all following arguments are positional.
    private var areFlagsOver = false
    /// The definition of the verb, or of the program before the verb.
    var command: CommandDefinition
    private(set) var form: CommandForm?
    private(set) var positionals: [[UInt8]] = []
    /// The number of positionals before `--`; nil if there is no `--`.
    private var positionalsBeforeEnd: Int?
    private(set) var values: [ArgumentID: [ArgumentValue]] = [:]

    init(table: CommandTable, arguments: [[UInt8]]) {
        self.table = table
        self.arguments = arguments
        self.command = table.program
    }

    mutating func next() -> [UInt8]? {
        guard position < arguments.count else { return nil }
        defer { position += 1 }
        return arguments[position]
    }

    /// Parses one argument, and the next one if it is its value. Returns a request for help.
    mutating func parse(_ argument: [UInt8]) throws(UsageError) -> Invocation? {
        let dash = UInt8(ascii: "-")
        guard !areFlagsOver, argument.count > 1, argument[0] == dash else {
            try parsePositional(argument)
            return nil
        }
        if argument == [dash, dash] {
            areFlagsOver = true
            endArgument = position - 1
            positionalsBeforeEnd = positionals.count
            return nil
        }
        return try argument[1] == dash ? parseLong(argument) : parseShort(argument)
    }

    /// `--flag`, `--flag=value`, `--flag value`
    private mutating func parseLong(_ argument: [UInt8]) throws(UsageError) -> Invocation? {
        let equals = argument.firstIndex(of: UInt8(ascii: "="))
        let spelling = argument[..<(equals ?? argument.endIndex)]
        guard let flag = command.flags.first(where: { $0.longSpellings.contains { $0.utf8.elementsEqual(spelling) } }) else {
            throw unknownFlag(Array(spelling))
        }
        let attached = equals.map { Array(argument[($0 + 1)...]) }
        guard let value = flag.value else {
            if let attached { throw unexpectedValue(attached, of: flag.longSpelling) }
            return apply(flag, typed: flag.longSpelling)
        }
        let bytes = if let attached { attached } else { try nextValue(value, of: flag.longSpelling) }
        try store(bytes, of: flag, value, typed: flag.longSpelling)
        return nil
    }

    /// `-f`, `-fv`, `-ofile`, `-o file`
    private mutating func parseShort(_ argument: [UInt8]) throws(UsageError) -> Invocation? {
        let isInDefaults = { (flag: FlagDefinition) in flag.defaultsWords.contains { $0.utf8.elementsEqual(argument) } }
        if let flag = command.flags.first(where: isInDefaults), let value = flag.value {
            let typed = String(decoding: argument, as: UTF8.self)
            let bytes = try nextValue(value, of: typed)
            try store(bytes, of: flag, value, typed: typed)
            return nil
        }
        // To GNU, `-force` is `-f -o rce`. That is never intended, and it would write to a file called `rce`.
        let meant = command.flags.flatMap(\.longSpellings).first { $0.utf8.dropFirst().elementsEqual(argument) }
        if let meant, argument.count > 2 { throw unknownFlag(argument, meant: [meant]) }
        var rest = argument.dropFirst()
        while let letter = rest.popFirst() {
            guard let flag = command.flags.first(where: { $0.letter?.asciiValue == letter }) else {
                // The complete character, if it is not ASCII.
                let character = letter < 0x80 ? [letter] : [letter] + rest.prefix { $0 & 0xC0 == 0x80 }
                throw unknownFlag([UInt8(ascii: "-")] + character)
            }
            let typed = flag.shortSpelling ?? flag.longSpelling
            if let value = flag.value {
                let bytes = rest.isEmpty ? try nextValue(value, of: typed) : Array(rest)
                try store(bytes, of: flag, value, typed: typed)
                return nil
            }
            if flag.id == Flag.help.id, meansSizes(before: rest) {
                values[Flag.humanReadable.id] = [.on]
            } else if let request = apply(flag, typed: typed) {
                return request
            }
        }
        return nil
    }

    /// Returns true if `-h` is not a request for help, but a part of `ls -lh`.
    private func meansSizes(before rest: ArraySlice<UInt8>) -> Bool {
        let isLong = values[Flag.longListing.id] != nil || rest.contains(UInt8(ascii: "l"))
        return isLong && command.flag(Flag.humanReadable.id) != nil
    }

    /// Returns the next argument as a value. A flag of the command is not one: otherwise `--undo --dry-run` would change something.
    private mutating func nextValue(_ value: FlagDefinition.Value, of typed: String) throws(UsageError) -> [UInt8] {
        guard let bytes = next(), !command.flags.contains(where: { $0.longSpellings.contains { $0.utf8.elementsEqual(bytes) } })
        else { throw missingValue(value, of: typed) }
        return bytes
    }

    /// Records a switch, or returns the request of a flag that ends the parsing.
    private mutating func apply(_ flag: FlagDefinition, typed: String) -> Invocation? {
        switch flag.id {
        case Flag.help.id:
            let subject = form.map { command.narrowed(to: $0) } ?? command
            return help(.command(subject, typed == flag.longSpelling ? .long : .short))
        default:
            values[flag.id] = [.on]
            return nil
        }
    }

    private mutating func store(_ bytes: [UInt8], of flag: FlagDefinition, _ value: FlagDefinition.Value, typed: String)
        throws(UsageError)
    {
        guard let read = value.form.value(of: bytes) else {
            throw invalidValue(bytes, of: typed, value.form, expectation: value.expectation)
        }
        if case .container = value.form {
            // The value ends the argument.
            let number = position - 1
            containerArguments.append(
                CommandLineOutline.Name(argument: number, start: arguments[number].count - bytes.count))
        }
        if value.isRepeatable {
            values[flag.id, default: []].append(read)
        } else {
            values[flag.id] = [read]
        }
    }

    /// Parses the verb, then the form's word if the verb has forms, then the positionals of the form.
    private mutating func parsePositional(_ argument: [UInt8]) throws(UsageError) {
        if command.verb == nil {
            guard let verb = table.verb(named: argument) else { throw unknownVerb(argument) }
            command = verb
            form = verb.forms.first { $0.word == nil }
        } else if form != nil {
            positionals.append(argument)
            if endArgument == nil { positionalArguments.append(position - 1) }
        } else {
            form = command.forms.first { $0.isPicked(by: argument) }
            guard form != nil else { throw unknownForm(argument) }
        }
    }

    mutating func finish() throws(UsageError) -> Invocation {
        if values[Flag.version.id] != nil { return .version(isVerbose: values[Flag.verbose.id] != nil) }
        if command.verb == nil { return .nothing }
        guard let form else { throw missingForm() }
        try assignPositionals(to: form)
        try checkFlags(of: form)
        try checkConstraints()
        if form.id == .help { return try help(on: (values[Positional.topics.id] ?? []).compactMap(\.bytes)) }
        return .run(ParsedCommand(definition: command, form: form, arguments: values))
    }

    private mutating func assignPositionals(to form: CommandForm) throws(UsageError) {
        var rest = positionals[...]
        if let last = form.positionals.last, last.arity.isProgram {
            if let end = positionalsBeforeEnd, end < positionals.count {
                values[last.id] = positionals[end...].map { .bytes($0) }
                rest = positionals[..<end]
            } else if last.arity == .program {
                throw missingProgram(last)
            }
        }
        for (place, positional) in form.positionals.enumerated() {
            if positional.arity == .one || positional.arity == .some, rest.isEmpty { throw missingArgument(positional) }
            let count =
                switch positional.arity {
                case .one, .optional: min(1, rest.count)
                case .any: rest.count
                case .some: max(1, rest.count - (form.positionals.count - place - 1))
                case .program, .optionalProgram: 0
                }
            for bytes in rest.prefix(count) {
                guard let value = positional.form.value(of: bytes) else {
                    throw invalidValue(bytes, of: positional.name, positional.form)
                }
                values[positional.id, default: []].append(value)
            }
            rest = rest.dropFirst(count)
        }
        if let extra = rest.first { throw unexpectedArgument(extra) }
    }

    /// True if standard output is used for data, because of the form or because an output goes there, in the part of the line that was
    /// parsed.
    var givesDataToStandardOutput: Bool {
        if form?.id.printsData ?? false { return true }
        return command.flags.contains { flag in
            guard case .output = flag.value?.form.use, case .bytes(let name) = values[flag.id]?.last else { return false }
            return name == Array("-".utf8)
        }
    }

    func checkConstraints() throws(UsageError) {
        for constraint in command.constraints {
            switch constraint {
            case .conflict(let one, let other, let reason):
                if holds(one), holds(other) {
                    throw UsageError(
                        code: .conflict, message: "'\(spelled(one))' and '\(spelled(other))' cannot be used together",
                        hint: reason)
                }
            case .requirement(let needed, let use, let reason):
                if holds(use), !holds(needed) {
                    throw UsageError(code: .conflict, message: "'\(spelled(use))' needs '\(spelled(needed))'", hint: reason)
                }
            case .requirementOfAny(let needed, let use, let reason):
                guard holds(use), !needed.contains(where: holds) else { continue }
                let list = Suggestions.alternatives(needed.map { "'\(spelled($0))'" })
                throw UsageError(code: .conflict, message: "'\(spelled(use))' needs \(list)", hint: reason)
            case .limit(let use, let range, let exception, let condition, let reason):
                guard let number = values[use.flag]?.last?.integer, !range.contains(number), !holds(exception) else {
                    continue
                }
                throw UsageError(
                    code: .invalidValue,
                    message: "invalid value '\(number)' for '\(spelled(use))': "
                        + "expected \(ValueForm.integer(range).expectation) \(condition)",
                    hint: reason)
            case .choice(let uses, let id, let reason):
                guard form?.id == id else { continue }
                let given = uses.filter(holds)
                guard given.count != 1 else { continue }
                let list = Suggestions.alternatives(uses.map(spelled))
                throw UsageError(
                    code: given.isEmpty ? .missingArgument : .conflict,
                    message: given.isEmpty
                        ? "'\(calledForm)' needs \(list)"
                        : "'\(spelled(given[0]))' and '\(spelled(given[1]))' cannot be used together",
                    hint: reason)
            }
        }
    }

    func checkFlags(of form: CommandForm) throws(UsageError) {
        for flag in command.flags where values[flag.id] != nil && !form.takes(flag) {
            let others = command.forms.filter { $0.takes(flag) }.compactMap(\.word)
            throw UsageError(
                code: .unknownFlag,
                message: "'\(command.verb ?? "") \(form.word ?? "")' does not take '\(flag.longSpelling)'",
                hint: "it belongs to \(Suggestions.alternatives(others.map { "'\(command.invocation) \($0)'" }))")
        }
    }

    private func holds(_ use: Constraint.Use) -> Bool {
        guard let value = values[use.flag]?.last else { return false }
        if use.values.isEmpty { return true }
        switch value {
        case .text(let text): return use.values.contains(text)
        case .bytes(let bytes): return use.values.contains { $0.utf8.elementsEqual(bytes) }
        case .on, .integer, .seconds, .named: return false
        }
    }

    /// `--as`, `--output -`, `--as tar.gz|tar.zst|tar|zip`
    private func spelled(_ use: Constraint.Use) -> String {
        let flag = command.flag(use.flag)?.longSpelling ?? use.flag.name
        return use.values.isEmpty ? flag : flag + " " + use.values.joined(separator: "|")
    }
}
