/// A SHA-256, held without an allocation.
public struct ContentDigest: Hashable, Sendable {
    /// Its length in bytes.
    public static let byteCount = 32

    /// All zeros: what stands where nothing was digested.
    public static let zero = ContentDigest(words: (0, 0, 0, 0))

    private let word0: UInt64
    private let word1: UInt64
    private let word2: UInt64
    private let word3: UInt64

    private init(words: (UInt64, UInt64, UInt64, UInt64)) {
        (word0, word1, word2, word3) = words
    }

    /// Takes the first 32 bytes of `buffer`.
    ///
    /// - Returns: nil if there are fewer.
    public init?(_ buffer: UnsafeRawBufferPointer) {
        guard buffer.count >= Self.byteCount else { return nil }
        self.init(
            words: (
                buffer.loadUnaligned(fromByteOffset: 0, as: UInt64.self),
                buffer.loadUnaligned(fromByteOffset: 8, as: UInt64.self),
                buffer.loadUnaligned(fromByteOffset: 16, as: UInt64.self),
                buffer.loadUnaligned(fromByteOffset: 24, as: UInt64.self)
            ))
    }

    /// Takes a digest that `fill` writes into 32 zeroed bytes.
    public init(filledBy fill: (UnsafeMutableRawBufferPointer) -> Void) {
        var words: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)
        withUnsafeMutableBytes(of: &words, fill)
        self.init(words: words)
    }

    /// Takes 64 hexadecimal digits of either case.
    ///
    /// - Returns: nil for anything else.
    public init?(hex: String) {
        let digits = Array(hex.utf8)
        guard digits.count == 2 * Self.byteCount else { return nil }
        var bytes: [UInt8] = []
        for pair in stride(from: 0, to: digits.count, by: 2) {
            guard let high = Self.value(ofDigit: digits[pair]), let low = Self.value(ofDigit: digits[pair + 1]) else {
                return nil
            }
            bytes.append(high << 4 | low)
        }
        guard let digest = bytes.withUnsafeBytes({ ContentDigest($0) }) else { return nil }
        self = digest
    }

    /// Calls `body` with the 32 bytes.
    public func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        withUnsafeBytes(of: (word0, word1, word2, word3), body)
    }

    /// Appends the 64 digits of ``hex``.
    public func appendHex(to text: inout [UInt8]) {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 2 * Self.byteCount) { digits in
            withBytes { bytes in
                for index in 0..<Self.byteCount {
                    digits[2 * index] = Self.digit(bytes[index] >> 4)
                    digits[2 * index + 1] = Self.digit(bytes[index] & 15)
                }
            }
            text.append(contentsOf: digits)
        }
    }

    /// 64 lower-case hexadecimal digits, as `sha256sum` prints them.
    public var hex: String {
        withBytes { bytes in
            String(unsafeUninitializedCapacity: 2 * Self.byteCount) { text in
                for (index, byte) in bytes.enumerated() {
                    text[2 * index] = Self.digit(byte >> 4)
                    text[2 * index + 1] = Self.digit(byte & 15)
                }
                return 2 * Self.byteCount
            }
        }
    }

    private static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
    }

    private static func value(ofDigit digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}

extension ContentDigest: CustomStringConvertible {
    /// As 64 hexadecimal digits.
    public var description: String { hex }
}

/// Which facts of a tree a digest covers (docs/format.md, section 9).
public enum TreeDigestScope: Hashable, Sendable {
    /// Names, kinds, modes, content, targets and attributes; no times.
    case tree
    /// The same without modes and attributes: what also comes through a zip.
    case content

    /// The bytes the digest starts with.
    public var tag: [UInt8] {
        switch self {
        case .tree: Array("capsule-tree-1\n".utf8)
        case .content: Array("capsule-content-1\n".utf8)
        }
    }

    /// Appends what the digest takes in for one entry; nothing for wrapper and identity.
    ///
    /// kind u8; path u32 length + bytes; mode u16 (links 0); file: size u64 + SHA-256; link: target u32 + bytes; attributes
    /// u32 count, each name and value u32 + bytes. All little-endian. Entries follow in the order of the index.
    public func append(_ entry: TreeEntry, to record: inout [UInt8]) {
        guard entry.isCompared else { return }
        record.append(entry.kind.rawValue)
        record.appendCounted(entry.path.bytes)
        if self == .tree {
            record.appendLittleEndian(entry.kind == .link ? UInt16(0) : entry.mode.rawValue)
        }
        switch entry.kind {
        case .file, .identity:
            record.appendLittleEndian(entry.size)
            entry.digest.withBytes { record.append(contentsOf: $0) }
        case .link:
            record.appendCounted(entry.target)
        case .directory:
            break
        }
        if self == .tree {
            record.appendLittleEndian(UInt32(truncatingIfNeeded: entry.attributes.count))
            for attribute in entry.attributes {
                record.appendCounted(attribute.name)
                record.appendCounted(attribute.value)
            }
        }
    }
}

extension Array where Element == UInt8 {
    fileprivate mutating func appendCounted(_ bytes: [UInt8]) {
        appendLittleEndian(UInt32(truncatingIfNeeded: bytes.count))
        append(contentsOf: bytes)
    }

    fileprivate mutating func appendLittleEndian(_ value: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: value.littleEndian) { append(contentsOf: $0) }
    }
}
