/// The command that made a report, as one line for a shell.
///
/// It has what the report's content depends on: that includes the arguments of a program that was run. Files outside the
/// containers go by their names alone: a report that is passed on says nothing of the directories of whoever made it.
struct ReportCommandLine {
    /// The line, in the bytes that were typed.
    let text: [UInt8]

    private static let shownFlags: Set<Flag.ID> = [
        .all, .arrays, .group, .times, .rules, .expect, .expectUpdate, .context, .full, .lines, .noCache, .output, .rows,
        .showSecrets,
    ]

    init(_ command: ParsedCommand, in table: CommandTable = .capsule) {
        var words = ["capsule", command.verb].map { Array($0.utf8) }
        let definition = table.verb(named: command.verb.utf8)
        let form = definition?.forms.first { $0.id == command.id }
        for flag in definition?.flags ?? [] where Self.shownFlags.contains(flag.id) {
            for value in command.arguments[.flag(flag.id)] ?? [] {
                words.append(Array(flag.longSpelling.utf8))
                words += Self.word(value, flag.value?.form)
            }
        }
        for positional in form?.positionals ?? [] {
            let values = (command.arguments[.positional(positional.id)] ?? []).flatMap { Self.word($0, positional.form) }
            words += positional.arity == .program ? [Array("--".utf8)] + ProgramArguments(values).shown : values
        }
        text = Array(words.map(Self.quoted).joined(separator: [UInt8(ascii: " ")]))
    }

    /// The value as a word; nothing for a switch.
    private static func word(_ value: ArgumentValue, _ form: ValueForm?) -> [[UInt8]] {
        let isFile = form?.use != nil
        switch value {
        case .on: return []
        // An argument of a program may be a file; `./test.sh` is a call that works.
        case .bytes(let bytes): return [isFile || form == .program && bytes.first == slash ? name(of: bytes) : bytes]
        case .text(let text): return [Array(text.utf8)]
        case .integer(let number): return [Array(String(number).utf8)]
        case .seconds(let seconds): return [Array(String(seconds).utf8)]
        case .named(let named): return [named.name + [UInt8(ascii: "=")] + (isFile ? name(of: named.value) : named.value)]
        }
    }

    private static let slash = UInt8(ascii: "/")

    /// The last component of a path; a simulator's container has none.
    private static func name(of path: [UInt8]) -> [UInt8] {
        path.starts(with: "sim:".utf8) ? path : Array(HTMLPageWriter.name(of: path))
    }

    /// The word as a shell takes it (POSIX.1-2017, XCU 2.2.2).
    private static func quoted(_ word: [UInt8]) -> [UInt8] {
        let plain = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./:@%+,=-".utf8)
        if !word.isEmpty, word.allSatisfy(plain.contains) { return word }
        let quote = UInt8(ascii: "'")
        return [quote] + word.flatMap { $0 == quote ? Array("'\\''".utf8) : [$0] } + [quote]
    }
}
