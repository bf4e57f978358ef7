/// What became of a row, a table, a cookie.
public enum ChangeOperation: String, Hashable, Sendable, CaseIterable {
    /// The newer side alone has it.
    case added
    /// The older side alone has it.
    case deleted
    /// Both have it, with other content.
    case modified
}
