/// An encoding of property lists.
public enum PlistFormat: String, Hashable, Sendable, CaseIterable {
    /// Apple's XML format, version 1.0.
    case xml
    /// Apple's binary format, `bplist00`.
    case binary
    /// JSON.
    case json
    /// NeXT's text format, with braces and semicolons, including `.strings` files.
    case openStep

    /// The name in reports and rules: `xml`, `binary`, `json` or `openstep`.
    public var word: String { rawValue.lowercased() }

    /// All encodings.
    public static let all: Set<PlistFormat> = Set(allCases)
    /// The encodings that Apple's systems write: XML and binary.
    public static let xmlOrBinary: Set<PlistFormat> = [.xml, .binary]

    /// The name of the encoding in messages.
    var name: String {
        switch self {
        case .xml: "XML"
        case .binary: "binary"
        case .json: "JSON"
        case .openStep: "OpenStep"
        }
    }
}

/// The character encoding of a text document.
enum PlistTextEncoding: Hashable {
    case utf8
    case utf16(isBigEndian: Bool)
    case utf32(isBigEndian: Bool)

    /// The number of bytes of a code unit.
    var unitBytes: Int {
        switch self {
        case .utf8: 1
        case .utf16: 2
        case .utf32: 4
        }
    }

    private var isBigEndian: Bool {
        switch self {
        case .utf8: false
        case .utf16(let isBigEndian), .utf32(let isBigEndian): isBigEndian
        }
    }

    /// Returns the encoding and the length in bytes of the byte order mark. Without a mark, the encoding is detected from the zeros
    /// around the first character, which is ASCII in a property list. (XML 1.0, appendix F.1)
    static func detect(_ bytes: UnsafeRawBufferPointer) -> (encoding: PlistTextEncoding, markBytes: Int) {
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { return (.utf8, 3) }
        if bytes.starts(with: [0xFF, 0xFE, 0, 0]) { return (.utf32(isBigEndian: false), 4) }
        if bytes.starts(with: [0, 0, 0xFE, 0xFF]) { return (.utf32(isBigEndian: true), 4) }
        if bytes.starts(with: [0xFF, 0xFE]) { return (.utf16(isBigEndian: false), 2) }
        if bytes.starts(with: [0xFE, 0xFF]) { return (.utf16(isBigEndian: true), 2) }
        let zeros = bytes.prefix(4).map { $0 == 0 }
        if zeros == [false, true, true, true] { return (.utf32(isBigEndian: false), 0) }
        if zeros == [true, true, true, false] { return (.utf32(isBigEndian: true), 0) }
        if zeros.starts(with: [false, true]) { return (.utf16(isBigEndian: false), 0) }
        if zeros.starts(with: [true, false]) { return (.utf16(isBigEndian: true), 0) }
        return (.utf8, 0)
    }

    /// Returns the code units after the byte order mark. An incomplete last one is omitted.
    func units(of bytes: UnsafeRawBufferPointer, from start: Int) -> Units {
        Units(bytes: bytes, offset: start, unitBytes: unitBytes, isBigEndian: isBigEndian)
    }

    /// Returns the text after the byte order mark as UTF-8. The text must not be UTF-8 already.
    ///
    /// - Throws: `encoding` for an unpaired surrogate, a number outside of Unicode, or an incomplete last unit.
    func transcode(_ bytes: UnsafeRawBufferPointer, from start: Int) throws(PlistError) -> [UInt8] {
        var utf8: [UInt8] = []
        utf8.reserveCapacity((bytes.count - start) / unitBytes)
        func failure(_ message: String) -> PlistError {
            PlistError(.encoding, message, at: utf8.withUnsafeBytes { PlistLocation.inText($0, at: $0.count) })
        }
        var units = units(of: bytes, from: start)
        while let unit = units.next() {
            var number = unit
            if unitBytes == 2, unit & 0xFC00 == 0xD800 {
                guard let low = units.next(), low & 0xFC00 == 0xDC00 else { throw failure("unpaired surrogate") }
                number = 0x10000 + (unit & 0x3FF) << 10 + (low & 0x3FF)
            }
            if number < 0x80 {
                utf8.append(UInt8(truncatingIfNeeded: number))
            } else if let scalar = Unicode.Scalar(number) {
                utf8.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
            } else {
                throw failure(number & ~0x7FF == 0xD800 ? "unpaired surrogate" : "not a Unicode character")
            }
        }
        guard units.isComplete else { throw failure("the text ends inside a character") }
        return utf8
    }

    /// Encodes valid UTF-8 in this encoding, after the given byte order mark. This is the inverse of `transcode`.
    func encode(utf8: [UInt8], after mark: UnsafeRawBufferPointer) -> [UInt8] {
        var bytes = [UInt8](mark)
        if self == .utf8 { return bytes + utf8 }
        bytes.reserveCapacity(mark.count + utf8.count * unitBytes)
        func append(_ unit: UInt32) {
            for place in 0..<unitBytes {
                let shift = 8 * (isBigEndian ? unitBytes - 1 - place : place)
                bytes.append(UInt8(truncatingIfNeeded: unit >> UInt32(shift)))
            }
        }
        for scalar in String(decoding: utf8, as: UTF8.self).unicodeScalars {
            if unitBytes == 4 {
                append(scalar.value)
            } else {
                for unit in UTF16.encode(scalar) ?? UTF16.encodedReplacementCharacter { append(UInt32(unit)) }
            }
        }
        return bytes
    }

    /// A sequence of the code units of a buffer.
    struct Units {
        fileprivate let bytes: UnsafeRawBufferPointer
        fileprivate var offset: Int
        fileprivate let unitBytes: Int
        fileprivate let isBigEndian: Bool

        /// True if no bytes remain.
        var isComplete: Bool { offset == bytes.count }

        mutating func next() -> UInt32? {
            guard bytes.count - offset >= unitBytes else { return nil }
            var unit: UInt32 = 0
            for place in 0..<unitBytes {
                let byte = UInt32(bytes[offset + (isBigEndian ? place : unitBytes - 1 - place)])
                unit = unit << 8 | byte
            }
            offset += unitBytes
            return unit
        }
    }
}
