import CapsuleCore

/// What is done about patterns of the user's that match nothing.
///
/// One that protects protects nothing then, so it is an error unless the user says otherwise; one that leaves something out, or
/// judges, is a warning unless the user says otherwise.
public enum UnmatchedPatterns: Sendable {
    /// The command ends before it writes anything.
    case areErrors
    /// They are told, and the command goes on.
    case areWarnings

    /// The patterns that match nothing, each worth a warning.
    ///
    /// - Parameters:
    ///   - flag: the flag that the patterns belong to, as in `--keep`.
    ///   - hint: what to do about one.
    ///   - matches: whether a pattern matches anything.
    /// - Throws: with each such pattern, if they are errors.
    func find(
        in patterns: [Glob], of flag: String, hint: String, where matches: (Glob) -> Bool
    ) throws(CapsuleError) -> [Glob] {
        let found = patterns.filter { !matches($0) }
        guard self == .areErrors, let first = found.first else { return found }
        var error = CapsuleError("'\(flag) \(HostPath(first.pattern))' matches nothing; nothing was written", hint: hint)
        if found.count > 1 {
            error = CapsuleError("\(found.count) patterns of '\(flag)' match nothing; nothing was written", hint: hint)
            error.details = found.map { "\(HostPath($0.pattern))" }
        }
        throw error
    }
}
