/// What differs between bytes that nothing more is known of.
public struct BytesChange: Hashable, Sendable {
    /// The older content's length in bytes.
    public var oldSize: UInt64
    /// The newer content's length in bytes.
    public var newSize: UInt64
    /// The offset of the first byte that differs; nil where the one is the beginning of the other.
    public var first: UInt64?
    /// The share of the newer bytes that stand in the older content too, 0 to 1, in runs; nil where that was not looked for.
    public var equal: Double?

    /// The difference of two contents.
    public init(oldSize: UInt64, newSize: UInt64, first: UInt64?, equal: Double?) {
        self.oldSize = oldSize
        self.newSize = newSize
        self.first = first
        self.equal = equal
    }
}
