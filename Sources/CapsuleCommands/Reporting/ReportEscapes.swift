import CapsuleCore
import CapsuleEngine

/// The last step before a report is written: whatever the report quotes from the data can't act on the reader. In JSON,
/// characters that hide or reorder text are escaped. In a job of GitHub, the runner executes lines of the output as commands:
/// those that begin with `::` after blanks, and those that contain `##[` (actions/runner, ActionCommand.cs).
struct ReportEscapes {
    let isJSON: Bool
    let isForGitHub: Bool

    static func isOnGitHub(_ process: HostProcess) -> Bool { process.environment("GITHUB_ACTIONS") == Array("true".utf8) }

    /// JSON keeps its values.
    func escaped(_ report: [UInt8]) -> [UInt8] {
        if isJSON { return Self.json(report, isForGitHub: isForGitHub) }
        return isForGitHub && Self.hasCommand(report) ? Self.text(report) : report
    }

    private static let colons = Array("::".utf8)
    private static let marks = Array("##[".utf8)

    private static func hasCommand(_ report: [UInt8]) -> Bool {
        report.indices.dropLast().contains { place in
            let byte = report[place]
            return byte == report[place + 1] && (byte == UInt8(ascii: ":") || byte == UInt8(ascii: "#"))
        }
    }

    private static func text(_ report: [UInt8]) -> [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity(report.count + 64)
        var rest = report[...]
        var isStart = true
        while let byte = rest.first {
            if byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r") {
                isStart = true
            } else if rest.starts(with: marks) || isStart && rest.starts(with: colons) {
                text += TerminalCharacters.escapedByNumber(byte).utf8
                rest.removeFirst()
                isStart = false
                continue
            } else if isStart {
                // The runner removes these at the start of a line, and the mark at the start of the output.
                guard let blank = TerminalCharacters.scalar(at: rest),
                    blank.properties.isWhitespace || blank == "\u{FEFF}"
                else {
                    isStart = false
                    continue
                }
                text += rest.prefix(UTF8.width(blank))
                rest = rest.dropFirst(UTF8.width(blank))
                continue
            }
            text.append(byte)
            rest.removeFirst()
        }
        return text
    }

    /// Only strings have anything to escape.
    private static func json(_ report: [UInt8], isForGitHub: Bool) -> [UInt8] {
        var json: [UInt8] = []
        var start = 0
        var place = 0
        while place < report.count {
            let width = escapedWidth(report, at: place, isForGitHub: isForGitHub)
            if width > 0, let scalar = TerminalCharacters.scalar(at: report[place...]) {
                let digits = String(scalar.value, radix: 16)
                json += report[start..<place]
                json += "\\u\(String(repeating: "0", count: 4 - digits.count))\(digits)".utf8
                start = place + width
            }
            place += max(1, width)
        }
        return start == 0 ? report : json + report[start...]
    }

    /// Returns the width of the character if it has to be escaped in JSON, or 0.
    @inline(__always)
    private static func escapedWidth(_ report: [UInt8], at place: Int, isForGitHub: Bool) -> Int {
        switch report[place] {
        // What begins with one of these bytes includes all that is not plain, as control characters of ASCII are escaped already.
        case 0xC2, 0xD8, 0xE2:
            guard let scalar = TerminalCharacters.scalar(at: report[place...]) else { return 0 }
            return TerminalCharacters.isPlain(scalar) ? 0 : UTF8.width(scalar)
        case UInt8(ascii: ":"): return isForGitHub && place > 0 && report[place - 1] == UInt8(ascii: ":") ? 1 : 0
        case UInt8(ascii: "#"): return isForGitHub && report[place...].starts(with: marks) ? 1 : 0
        default: return 0
        }
    }
}
