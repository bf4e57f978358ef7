/// What a member says about itself in its first bytes.
struct MemberHeader: Equatable {
    let kind: MemberKind
    /// The whole member in the file, in bytes.
    let length: Int
    /// Where the payload or the compressed stream begins within the member.
    let payloadOffset: Int
    /// Which piece of a payload it carries and how many there are; 0 of 1 for data and footer.
    let piece: Int
    let pieces: Int

    /// How many bytes a header can take at most: what has to be there before ``parse`` is sure.
    static let longest = 64

    /// Reads the header at the start of `bytes`, which reach at least ``longest`` bytes or to the end of the file.
    ///
    /// - Throws: ``Problem/short`` if more bytes could make it a member, ``Problem/invalid`` if nothing could.
    static func parse(_ bytes: UnsafeRawBufferPointer, codec: MemberCodec) throws(Problem) -> MemberHeader {
        switch codec {
        case .gzip: try GzipMember.parse(bytes)
        case .zstd: try SkippableFrame.parse(bytes)
        }
    }

    /// Why bytes are no member.
    enum Problem: Error {
        case short
        case invalid
    }
}
