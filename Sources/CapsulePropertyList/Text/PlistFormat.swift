/// An encoding of property lists.
public enum PlistFormat: String, Hashable, Sendable, CaseIterable {
    /// Apple's XML, version 1.0.
    case xml
    /// Apple's binary format, `bplist00`.
    case binary
    /// JSON.
    case json
    /// The text format of NeXT, with braces and semicolons; `.strings` files too.
    case openStep

    /// How reports and rules call it: `xml`, `binary`, `json` or `openstep`.
    public var word: String { rawValue.lowercased() }

    /// All encodings.
    public static let all: Set<PlistFormat> = Set(allCases)
    /// What Apple's systems write: XML and binary.
    public static let xmlOrBinary: Set<PlistFormat> = [.xml, .binary]

    /// The encoding's name in messages.
    var name: String {
        switch self {
        case .xml: "XML"
        case .binary: "binary"
        case .json: "JSON"
        case .openStep: "OpenStep"
        }
    }
}

/// How the text of a document is encoded.
enum PlistTextEncoding: Hashable {
    case utf8
    case utf16(isBigEndian: Bool)
    case utf32(isBigEndian: Bool)

    /// Bytes of one code unit.
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

    /// The encoding by the byte order mark, else by where the zeros are around the first character, which in a
    /// property list is ASCII; and the mark's length in bytes. (XML 1.0, appendix F.1)
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

    /// The code units after the byte order mark; an incomplete last one is left out.
    func units(of bytes: UnsafeRawBufferPointer, from start: Int) -> Units {
        Units(bytes: bytes, offset: start, unitBytes: unitBytes, isBigEndian: isBigEndian)
    }

    /// The text after the byte order mark as UTF-8. Not for text that is UTF-8 already.
    ///
    /// Throws `encoding` at an unpaired surrogate, at a number beyond Unicode and at an incomplete last unit.
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

    /// Valid UTF-8 in this encoding, after the byte order mark given: what `transcode` takes back.
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

    /// The code units of some bytes, one after the other.
    struct Units {
        fileprivate let bytes: UnsafeRawBufferPointer
        fileprivate var offset: Int
        fileprivate let unitBytes: Int
        fileprivate let isBigEndian: Bool

        /// True if no bytes are left over.
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
