/// Decodes single objects and checks their position and size.
extension BinaryPlistReader {
    /// An object whose references were not followed yet.
    enum Header {
        case scalar(PlistValue)
        case array(count: Int, references: Int)
        /// A dictionary with `count` references to keys, then as many to values.
        case dictionary(count: Int, references: Int)
    }

    mutating func header(of object: Int) throws(PlistError) -> Header {
        let start = try offset(of: object)
        let low = Int(bytes[start] & 0xF)
        switch bytes[start] >> 4 {
        case 0x0:
            return .scalar(try constant(low, object, start))
        case 0x1:
            return .scalar(try integer(low, object, start))
        case 0x2:
            return .scalar(.real(try real(low, object, start)))
        case 0x3:
            guard low == 3 else { throw damage("a date of an invalid size", object, start) }
            let bits = bytes.bigEndianBits(at: try content(1, 8, object, start), bytes: 8)
            return .scalar(.date(Double(bitPattern: bits)))
        case 0x4:
            let run = try run(low, bytesEach: 1, object, start)
            return .scalar(.data([UInt8](bytes[run])))
        case 0x5:
            return .scalar(.string(try asciiString(try run(low, bytesEach: 1, object, start), object)))
        case 0x6:
            return .scalar(.string(try utf16String(try run(low, bytesEach: 2, object, start), object)))
        case 0x8:
            return .scalar(.uid(try uid(low + 1, object, start)))
        case 0xA:
            let run = try run(low, bytesEach: trailer.referenceBytes, object, start)
            return .array(count: run.count / trailer.referenceBytes, references: run.lowerBound)
        case 0xB, 0xC:
            throw PlistError(.unsupported, "a set, which property lists do not support", at: place(object, start))
        case 0xD:
            let run = try run(low, bytesEach: 2 * trailer.referenceBytes, object, start)
            return .dictionary(count: run.count / (2 * trailer.referenceBytes), references: run.lowerBound)
        default:
            throw damage("an object of an unknown type", object, start)
        }
    }

    func reference(at offset: Int, object: Int) throws(PlistError) -> Int {
        guard let target = bytes.bigEndian(at: offset, bytes: trailer.referenceBytes), target < trailer.objects else {
            throw damage("a reference to a missing object", object, offset)
        }
        return target
    }

    func location(of object: Int) throws(PlistError) -> PlistLocation {
        place(object, try offset(of: object))
    }

    private func offset(of object: Int) throws(PlistError) -> Int {
        let slot = trailer.table + object * trailer.offsetBytes
        guard let offset = bytes.bigEndian(at: slot, bytes: trailer.offsetBytes),
            offset >= BinaryPlistTrailer.headerBytes, offset < trailer.table
        else { throw damage("an object offset outside the object data", object, slot) }
        return offset
    }

    private mutating func content(_ head: Int, _ size: Int, _ object: Int, _ start: Int) throws(PlistError) -> Int {
        let content = start + head
        guard content <= trailer.table, size <= trailer.table - content else {
            throw damage("an object that extends past the object data", object, start)
        }
        decodedBytes += head + size
        // Many offsets may point to the same bytes. The decoded objects must not be larger than the document.
        guard decodedBytes <= bytes.count else { throw damage("overlapping objects", object, start) }
        return content
    }

    /// Returns the range of `count` items after the marker. A count of 15 or more is an integer object of its own.
    private mutating func run(_ low: Int, bytesEach: Int, _ object: Int, _ start: Int) throws(PlistError) -> Range<Int> {
        var head = 1
        var count = low
        if low == 0xF {
            let marker = start + 1 < trailer.table ? bytes[start + 1] : 0
            let countBytes = 1 << Int(marker & 0xF)
            guard marker & 0xF0 == 0x10, countBytes <= 8, countBytes <= trailer.table - (start + 2),
                let number = bytes.bigEndian(at: start + 2, bytes: countBytes)
            else { throw damage("an object with an impossible count", object, start) }
            head = 2 + countBytes
            count = number
        }
        let size = count.multipliedReportingOverflow(by: bytesEach)
        guard !size.overflow else { throw damage("an object with an impossible count", object, start) }
        let content = try content(head, size.partialValue, object, start)
        return content..<content + size.partialValue
    }

