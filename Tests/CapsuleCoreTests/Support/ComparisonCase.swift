import CapsulePropertyList
import Testing

/// Two property lists, and the lines that describe the changes from one to the other.
struct ComparisonCase: CustomTestStringConvertible {
    let name: String
    let old: PlistValue
    let new: PlistValue
    let lines: [String]

    init(_ name: String, _ old: PlistValue, _ new: PlistValue, _ lines: [String]) {
        (self.name, self.old, self.new, self.lines) = (name, old, new, lines)
    }

    var testDescription: String { name }
}
