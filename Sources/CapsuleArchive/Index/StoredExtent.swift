/// A stretch of a file's bytes, with the data member that it is in: an ``Extent`` that stands for itself.
package struct StoredExtent: Hashable, Sendable {
    /// nil for zeros that are stored nowhere.
    package var member: MemberReference?
    /// Where the stretch begins in what the member holds.
    package var inner: UInt32
    package var length: UInt64

    package init(member: MemberReference?, inner: UInt32, length: UInt64) {
        self.member = member
        self.inner = inner
        self.length = length
    }

    /// So many zeros.
    package static func zeros(_ length: UInt64) -> StoredExtent { StoredExtent(member: nil, inner: 0, length: length) }
}
