/// Where a stretch of a file's bytes is.
package struct Extent: Hashable, Sendable {
    /// 0 for zeros that are stored nowhere, n for the n-th member of a table.
    package var member: UInt32
    /// Where the stretch begins in what the member holds.
    package var inner: UInt32
    package var length: UInt64

    package init(member: UInt32, inner: UInt32, length: UInt64) {
        self.member = member
        self.inner = inner
        self.length = length
    }

    /// Whether the stretch is a hole.
    package var isZeros: Bool { member == 0 }
}
