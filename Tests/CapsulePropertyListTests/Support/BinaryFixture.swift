/// A binary property list that is assembled object by object, so that any field of it can be invalid.
struct BinaryFixture {
    /// The bytes of each object, including its marker. References are object numbers.
    var objects: [[UInt8]]
    var root = 0
    var offsetBytes = 1
    var referenceBytes = 1
    var header: [UInt8] = Array("bplist00".utf8)
    /// Offsets to write instead of the correct ones, by object number.
    var falseOffsets: [Int: Int] = [:]
    var falseObjectCount: UInt64?
    var falseRoot: UInt64?
    var falseTable: UInt64?

    init(_ objects: [[UInt8]]) {
        self.objects = objects
    }

    var bytes: [UInt8] {
        var bytes = header
        var offsets: [Int] = []
        for object in objects {
            offsets.append(bytes.count)
            bytes += object
        }
        let table = bytes.count
        for (object, offset) in offsets.enumerated() {
            bytes += Self.bigEndian(UInt64(falseOffsets[object] ?? offset), offsetBytes)
        }
        bytes += [0, 0, 0, 0, 0, 0, UInt8(offsetBytes), UInt8(referenceBytes)]
        bytes += Self.bigEndian(falseObjectCount ?? UInt64(objects.count), 8)
        bytes += Self.bigEndian(falseRoot ?? UInt64(root), 8)
        bytes += Self.bigEndian(falseTable ?? UInt64(table), 8)
        return bytes
    }

    /// Returns the bytes of a fixture that is valid except for the changes of the closure.
    static func bytes(_ objects: [[UInt8]], _ change: (inout BinaryFixture) -> Void = { _ in }) -> [UInt8] {
        var fixture = BinaryFixture(objects)
        change(&fixture)
        return fixture.bytes
    }

    static func bigEndian(_ number: UInt64, _ bytes: Int) -> [UInt8] {
        (0..<bytes).reversed().map { place in place < 8 ? UInt8(truncatingIfNeeded: number >> (8 * UInt64(place))) : 0 }
    }

    /// Returns the object of an ASCII string of up to 14 characters.
    static func string(_ text: String) -> [UInt8] {
        [0x50 + UInt8(text.utf8.count)] + text.utf8
    }

    /// Returns a document of nested arrays, with an empty one innermost.
    static func nested(_ depth: Int) -> [UInt8] {
        var fixture = BinaryFixture((0..<depth).map { $0 + 1 < depth ? [0xA1] + bigEndian(UInt64($0 + 1), 4) : [0xA0] })
        fixture.offsetBytes = 4
        fixture.referenceBytes = 4
        return fixture.bytes
    }

    /// 244 bytes with 40 arrays that each hold the next one twice, and so expand to 2^40 integers.
    static let bomb: [UInt8] = {
        var fixture = BinaryFixture((1...40).map { [0xA2, $0, $0] } + [[0x10, 0x2A]])
        fixture.offsetBytes = 2
        return fixture.bytes
    }()
}
