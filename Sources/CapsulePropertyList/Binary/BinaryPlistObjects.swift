/// The objects of a binary property list as they stand in it: what a minimal edit needs to leave them alone.
struct BinaryPlistObjects {
    /// What an object is and where its bytes are.
    struct Object {
        /// `BinaryMarker.array` or `BinaryMarker.dictionary`; nil for a scalar.
        var container: UInt8?
        /// The marker and the count of a container, all of a scalar.
        var head: Range<Int>
        /// Of a container; a dictionary's keys come before its values.
        var references = 0
    }

    let bytes: UnsafeRawBufferPointer
    let trailer: BinaryPlistTrailer
    /// The value of each object that the root refers to, directly or not; nil for the others.
    let values: [PlistValue?]

    /// Reads a whole document, which must outlive this. Of a key that comes twice the last value counts.
    init(_ bytes: UnsafeRawBufferPointer, limits: PlistLimits) throws(PlistError) {
        let duplicates = PlistDuplicateKeys(.last, in: .binary, limits: PlistLimits(warnings: 0))
        let trailer = try BinaryPlistTrailer(bytes, limits: limits)
        let reader = BinaryPlistReader(bytes, trailer: trailer, limits: limits, duplicates: duplicates)
        self.bytes = bytes
        self.trailer = trailer
        values = try reader.readObjects()
    }

    /// One of the objects that have a value: the reader has found its bytes to be there.
    subscript(number: Int) -> Object {
        let start = bytes.bigEndian(at: trailer.table + number * trailer.offsetBytes, bytes: trailer.offsetBytes) ?? 0
        let low = Int(bytes[start] & 0xF)
        switch bytes[start] & 0xF0 {
        case BinaryMarker.array, BinaryMarker.dictionary:
            let (head, count) = run(low, start)
            let container = bytes[start] & 0xF0
            return Object(
                container: container, head: head, references: container == BinaryMarker.array ? count : 2 * count)
        case BinaryMarker.data, BinaryMarker.ascii:
            let (head, count) = run(low, start)
            return Object(container: nil, head: start..<head.upperBound + count)
        case BinaryMarker.utf16:
            let (head, count) = run(low, start)
            return Object(container: nil, head: start..<head.upperBound + 2 * count)
        case BinaryMarker.uid:
            return Object(container: nil, head: start..<start + 2 + low)
        case 0x00:
            return Object(container: nil, head: start..<start + 1)
        default:
            // Integers, reals and dates.
            return Object(container: nil, head: start..<start + 1 + 1 << low)
        }
    }

    /// The number of the object that a container refers to at a position.
    func reference(_ position: Int, of object: Object) -> Int {
        let offset = object.head.upperBound + position * trailer.referenceBytes
        return bytes.bigEndian(at: offset, bytes: trailer.referenceBytes) ?? 0
    }

    /// An object's marker with its count, and the count.
    private func run(_ low: Int, _ start: Int) -> (head: Range<Int>, count: Int) {
        guard low == BinaryMarker.largeCount else { return (start..<start + 1, low) }
        let countBytes = 1 << Int(bytes[start + 1] & 0xF)
        return (start..<start + 2 + countBytes, bytes.bigEndian(at: start + 2, bytes: countBytes) ?? 0)
    }
}
