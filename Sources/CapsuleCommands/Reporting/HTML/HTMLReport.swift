import CapsuleCore

/// What differs between two containers as one HTML page that needs nothing else: no file, no network, no script.
///
/// The page folds by `<details>` and filters by style alone; its script adds a search, a choice of handler and what goes
/// with them. The same difference makes the same bytes.
struct HTMLReport {
    let diff: ContainerDiff
    /// Whether long values are shown whole.
    let isFull: Bool
    /// The program's, for the page's foot.
    let version: String

    init(_ diff: ContainerDiff, isFull: Bool = false, version: String = CapsuleVersion.text) {
        self.diff = diff
        self.isFull = isFull
        self.version = version
    }

    /// The page, in UTF-8.
    func bytes() -> [UInt8] {
        var writer = HTMLPageWriter(diff, isFull: isFull)
        writer.page(version: version)
        return writer.out.bytes
    }
}
