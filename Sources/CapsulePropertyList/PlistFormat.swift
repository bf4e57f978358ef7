/// An encoding of property lists.
public enum PlistFormat: String, Hashable, Sendable, CaseIterable {
    /// Apple's XML, version 1.0.
    case xml
    /// Apple's binary format, `bplist00`.
    case binary
    /// JSON.
    case json
    /// The text format of NeXT, with braces and semicolons.
    case openStep

    /// The encoding of a document, judged by its first bytes and never by a file's name; nil if they are of no
    /// property list. XML and binary are recognised so far. The document may still turn out to be malformed.
    public static func sniff(_ bytes: [UInt8]) -> PlistFormat? {
        bytes.withUnsafeBytes { sniff($0) }
    }

    /// The encoding of a document, judged by its first bytes.
    public static func sniff(_ bytes: UnsafeRawBufferPointer) -> PlistFormat? {
        if bytes.starts(with: "bplist".utf8) { return .binary }
        let (encoding, markBytes) = PlistTextEncoding.detect(bytes)
        var units = encoding.units(of: bytes, from: markBytes)
        while let byte = units.nextASCII() {
            if byte == UInt8(ascii: "<") { return startsElement(&units) ? .xml : nil }
            guard XMLCharacters.isSpace(byte) else { return nil }
        }
        return nil
    }

    /// After `<`: true for a declaration, a comment or an element of property lists. OpenStep's data begins with `<`
    /// too, but no element's name is made of hexadecimal digits alone.
    private static func startsElement(_ units: inout PlistTextEncoding.Units) -> Bool {
        var name = XMLPlistElement.Name()
        while let byte = units.nextASCII() {
            if name.isEmpty, byte == UInt8(ascii: "?") || byte == UInt8(ascii: "!") { return true }
            if XMLCharacters.endsName(byte) { return name.element != nil }
            name.append(byte)
        }
        return false
    }
}
