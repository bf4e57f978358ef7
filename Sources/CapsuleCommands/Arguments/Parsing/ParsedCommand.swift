/// A command line that was understood: which form of which verb, and its values, all checked.
struct ParsedCommand: Sendable {
    let id: CommandForm.ID
    /// The verb as typed.
    let verb: String
    let arguments: [ArgumentID: [ArgumentValue]]

    /// The value of a flag or a positional.
    ///
    /// A flag that the verb does not have reads as one that was not given, so that what all verbs share can be read from
    /// any.
    subscript<Value>(key: ArgumentKey<Value>) -> Value {
        key.read(arguments[key.id] ?? [])
    }
}
