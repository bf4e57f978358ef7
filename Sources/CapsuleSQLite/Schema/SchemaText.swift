/// The SQL of a schema, in one spelling of what stands between its words.
enum SchemaText {
    /// The SQL with one space for each run of space and comments, and none beside brackets, commas and semicolons. What is quoted
    /// stays as it is. Two texts that come to the same make the same object.
    static func normalized(_ sql: [UInt8]) -> [UInt8] {
        var output: [UInt8] = []
        output.reserveCapacity(sql.count)
        var hasGap = false
        for token in Tokens(sql) {
            switch token {
            case .gap: hasGap = true
            case .word(let word):
                if hasGap, let last = output.last, let first = word.first, !isTight(last), !isTight(first) { output.append(0x20) }
                hasGap = false
                output += word
            }
        }
        return output
    }

    /// The module that `CREATE VIRTUAL TABLE` names, in lower case; nil for all other SQL.
    static func virtualModule(_ sql: [UInt8]) -> String? {
        var words: [String] = []
        // CREATE VIRTUAL TABLE [IF NOT EXISTS] [schema.]name USING module
        for token in Tokens(sql) {
            guard case .word(let word) = token else { continue }
            let text = String(decoding: word.prefix(64), as: UTF8.self).lowercased()
            if words.last == "using" { return isQuoted(word) ? String(text.dropFirst().dropLast()) : text }
            switch words.count {
            case 0 where text != "create", 1 where text != "virtual", 2 where text != "table": return nil
            default: words.append(text)
            }
            if words.count > 12 { return "" }
        }
        return words.count >= 3 ? "" : nil
    }

    private static func isTight(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "(") || byte == UInt8(ascii: ")") || byte == UInt8(ascii: ",") || byte == UInt8(ascii: ";")
    }

    private static func isQuoted(_ word: ArraySlice<UInt8>) -> Bool {
        word.first.map { closing(of: $0) != nil } ?? false
    }

    fileprivate static func closing(of byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "'"), UInt8(ascii: "\""), UInt8(ascii: "`"): byte
        case UInt8(ascii: "["): UInt8(ascii: "]")
        default: nil
        }
    }
}

/// Runs of space and comments, and what stands between them: quoted text, words, single signs.
private struct Tokens: Sequence, IteratorProtocol {
    enum Token {
        case gap
        case word(ArraySlice<UInt8>)
    }

    private let sql: [UInt8]
    private var place = 0

    init(_ sql: [UInt8]) { self.sql = sql }

    mutating func next() -> Token? {
        guard place < sql.count else { return nil }
        let start = place
        let byte = sql[place]
        place += 1
        if Self.isSpace(byte) {
            while place < sql.count, Self.isSpace(sql[place]) { place += 1 }
            return .gap
        }
        if byte == UInt8(ascii: "-"), at(place) == byte {
            while place < sql.count, sql[place] != 0x0A { place += 1 }
            return .gap
        }
        if byte == UInt8(ascii: "/"), at(place) == UInt8(ascii: "*") {
            place += 1
            while place < sql.count, !(sql[place] == UInt8(ascii: "*") && at(place + 1) == UInt8(ascii: "/")) { place += 1 }
            place = Swift.min(place + 2, sql.count)
            return .gap
        }
        if let closing = SchemaText.closing(of: byte) {
            // A quotation mark that is doubled ends one text and begins another: the same bytes either way.
            while place < sql.count, sql[place] != closing { place += 1 }
            place = Swift.min(place + 1, sql.count)
        } else if Self.isWord(byte) {
            while place < sql.count, Self.isWord(sql[place]) { place += 1 }
        }
        return .word(sql[start..<place])
    }

    private func at(_ place: Int) -> UInt8? { place < sql.count ? sql[place] : nil }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }

    private static func isWord(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "_"), UInt8(ascii: "$"), 0x80...: true
        default: false
        }
    }
}
