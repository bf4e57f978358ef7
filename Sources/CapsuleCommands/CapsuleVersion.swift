enum CapsuleVersion {
    /// The semantic version (semver.org). A release changes it together with CHANGELOG.md.
    static let text = "0.1.0"
    /// The date on man pages: the day on which their content last changed.
    static let date = "2026-11-20"
}
