/// Writes canonical binary property lists (`bplist00`). Each value has exactly one encoding, with the same bytes everywhere.
///
/// Objects are in CoreFoundation's order: a container, a dictionary's keys, then the content. Equal values, including containers,
/// are one object with several references. So the output keeps what a document shares, and the bytes of a value don't depend on its
/// source. If a reader would refuse that (``PlistLimits/expandedValues``), each container is an object of its own, as
/// CoreFoundation writes it, and so is each long string. Numbers, counts, references and offsets have the minimum widths that CoreFoundation uses.
/// (CoreFoundation CFBinaryPList.c)
package enum BinaryPlistWriter {
    /// Returns the document for a value, in time linear in its size.
    /// Keys are in the order of the dictionaries, or with `sortsKeys` in the order of their UTF-8 bytes. With `sortsKeys`, equal
    /// values have equal bytes, which value digests are computed from.
    package static func write(
        _ value: PlistValue, limits: PlistLimits = .standard, sortsKeys: Bool = false
    ) throws(PlistError) -> [UInt8] {
        // Nobody reads the bytes for a digest.
        let weight = sortsKeys ? nil : value.weight
        var table = BinaryObjectTable(limits: limits, sortsKeys: sortsKeys)
        var root = try table.insert(value)
        if let document = try write(root, of: table.records, weight: weight, limits: limits) { return document }
        table = BinaryObjectTable(limits: limits, sortsKeys: sortsKeys, sharesHeavyValues: false)
        root = try table.insert(value)
        return try write(root, of: table.records, weight: nil, limits: limits) ?? []
    }

    /// Returns nil if the value is too heavy for a document that shares so much.
    private static func write(
        _ root: Int, of records: borrowing BinaryRecordTable, weight: Int?, limits: PlistLimits
    ) throws(PlistError) -> [UInt8]? {
        let (order, numbers) = number(from: root, in: records)
        var bytes = 0
        var references = 0
        for record in order {
            let children = records.childCount(record)
            references += children
            guard let marker = records.containerMarker(record) else {
                bytes += records[record].count
                continue
            }
            bytes += BinaryMarker.headBytes(count: marker == BinaryMarker.dictionary ? children / 2 : children)
        }
        let layout = try BinaryPlistLayout(objects: order.count, bytes: bytes, references: references, limits: limits)
        if let weight, !limits.allow(weight: weight, in: layout.objectBytes) { return nil }
        var document = BinaryPlistDocument(layout)
        for record in order {
            document.beginObject()
            guard let marker = records.containerMarker(record) else {
                document.output.append(records[record])
                continue
            }
            let children = records.childCount(record)
            document.output.append(marker: marker, count: marker == BinaryMarker.dictionary ? children / 2 : children)
            for position in 0..<children { document.append(reference: numbers[records.child(position, of: record)]) }
        }
        return document.finish()
    }

    private static func number(from root: Int, in records: borrowing BinaryRecordTable) -> (order: [Int], numbers: [Int]) {
        var order = [root]
        var numbers = [Int](repeating: -1, count: records.count)
        numbers[root] = 0
        var open: [(record: Int, next: Int)] = [(root, 0)]
        while let (record, next) = open.popLast() {
            let count = records.childCount(record)
            var position = next
            while position < count {
                let child = records.child(position, of: record)
                position += 1
                guard numbers[child] < 0 else { continue }
                numbers[child] = order.count
                order.append(child)
                guard records.containerMarker(child) != nil else { continue }
                // The content of the child comes before its siblings.
                open.append((record, position))
                open.append((child, 0))
                break
            }
        }
        return (order, numbers)
    }
}

/// A binary property list that is being written. Objects are appended in the order of their numbers.
struct BinaryPlistDocument: ~Copyable {
    private let layout: BinaryPlistLayout
    private var offsets: [Int] = []
    var output: TextBuffer

    init(_ layout: BinaryPlistLayout) {
        self.layout = layout
        // A number is written as eight bytes, and the surplus bytes are overwritten later.
        output = TextBuffer(capacity: layout.byteCount + 8)
        output.append("bplist00")
    }

    mutating func beginObject() {
        offsets.append(output.count)
    }

    mutating func append(reference: Int) {
        output.append(bigEndian: UInt64(reference), bytes: layout.referenceBytes)
    }

