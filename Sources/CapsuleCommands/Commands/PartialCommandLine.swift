import CapsuleArguments
import CapsuleEngine

/// An unfinished command line, parsed with the table as far as possible. Errors in it are ignored.
struct PartialCommandLine {
    /// The role of the last word.
    enum WordRole {
        /// A value of a flag. It begins after this many bytes of the word: after `--drop=`.
        case value(of: FlagDefinition, after: Int)
        case positional(PositionalDefinition)
        case verb, form, flag
        case extra
    }

    private(set) var command: CommandDefinition?
    private(set) var form: CommandForm?
    /// The arguments before the last word.
    private(set) var arguments: [ArgumentID: [[UInt8]]] = [:]
    private(set) var place = WordRole.extra
    /// True after `--`.
    private(set) var areFlagsOver = false
    private var positionals: [[UInt8]] = []
    private var given: Set<ArgumentID> = []
    /// The role of a word that is no flag, while the verb or its form is not known.
    private var missing: WordRole? = .verb
    private let table: CommandTable

    /// - Parameter words: without the program's name; the last one is being typed.
    init(_ words: [[UInt8]], table: CommandTable = .capsule) {
        self.table = table
        guard let last = words.last else { return }
        var waiting: FlagDefinition?
        for word in words.dropLast() {
            if let flag = waiting {
                arguments[flag.id, default: []].append(word)
                waiting = nil
            } else {
                waiting = consume(word)
            }
        }
        for (positional, word) in zip(places, positionals) { arguments[positional.id, default: []].append(word) }
        place = waiting.map { WordRole.value(of: $0, after: 0) } ?? place(of: last)
    }

    private var flags: [FlagDefinition] { (command ?? table.program).flags }

    /// The flags to offer: those of the verb first, and none that was given and can't be repeated.
    var openFlags: [FlagDefinition] {
        ((command ?? table.program).ownFlags + FlagDefinition.common).filter {
            $0.value?.isRepeatable == true || !given.contains($0.id)
        }
    }

    /// - Returns: the flag whose value is the next word.
    private mutating func consume(_ word: [UInt8]) -> FlagDefinition? {
        guard !areFlagsOver, word.count > 1, word[0] == UInt8(ascii: "-") else {
            parsePositional(word)
            return nil
        }
        if word.elementsEqual("--".utf8) {
            areFlagsOver = true
            return nil
        }
        if let (flag, length) = attached(to: word) {
            given.insert(flag.id)
            arguments[flag.id, default: []].append(Array(word[length...]))
            return nil
        }
        let flag = flags.first { flag in
            (flag.longSpellings + [flag.shortSpelling].compactMap(\.self)).contains { $0.utf8.elementsEqual(word) }
        }
        if let flag { given.insert(flag.id) }
        return flag?.value == nil ? nil : flag
    }

    private mutating func parsePositional(_ word: [UInt8]) {
        switch missing {
        case .verb:
            command = table.verb(named: word)
            form = command?.forms.first { $0.word == nil }
            missing = command == nil ? .extra : form == nil ? .form : nil
        case .form:
            form = command?.forms.first { $0.word?.utf8.elementsEqual(word) == true }
            missing = form == nil ? .extra : nil
        default: positionals.append(word)
        }
    }

    /// Returns the flag of a word that contains the flag's value, and the length of the part before the value.
    private func attached(to word: [UInt8]) -> (FlagDefinition, Int)? {
        guard let equals = word.firstIndex(of: UInt8(ascii: "=")) else { return nil }
        let flag = flags.first { $0.value != nil && $0.longSpellings.contains { $0.utf8.elementsEqual(word[..<equals]) } }
        return flag.map { ($0, equals + 1) }
    }

    private func place(of word: [UInt8]) -> WordRole {
        if !areFlagsOver, word.first == UInt8(ascii: "-") {
            return attached(to: word).map { WordRole.value(of: $0.0, after: $0.1) } ?? .flag
        }
        if let missing { return missing }
        let number = positionals.count
        let places = places
        return places.indices.contains(number) ? .positional(places[number]) : .extra
    }

    /// The positional at each position. One that may be repeated occurs once per given argument, and once more.
    private var places: [PositionalDefinition] {
        var places: [PositionalDefinition] = []
        for positional in form?.positionals ?? [] {
            switch positional.arity {
            case .one, .optional: places.append(positional)
            case .any, .some, .program, .optionalProgram:
                while places.count <= positionals.count { places.append(positional) }
            }
        }
        return places
    }
}

