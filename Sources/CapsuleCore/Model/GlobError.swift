/// Why bytes are no pattern.
public struct GlobError: Error, Hashable, Sendable {
    /// What is wrong, lower case, no period.
    public let message: String
}
