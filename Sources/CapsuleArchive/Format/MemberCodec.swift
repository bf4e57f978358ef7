/// How a capsule's members are compressed; the raw value is the one in the footer.
package enum MemberCodec: UInt8, Sendable, CaseIterable {
    /// The whole file is a `.tar.gz`.
    case gzip = 1
    /// The whole file is a `.tar.zst`.
    case zstd = 2

    /// How many bytes of stream a data member holds, about.
    package var memberLength: Int {
        switch self {
        case .gzip: 256 << 10
        case .zstd: 1 << 20
        }
    }

    /// The whole length of a footer member, which is fixed.
    package var footerMemberLength: Int {
        switch self {
        case .gzip: GzipMember.footerLength
        case .zstd: SkippableFrame.footerLength
        }
    }
}
