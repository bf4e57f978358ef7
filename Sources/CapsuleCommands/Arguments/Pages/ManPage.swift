/// A man page, in the man macros that groff, mandoc and their ancestors share.
///
/// Deterministic: date and version come from the caller.
struct ManPage: Sendable {
    /// `capsule-pack.1`
    let fileName: String
    /// The roff source.
    let source: String

    /// - Parameters:
    ///   - date: as the foot shows it: `2026-03-01`.
    ///   - version: of the program: `1.0.0`.
    init(_ command: CommandDefinition, in table: CommandTable = .capsule, date: String, version: String) {
        let page = ReferencePage(command, in: table)
        fileName = page.name + ".1"
        var lines = [
            ".\\\" Made by 'capsule generate man'; what it says is in the table of verbs and flags.",
            [
                ".TH", RoffText(page.name.uppercased()).quoted, RoffText("1").quoted,
                // mandoc reads a date with plain hyphens only.
                "\"\(date)\"", RoffText("capsule \(version)").quoted, RoffText("Capsule Manual").quoted,
            ].joined(separator: " "),
            // A name that is cut by a hyphen, or drawn out to fill a line, cannot be copied.
            ".nh", ".ad l",
            ".SH " + RoffText("NAME").quoted,
        ]
        lines += RoffText.lines(MarkedText(literally: "\(page.name) - \(page.summary)"))
        for section in page.sections {
            lines.append(".SH " + RoffText(section.title).quoted)
            var isFirst = true
            for block in section.blocks {
                lines += Self.set(block, isFirst: isFirst)
                isFirst = if case .subheading = block { true } else { false }
            }
        }
        source = lines.joined(separator: "\n") + "\n"
    }

    /// The page of `capsule` and those of its verbs.
    static func all(in table: CommandTable = .capsule, date: String, version: String) -> [ManPage] {
        table.all.map { ManPage($0, in: table, date: date, version: version) }
    }

    /// Each sentence on lines of its own, as roff likes it: it knows then where sentences end, and a change shows in few lines.
    private static func sentences(_ text: MarkedText) -> [String] {
        text.quotingSymbols.sentences.flatMap(RoffText.lines)
    }

    /// - Parameter isFirst: whether a heading stands right above, which sets the distance already.
    private static func set(_ block: ReferencePage.Block, isFirst: Bool) -> [String] {
        switch block {
        case .paragraph(let text):
            return (isFirst ? [] : [".PP"]) + sentences(text)
        case .synopsis(let head, let parts):
            return (isFirst ? [] : [".br"]) + ([head] + parts).map { RoffText($0).unbroken }
        case .subheading(let title):
            return [".SS " + RoffText(title).quoted]
        case .entry(let term, let text), .row(let term, let text):
            return [".TP", RoffText(term).source] + sentences(text)
        case .example(let meaning, let command):
            let typed = RoffText(MarkedText(literally: command, .literal)).source
            return (isFirst ? [] : [".PP"]) + RoffText.lines(MarkedText(literally: meaning))
                + [".PP", ".RS 4", ".nf", typed, ".fi", ".RE"]
        }
    }
}
