/// What an output may take the place of: what `--force` and `--force=all` allow.
public enum Replacement: Sendable, Hashable {
    /// Nothing. A report may still take the place of one of its form that Capsule wrote.
    case nothing
    /// Files that can be made again: neither a capsule of several versions nor a file of conflicts that somebody resolved.
    case ordinary
    /// Any file and any directory.
    case everything
}

/// What an output is: what it may take the place of depends on it.
public enum OutputKind: Sendable, Hashable {
    /// A report for people or for CI, which each run makes again.
    case report(ReportForm)
    /// Any other file, such as a capsule.
    case file
    /// A directory.
    case directory
}

/// The forms of a report.
public enum ReportForm: Sendable, Hashable {
    /// An HTML page.
    case page
    /// A JUnit test suite.
    case testSuite
}