    consuming func finish() -> [UInt8] {
        let table = output.count
        for offset in offsets { output.append(bigEndian: UInt64(offset), bytes: layout.offsetBytes) }
        output.append(repeating: 0, count: 6)
        output.append(UInt8(truncatingIfNeeded: layout.offsetBytes))
        output.append(UInt8(truncatingIfNeeded: layout.referenceBytes))
        output.append(bigEndian: UInt64(offsets.count), bytes: 8)
        output.append(bigEndian: 0, bytes: 8)
        output.append(bigEndian: UInt64(table), bytes: 8)
        return output.array
    }
}

/// Appends scalars in the canonical form of binary property lists: each value in one encoding, with the fewest bytes.
extension TextBuffer {
    mutating func append(bigEndian number: UInt64, bytes: Int) {
        append(atMost: 8) { place in
            let shifted = number << UInt64(64 - 8 * bytes)
            UnsafeMutableRawPointer(place).storeBytes(of: shifted.bigEndian, as: UInt64.self)
            return bytes
        }
    }

    mutating func append(marker: UInt8, count: Int) {
        guard count >= BinaryMarker.largeCount else { return append(marker | UInt8(truncatingIfNeeded: count)) }
        append(marker | 0xF)
        append(binaryInteger: UInt64(count))
    }

    mutating func append(binary scalar: PlistValue) {
        switch scalar {
        case .string(let string):
            string.withUTF8 { append(binary: UnsafeRawBufferPointer($0)) }
        case .integer(let integer):
            append(binary: integer)
        case .real(let real):
            append(BinaryMarker.real)
            append(bigEndian: real.bitPattern, bytes: 8)
        case .boolean(let boolean):
            append(boolean ? BinaryMarker.true : BinaryMarker.false)
        case .date(let seconds):
            append(BinaryMarker.date)
            append(bigEndian: seconds.bitPattern, bytes: 8)
        case .data(let bytes):
            append(marker: BinaryMarker.data, count: bytes.count)
            bytes.withUnsafeBytes { append($0) }
        case .uid(let uid):
            let width = BinaryMarker.width(of: uid)
            append(BinaryMarker.uid | UInt8(truncatingIfNeeded: width - 1))
            append(bigEndian: uid, bytes: width)
        case .null, .array, .dictionary:
            break
        }
    }

    mutating func append(binary utf8: UnsafeRawBufferPointer) {
        if utf8.isASCII {
            append(marker: BinaryMarker.ascii, count: utf8.count)
            append(utf8)
            return
        }
        var units = 0
        for byte in utf8 where byte & 0xC0 != 0x80 { units &+= byte < 0xF0 ? 1 : 2 }
        append(marker: BinaryMarker.utf16, count: units)
        append(utf16: utf8, units: units)
    }

    private mutating func append(binary integer: PlistInteger) {
        if let number = integer.int64, number < 0 {
            append(BinaryMarker.integer | 3)
            append(bigEndian: UInt64(bitPattern: number), bytes: 8)
        } else if integer.int64 == nil {
            append(BinaryMarker.integer | 4)
            append(bigEndian: 0, bytes: 8)
            append(bigEndian: integer.magnitude, bytes: 8)
        } else {
            append(binaryInteger: integer.magnitude)
        }
    }

    private mutating func append(binaryInteger number: UInt64) {
        let width = BinaryMarker.width(of: number)
        append(BinaryMarker.integer | UInt8(truncatingIfNeeded: width.trailingZeroBitCount))
        append(bigEndian: number, bytes: width)
    }

    private mutating func append(utf16 utf8: UnsafeRawBufferPointer, units: Int) {
        append(atMost: units * 2) { output in
            var count = 0
            func put(_ unit: UInt32) {
                output[count] = UInt8(truncatingIfNeeded: unit >> 8)
                output[count &+ 1] = UInt8(truncatingIfNeeded: unit)
                count &+= 2
            }
            var place = 0
            while place < utf8.count {
                let lead = UInt32(utf8[place])
                func bits(_ distance: Int) -> UInt32 { UInt32(utf8[place &+ distance]) & 0x3F }
                switch lead {
                case ..<0x80:
                    put(lead)
                    place &+= 1
                case ..<0xE0:
                    put((lead & 0x1F) << 6 | bits(1))
                    place &+= 2
                case ..<0xF0:
                    put((lead & 0xF) << 12 | bits(1) << 6 | bits(2))
                    place &+= 3
                default:
                    let scalar = (lead & 0x7) << 18 | bits(1) << 12 | bits(2) << 6 | bits(3)
                    put(0xD7C0 + scalar >> 10)
                    put(0xDC00 | scalar & 0x3FF)
                    place &+= 4
                }
            }
            return count
        }
    }
}
