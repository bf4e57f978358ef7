import CapsuleCore

/// What differs between two containers as one HTML page that needs nothing else: no file, no network, no script.
///
/// The page folds by `<details>` and filters by style alone; its script adds a search, keys, a choice of handler and what goes
/// with them. The same difference makes the same bytes.
struct HTMLReport {
    let diff: ContainerDiff
    /// Whether long values are shown whole.
    let isFull: Bool
    /// What an expectation makes of it, if it was held against one.
    let judgement: PageJudgement?
    /// The command that made it, for the page's head; empty where none is to be shown.
    let command: [UInt8]
    /// The program's, for the page's head.
    let version: String

    init(
        _ diff: ContainerDiff, isFull: Bool = false, judgement: PageJudgement? = nil, command: [UInt8] = [],
        version: String = CapsuleVersion.text
    ) {
        self.diff = diff
        self.isFull = isFull
        self.command = command
        self.judgement = judgement
        self.version = version
    }

    /// The page, in UTF-8.
    func bytes() -> [UInt8] {
        var writer = HTMLPageWriter(diff, isFull: isFull, judgement)
        writer.page(version: version, command: command)
        return writer.out.bytes
    }
}
