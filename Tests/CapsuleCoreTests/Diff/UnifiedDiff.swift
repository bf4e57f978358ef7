import CapsuleCore

/// Makes unified diffs from changes.
enum UnifiedDiff {
    /// The hunks, as `diff -u` prints them.
    static func hunks(_ change: TextChange) -> String {
        change.hunks.map { hunk in
            "@@ -\(range(hunk.old)) +\(range(hunk.new)) @@\n" + hunk.lines.map { line($0) }.joined()
        }.joined()
    }

    private static func range(_ range: TextChange.LineRange) -> String {
        range.count == 1 ? "\(range.start)" : "\(range.start),\(range.count)"
    }

    static func line(_ line: TextChange.Line) -> String {
        let sign =
            switch line.kind {
            case .context: " "
            case .deleted: "-"
            case .added: "+"
            }
        return sign + line.text + "\n" + (line.lacksNewline ? "\\ No newline at end of file\n" : "")
    }

    /// Returns the new text: the hunks applied to the old one; nil if they do not fit.
    static func applied(_ change: TextChange, to old: TextContent) -> [UInt8]? {
        var result: [UInt8] = []
        var next = 0
        for hunk in change.hunks {
            let start = hunk.old.count == 0 ? hunk.old.start : hunk.old.start - 1
            guard start >= next, start + hunk.old.count <= old.lineCount else { return nil }
            for number in next..<start { result += old.line(number) }
            next = start
            var newCount = 0
            for line in hunk.lines {
                let bytes = Array(line.text.utf8) + (line.lacksNewline ? [] : [0x0A])
                if line.kind != .added {
                    guard next < old.lineCount, old.line(next).elementsEqual(bytes) else { return nil }
                    next += 1
                }
                if line.kind != .deleted {
                    result += bytes
                    newCount += 1
                }
            }
            guard next == start + hunk.old.count, newCount == hunk.new.count else { return nil }
        }
        for number in next..<old.lineCount { result += old.line(number) }
        return result
    }
}
