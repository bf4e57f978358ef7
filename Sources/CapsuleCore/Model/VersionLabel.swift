/// A version's name of the user's choice: `[A-Za-z0-9._-]+`, not digits only, not `latest` or `first`.
public struct VersionLabel: Hashable, Sendable {
    /// The label as it is written.
    public let text: String

    /// - Returns: nil for what is no label.
    public init?(_ text: String) {
        let isSpelledRight = text.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"):
                true
            default: false
            }
        }
        let isNumber = text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        guard !text.isEmpty, isSpelledRight, !isNumber, text != "latest", text != "first" else { return nil }
        self.text = text
    }
}
