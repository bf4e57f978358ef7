/// The changes to one text: ranges that do not touch each other, in any order, which are all made at once.
struct TextPlistEdits {
    private var edits: [TextEdit] = []
    /// The size of the text with the changes so far.
    private var size: Int
    /// How much of that is in them.
    private(set) var insertedBytes = 0
    private let limits: PlistLimits

    /// No changes to a text of so many bytes.
    init(size: Int, limits: PlistLimits) {
        self.size = size
        self.limits = limits
    }

    static func tooLarge(_ limits: PlistLimits) -> PlistError {
        PlistError(.limitExceeded, "the document would be larger than \(limits.outputBytes) bytes", pointer: "")
    }

    mutating func append(_ edit: TextEdit) {
        size += edit.text.count - edit.range.count
        insertedBytes += edit.text.count
        edits.append(edit)
    }

    /// The changed text, after a byte order mark or nothing.
    consuming func applied(to text: UnsafeRawBufferPointer, after mark: UnsafeRawBufferPointer) throws(PlistError) -> [UInt8] {
        guard size + mark.count <= limits.outputBytes else { throw Self.tooLarge(limits) }
        // What is put between two values comes before a change to the value that begins there.
        edits.sort { ($0.range.lowerBound, $0.range.upperBound) < ($1.range.lowerBound, $1.range.upperBound) }
        var bytes = [UInt8](mark)
        bytes.reserveCapacity(size + mark.count)
        var place = 0
        for edit in edits {
            bytes.append(contentsOf: UnsafeRawBufferPointer(rebasing: text[place..<edit.range.lowerBound]))
            bytes.append(contentsOf: edit.text)
            place = edit.range.upperBound
        }
        bytes.append(contentsOf: UnsafeRawBufferPointer(rebasing: text[place...]))
        return bytes
    }
}
