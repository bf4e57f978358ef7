/// Base64 with padding, as used in XML property lists and JSON. (RFC 4648, section 4)
package enum Base64 {
    private static let alphabet: StaticString = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"

    /// The value of each byte; 64 for a space and 255 for an invalid byte.
    private static let values: [UInt8] = {
        var values = [UInt8](repeating: 255, count: 256)
        for value in 0..<64 { values[Int(alphabet.utf8Start[value])] = UInt8(value) }
        for space: Int in [0x09, 0x0A, 0x0D, 0x20] { values[space] = 64 }
        return values
    }()

    /// Returns the data, or nil unless the text consists of complete groups of four with optional space. There must be no other
    /// characters, the padding must be complete, and no bits may be lost.
    package static func decode(_ text: UnsafeRawBufferPointer) -> [UInt8]? {
        values.withUnsafeBufferPointer { values in
            var isValid = true
            let data = [UInt8](unsafeUninitializedCapacity: text.count / 4 * 3 + 3) { buffer, count in
                guard let output = buffer.baseAddress else { return }
                let result = decode(text, values: values, into: output)
                isValid = result != nil
                count = result ?? 0
            }
            return isValid ? data : nil
        }
    }

    private static func decode(
        _ text: UnsafeRawBufferPointer, values: UnsafeBufferPointer<UInt8>, into output: UnsafeMutablePointer<UInt8>
    ) -> Int? {
        var count = 0
        var place = 0
        while true {
            // Complete groups without space in between, as nearly all are.
            while place &+ 4 <= text.count {
                let a = values[Int(text[place])]
                let b = values[Int(text[place &+ 1])]
                let c = values[Int(text[place &+ 2])]
                let d = values[Int(text[place &+ 3])]
                guard a | b | c | d < 64 else { break }
                output[count] = a << 2 | b >> 4
                output[count &+ 1] = b << 4 | c >> 2
                output[count &+ 2] = c << 6 | d
                count &+= 3
                place &+= 4
            }
            guard let group = nextGroup(text, values: values, at: &place) else { return nil }
            switch group.count {
            case 0:
                return count
            case 2:
                guard group.bits & 0xF == 0 else { return nil }
                output[count] = UInt8(truncatingIfNeeded: group.bits >> 4)
            case 3:
                guard group.bits & 0x3 == 0 else { return nil }
                output[count] = UInt8(truncatingIfNeeded: group.bits >> 10)
                output[count &+ 1] = UInt8(truncatingIfNeeded: group.bits >> 2)
            default:
                output[count] = UInt8(truncatingIfNeeded: group.bits >> 16)
                output[count &+ 1] = UInt8(truncatingIfNeeded: group.bits >> 8)
                output[count &+ 2] = UInt8(truncatingIfNeeded: group.bits)
            }
            count &+= group.count &- 1
            if group.count < 4, nextGroup(text, values: values, at: &place)?.count != 0 { return nil }
        }
    }

    /// Returns the digits of the next group, ignoring space: four, or two or three with the required padding, or none at the end of
    /// the text. Returns nil if the group is malformed.
    private static func nextGroup(
        _ text: UnsafeRawBufferPointer, values: UnsafeBufferPointer<UInt8>, at place: inout Int
    ) -> (count: Int, bits: UInt32)? {
        var count = 0
        var padding = 0
        var bits: UInt32 = 0
        while place < text.count, count + padding < 4 {
            let byte = text[place]
            let value = values[Int(byte)]
            place += 1
            if value < 64, padding == 0 {
                bits = bits << 6 | UInt32(value)
                count += 1
            } else if byte == UInt8(ascii: "="), count >= 2 {
                padding += 1
            } else if value != 64 {
                return nil
            }
        }
        return count + padding == 4 || count == 0 ? (count, bits) : nil
    }

    package static func encode(_ data: [UInt8]) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: encodedLength(of: data.count)) { buffer, count in
            guard let output = buffer.baseAddress else { return }
            count = data.withUnsafeBytes { encode($0, into: output) }
        }
    }

    /// Appends the base64 text of bytes. It is padded unless the number of bytes is a multiple of three.
    static func append(_ data: UnsafeRawBufferPointer, to text: inout TextBuffer) {
        text.append(atMost: encodedLength(of: data.count)) { encode(data, into: $0) }
    }

    private static func encodedLength(of count: Int) -> Int {
        (count + 2) / 3 * 4
    }

    private static func encode(_ data: UnsafeRawBufferPointer, into output: UnsafeMutablePointer<UInt8>) -> Int {
        let digits = alphabet.utf8Start
        var place = 0
        var count = 0
        while place < data.count {
            let remaining = data.count &- place
            let a = data[place]
            let b = remaining > 1 ? data[place &+ 1] : 0
            let c = remaining > 2 ? data[place &+ 2] : 0
            output[count] = digits[Int(a >> 2)]
            output[count &+ 1] = digits[Int((a & 0x3) << 4 | b >> 4)]
            output[count &+ 2] = remaining > 1 ? digits[Int((b & 0xF) << 2 | c >> 6)] : UInt8(ascii: "=")
            output[count &+ 3] = remaining > 2 ? digits[Int(c & 0x3F)] : UInt8(ascii: "=")
            place &+= 3
            count &+= 4
        }
        return count
    }
}
