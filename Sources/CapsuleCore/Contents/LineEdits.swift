import CapsulePropertyList

/// The runs of lines that two texts do not share, in order, with at least one shared line between each two.
struct LineEdits {
    /// Lines of the old text that lines of the new one stand for; one of the two may be empty.
    struct Edit: Hashable {
        var old: Range<Int>
        var new: Range<Int>
    }

    let edits: [Edit]
    /// The number of lines that only the old text has.
    var deleted: Int { edits.reduce(0) { $0 + $1.old.count } }
    /// The number of lines that only the new text has.
    var added: Int { edits.reduce(0) { $0 + $1.new.count } }

    /// Compares the numbers of lines.
    init(_ old: [Int], _ new: [Int]) {
        var edits: [Edit] = []
        var (oldEnd, newEnd) = (0, 0)
        for run in SequenceDiff(old, new).runs {
            if run.old > oldEnd || run.new > newEnd { edits.append(Edit(old: oldEnd..<run.old, new: newEnd..<run.new)) }
            (oldEnd, newEnd) = (run.old + run.count, run.new + run.count)
        }
        if oldEnd < old.count || newEnd < new.count {
            edits.append(Edit(old: oldEnd..<old.count, new: newEnd..<new.count))
        }
        self.edits = Self.moved(edits, old, new)
    }

    /// Moves lines that were only added, or only deleted, as far down as the same lines come again, where people expect them;
    /// edits that meet become one. Each shared line is passed once.
    private static func moved(_ edits: [Edit], _ old: [Int], _ new: [Int]) -> [Edit] {
        guard var current = edits.first else { return [] }
        var result: [Edit] = []
        for next in edits.dropFirst() {
            move(&current, to: next.old.lowerBound, old, new)
            if current.old.upperBound == next.old.lowerBound {
                current = Edit(
                    old: current.old.lowerBound..<next.old.upperBound, new: current.new.lowerBound..<next.new.upperBound)
            } else {
                result.append(current)
                current = next
            }
        }
        move(&current, to: old.count, old, new)
        return result + [current]
    }

    /// Moves one edit down while it says the same, at most so far that its old lines end at `limit`.
    private static func move(_ edit: inout Edit, to limit: Int, _ old: [Int], _ new: [Int]) {
        while edit.old.upperBound < limit {
            let isSame =
                if edit.old.isEmpty {
                    new[edit.new.lowerBound] == new[edit.new.upperBound]
                } else {
                    edit.new.isEmpty && old[edit.old.lowerBound] == old[edit.old.upperBound]
                }
            guard isSame else { return }
            edit.old = edit.old.lowerBound + 1..<edit.old.upperBound + 1
            edit.new = edit.new.lowerBound + 1..<edit.new.upperBound + 1
        }
    }
}
