/// What the editor has to know of one syntax of text property lists, and of the document it edits.
protocol TextPlistSyntax {
    /// The document in UTF-8 without a byte order mark.
    var text: UnsafeRawBufferPointer { get }
    /// Where its values stand.
    var layout: TextLayout { get }
    /// How it is laid out, as far as that is the same everywhere.
    var style: PlistTextStyle { get }
    var limits: PlistLimits { get }

    /// What stands behind an array's elements, or a dictionary's entries.
    func separator(inDictionary: Bool) -> TextSeparator?
    /// The end of the comment that begins at the offset; nil if none does.
    func commentEnd(at offset: Int, before end: Int) -> Int?
    /// Whether a byte may not come directly behind another one, which is not known if it is nil.
    func mustPart(_ byte: UInt8, from last: UInt8?) -> Bool

    /// The key that these bytes of the document spell.
    func key(at range: Range<Int>) throws(PlistError) -> PlistString
    /// Throws if the dictionary can't be what is between two brackets.
    func check(_ dictionary: PlistDictionary) throws(PlistError)

    /// A value as it is written at a place, from its first byte to its last. The neighbour is another value of the
    /// container. Errors' pointers begin at the value.
    func spell(_ value: PlistValue, like neighbour: Range<Int>?, _ style: PlistTextStyle) throws(PlistError) -> [UInt8]
    /// A key. The neighbour is another key of the dictionary.
    func spell(key: PlistString, like neighbour: Range<Int>?, _ style: PlistTextStyle) throws(PlistError) -> [UInt8]
    /// What goes between a key and its value, where there is no neighbour to show it.
    func joint(_ style: PlistTextStyle) -> [UInt8]
    /// Whether what is between a key and its value may be so elsewhere too.
    func isJoint(_ bytes: ArraySlice<UInt8>) -> Bool
    /// The least change by which one value becomes another; not both are arrays, nor both dictionaries.
    func replacement(
        of node: Int, holding old: PlistValue, by new: PlistValue, _ style: PlistTextStyle
    ) throws(PlistError) -> TextEdit
    /// How a container opens that has only one tag; nil if it has two.
    func opening(of node: Int) -> TextOpening?
}

extension TextPlistSyntax {
    func commentEnd(at offset: Int, before end: Int) -> Int? { nil }

    func mustPart(_ byte: UInt8, from last: UInt8?) -> Bool { false }

    func check(_ dictionary: PlistDictionary) throws(PlistError) {}

    func opening(of node: Int) -> TextOpening? { nil }
}

/// A byte that ends one element, or parts it from the next one.
struct TextSeparator {
    /// Whether the last element has it too.
    enum Last {
        case never
        case always
        /// As in the container; if there was nothing in it, where elements are on lines of their own.
        case either
    }

    let byte: UInt8
    let last: Last
}

/// What turns a container's only tag into two.
struct TextOpening {
    /// What goes away.
    let range: Range<Int>
    /// What comes in its place before the contents.
    let head: [UInt8]
    /// What comes behind them.
    let tail: [UInt8]
}

/// A range of the text and what to put in its place.
struct TextEdit {
    var range: Range<Int>
    var text: [UInt8]
}

/// Where the values of a property list stand in its text: what a minimal edit needs to leave everything else alone.
///
/// Offsets are of bytes in the UTF-8 text without its byte order mark.
struct TextLayout: Sendable {
    /// One value.
    struct Node: Hashable, Sendable {
        /// The value's own bytes, from its opening tag, bracket or quotation mark to behind the closing one.
        var range: Range<Int>
        /// Of an array or dictionary: what stands between its brackets or tags. Empty, at the end of ``range``, for `<dict/>`.
        /// nil for scalars.
        var inner: Range<Int>?
        /// Of a dictionary's value: its key's own bytes, tags and quotation marks included. nil elsewhere.
        var key: Range<Int>?
        /// The number of the next node that is not inside this one.
        var next: Int
    }

    /// In the order of the text, a container before what is in it. The root is the first.
    var nodes: [Node] = []

    /// The values directly inside a container, in order.
    func children(of number: Int) -> [Int] {
        var children: [Int] = []
        var child = number + 1
        while child < nodes[number].next {
            children.append(child)
            child = nodes[child].next
        }
        return children
    }
}

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
