/// Collects a layout from a scanner's tokens.
struct TextLayoutBuilder {
    private(set) var layout = TextLayout()
    /// The numbers of the containers whose end has not come yet.
    private var open: [Int] = []
    private var key: Range<Int>?

    /// Notes the key whose value comes next.
    mutating func key(_ range: Range<Int>) {
        key = range
    }

    mutating func scalar(_ range: Range<Int>) {
        append(range, inner: nil)
    }

    /// A container begins with the bracket in this range.
    mutating func open(_ bracket: Range<Int>) {
        open.append(layout.nodes.count)
        append(bracket, inner: bracket.upperBound..<bracket.upperBound)
    }

    /// The container opened last ends with the bracket in this range.
    mutating func close(_ bracket: Range<Int>) {
        guard let number = open.popLast(), let inner = layout.nodes[number].inner else { return }
        layout.nodes[number].range = layout.nodes[number].range.lowerBound..<bracket.upperBound
        layout.nodes[number].inner = inner.lowerBound..<bracket.lowerBound
        layout.nodes[number].next = layout.nodes.count
    }

    private mutating func append(_ range: Range<Int>, inner: Range<Int>?) {
        layout.nodes.append(TextLayout.Node(range: range, inner: inner, key: key, next: layout.nodes.count + 1))
        key = nil
    }
}
