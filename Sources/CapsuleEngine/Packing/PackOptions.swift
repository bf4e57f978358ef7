import CapsuleArchive
public import CapsuleCore
public import CapsulePropertyList

/// How to pack.
public struct PackOptions: Sendable {
    /// How members are compressed.
    public enum Codec: Sendable {
        /// What every `tar` reads.
        case gzip
        /// Smaller and faster, where `tar` knows it.
        case zstd

        var member: MemberCodec { self == .gzip ? .gzip : .zstd }
    }

    /// How members are compressed; nil is gzip for a new capsule, and its own for one that is there.
    public var codec: Codec?
    /// gzip 1–12, zstd 1–19; nil for what measured best.
    public var level: Int?
    /// The user's name for the version.
    public var label: VersionLabel?
    /// The user's words about it.
    public var note: PlistString?
    /// Overlays that go with the version, in order.
    public var overlays: [OverlayEntry] = []
    /// What else the manifest says of where the version comes from.
    var other = PlistDictionary()
    /// What of the container is taken in.
    public var container = ContainerOptions()
    /// What is done about a pattern of what to leave out that matches nothing.
    public var unmatchedPatterns = UnmatchedPatterns.areWarnings
    /// Whether anything that can't be kept is an error.
    public var isStrict = false
    /// Whether a file that never stops changing is taken as it was read last.
    public var allowsChanging = false
    /// Whether databases are packed with what is in their logs folded in.
    public var foldsLogs = false
    /// What the capsule may take the place of.
    public var replaces = Replacement.nothing
    /// Whether the process ends when the version is written: what was read of container and capsule is then never freed, since
    /// with many entries that takes as long as to compare them.
    public var endsProcess = false
    /// Whether a version behind others reads back some of the data that it shares with them.
    var readsBack = false
    /// How long to wait for somebody else who writes to a capsule that is replaced, in seconds.
    public var lockTimeout = 10.0
    /// How many threads work.
    public var jobs = 1 {
        didSet { container.jobs = jobs }
    }
    /// The moment of packing.
    public var captured: Timestamp

    /// Takes all in with gzip, by one thread, unless changed.
    public init(captured: Timestamp) {
        self.captured = captured
    }
}
