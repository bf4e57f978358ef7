public import CapsuleCore

/// What is done with what was worked out for a target.
public enum ApplyMode: Sendable {
    /// The target is changed.
    case write
    /// Nothing: only whether anything would change is told.
    case check
    /// Nothing: what would change is told as a comparison tells it.
    case dryRun
}

/// How many entries change, by what becomes of them.
public struct ApplyCounts: Hashable, Sendable {
    /// Files whose bytes are put in place.
    public var written = 0
    /// The sum of their lengths.
    public var bytes: UInt64 = 0
    /// Directories and links that are made.
    public var made = 0
    /// Entries of which only mode or attributes change.
    public var facts = 0
    /// Entries that go, those among them that another kind of entry replaces.
    public var deleted = 0

    /// Whether nothing changes.
    public var isEmpty: Bool { self == ApplyCounts() }

    init() {}
}

/// What came of applying to, or restoring, a live container.
public struct ApplyOutcome: Sendable {
    /// As the user named it.
    public let target: HostPath
    /// What was changed, or would be.
    public let counts: ApplyCounts
    /// How many directories stay that are not to be there, since something lies in them that no container holds, such as a pipe.
    public internal(set) var remaining = 0
    /// Whether anything was changed.
    public internal(set) var isWritten = false
    /// Whether the overlay that takes the change back was written.
    public internal(set) var isUndoWritten = false
    /// What would change, if that was asked for.
    public internal(set) var changes: ContainerDiff?
    /// What unfinished transactions were brought to first.
    public internal(set) var recovered: [RecoveryOutcome.Directory] = []
    /// What is worth a word, a sentence each.
    public internal(set) var notes: [String] = []
    /// What to do on a simulator, so that what is changed is not overwritten; nil where the target is on none, or nothing changes.
    public internal(set) var advice: SimulatorAdvice?

    /// Whether anything changes.
    public var isChanged: Bool { !counts.isEmpty }

    /// Whether anything differs from what it is to be, whether it can be changed or not.
    public var isDifferent: Bool { isChanged || remaining > 0 }

    init(target: HostPath, counts: ApplyCounts) {
        self.target = target
        self.counts = counts
    }
}

extension ApplyPlan {
    /// How many entries change.
    var counts: ApplyCounts {
        var counts = ApplyCounts()
        for change in changes {
            guard let wanted = change.wanted else {
                counts.deleted += 1
                continue
            }
            switch wanted.content {
            case .kept:
                counts.facts += 1
                continue
            case .file:
                counts.written += 1
                counts.bytes &+= wanted.entry.size
            case .none:
                counts.made += 1
            }
            if let present = change.present, present.entry.kind != wanted.entry.kind { counts.deleted += 1 }
        }
        return counts
    }
}
