/// Another mode, attribute or time.
public struct MetadataChange: Hashable, Sendable {
    public enum Field: Hashable, Sendable {
        case mode
        /// An extended attribute, by its name.
        case attribute([UInt8])
        /// The time of the last change.
        case modified

        /// `mode`, `attribute` or `modified`.
        public var word: String {
            switch self {
            case .mode: "mode"
            case .attribute: "attribute"
            case .modified: "modified"
            }
        }
    }

    public var field: Field
    /// nil for an attribute that is not there. Modes are strings of four octal digits.
    public var old: ShownValue?
    public var new: ShownValue?
    /// The file of a unit that it is about, where that is not the database itself.
    public var member: RelativePath?

    /// A change of what stands beside content.
    public init(_ field: Field, old: ShownValue?, new: ShownValue?, member: RelativePath? = nil) {
        self.field = field
        self.old = old
        self.new = new
        self.member = member
    }
}
