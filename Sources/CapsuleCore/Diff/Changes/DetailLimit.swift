/// Something that there is more of than is told.
public struct DetailLimit: Hashable, Sendable {
    /// What ``what`` is where there was no time for more.
    public static let time = "time"

    /// `rows`, `lines`, `changes`, `bytes`, `time`, `depth` …
    public var what: String
    /// The table whose rows they are, if they are rows.
    public var table: String?
    /// How many are told; nil where that says nothing.
    public var shown: UInt64?
    /// nil where it was not counted.
    public var total: UInt64?
    /// Whether what is not told was compared and judged as all else is (``EntryChange/unshown``): then it only isn't shown.
    public var isJudged: Bool
    /// The bound that ended the comparison: seconds of `time`, a number of `changes`; nil where there is no such number.
    public var limit: UInt64?

    /// A bound that was met.
    public init(
        _ what: String, table: String? = nil, shown: UInt64? = nil, total: UInt64? = nil, isJudged: Bool = false,
        limit: UInt64? = nil
    ) {
        self.what = what
        self.table = table
        self.shown = shown
        self.total = total
        self.isJudged = isJudged
        self.limit = limit
    }
}