/// A word of a command line as it is typed, with its quotes. bash and zsh quote alike.
struct ShellWord {
    /// The kind of quotes that are open at the end of the word.
    enum Quote {
        case none, single, double
    }

    private(set) var raw: [UInt8] = []
    /// The word without its quotes; variables and `~` as they were typed.
    private(set) var text: [UInt8] = []
    /// The word as the shell would expand it. Only variables are expanded: nothing is ever run.
    private(set) var value: [UInt8] = []
    private(set) var quote = Quote.none
    /// The start of the part of ``raw`` that the shell replaces: after a quotation mark or a character that separates words. An `@` that
    /// separates words is part of it (readline's rl_special_prefixes, for host names).
    private(set) var start = 0
    /// True if only the shell can know the word's value: it runs a command, or ends in the middle of an escape.
    private(set) var isOpaque = false

    /// After a space, the last one is empty.
    /// - Parameter breaks: the characters that separate words for the shell's completion, besides spaces (`COMP_WORDBREAKS`).
    static func words(of line: [UInt8], breaks: [UInt8]) -> [ShellWord] {
        var words: [ShellWord] = []
        var rest = line[...]
        while true {
            rest = rest.drop(while: isSpace)
            var word = ShellWord()
            while let byte = rest.first, word.quote != .none || !isSpace(byte) { word.consume(&rest, breaks) }
            words.append(word)
            if rest.isEmpty { return words }
        }
    }

    private static func isSpace(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") || byte == UInt8(ascii: "\n")
    }

    private mutating func consume(_ rest: inout ArraySlice<UInt8>, _ breaks: [UInt8]) {
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
            consumeEscape(&rest)
        case (UInt8(ascii: "`"), .none), (UInt8(ascii: "`"), .double):
            isOpaque = true
        case (UInt8(ascii: "$"), .none), (UInt8(ascii: "$"), .double):
            consumeVariable(&rest)
        case (UInt8(ascii: "~"), .none) where raw.count == 1 && (rest.first == UInt8(ascii: "/") || rest.isEmpty):
            add([byte], value: HostProcess().environment("HOME") ?? [byte])
        default:
            add([byte], value: [byte])
            if quote == .none, breaks.contains(byte) { start = byte == UInt8(ascii: "@") ? raw.count - 1 : raw.count }
        }
    }

    private mutating func consumeEscape(_ rest: inout ArraySlice<UInt8>) {
        guard let byte = rest.popFirst() else {
            isOpaque = true
            return
        }
        raw.append(byte)
        // In double quotes, a backslash stays before all characters but these.
        let isKept = quote == .double && !Array("\\\"$`".utf8).contains(byte)
        add(isKept ? [UInt8(ascii: "\\"), byte] : [byte], value: isKept ? [UInt8(ascii: "\\"), byte] : [byte])
    }

    /// Expands `$NAME` and `${NAME}`. Only the shell knows the value of any other expansion.
    private mutating func consumeVariable(_ rest: inout ArraySlice<UInt8>) {
        let hasBraces = rest.first == UInt8(ascii: "{")
        let name = Array((hasBraces ? rest.dropFirst() : rest).prefix(while: Self.isNameByte))
        let behind = rest.dropFirst(name.count + (hasBraces ? 1 : 0))
        guard !name.isEmpty, !hasBraces || behind.first == UInt8(ascii: "}") else {
            isOpaque = true
            return
        }
        let spelled = Array(rest.prefix(name.count + (hasBraces ? 2 : 0)))
        rest = rest.dropFirst(spelled.count)
        raw += spelled
        add([UInt8(ascii: "$")] + spelled, value: HostProcess().environment(String(decoding: name, as: UTF8.self)) ?? [])
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
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

    /// Returns the text with which a shell replaces the end of the word, so that it becomes `name`; nil if that can't be written.
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
            // In double quotes, a backslash before `!` (history expansion) would stay in the text.
            if byte == UInt8(ascii: "!") { return nil }
            return Array("\\\"$`".utf8).contains(byte) ? [backslash, byte] : [byte]
        case .none:
            let isPlain =
                byte >= 0x80 || Self.isNameByte(byte) || Array((isFirst ? "./,:@%+-" : "./,:@%+-=~").utf8).contains(byte)
            return isPlain ? [byte] : [backslash, byte]
        }
    }
}
