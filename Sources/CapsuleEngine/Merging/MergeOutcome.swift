public import CapsuleCore

/// What a merge came to.
public struct MergeOutcome: Sendable {
    /// The three inputs and the conflicts, decided and open.
    public let document: ConflictsDocument
    /// What was written; nil if nothing was.
    public var output: HostPath?
    /// Of containers, how many entries the result has of theirs, or has no more because of theirs.
    public var taken = 0
    /// Of containers, how many files were merged by their contents.
    public var merged = 0
    /// Keys that come twice in a property list that is merged by itself, with their places.
    public var warnings: [CapsuleError] = []
    /// What is worth a word, a sentence each.
    public var notes: [String] = []

    /// How many conflicts are open.
    public var openCount: Int { document.conflicts.count { $0.resolution == nil } }

    init(_ document: ConflictsDocument) { self.document = document }
}
