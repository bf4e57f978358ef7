import CapsuleContainers
import CapsuleCore
import CapsuleEngine

/// The result of changing a container or a property list.
public struct AppliedChanges: Hashable, Sendable, CustomStringConvertible {
    /// True if anything changes.
    public let isChanged: Bool
    /// True if the changes were made, and not only reported.
    public let isWritten: Bool
    /// The number of files that are written.
    public let files: Int
    /// The number of directories and links that are made.
    public let made: Int
    /// The number of entries that are deleted.
    public let deleted: Int
    /// The number of entries of which only the metadata changes, such as the mode.
    public let metadata: Int
    /// Notes, such as what an app that is running may overwrite.
    public let notes: [String]

    /// `changed: 15 written, 1 made, 4 deleted, 2 with changed metadata`
    public var description: String {
        guard isChanged else { return "nothing to change" }
        let counts = [(files, "written"), (made, "made"), (deleted, "deleted"), (metadata, "with changed metadata")]
        let parts = counts.filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
        return "\(isWritten ? "changed" : "would change"): \(parts.joined(separator: ", "))"
    }
}

extension AppliedChanges {
    init(_ outcome: ApplyOutcome, _ warnings: WarningLog) {
        isChanged = outcome.isChanged
        isWritten = outcome.isWritten
        files = outcome.counts.written
        made = outcome.counts.made
        deleted = outcome.counts.deleted
        metadata = outcome.counts.facts
        notes =
            warnings.all.map(\.description) + outcome.recovered.map(\.sentence) + outcome.notes
            + Self.notes(outcome.advice, isWritten: outcome.isWritten)
    }

    init(_ outcome: PlistApplier.Outcome, _ warnings: WarningLog) {
        isChanged = outcome.isChanged
        isWritten = outcome.isWritten
        files = outcome.isChanged ? 1 : 0
        made = 0
        deleted = 0
        metadata = 0
        notes =
            (warnings.all + outcome.warnings).map(\.description) + outcome.notes.map(\.note.text)
            + outcome.skipped.map { "\(QuotedBytes($0.overlay.bytes).text): skipped: \($0.reason)" }
            + Self.notes(outcome.advice, isWritten: outcome.isWritten)
    }

    /// Returns the notes on an app that may overwrite what was written.
    private static func notes(_ advice: SimulatorAdvice?, isWritten: Bool) -> [String] {
        guard isWritten, let advice else { return [] }
        return ["the container \(SimulatorAdvice.danger); stop both with: \(advice.lines.joined(separator: "; "))"]
    }
}
