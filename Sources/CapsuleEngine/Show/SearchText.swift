import CapsuleSystem

/// A text that is searched for.
package struct SearchText: Sendable {
    private let bytes: [UInt8]
    private let ignoresCase: Bool
    let isASCII: Bool
    /// True if a number or a date may be spelled with the text in it.
    let isInNumbers: Bool

    package init(_ text: [UInt8], ignoresCase: Bool) {
        self.ignoresCase = ignoresCase
        let folded = String(decoding: text, as: UTF8.self).lowercased()
        bytes = ignoresCase ? Array(folded.utf8) : text
        isASCII = bytes.allSatisfy { $0 < 0x80 }
        isInNumbers = folded.split { !$0.isLetter }.allSatisfy { word in Self.wordsOfNumbers.contains { $0.contains(word) } }
    }

    /// The words of spelled numbers and dates, such as `1e-05`, `2024-05-16T09:30:00Z` and `date 1e300 seconds after 2001`.
    private static let wordsOfNumbers = ["e", "t", "z", "infinity", "nan", "date", "seconds", "after"]

    var length: Int { bytes.count }

    func isIn(_ text: String) -> Bool {
        var text = ignoresCase ? text.lowercased() : text
        return text.withUTF8 { ByteSearch.contains(UnsafeRawBufferPointer($0), bytes) }
    }

    func isIn(_ text: some Sequence<UInt8>) -> Bool { isIn(String(decoding: Array(text), as: UTF8.self)) }

    /// Returns true if the bytes contain the text as it was given, or with ASCII letters of either case.
    func isIn(_ haystack: UnsafeRawBufferPointer) -> Bool {
        guard ignoresCase else { return ByteSearch.contains(haystack, bytes) }
        guard let first = bytes.first, haystack.count >= bytes.count else { return bytes.isEmpty }
        var start = 0
        while start <= haystack.count - bytes.count {
            if Self.folded(haystack[start]) == first,
                bytes.indices.allSatisfy({ Self.folded(haystack[start + $0]) == bytes[$0] })
            {
                return true
            }
            start += 1
        }
        return false
    }

    /// Returns false only if a text in UTF-8 can't contain the text, whatever is done to read it. It is much faster than to read it.
    func mayBeIn(_ utf8: UnsafeRawBufferPointer) -> Bool {
        // A NUL is a sign of another encoding, and other letters may have ASCII letters as their lower case.
        isIn(utf8) || ByteSearch.contains(utf8, [0]) || ignoresCase && utf8.contains { $0 >= 0x80 }
    }

    /// Returns false only if data can't contain the text, as bytes, in a property list, or in the name of a file in its place. It is much
    /// faster than to read it.
    func mayBeInData(_ data: UnsafeRawBufferPointer) -> Bool {
        // Core Data puts a byte before data that could be in a file: 1, or 2 before the name of a file.
        let isMarked = data.first == 1 || data.first == 2
        guard let first = isMarked ? data.dropFirst().first : data.first else { return false }
        return isMarked && data.first == 2 || Self.documentStarts.contains(first) || isIn(data)
    }

    /// The first bytes of property lists: `bplist`, `<`, white space, and byte order marks.
    private static let documentStarts: Set<UInt8> = [0x62, 0x3C, 0x09, 0x0A, 0x0D, 0x20, 0xEF, 0xFE, 0xFF, 0x00]

    private static func folded(_ byte: UInt8) -> UInt8 { (0x41...0x5A).contains(byte) ? byte | 0x20 : byte }
}
