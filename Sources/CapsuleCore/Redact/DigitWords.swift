/// The long words of a text that consist of the digits of Base64, also over several lines of which one is long, or of hexadecimal ones, also
/// with blanks, colons or hyphens between them.
struct DigitWords {
    /// The number of digits that may hold a secret of eight bytes.
    private static let shortest = (base64: 12, hex: 16)

    /// The bytes that the words stand for, read from their beginnings.
    private(set) var decoded: [[UInt8]] = []
    /// The bytes that they stand for, read from the other places at which a group of digits may begin.
    private(set) var shifted: [[UInt8]] = []

    init(_ text: [UInt8]) {
        text.withUnsafeBufferPointer { text in
            var end = 0
            ByteRuns.forEach(of: Self.isOfBase64, in: text, atLeast: Self.shortest.base64) { run in
                if run.startIndex < end { return true }
                let word = Self.lines(around: run.indices, in: text, from: end)
                add(Self.digits(of: Self.base64, in: text[word]), bits: 6, atLeast: Self.shortest.base64)
                end = word.upperBound
                return true
            }
            ByteRuns.forEach(of: Self.isOfHex, in: text, atLeast: Self.shortest.hex) { run in
                add(Self.digits(of: Self.hex, in: run), bits: 4, atLeast: Self.shortest.hex)
                return true
            }
        }
    }

    /// Returns the range of a word of Base64 with the lines before and after it. A word goes on after the end of a line and the space that
    /// begins the next line.
    /// - Parameter first: the place before which it can't begin.
    private static func lines(
        around part: Range<Int>, in text: UnsafeBufferPointer<UInt8>, from first: Int
    ) -> Range<Int> {
        func isDigit(_ place: Int) -> Bool { isOfBase64[Int(text[place])] }
        var (start, end) = (part.lowerBound, part.upperBound)
        while end < text.count, isLineEnd(text[end]) {
            var next = end
            while next < text.count, text[next].isSpace { next += 1 }
            guard next < text.count, isDigit(next) else { break }
            while next < text.count, isDigit(next) { next += 1 }
            end = next
        }
        while start > first {
            var last = start
            while last > first, text[last - 1].isSpace { last -= 1 }
            guard last < start, isLineEnd(text[last]), last > first, isDigit(last - 1) else { break }
            while last > first, isDigit(last - 1) { last -= 1 }
            start = last
        }
        return start..<end
    }

    private static func isLineEnd(_ byte: UInt8) -> Bool { byte == 0x0A || byte == 0x0D }

    private mutating func add(_ digits: [UInt8], bits: Int, atLeast count: Int) {
        guard digits.count >= count else { return }
        decoded.append(Self.bytes(of: digits[...], bits: bits))
        if bits == 6 {
            for offset in 1..<4 { shifted.append(Self.bytes(of: digits[offset...], bits: bits)) }
        } else {
            // Before the digits, there may be a word that ends with one, as in `line: 789c…`.
            decoded.append(Self.bytes(of: digits[1...], bits: bits))
        }
    }

    private static func digits(of table: [UInt8], in run: Slice<UnsafeBufferPointer<UInt8>>) -> [UInt8] {
        run.compactMap { table[Int($0)] < within ? table[Int($0)] : nil }
    }

    /// The bits that each byte stands for: those of both alphabets (RFC 4648, sections 4 and 5), `within` for what may be between digits,
    /// and `none` for other bytes.
    private static let base64 = table(["\(letters)+/", "\(letters)-_"], within: " \t\r\n")
    private static let hex = table(["0123456789abcdef", "0123456789ABCDEF"], within: " :-\t\r\n")
    private static let letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
    private static let isOfBase64 = base64.map { $0 < within }
    private static let isOfHex = hex.map { $0 != none }
    private static let within: UInt8 = 0xFE
    private static let none: UInt8 = 0xFF

    private static func table(_ alphabets: [String], within others: String) -> [UInt8] {
        var table = [UInt8](repeating: none, count: 256)
        for alphabet in alphabets {
            for (value, digit) in alphabet.utf8.enumerated() { table[Int(digit)] = UInt8(value) }
        }
        for other in others.utf8 { table[Int(other)] = within }
        return table
    }

    /// Returns true for a text that has no words of digits. It has no line ends.
    static func areNone(in text: UnsafeRawBufferPointer) -> Bool {
        let text = text.assumingMemoryBound(to: UInt8.self)
        return ByteRuns.forEach(of: isOfBase64, in: text, atLeast: shortest.base64) { _ in false }
            && ByteRuns.forEach(of: isOfHex, in: text, atLeast: shortest.hex) { run in
                run.count { hex[Int($0)] < within } < shortest.hex
            }
    }

    /// Returns the whole bytes of digits of some bits each.
    private static func bytes(of digits: ArraySlice<UInt8>, bits: Int) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: digits.count) { bytes, count in
            var (group, known) = (UInt32(0), 0)
            for digit in digits {
                group = group << UInt32(bits) | UInt32(digit)
                known += bits
                guard known >= 8 else { continue }
                known -= 8
                bytes[count] = UInt8(truncatingIfNeeded: group >> UInt32(known))
                count += 1
            }
        }
    }
}
