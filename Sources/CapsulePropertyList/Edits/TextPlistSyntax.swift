/// What the editor has to know of one syntax of text property lists, and of the document it edits.
protocol TextPlistSyntax {
    /// The document in UTF-8 without a byte order mark.
    var text: UnsafeRawBufferPointer { get }
    /// Where its values stand.
    var layout: TextLayout { get }
    /// One level of indentation, where the document shows none.
    var unit: [UInt8] { get }
    /// What goes between two elements on one line, behind the separator, where the document shows none.
    var blank: [UInt8] { get }

    /// What stands behind an array's elements, or a dictionary's entries.
    func separator(inDictionary: Bool) -> TextSeparator?
    /// The end of the comment that begins at the offset; nil if none does.
    func commentEnd(at offset: Int, before end: Int) -> Int?

    /// The key that these bytes of the document spell.
    func key(at range: Range<Int>) throws(PlistError) -> PlistString
    /// Throws if the dictionary can't be what is between two brackets.
    func check(_ dictionary: PlistDictionary) throws(PlistError)

    /// A value as it is written at a place, from its first byte to its last. Errors' pointers begin at the value.
    func spell(_ value: PlistValue, at place: TextPlace) throws(PlistError) -> [UInt8]
    /// A key. The neighbour is another key of the dictionary.
    func spell(key: PlistString, neighbour: Range<Int>?, at place: TextPlace) throws(PlistError) -> [UInt8]
    /// What goes between a key and its value, where there is no neighbour to show it.
    func joint(at place: TextPlace) -> [UInt8]
    /// The least change by which one value becomes another; not both are arrays, nor both dictionaries.
    func replacement(
        of node: Int, holding old: PlistValue, by new: PlistValue, at place: TextPlace
    ) throws(PlistError) -> TextEdit
    /// How a container opens that has only one tag; nil if it has two.
    func opening(of node: Int) -> TextOpening?
}

/// A byte that ends one element, or parts it from the next one.
struct TextSeparator {
    /// Whether the last element has it too.
    enum Last {
        case never
        case always
        /// As in the document; not if that shows none.
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
