/// For which repositories git is told of this program.
public enum GitScope: String, Sendable, CaseIterable {
    /// The repository around the current directory, with all its worktrees.
    case local
    /// All repositories of this user.
    case global

    /// As `git config` has it.
    var flag: [UInt8] { Array("--\(rawValue)".utf8) }
}
