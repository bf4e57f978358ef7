/// One value as the parser accepted it: a flag's or a positional's, checked against its ``ValueForm``.
enum ArgumentValue: Sendable, Hashable {
    /// A switch was given.
    case on
    /// A file, directory, container, path or pattern: bytes as typed, since names need not be UTF-8.
    case bytes([UInt8])
    /// A label, a note or one of a list of words.
    case text(String)
    case integer(Int)
    case seconds(Double)
    case named(NamedValue)
}

extension ArgumentValue {
    /// The bytes, if it is of that kind.
    var bytes: [UInt8]? {
        guard case .bytes(let bytes) = self else { return nil }
        return bytes
    }

    /// The text, if it is of that kind.
    var text: String? {
        guard case .text(let text) = self else { return nil }
        return text
    }

    /// The time, if it is of that kind.
    var seconds: Double? {
        guard case .seconds(let seconds) = self else { return nil }
        return seconds
    }

    /// The number, if it is of that kind.
    var integer: Int? {
        guard case .integer(let integer) = self else { return nil }
        return integer
    }
}
