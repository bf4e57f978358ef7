import Testing

/// Two trees in the notation of ``TreeSketch``, and the lines that describe their differences.
struct TreeCase: CustomTestStringConvertible {
    let name: String
    let old: [String: String]
    let new: [String: String]
    let lines: [String]

    init(_ name: String, _ old: [String: String], _ new: [String: String], _ lines: [String]) {
        (self.name, self.old, self.new, self.lines) = (name, old, new, lines)
    }

    var testDescription: String { name }
}
