import Testing

@testable import CapsuleCommands

extension CommandLineParser {
    /// Parses a line as a shell would hand it over: split at spaces, but for those in quotes.
    func parse(line: String) throws(UsageError) -> Invocation {
        try parse(shellWords(line).map { Array($0.utf8) })
    }

    /// The same of a line that must be a call of a verb.
    func command(_ line: String) throws -> ParsedCommand {
        guard case .run(let command) = try parse(line: line) else { throw NoCommand(line: line) }
        return command
    }

    /// The error that a line must end in.
    func error(_ line: String) -> UsageError? {
        do {
            _ = try parse(line: line)
            return nil
        } catch {
            return error
        }
    }
}

/// A line that was to be a call of a verb is none.
struct NoCommand: Error {
    let line: String
}

/// The words of `line`, quotes taken away; quotes do not nest.
func shellWords(_ line: String) -> [String] {
    var words: [String] = []
    var word: String?
    var quote: Character?
    for character in line {
        if character == quote {
            quote = nil
        } else if quote == nil, character == "'" || character == "\"" {
            quote = character
            word = word ?? ""
        } else if quote == nil, character == " " {
            words += word.map { [$0] } ?? []
            word = nil
        } else {
            word = (word ?? "") + String(character)
        }
    }
    return words + (word.map { [$0] } ?? [])
}

/// The bytes of a name.
func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

extension CommandDefinition: CustomTestStringConvertible {
    public var testDescription: String { invocation }
}

extension ManPage: CustomTestStringConvertible {
    public var testDescription: String { fileName }
}
