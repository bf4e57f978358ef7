/// Something that a version does not hold as its source had it.
public struct Omission: Hashable, Sendable {
    /// The tree path, or the name as it came where no tree can hold it.
    public let path: [UInt8]
    /// Why, in a few words: `socket`, `excluded by *.tmp`, …
    public let reason: String

    public init(path: [UInt8], reason: String) {
        self.path = path
        self.reason = reason
    }
}
