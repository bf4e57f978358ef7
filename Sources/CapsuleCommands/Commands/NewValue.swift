import CapsuleEngine
import CapsulePropertyList

/// The value that `plist set` puts in, as its flags spell it.
struct NewValue {
    private let command: ParsedCommand

    init(_ command: ParsedCommand) {
        self.command = command
    }

    /// The value of the one flag that was given; the parser sees to it that one was.
    ///
    /// - Throws: a usage error for what spells no such value.
    func value() throws(CapsuleError) -> PlistValue {
        if let text = command[.string] { return .string(PlistString(text)) }
        if let text = command[.bool] { return try read(text, .bool, "true or false", Self.boolean) }
        if let text = command[.integer] { return try typed(text, .integer, "a whole number from -2^63 to 2^64 - 1") }
        if let text = command[.real] { return try typed(text, .real, "a number") }
        if let text = command[.date] { return try typed(text, .date, "a time such as 2026-03-01T10:20:30Z") }
        if let text = command[.data] { return try typed(text, .data, "base64") }
        return try json(command[.fromJSON] ?? "")
    }

    private static func boolean(_ text: String) -> PlistValue? {
        switch text.lowercased() {
        case "true", "yes", "1": .boolean(true)
        case "false", "no", "0": .boolean(false)
        default: nil
        }
    }

    private func typed(_ text: String, _ type: PlistScalarText.ScalarType, _ wanted: String) throws(CapsuleError) -> PlistValue {
        let flag: Flag.ID =
            switch type {
            case .integer: .integer
            case .real: .real
            case .date: .date
            case .data: .data
            }
        return try read(text, flag, wanted) { PlistScalarText.value(of: $0, as: type) }
    }

    private func read(
        _ text: String, _ flag: Flag.ID, _ wanted: String, _ read: (String) -> PlistValue?
    ) throws(CapsuleError) -> PlistValue {
        if let value = read(text) { return value }
        let name = CommandDefinition.plist.flag(flag)?.longSpelling ?? ""
        throw CapsuleError(.usage, "invalid value \(PlistString(text).quoted) for '\(name)': expected \(wanted)")
    }

    private func json(_ text: String) throws(CapsuleError) -> PlistValue {
        do throws(PlistError) {
            return try PlistReader.read(Array(text.utf8), accepting: [.json], json: .typed).value
        } catch {
            throw CapsuleError(.usage, "the value of '--from-json': \(error)", hint: error.hint)
        }
    }
}
