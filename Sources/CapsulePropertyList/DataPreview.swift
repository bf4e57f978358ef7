/// The first bytes of data on one line, for people: as text where they are text, else in base64.
///
/// Two previews of the same length are the same only if the bytes are: what is not text in between is escaped, as `\x00`.
struct DataPreview {
    let text: String
    /// Whether there is more than is shown.
    let isCut: Bool

    /// - Parameters:
    ///   - head: the bytes, or the first of them.
    ///   - count: how many there are in all.
    ///   - length: how many are shown at most; nil for all of `head`.
    init(_ head: [UInt8], count: UInt64, length: Int?) {
        guard count > 0 else {
            text = "empty data"
            isCut = false
            return
        }
        var shown = head.prefix(length ?? head.count)
        isCut = UInt64(shown.count) < count
        if isCut { shown = shown.dropLast(Self.begunCharacter(shown)) }
        let quoted =
            Self.quoted(shown) ?? String(decoding: Base64.encode(Array(head.prefix(length ?? head.count))), as: UTF8.self)
        text = "data of \(count) \(count == 1 ? "byte" : "bytes"), " + quoted + (isCut ? "…" : "")
    }

    /// The bytes in quotation marks; nil unless at least three quarters of them are characters that show themselves.
    private static func quoted(_ bytes: ArraySlice<UInt8>) -> String? {
        var text = "\""
        var escaped = 0
        var rest = bytes
        while let byte = rest.first {
            if let scalar = scalar(at: rest), isText(scalar) {
                PlistValueLine.append(scalar, to: &text)
                rest = rest.dropFirst(UTF8.width(scalar))
                continue
            }
            escaped += 1
            if 4 * escaped > bytes.count { return nil }
            text += "\\x" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
            rest.removeFirst()
        }
        return bytes.isEmpty ? nil : text + "\""
    }

    private static func scalar(at bytes: ArraySlice<UInt8>) -> Unicode.Scalar? {
        var decoder = UTF8()
        var iterator = bytes.makeIterator()
        guard case .scalarValue(let scalar) = decoder.decode(&iterator) else { return nil }
        return scalar
    }

    /// Whether texts have such a character.
    private static func isText(_ scalar: Unicode.Scalar) -> Bool {
        scalar == "\n" || scalar == "\r" || scalar == "\t" || PlistValueLine.isPlain(scalar)
    }

    /// How many of the last bytes are the beginning of a character that is not all there.
    private static func begunCharacter(_ bytes: ArraySlice<UInt8>) -> Int {
        let tail = bytes.suffix(3).reversed()
        guard let distance = tail.firstIndex(where: { $0 & 0xC0 != 0x80 }) else { return 0 }
        let lead = tail[distance]
        let count = tail.distance(from: tail.startIndex, to: distance) + 1
        let width = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : lead >= 0xC0 ? 2 : 1
        return count < width ? count : 0
    }
}

extension PlistValue {
    /// Data on one line, for people: the number of bytes, then the first of them as text where they are text, else in base64.
    ///
    /// - Parameters:
    ///   - head: the bytes, or the first of them.
    ///   - count: how many there are in all.
    ///   - length: how many are shown at most; nil for all of `head`.
    public static func line(ofData head: [UInt8], count: UInt64, length: Int? = 240) -> String {
        DataPreview(head, count: count, length: length).text
    }
}
