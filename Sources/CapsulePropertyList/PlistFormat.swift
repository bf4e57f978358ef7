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

    /// The encoding of a document, judged by how it begins and never by a file's name; nil if that is no property list.
    /// The document may still turn out to be malformed.
    ///
    /// `{` opens JSON if its first key is followed by a colon, else OpenStep; `{}` alone is taken for JSON, and for
    /// OpenStep if there are comments. `[` opens JSON if an element of JSON follows. `(`, data in `<>`, and a key with `=`, a value and a semicolon are OpenStep.
    /// Comments in front, of OpenStep's kinds, are passed over. A string, number or word alone might be any text and is
    /// not recognised.
    public static func sniff(_ bytes: [UInt8]) -> PlistFormat? {
        bytes.withUnsafeBytes { sniff($0) }
    }

    /// The encoding of a document, judged by how it begins.
    public static func sniff(_ bytes: UnsafeRawBufferPointer) -> PlistFormat? {
        switch PlistFormatSniffer.look(at: bytes) {
        case .format(let format): format
        case .jsonOrOpenStep: .json
        case .unknown: nil
        }
    }

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
