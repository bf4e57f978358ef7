import CapsuleArguments
import CapsuleContainers
import CapsuleCore
import CapsuleEngine
import CapsulePropertyList

struct PlistCommand {
    let context: CommandContext
    private var command: ParsedCommand { context.command }

    /// Checks all files, even after an error.
    func lint() throws(CapsuleError) -> ExitStatus {
        var status = ExitStatus.success
        for path in command[.propertyLists] {
            do throws(CapsuleError) {
                let file = try PlistFile(HostPath(path), isLenient: command[.lenient])
                if command[.lenient] { warn(of: file) } else { try file.refuseDuplicateKeys() }
                if context.isReported { try context.write(context.reporter.linted(file, as: path, nil)) }
            } catch {
                guard error.code.isFailure || error.code == .notFound || error.code == .notPermitted else { throw error }
                if command[.json] { try context.write(context.reporter.linted(nil, as: path, error)) }
                context.diagnostics.error(error)
                status = .failure
            }
        }
        return status
    }

    func get() throws(CapsuleError) -> ExitStatus {
        let file = try open(isEdited: false)
        let pointer = try pointer(in: file)
        let value =
            if let text = command[.fallback], Self.isMissing(pointer, in: file) {
                PlistValue.string(PlistString(text))
            } else {
                try file.value(at: pointer)
            }
        try context.write(try context.reporter.value(value))
        return .success
    }

    private static func isMissing(_ pointer: PlistPointer, in file: PlistFile) -> Bool {
        do throws(PlistError) {
            _ = try file.document.value.value(at: pointer, nested: .compressing)
            return false
        } catch {
            return error.code == .missing
        }
    }

    func set() throws(CapsuleError) -> ExitStatus {
        guard let text = command[.newValue] else { return try edit(.set(try NewValue(command).value())) }
        return try edit { (file, pointer) throws(CapsuleError) in
            .set(try NewValue(command).value(of: text, replacing: try? file.value(at: pointer)))
        }
    }

    func add() throws(CapsuleError) -> ExitStatus {
        try edit(.add(try NewValue(command).value()))
    }

    func append() throws(CapsuleError) -> ExitStatus {
        try edit(.append(try NewValue(command).value()))
    }

    func remove() throws(CapsuleError) -> ExitStatus {
        try edit(.remove)
    }

    func convert() throws(CapsuleError) -> ExitStatus {
        let file = try open(isEdited: command[.output] == nil)
        let format = command[.format].format
        let (value, notes) = try file.converted(to: format, isLossy: command[.lossy])
        for note in notes { context.diagnostics.warning(file.error(note)) }
        return try report(try file.write(value, as: format, to: destination), on: file)
    }

    func print() throws(CapsuleError) -> ExitStatus {
        let file = try open(isEdited: false)
        if command[.json] {
            try context.write(JSONReporter().printed(file, as: command[.propertyList]))
            return .success
        }
        let text: [UInt8]
        do throws(PlistError) {
            text = try PlistPrinter.text(of: file.document.value, unarchives: command[.unarchive])
        } catch {
            throw file.error(error)
        }
        try context.write(text)
        return .success
    }

    private func edit(_ edit: PlistFile.Edit) throws(CapsuleError) -> ExitStatus {
        try self.edit { (_, _) throws(CapsuleError) in edit }
    }

    private func edit(
        _ make: (PlistFile, PlistPointer) throws(CapsuleError) -> PlistFile.Edit
    ) throws(CapsuleError) -> ExitStatus {
        let file = try open(isEdited: command[.output] == nil)
        if command[.output] == nil { try file.refuseStored() }
        let pointer = try pointer(in: file)
        let edit = try make(file, pointer)
        try refuseRoot(pointer, edit)
        let edited = try file.value(after: edit, at: pointer, createsParents: command[.createParents])
        for note in edited.notes { context.diagnostics.warning(file.warning(note)) }
        if case .set(let value) = edit { noteAddition(of: value, at: pointer, in: file) }
        return try report(try file.write(edited.value, to: destination), on: file, edited.notes)
    }

    /// Says that `set` adds a key, which may be misspelled, and that a text without a type is a string.
    private func noteAddition(of value: PlistValue, at pointer: PlistPointer, in file: PlistFile) {
        guard !command[.quiet], pointer.last != "-" else { return }
        do throws(PlistError) {
            _ = try file.document.value.value(at: pointer, nested: .compressing)
        } catch {
            guard error.code == .missing else { return }
            context.diagnostics.note("\(pointer) does not exist, so it is added")
            if let hint = error.suggestingKeys(of: file.document.value, nested: .compressing).hint {
                context.diagnostics.hint(hint)
            }
            guard let text = command[.newValue] else { return }
            let type = ["true", "false", "yes", "no"].contains(text.lowercased()) ? "bool" : Int(text) == nil ? nil : "integer"
            if let type {
                context.diagnostics.hint("it is the string \(PlistString(text).quoted); '--\(type) \(text)' sets another type")
            }
        }
    }

    /// Throws if the root of the property list would be replaced without `--force`.
    private func refuseRoot(_ pointer: PlistPointer, _ edit: PlistFile.Edit) throws(CapsuleError) {
        guard pointer.isRoot else { return }
        switch edit {
        case .append, .remove: return
        case .set where command[.force]: return
        case .set, .add:
            throw CapsuleError(.usage, "the empty pointer names the whole property list", hint: "'plist set --force' replaces it")
        }
    }

