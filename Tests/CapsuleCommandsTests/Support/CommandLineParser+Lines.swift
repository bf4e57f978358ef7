import Testing

@testable import CapsuleArguments
@testable import CapsuleCommands

extension CommandLineParser {
    /// Parses a line as a shell would pass it: split at spaces, except in quotes.
    func parse(line: String) throws(UsageError) -> Invocation {
        try parse(shellWords(line).map { Array($0.utf8) })
    }

    /// Parses a line that must be a call of a verb.
    func command(_ line: String) throws -> ParsedCommand {
        guard case .run(let command) = try parse(line: line) else { throw NoCommand(line: line) }
        return command
    }

    /// Returns the error of an invalid line.
    func error(_ line: String) -> UsageError? {
        do {
            _ = try parse(line: line)
            return nil
        } catch {
            return error
        }
    }
}

/// A line that was expected to be a call of a verb, but is not.
struct NoCommand: Error {
    let line: String
}

/// Returns the words of `line` without quotes. Quotes can't be nested.
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
