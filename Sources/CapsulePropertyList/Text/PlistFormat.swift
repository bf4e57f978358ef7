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
