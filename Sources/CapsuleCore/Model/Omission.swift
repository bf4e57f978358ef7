/// Something that a version does not hold as its source had it.
public struct Omission: Hashable, Sendable {
    /// The path of the entry, empty for the top directory; or the name as it came where no tree can hold it.
    public let path: [UInt8]
    /// The path for people to read.
    public var shownPath: [UInt8] { path.isEmpty ? Array(".".utf8) : path }
    /// Why, in a few words: `socket`, `excluded by *.tmp`, …
    public let reason: String

    /// - Parameters:
    ///   - path: of what was left out.
    ///   - reason: it may speak of names; a control character in one is spelled `\u{1b}`, since no XML holds it.
    public init(path: [UInt8], reason: String) {
        self.path = path
        self.reason = reason.unicodeScalars.allSatisfy(Self.isPlain) ? reason : Self.escaped(reason)
    }

    private static func escaped(_ reason: String) -> String {
        reason.unicodeScalars.map { isPlain($0) ? String($0) : "\\u{\(String($0.value, radix: 16))}" }.joined()
    }

    private static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value >= 0x20 && !(0x7F...0x9F).contains(scalar.value) && scalar.value & 0xFFFE != 0xFFFE
    }
}
