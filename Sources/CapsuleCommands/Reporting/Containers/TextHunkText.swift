import CapsuleCore

/// Lines of texts as a unified diff.
struct TextHunkText {
    let reporter: TextReporter

    func lines(of change: TextChange) -> [String] {
        var lines: [String] = []
        for hunk in change.hunks where !hunk.lines.isEmpty {
            lines.append(reporter.styled("@@ -\(Self.range(hunk.old)) +\(Self.range(hunk.new)) @@", 36))
            for line in hunk.lines {
                for text in Self.lines(of: line).map(DetailText.shown) {
                    switch line.kind {
                    case .context: lines.append(text)
                    case .deleted: lines.append(reporter.styled(text, 31))
                    case .added: lines.append(reporter.styled(text, 32))
                    }
                }
            }
        }
        return lines
    }

    /// A line as a unified diff has it, and the line that says that nothing ends it.
    static func lines(of line: TextChange.Line) -> [String] {
        let mark =
            switch line.kind {
            case .context: " "
            case .deleted: "-"
            case .added: "+"
            }
        return [mark + line.text] + (line.lacksNewline ? [missingNewline] : [])
    }

    private static let missingNewline = "\\ no newline at the end"

    /// As GNU diff writes it: a count of 1 is left out.
    private static func range(_ range: TextChange.LineRange) -> String {
        range.count == 1 ? "\(range.start)" : "\(range.start),\(range.count)"
    }
}
