/// How a writer of text lays out what it writes: a document, or a value that goes into one.
struct PlistTextStyle: Hashable, Sendable {
    /// What ends a line.
    var newline: [UInt8] = [0x0A]
    /// What every line but the first begins with.
    var indentation: [UInt8] = []
    /// What a line begins with besides, once for each container of the value that is around it.
    var unit: [UInt8] = []
    /// True if everything stays on one line.
    var isInline = false
    /// Containers around what has lines of its own at most; what is deeper stays on the line of its container. nil for all.
    var lineDepth: Int?
    /// What is between elements, besides the comma, that are on one line. XML has nothing there.
    var blank: [UInt8] = [0x20]
    /// What is between a key and its value, where the writer's own way is not wanted. XML has nothing there.
    var joint: [UInt8]?
    /// How many containers are around the value.
    var depth = 0
    /// How many bytes of a document were written before, which count towards its size.
    var precedingBytes = 0
}
