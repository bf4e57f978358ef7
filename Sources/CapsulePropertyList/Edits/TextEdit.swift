/// A range of the text and what to put in its place.
struct TextEdit {
    var range: Range<Int>
    var text: [UInt8]
}
