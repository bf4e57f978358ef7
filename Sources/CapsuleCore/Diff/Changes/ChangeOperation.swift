/// What became of a row, a table, a cookie.
public enum ChangeOperation: String, Hashable, Sendable, CaseIterable {
    case added
    case deleted
    case modified
}
