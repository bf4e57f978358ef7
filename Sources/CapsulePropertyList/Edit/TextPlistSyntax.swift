/// The properties of a text syntax for property lists, and of a document, that the editor needs.
protocol TextPlistSyntax {
    /// The document in UTF-8 without a byte order mark.
    var text: UnsafeRawBufferPointer { get }
    /// The positions of the document's values.
    var layout: TextLayout { get }
    /// The document's style, as far as it is the same everywhere.
    var style: PlistTextStyle { get }
    var limits: PlistLimits { get }

    /// Returns the separator after the elements of an array, or after the entries of a dictionary, or nil if there is none.
    func separator(inDictionary: Bool) -> TextSeparator?
    /// Returns the end of the comment that begins at an offset, or nil if there is none.
    func commentEnd(at offset: Int, before end: Int) -> Int?
    /// Returns true if a byte must not directly follow another one, which is nil if it is unknown.
    func mustPart(_ byte: UInt8, from last: UInt8?) -> Bool

    /// Returns the key in a range of the document.
    func key(at range: Range<Int>) throws(PlistError) -> PlistString
    /// Throws an error if the syntax can't hold the dictionary.
    func check(_ dictionary: PlistDictionary) throws(PlistError)

    /// Returns the text of a value, from its first byte to its last. The neighbor is another value of the same container. The
    /// pointers of errors begin at the value.
    func spell(_ value: PlistValue, like neighbour: Range<Int>?, _ style: PlistTextStyle) throws(PlistError) -> [UInt8]
    /// Returns the text of a key. The neighbor is another key of the same dictionary.
    func spell(key: PlistString, like neighbour: Range<Int>?, _ style: PlistTextStyle) throws(PlistError) -> [UInt8]
    /// Returns the text between a key and its value, if there is no neighbor to copy it from.
    func joint(_ style: PlistTextStyle) -> [UInt8]
    /// Returns true if the text between a key and its value can be used for others.
    func isJoint(_ bytes: ArraySlice<UInt8>) -> Bool
    /// Returns the smallest edit that changes one value to another. The two must not both be arrays, or both dictionaries.
    func replacement(
        of node: Int, holding old: PlistValue, by new: PlistValue, _ style: PlistTextStyle
    ) throws(PlistError) -> TextEdit
    /// Returns the replacement for the single tag of an empty container, or nil if the container has two tags.
    func opening(of node: Int) -> TextOpening?
}

extension TextPlistSyntax {
    func commentEnd(at offset: Int, before end: Int) -> Int? { nil }

    func mustPart(_ byte: UInt8, from last: UInt8?) -> Bool { false }

    func check(_ dictionary: PlistDictionary) throws(PlistError) {}

    func opening(of node: Int) -> TextOpening? { nil }
}

/// A byte that ends an element, or separates it from the next one.
struct TextSeparator {
    /// The rule for a separator after the last element.
    enum Last {
        case never
        case always
        /// As in the container; if the container was empty, only if elements are on lines of their own.
        case either
    }

    let byte: UInt8
    let last: Last
}

/// The replacement of a container's single tag by two.
struct TextOpening {
    /// The range to remove.
    let range: Range<Int>
    /// The text to insert before the content.
    let head: [UInt8]
    /// The text to insert after the content.
    let tail: [UInt8]
}

/// A range of the text and its replacement.
struct TextEdit {
    var range: Range<Int>
    var text: [UInt8]
}

/// The positions of a property list's values in its text, so that an edit can leave everything else unchanged.
///
/// Offsets are in bytes of the UTF-8 text without its byte order mark.
struct TextLayout: Sendable {
    /// The position of one value.
    struct Node: Hashable, Sendable {
        /// The value's own bytes, from the start of its opening tag, bracket or quotation mark to the end of the closing one.
        var range: Range<Int>
        /// The range between the brackets or tags of an array or dictionary. It is empty, at the end of ``range``, for `<dict/>`,
        /// and nil for scalars.
        var inner: Range<Int>?
        /// The bytes of the key of a dictionary's value, including tags and quotation marks; nil for other values.
        var key: Range<Int>?
        /// The number of the next node that is not inside this one.
        var next: Int
    }

    /// The nodes in text order, with a container before its content. The root comes first.
    var nodes: [Node] = []

    /// Returns the numbers of the values directly inside a container, in order.
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

/// Builds a layout from a scanner's tokens.
struct TextLayoutBuilder {
    private(set) var layout = TextLayout()
    /// The numbers of the containers that are still open.
    private var open: [Int] = []
    private var key: Range<Int>?

    /// Records the key of the next value.
    mutating func key(_ range: Range<Int>) {
        key = range
    }

    mutating func scalar(_ range: Range<Int>) {
        append(range, inner: nil)
    }

    /// Begins a container, whose opening bracket is in the range.
    mutating func open(_ bracket: Range<Int>) {
        open.append(layout.nodes.count)
        append(bracket, inner: bracket.upperBound..<bracket.upperBound)
    }

    /// Ends the container that was opened last, whose closing bracket is in the range.
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
