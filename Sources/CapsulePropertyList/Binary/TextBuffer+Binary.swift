/// How the canonical form of a binary property list spells scalars: each in one way, in the fewest bytes.
extension TextBuffer {
    /// Appends a big-endian number of 1 to 8 bytes.
    mutating func append(bigEndian number: UInt64, bytes: Int) {
        append(atMost: 8) { place in
            let shifted = number << UInt64(64 - 8 * bytes)
            UnsafeMutableRawPointer(place).storeBytes(of: shifted.bigEndian, as: UInt64.self)
            return bytes
        }
    }

    /// Appends a marker with a count, which is an integer object of its own from 15 on.
    mutating func append(marker: UInt8, count: Int) {
        guard count >= BinaryMarker.largeCount else { return append(marker | UInt8(truncatingIfNeeded: count)) }
        append(marker | 0xF)
        append(binaryInteger: UInt64(count))
    }

    /// Appends a scalar's object; nothing for containers and null, which are none.
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

    /// Appends a string: its ASCII if it is nothing else, or else big-endian UTF-16.
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

    /// 1, 2 and 4 bytes are without a sign, 8 with one, so a number from 2^63 on takes 16.
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

    /// Appends a number below 2^63.
    private mutating func append(binaryInteger number: UInt64) {
        let width = BinaryMarker.width(of: number)
        append(BinaryMarker.integer | UInt8(truncatingIfNeeded: width.trailingZeroBitCount))
        append(bigEndian: number, bytes: width)
    }

    /// Appends valid UTF-8 as so many big-endian UTF-16 units.
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
                /// The payload of the continuation byte so many behind the lead.
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
