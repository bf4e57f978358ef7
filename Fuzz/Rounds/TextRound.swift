import CapsuleCore
import CapsuleRules

/// Compares two texts. The hunks of the comparison, applied to the first, must give the second.
enum TextRound {
    /// - Parameter bytes: the number of context lines, the size of the first text, then both texts.
    /// - Returns: the first property that does not hold; nil if all hold.
    static func run(_ bytes: [UInt8]) -> String? {
        guard bytes.count >= 2 else { return nil }
        let rest = bytes.dropFirst(2)
        let middle = rest.startIndex + min(Int(bytes[1]), rest.count)
        guard let old = try? TextContent(Array(rest[..<middle])), let new = try? TextContent(Array(rest[middle...])) else {
            return nil
        }
        let context = Int(bytes[0] & 7)
        if TextDiff(old, old, context: context).details.isEmpty == false { return "a text differs from itself" }
        let whole = TextDiff(old, new, context: context, lines: nil)
        if rest[..<middle].elementsEqual(rest[middle...]) != whole.details.isEmpty { return "what differs is the same" }
        guard let change = whole.text else { return old.utf8 == new.utf8 ? nil : "no change of text where it differs" }
        guard change.hunks.count == change.hunkCount, whole.limit == nil else { return "not all is told" }
        guard change.hunks.contains(where: { $0.lines.contains(where: \.isCut) }) || applied(change, to: old) == new.utf8 else {
            return "the hunks do not make the new text"
        }
        let back = TextDiff(new, old, context: context, lines: 5)
        guard back.text?.added == change.deleted, back.text?.deleted == change.added else {
            return "another number of lines back"
        }
        let shown = back.text?.hunks.reduce(0) { $0 + $1.lines.count } ?? 0
        return shown <= 5 && (back.limit == nil || back.limit?.shown == UInt64(shown)) ? nil : "more lines than asked for"
    }

    private static func applied(_ change: TextChange, to old: TextContent) -> [UInt8]? {
        var result: [UInt8] = []
        var next = 0
        for hunk in change.hunks {
            let start = hunk.old.count == 0 ? hunk.old.start : hunk.old.start - 1
            guard start >= next, start <= old.lineCount else { return nil }
            for number in next..<start { result += old.line(number) }
            next = start
            for line in hunk.lines {
                let bytes = Array(line.text.utf8) + (line.lacksNewline ? [] : [0x0A])
                if line.kind != .added {
                    guard next < old.lineCount, old.line(next).elementsEqual(bytes) else { return nil }
                    next += 1
                }
                if line.kind != .deleted { result += bytes }
            }
            guard next == start + hunk.old.count else { return nil }
        }
        for number in next..<old.lineCount { result += old.line(number) }
        return result
    }
}
