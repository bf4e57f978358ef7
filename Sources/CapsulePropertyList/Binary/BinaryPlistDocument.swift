/// A binary property list in the making: objects are appended in the order of their numbers.
struct BinaryPlistDocument: ~Copyable {
    private let layout: BinaryPlistLayout
    private var offsets: [Int] = []
    private var output: TextBuffer

    init(_ layout: BinaryPlistLayout) {
        self.layout = layout
        // A number is written by eight bytes, of which those too many are then overwritten.
        output = TextBuffer(capacity: layout.byteCount + 8)
        output.append("bplist00")
    }

    mutating func beginObject() {
        offsets.append(output.count)
    }

    mutating func append(_ bytes: UnsafeRawBufferPointer) {
        output.append(bytes)
    }

    mutating func append(marker: UInt8, count: Int) {
        output.append(marker: marker, count: count)
    }

    mutating func append(reference: Int) {
        output.append(bigEndian: UInt64(reference), bytes: layout.referenceBytes)
    }

    /// The document, with the offset table and the trailer.
    consuming func finish() -> [UInt8] {
        let table = output.count
        for offset in offsets { output.append(bigEndian: UInt64(offset), bytes: layout.offsetBytes) }
        output.append(repeating: 0, count: 5)
        output.append(layout.sortVersion)
        output.append(UInt8(truncatingIfNeeded: layout.offsetBytes))
        output.append(UInt8(truncatingIfNeeded: layout.referenceBytes))
        output.append(bigEndian: UInt64(offsets.count), bytes: 8)
        output.append(bigEndian: UInt64(layout.root), bytes: 8)
        output.append(bigEndian: UInt64(table), bytes: 8)
        return output.array
    }
}
