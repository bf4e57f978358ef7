import CapsuleCore
import CapsuleEngine

/// Answers what a shell asks while somebody types: `capsule __complete SHELL …`.
///
/// That is for the scripts of `capsule generate completions` alone. It prints a line for each word that fits, nothing on standard
/// error, and always ends with status 0.
struct Completer {
    /// What stands before a question.
    private static let mark = Array("__complete".utf8)
    /// Nobody waits longer.
    private static let seconds: UInt32 = 2

    /// The answer to a command line that is a question; nil for any other.
    ///
    /// - Parameter arguments: without the program's name. Behind the shell's name, bash and zsh hand over the line up to the cursor
    ///   and what parts its words, fish the words, of which the last is raw.
    static func answer(to arguments: [[UInt8]]) -> [UInt8]? {
        guard arguments.first == mark else { return nil }
        CompletionNames.endProcess(afterSeconds: seconds)
        guard arguments.count > 2, let shell = Shell(rawValue: String(decoding: arguments[1], as: UTF8.self)) else { return [] }
        let replies: [[UInt8]]
        switch shell {
        case .bash, .zsh:
            let words = ShellWord.words(of: arguments[2], breaks: arguments.count > 3 ? arguments[3] : [])
            replies = Completer(words.dropFirst().map(\.value), words.last).replies
        case .fish:
            let last = ShellWord.words(of: arguments[arguments.count - 1], breaks: []).last
            replies = Completer(Array(arguments[2...].dropLast()) + [last?.value ?? []], last).plainReplies
        }
        return replies.flatMap { $0 + [UInt8(ascii: "\n")] }
    }

    private let typed: TypedCommand
    /// The last one.
    private let word: ShellWord

    init(_ words: [[UInt8]], _ last: ShellWord?) {
        typed = TypedCommand(words)
        word = last ?? ShellWord()
    }

    /// As a shell takes them that quotes nothing by itself.
    private var replies: [[UInt8]] { names.compactMap { word.completed(to: $0) } }

    /// For fish, which quotes by itself, and knows of `--flag=` already.
    private var plainReplies: [[UInt8]] {
        guard case .value(_, let length) = typed.place else { return names }
        return names.map { Array($0.dropFirst(length)) }
    }

    /// What the last word may become: each begins with its text, and can be looked at on one line.
    var names: [[UInt8]] {
        guard !word.isOpaque else { return [] }
        let found: [[UInt8]]
        switch typed.place {
        case .value(let flag, let length):
            guard word.text.count >= length else { return [] }
            let value = Array(word.text[length...])
            found = CompletionCandidates(typed, value).values(of: flag).map { word.text[..<length] + $0 }
        case .positional(let positional):
            found = CompletionCandidates(typed, word.text, expanded: word.value).arguments(for: positional)
        case .other: found = []
        }
        return found.filter { $0.starts(with: word.text) && Self.isPlain($0) }
    }

    /// Whether a name is one line of text that a terminal and a shell's script take as it is.
    private static func isPlain(_ name: [UInt8]) -> Bool {
        var rest = name[...]
        while !rest.isEmpty {
            guard let scalar = TerminalCharacters.scalar(at: rest), TerminalCharacters.isPlain(scalar) else { return false }
            rest = rest.dropFirst(UTF8.width(scalar))
        }
        return true
    }
}
