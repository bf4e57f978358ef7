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
