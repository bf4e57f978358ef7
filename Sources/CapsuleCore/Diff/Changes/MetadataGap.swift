/// Facts beside an entry's content that are not compared, since only one of the two sides can have them.
public struct MetadataGap: Hashable, Sendable {
    /// The facts that one format can't store.
    public enum Facts: Hashable, Sendable {
        /// The mode bits: some zip files have none.
        case mode
        /// The extended attributes: no zip file has any.
        case attributes

        /// `modes` or `extended attributes`.
        public var words: String {
            switch self {
            case .mode: "modes"
            case .attributes: "extended attributes"
            }
        }
    }

    /// The entry, on the newer side.
    public let path: RelativePath
    /// The facts that were not compared.
    public let facts: Facts
}
