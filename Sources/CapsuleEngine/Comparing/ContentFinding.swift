import CapsuleCore

/// What came of looking into a content.
struct ContentFinding: Sendable {
    /// What compared it, `plist` or `gzip/json`; nil where nothing could.
    var handler: String?
    var details: [ChangeDetail]
    /// What was judged without being kept.
    var unshown = UnshownChanges()
    /// The tables of both databases, where an expectation may ask for them.
    var tables: [NamedTable] = []
    /// Whether both say the same, in the only way that matters for contents of the kind: nothing is to be told.
    var isUnchanged = false
    /// Whether all was looked at and is told.
    var isComplete = true

    init(_ handler: String?, _ details: [ChangeDetail] = []) {
        self.handler = handler
        self.details = details
    }
}
