/// The typed name of an argument: `command[.force]` is a Bool, `command[.exclude]` a list of byte strings.
///
/// Each flag and positional has one key, whichever verbs have it; a test checks that every key reads what the table lets
/// the parser store.
struct ArgumentKey<Value: Sendable>: Sendable {
    /// What the key stands for.
    let id: ArgumentID
    /// Makes the value of all that the parser accepted for the argument, in the order given.
    let read: @Sendable ([ArgumentValue]) -> Value

    init(_ id: ArgumentID, read: @escaping @Sendable ([ArgumentValue]) -> Value) {
        self.id = id
        self.read = read
    }
}

extension ArgumentKey where Value == Bool {
    /// A switch.
    init(_ id: Flag.ID) { self.init(.flag(id)) { !$0.isEmpty } }
}

extension ArgumentKey where Value == [UInt8]? {
    /// At most one value of raw bytes.
    init(_ id: ArgumentID) { self.init(id) { $0.last?.bytes } }
}

extension ArgumentKey where Value == [[UInt8]] {
    /// Any number of values of raw bytes.
    init(_ id: ArgumentID) { self.init(id) { $0.compactMap(\.bytes) } }
}

extension ArgumentKey where Value == [UInt8] {
    /// A positional that the parser demands, so that the empty bytes never show.
    init(_ id: Positional.ID) { self.init(.positional(id)) { $0.last?.bytes ?? [] } }
}

extension ArgumentKey where Value == String {
    /// A positional that the parser demands, so that the empty text never stands for a missing one.
    init(_ id: Positional.ID) { self.init(.positional(id)) { $0.last?.text ?? "" } }
}

extension ArgumentKey where Value == String? {
    /// At most one value of text.
    init(_ id: Flag.ID) { self.init(.flag(id)) { $0.last?.text } }
}

extension ArgumentKey where Value == [String] {
    /// Any number of texts.
    init(_ id: Flag.ID) { self.init(.flag(id)) { $0.compactMap(\.text) } }
}

extension ArgumentKey where Value == Int? {
    /// At most one number.
    init(_ id: Flag.ID) { self.init(.flag(id)) { $0.last?.integer } }
}

extension ArgumentKey where Value == Double {
    /// Seconds, with a default.
    init(_ id: Flag.ID, default standard: Double) { self.init(.flag(id)) { $0.last?.seconds ?? standard } }
}

extension ArgumentKey where Value == [NamedValue] {
    /// Any number of `NAME=VALUE`.
    init(_ id: Flag.ID) {
        self.init(.flag(id)) { values in
            values.compactMap { value in
                guard case .named(let named) = value else { return nil }
                return named
            }
        }
    }
}

extension ArgumentKey where Value: WordChoice {
    /// One of a list of words, with a default.
    init(_ id: ArgumentID, default standard: Value) {
        self.init(id) { $0.last?.text.flatMap(Value.init(rawValue:)) ?? standard }
    }
}

extension ArgumentKey {
    /// At most one of a list of words.
    init<Choice: WordChoice>(_ id: Flag.ID) where Value == Choice? {
        self.init(.flag(id)) { $0.last?.text.flatMap(Choice.init(rawValue:)) }
    }
}