    private mutating func constant(_ low: Int, _ object: Int, _ start: Int) throws(PlistError) -> PlistValue {
        _ = try content(1, 0, object, start)
        switch low {
        case 0x8: return .boolean(false)
        case 0x9: return .boolean(true)
        case 0x0: throw PlistError(.unsupported, "a null, which property lists do not support", at: place(object, start))
        case 0xF: throw damage("a fill byte instead of an object", object, start)
        default: throw damage("an object of an unknown type", object, start)
        }
    }

    /// Decodes an integer. Integers of 1, 2 and 4 bytes are unsigned, and those of 8 bytes are signed. Those of 16 bytes hold
    /// larger numbers.
    private mutating func integer(_ low: Int, _ object: Int, _ start: Int) throws(PlistError) -> PlistValue {
        guard low <= 4 else { throw damage("an integer of an invalid size", object, start) }
        let size = 1 << low
        let content = try content(1, size, object, start)
        guard size == 16 else {
            let bits = bytes.bigEndianBits(at: content, bytes: size)
            return .integer(size == 8 ? PlistInteger(Int64(bitPattern: bits)) : PlistInteger(bits))
        }
        let high = bytes.bigEndianBits(at: content, bytes: 8)
        let bits = bytes.bigEndianBits(at: content + 8, bytes: 8)
        if high == 0 { return .integer(PlistInteger(bits)) }
        guard high == .max, bits >> 63 == 1 else {
            throw PlistError(.outOfRange, "the integer is out of range", at: place(object, start))
        }
        return .integer(PlistInteger(Int64(bitPattern: bits)))
    }

    private mutating func real(_ low: Int, _ object: Int, _ start: Int) throws(PlistError) -> Double {
        switch low {
        case 2:
            let bits = bytes.bigEndianBits(at: try content(1, 4, object, start), bytes: 4)
            return Double(Float(bitPattern: UInt32(truncatingIfNeeded: bits)))
        case 3:
            return Double(bitPattern: bytes.bigEndianBits(at: try content(1, 8, object, start), bytes: 8))
        default:
            throw damage("a real of an invalid size", object, start)
        }
    }

    private mutating func uid(_ size: Int, _ object: Int, _ start: Int) throws(PlistError) -> UInt64 {
        let content = try content(1, size, object, start)
        let excess = max(size - 8, 0)
        guard bytes[content..<content + excess].allSatisfy({ $0 == 0 }) else {
            throw PlistError(.outOfRange, "the UID is out of range", at: place(object, start))
        }
        return bytes.bigEndianBits(at: content + excess, bytes: size - excess)
    }

    private func asciiString(_ run: Range<Int>, _ object: Int) throws(PlistError) -> PlistString {
        let text = UnsafeRawBufferPointer(rebasing: bytes[run])
        guard text.isASCII else {
            throw PlistError(.encoding, "an ASCII string with non-ASCII characters", at: place(object, run.lowerBound))
        }
        return PlistString(valid: text)
    }

    private mutating func utf16String(_ run: Range<Int>, _ object: Int) throws(PlistError) -> PlistString {
        utf8.removeAll()
        var offset = run.lowerBound
        while offset < run.upperBound {
            let unit = UInt32(bytes[offset]) << 8 | UInt32(bytes[offset + 1])
            var number = unit
            var size = 2
            if unit & 0xFC00 == 0xD800, offset + 4 <= run.upperBound {
                let low = UInt32(bytes[offset + 2]) << 8 | UInt32(bytes[offset + 3])
                if low & 0xFC00 == 0xDC00 {
                    number = 0x10000 + (unit & 0x3FF) << 10 + (low & 0x3FF)
                    size = 4
                }
            }
            guard let scalar = Unicode.Scalar(number) else {
                throw PlistError(.encoding, "an unpaired surrogate in a string", at: place(object, offset))
            }
            utf8.append(scalar)
            offset += size
        }
        return PlistString(valid: utf8.bytes)
    }

    private func place(_ object: Int, _ offset: Int) -> PlistLocation {
        .binary(offset: offset, object: object)
    }

    private func damage(_ message: String, _ object: Int, _ offset: Int) -> PlistError {
        PlistError(.damaged, message, at: place(object, offset))
    }
}

extension UnsafeRawBufferPointer {
    var isASCII: Bool {
        var place = 0
        var bits: UInt64 = 0
        while place &+ 8 <= count {
            bits |= loadUnaligned(fromByteOffset: place, as: UInt64.self)
            place &+= 8
        }
        while place < count {
            bits |= UInt64(self[place])
            place &+= 1
        }
        return bits & 0x8080_8080_8080_8080 == 0
    }
}
