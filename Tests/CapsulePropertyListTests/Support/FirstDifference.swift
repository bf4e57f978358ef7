import CapsulePropertyList
import Testing

/// Records an issue with the first difference between a value and the expected one.
func expectEqual(
    _ value: PlistValue, _ expected: PlistValue, _ comment: String, sourceLocation: SourceLocation = #_sourceLocation
) {
    guard let difference = firstDifference(value, expected) else { return }
    Issue.record("\(comment): \(difference)", sourceLocation: sourceLocation)
}

/// Returns a description of the first difference between two values, or nil if they are equal.
func firstDifference(_ left: PlistValue, _ right: PlistValue, at place: String = "") -> String? {
    guard left != right else { return nil }
    switch (left, right) {
    case (.array(let lefts), .array(let rights)) where lefts.count == rights.count:
        for (index, (left, right)) in zip(lefts, rights).enumerated() {
            if let difference = firstDifference(left, right, at: "\(place)/\(index)") { return difference }
        }
    case (.dictionary(let lefts), .dictionary(let rights)):
        for (key, left) in lefts {
            guard let right = rights[key] else { return "\(place): no key \(key.string.debugDescription)" }
            if let difference = firstDifference(left, right, at: "\(place)/\(key)") { return difference }
        }
        for key in rights.keys where lefts[key] == nil { return "\(place): one more key \(key.string.debugDescription)" }
    default: break
    }
    if let left = left.string, let right = right.string {
        return "\(place): \(left.string.debugDescription), \(right.string.debugDescription)"
    }
    return "\(place): \(left), \(right)"
}
