/// A stretch of each of two sequences.
struct SequenceBox: Hashable {
    var old: Range<Int>
    var new: Range<Int>

    /// Without the elements that both stretches begin and end with.
    func trimmed(_ oldElements: [Int], _ newElements: [Int]) -> SequenceBox {
        var middle = self
        while let left = middle.old.first, let right = middle.new.first, oldElements[left] == newElements[right] {
            middle.old = left + 1..<middle.old.upperBound
            middle.new = right + 1..<middle.new.upperBound
        }
        while let left = middle.old.last, let right = middle.new.last, oldElements[left] == newElements[right] {
            middle.old = middle.old.lowerBound..<left
            middle.new = middle.new.lowerBound..<right
        }
        return middle
    }

    /// What lies in front of a part of it.
    func before(_ part: SequenceBox) -> SequenceBox {
        SequenceBox(old: old.lowerBound..<part.old.lowerBound, new: new.lowerBound..<part.new.lowerBound)
    }

    /// What lies behind a part of it.
    func after(_ part: SequenceBox) -> SequenceBox {
        SequenceBox(old: part.old.upperBound..<old.upperBound, new: part.new.upperBound..<new.upperBound)
    }
}
