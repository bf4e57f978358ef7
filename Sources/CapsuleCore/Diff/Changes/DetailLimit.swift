/// Something that there is more of than is told.
public struct DetailLimit: Hashable, Sendable {
    /// `rows`, `lines`, `changes`, `bytes`, `time`, `depth` …
    public var what: String
    /// The table whose rows they are, if they are rows.
    public var table: String?
    /// How many are told; nil where that says nothing.
    public var shown: UInt64?
    /// nil where it was not counted.
    public var total: UInt64?

    /// A bound that was met.
    public init(_ what: String, table: String? = nil, shown: UInt64? = nil, total: UInt64? = nil) {
        self.what = what
        self.table = table
        self.shown = shown
        self.total = total
    }
}
