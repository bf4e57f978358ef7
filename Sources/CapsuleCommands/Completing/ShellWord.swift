import CapsuleEngine

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
