/// A command line that is not finished, read by the table as far as it goes: what is wrong with it doesn't matter yet.
struct TypedCommand {
    /// What the last word is.
    enum Place {
        /// A value of a flag, which stands behind the first so many bytes of the word: behind `--drop=`.
        case value(of: Flag, after: Int)
        case positional(Positional)
        /// A flag, a verb, or one word too many: the shell's script knows these by itself.
        case other
    }

    private(set) var command: CommandDefinition?
    private(set) var form: CommandForm?
    /// The arguments before the last word, by what they are.
    private(set) var arguments: [ArgumentID: [[UInt8]]] = [:]
    private(set) var place = Place.other

    private var positionals: [[UInt8]] = []
    private var areFlagsOver = false
    private let table: CommandTable

    /// - Parameter words: without the program's name; the last one is being typed.
    init(_ words: [[UInt8]], table: CommandTable = .capsule) {
        self.table = table
        guard let last = words.last else { return }
        var waiting: Flag?
        for word in words.dropLast() {
            if let flag = waiting {
                arguments[.flag(flag.id), default: []].append(word)
                waiting = nil
            } else {
                waiting = take(word)
            }
        }
        for (positional, word) in zip(places, positionals) { arguments[.positional(positional.id), default: []].append(word) }
        place = waiting.map { Place.value(of: $0, after: 0) } ?? place(of: last)
    }

    /// The flags that are known where a word stands.
    private var flags: [Flag] { (command ?? table.program).flags }

    /// Notes a word.
    ///
    /// - Returns: the flag whose value the next one is.
    private mutating func take(_ word: [UInt8]) -> Flag? {
        guard !areFlagsOver, word.count > 1, word[0] == UInt8(ascii: "-") else {
            takePositional(word)
            return nil
        }
        if word.elementsEqual("--".utf8) {
            areFlagsOver = true
            return nil
        }
        if let (flag, length) = attached(to: word) {
            arguments[.flag(flag.id), default: []].append(Array(word[length...]))
            return nil
        }
        return flags.first { flag in
            flag.takesNextWord
                && (flag.longSpellings + [flag.shortSpelling].compactMap(\.self)).contains { $0.utf8.elementsEqual(word) }
        }
    }

    private mutating func takePositional(_ word: [UInt8]) {
        if command == nil {
            command = table.verb(named: word)
            form = command?.forms.first { $0.word == nil }
        } else if form != nil {
            positionals.append(word)
        } else {
            form = command?.forms.first { $0.word?.utf8.elementsEqual(word) == true }
        }
    }

    /// The flag in whose word its value stands, and the length of what is before the value.
    private func attached(to word: [UInt8]) -> (Flag, Int)? {
        guard let equals = word.firstIndex(of: UInt8(ascii: "=")) else { return nil }
        let flag = flags.first { $0.value != nil && $0.longSpellings.contains { $0.utf8.elementsEqual(word[..<equals]) } }
        return flag.map { ($0, equals + 1) }
    }

    private func place(of word: [UInt8]) -> Place {
        if !areFlagsOver, word.first == UInt8(ascii: "-") {
            return attached(to: word).map { Place.value(of: $0.0, after: $0.1) } ?? .other
        }
        let number = positionals.count
        let places = places
        return places.indices.contains(number) ? .positional(places[number]) : .other
    }

    /// What stands in each place: an argument that may be repeated has as many as are there, and one more.
    private var places: [Positional] {
        var places: [Positional] = []
        for positional in form?.positionals ?? [] {
            switch positional.arity {
            case .one, .optional: places.append(positional)
            case .any, .some, .program:
                while places.count <= positionals.count { places.append(positional) }
            }
        }
        return places
    }
}
