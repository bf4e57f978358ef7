/// Another mode, attribute or time.
public struct MetadataChange: Hashable, Sendable {
    /// Which of them.
    public enum Field: Hashable, Sendable {
        /// The mode bits.
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

    /// Which of them it is.
    public var field: Field
    /// nil for an attribute that is not there. Modes are strings of four octal digits.
    public var old: ShownValue?
    /// The newer value; nil where the newer side has none.
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
