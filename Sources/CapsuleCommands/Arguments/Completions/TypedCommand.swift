import CapsuleEngine

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

/// A word of a command line as it is typed, quotes and all. bash and zsh quote alike.
struct ShellWord {
    /// How the text after the word would have to be quoted.
    enum Quote {
        case none, single, double
    }

    /// As it was typed.
    private(set) var raw: [UInt8] = []
    /// Without its quotes; variables and `~` as they were typed.
    private(set) var text: [UInt8] = []
    /// What the shell would make of it. Only variables are put in: nothing is ever run.
    private(set) var value: [UInt8] = []
    private(set) var quote = Quote.none
    /// Where the part of ``raw`` begins that the shell replaces: behind a quotation mark or a character that parts words. An `@`
    /// that parts them is in it (readline's rl_special_prefixes, for names of hosts).
    private(set) var start = 0
    /// Whether only the shell can tell what it is: it runs a command, or ends in the middle of an escape.
    private(set) var isOpaque = false

    /// The words of a command line up to the cursor. The last one is empty behind a space.
    ///
    /// - Parameter breaks: what parts words for the shell's completion, besides spaces (`COMP_WORDBREAKS`).
    static func words(of line: [UInt8], breaks: [UInt8]) -> [ShellWord] {
        var words: [ShellWord] = []
        var rest = line[...]
        while true {
            rest = rest.drop(while: isSpace)
            var word = ShellWord()
            while let byte = rest.first, word.quote != .none || !isSpace(byte) { word.take(&rest, breaks) }
            words.append(word)
            if rest.isEmpty { return words }
        }
    }

    private static func isSpace(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") || byte == UInt8(ascii: "\n")
    }

    private mutating func take(_ rest: inout ArraySlice<UInt8>, _ breaks: [UInt8]) {
        let byte = rest.removeFirst()
        raw.append(byte)
        switch (byte, quote) {
        case (UInt8(ascii: "'"), .none), (UInt8(ascii: "'"), .single):
            quote = quote == .none ? .single : .none
            start = raw.count
        case (UInt8(ascii: "\""), .none), (UInt8(ascii: "\""), .double):
            quote = quote == .none ? .double : .none
            start = raw.count
        case (UInt8(ascii: "\\"), .none), (UInt8(ascii: "\\"), .double):
            takeEscaped(&rest)
        case (UInt8(ascii: "`"), .none), (UInt8(ascii: "`"), .double):
            isOpaque = true
        case (UInt8(ascii: "$"), .none), (UInt8(ascii: "$"), .double):
            takeVariable(&rest)
        case (UInt8(ascii: "~"), .none) where raw.count == 1 && (rest.first == UInt8(ascii: "/") || rest.isEmpty):
            add([byte], value: HostProcess.environment("HOME") ?? [byte])
        default:
            add([byte], value: [byte])
            if quote == .none, breaks.contains(byte) { start = byte == UInt8(ascii: "@") ? raw.count - 1 : raw.count }
        }
    }

    private mutating func takeEscaped(_ rest: inout ArraySlice<UInt8>) {
        guard let byte = rest.popFirst() else {
            isOpaque = true
            return
        }
        raw.append(byte)
        // Between quotation marks a backslash stays before all but these.
        let isKept = quote == .double && !Array("\\\"$`".utf8).contains(byte)
        add(isKept ? [UInt8(ascii: "\\"), byte] : [byte], value: isKept ? [UInt8(ascii: "\\"), byte] : [byte])
    }

    /// `$NAME` and `${NAME}`; any other expansion is the shell's alone.
    private mutating func takeVariable(_ rest: inout ArraySlice<UInt8>) {
        let hasBraces = rest.first == UInt8(ascii: "{")
        let name = Array((hasBraces ? rest.dropFirst() : rest).prefix(while: Self.isOfName))
        let behind = rest.dropFirst(name.count + (hasBraces ? 1 : 0))
        guard !name.isEmpty, !hasBraces || behind.first == UInt8(ascii: "}") else {
            isOpaque = true
            return
        }
        let spelled = Array(rest.prefix(name.count + (hasBraces ? 2 : 0)))
        rest = rest.dropFirst(spelled.count)
        raw += spelled
        add([UInt8(ascii: "$")] + spelled, value: HostProcess.environment(String(decoding: name, as: UTF8.self)) ?? [])
    }

    private static func isOfName(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "_"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: false
        }
    }

    private mutating func add(_ bytes: [UInt8], value: [UInt8]) {
        text += bytes
        self.value += value
    }

    // MARK: What comes after it

    /// The text with which a shell replaces the word's end, so that the whole becomes `name`; nil where that can't be written.
    ///
    /// - Parameter name: begins with the word's text.
    func completed(to name: [UInt8]) -> [UInt8]? {
        guard !isOpaque, name.starts(with: text) else { return nil }
        var reply = Array(raw[start...])
        for byte in name.dropFirst(text.count) {
            guard let quoted = quoted(byte, isFirst: raw.isEmpty && reply.isEmpty) else { return nil }
            reply += quoted
        }
        return reply
    }

    private func quoted(_ byte: UInt8, isFirst: Bool) -> [UInt8]? {
        let backslash = UInt8(ascii: "\\")
        switch quote {
        case .single:
            return byte == UInt8(ascii: "'") ? Array("'\\''".utf8) : [byte]
        case .double:
            // There an escape of an event of the history would stay in the text.
            if byte == UInt8(ascii: "!") { return nil }
            return Array("\\\"$`".utf8).contains(byte) ? [backslash, byte] : [byte]
        case .none:
            let isPlain = byte >= 0x80 || Self.isOfName(byte) || Array((isFirst ? "./,:@%+-" : "./,:@%+-=~").utf8).contains(byte)
            return isPlain ? [byte] : [backslash, byte]
        }
    }
}
