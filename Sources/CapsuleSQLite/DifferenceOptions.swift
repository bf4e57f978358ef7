/// How much of a difference between two databases is told, and what may be spent on it.
package struct DifferenceOptions: Hashable, Sendable {
    /// Rows told of one table; nil for all. More are counted.
    package var rows: UInt64?
    /// Bytes told of one blob, and of one text; nil for all.
    package var dataBytes: Int?
    package var textBytes: Int?
    /// Bytes of all that is told, about; more is counted.
    package var detailBytes: Int
    /// Blobs, and content of files, up to this length are looked into for property lists.
    package var nestedBytes: Int
    /// What may be spent on each of the two.
    package var work: WorkLimits
    /// Whether secrets are told: the values of a keychain, and cookies.
    package var showsSecrets: Bool

    package init(
        rows: UInt64? = 1000, dataBytes: Int? = 1 << 10, textBytes: Int? = 4 << 10, detailBytes: Int = 64 << 20,
        nestedBytes: Int = 1 << 20, work: WorkLimits = WorkLimits(), showsSecrets: Bool = false
    ) {
        self.rows = rows
        self.dataBytes = dataBytes
        self.textBytes = textBytes
        self.detailBytes = detailBytes
        self.nestedBytes = nestedBytes
        self.work = work
        self.showsSecrets = showsSecrets
    }
}