    private func report(
        _ outcome: (isChanged: Bool, isWritten: Bool), on file: PlistFile, _ notes: [OverlayNote] = []
    ) throws(CapsuleError) -> ExitStatus {
        if outcome.isWritten, command[.output] == nil, let advice = file.advice {
            context.report(advice)
        }
        let isStream = command[.output].map { HostPath($0) == .standardStream } ?? false
        if context.isReported, !isStream {
            try context.write(
                context.reporter.edited(
                    command[.propertyList], output: command[.output], isChanged: outcome.isChanged, isWritten: outcome.isWritten,
                    notes: notes))
        }
        return .success
    }

    private func open(isEdited: Bool) throws(CapsuleError) -> PlistFile {
        let file = try PlistFile(HostPath(command[.propertyList]), isLenient: command[.lenient], isEdited: isEdited)
        warn(of: file)
        return file
    }

    private func warn(of file: PlistFile) {
        for warning in file.warnings { context.diagnostics.warning(warning) }
    }

    /// Returns POINTER, which may have any of its spellings. A text with two readings is a key of the root.
    private func pointer(in file: PlistFile) throws(CapsuleError) -> PlistPointer {
        let text = command[.pointer] ?? ""
        do throws(PlistError) {
            let root = file.document.value
            let pointer = try PlistPointer(text, in: root)
            if let path = try? PlistPointer(keyPath: text), path != pointer, (try? root.value(at: path)) != nil {
                context.diagnostics.note("'\(text)' is read as one key; '\(path)' is the other value that it could name")
            }
            return pointer
        } catch {
            throw CapsuleError(.usage, error.message, hint: error.hint)
        }
    }

    private var destination: PlistFile.Destination {
        command[.output].map { .output(context.file($0)) } ?? .inPlace
    }
}

private struct NewValue {
    private let command: ParsedCommand

    init(_ command: ParsedCommand) {
        self.command = command
    }

    /// Returns the value of the one flag that was given; the parser requires one.
    func value() throws(CapsuleError) -> PlistValue {
        if let text = command[.string] { return .string(PlistString(text)) }
        if let text = command[.bool] { return try read(text, .bool, "true or false", Self.boolean) }
        if let text = command[.integer] { return try typed(text, .integer, "a whole number from -2^63 to 2^64 - 1") }
        if let text = command[.real] { return try typed(text, .real, "a number") }
        if let text = command[.date] { return try typed(text, .date, "a time such as 2026-03-01T10:20:30Z") }
        if let text = command[.data] { return try typed(text, .data, "base64") }
        if let text = command[.hex] { return try read(text, .hex, "hexadecimal digits", Self.data) }
        return try json(command[.fromJSON] ?? "")
    }

    /// Returns the value of a text in the type of the value that it replaces; a string if it replaces none.
    func value(of text: String, replacing old: PlistValue?) throws(CapsuleError) -> PlistValue {
        let value: PlistValue? =
            switch old {
            case nil, .string: .string(PlistString(text))
            case .boolean: Self.boolean(text)
            case .integer: PlistScalarText.value(of: text, as: .integer)
            case .real: PlistScalarText.value(of: text, as: .real)
            case .date: PlistScalarText.value(of: text, as: .date)
            case .data: PlistScalarText.value(of: text, as: .data)
            default: nil
            }
        if let value { return value }
        throw CapsuleError(
            .usage, "invalid value \(PlistString(text).quoted): the old value is \(old?.typeNameWithArticle ?? "a string")",
            hint: "'--string' changes the type; '--from-json' sets a value of any type")
    }

    private static func boolean(_ text: String) -> PlistValue? {
        switch text.lowercased() {
        case "true", "yes", "1": .boolean(true)
        case "false", "no", "0": .boolean(false)
        default: nil
        }
    }

    private static func data(_ text: String) -> PlistValue? {
        let digits = text.utf8.map { Character(Unicode.Scalar($0)).hexDigitValue }
        guard digits.count.isMultiple(of: 2), !digits.contains(nil) else { return nil }
        let values = digits.compactMap { $0 }
        return .data(stride(from: 0, to: values.count, by: 2).map { UInt8(values[$0] << 4 | values[$0 + 1]) })
    }

    private func typed(_ text: String, _ type: PlistScalarText.ScalarType, _ wanted: String) throws(CapsuleError) -> PlistValue {
        let flag: Flag<String?> =
            switch type {
            case .integer: .integer
            case .real: .real
            case .date: .date
            case .data: .data
            }
        return try read(text, flag, wanted) { PlistScalarText.value(of: $0, as: type) }
    }

    private func read(
        _ text: String, _ flag: Flag<String?>, _ wanted: String, _ read: (String) -> PlistValue?
    ) throws(CapsuleError) -> PlistValue {
        if let value = read(text) { return value }
        throw CapsuleError(.usage, "invalid value \(PlistString(text).quoted) for '\(flag.id.name)': expected \(wanted)")
    }

    private func json(_ text: String) throws(CapsuleError) -> PlistValue {
        do throws(PlistError) {
            return try PlistReader.read(Array(text.utf8), accepting: [.json], json: .typed).value
        } catch {
            throw CapsuleError(.usage, "the value of '--from-json': \(error)", hint: error.hint)
        }
    }
}
