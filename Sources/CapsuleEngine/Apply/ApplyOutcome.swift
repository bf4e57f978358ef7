package import CapsuleContainers
package import CapsuleCore
package import CapsuleRules
import CapsuleTransaction

package enum ApplyMode: Sendable {
    case write
    /// Changes nothing, and reports only if anything would change.
    case check
    /// Changes nothing, and reports the changes as a comparison does.
    case dryRun
}

/// The number of entries that change, by kind of change.
package struct ApplyCounts: Hashable, Sendable {
    /// The number of files whose bytes are written.
    package var written = 0
    /// The sum of the sizes of these files, in bytes.
    package var bytes: UInt64 = 0
    /// The number of directories and links that are created.
    package var made = 0
    /// The number of entries of which only the mode or the attributes change.
    package var facts = 0
    /// The number of entries that are deleted, including those that an entry of another kind replaces.
    package var deleted = 0

    package var isEmpty: Bool { self == ApplyCounts() }
}

/// The result of applying an overlay to, or restoring, a live container.
package struct ApplyOutcome: Sendable {
    package let counts: ApplyCounts
    /// The counts of each app group that takes part, sorted by the bytes of the identifiers. ``counts`` includes them.
    package let groups: [(identifier: [UInt8], counts: ApplyCounts)]
    /// The number of directories that should be deleted but stay, because they contain something that a container can't hold,
    /// such as a pipe.
    package internal(set) var remaining = 0
    package internal(set) var isWritten = false
    package internal(set) var isUndoWritten = false
    package var changes: ContainerDiff?
    package internal(set) var deletions: [RelativePath] = []
    /// The directories in which an unfinished transaction was recovered first.
    package internal(set) var recovered: [RecoveryOutcome.Directory] = []
    package internal(set) var notes: [String] = []
    /// True if a version without a keychain was restored to an app on a simulator that has one.
    package internal(set) var lacksKeychain = false
    /// The steps that keep the app on a simulator from overwriting the change; nil if the target is not on a simulator, or
    /// nothing changes.
    package internal(set) var advice: SimulatorAdvice?

    package var isChanged: Bool { !counts.isEmpty }

    /// True if the target differs from the wanted state, even if the difference can't be removed.
    package var isDifferent: Bool { isChanged || remaining > 0 }
}

extension ApplyCounts {
    init(_ changes: [ApplyPlan.Change]) {
        for change in changes {
            guard let wanted = change.wanted else {
                deleted += 1
                continue
            }
            switch wanted.content {
            case .kept:
                facts += 1
                continue
            case .file:
                written += 1
                bytes &+= wanted.entry.size
            case .none:
                made += 1
            }
            if let present = change.present, present.entry.kind != wanted.entry.kind { deleted += 1 }
        }
    }
}
