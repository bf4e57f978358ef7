/// Which Capsule this is.
enum CapsuleVersion {
    /// Semantic version (semver.org); a release changes it together with CHANGELOG.md.
    static let text = "0.1.0"
    /// The day that man pages carry: of the last change to what they say.
    static let date = "2026-11-20"
}
