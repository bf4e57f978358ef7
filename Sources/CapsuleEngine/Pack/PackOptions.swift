import CapsuleArchive
package import CapsuleContainers
package import CapsuleCore
package import CapsulePropertyList

/// The options for packing.
package struct PackOptions: Sendable {
    package enum Codec: Sendable {
        /// The compression that every `tar` can read.
        case gzip
        /// Smaller and faster, for a `tar` that supports it.
        case zstd

        var member: MemberCodec { self == .gzip ? .gzip : .zstd }
    }

    /// The compression of members; nil for gzip in a new capsule, and for the codec of an existing one.
    package var codec: Codec?
    /// The compression level, 1–12 for gzip and 1–19 for zstd; nil for the level that measured best.
    package var level: Int?
    package var label: VersionLabel?
    package var note: PlistString?
    package var overlays: [OverlayEntry] = []
    /// Other keys of the manifest that describe the source of the version.
    var other = PlistDictionary()
    package var container = ContainerOptions()
    package var unmatchedPatterns = UnmatchedPatterns.areWarnings
    /// True if anything that can't be kept is an error.
    package var isStrict = false
    /// True to accept a file that never stops changing, as it was last read.
    package var allowsChanging = false
    package var checkpointsLogs = false
    /// The rules for finding the secrets to replace before packing; nil to replace none.
    package var redaction: SecretScan.Rules?
    package var replaces = false
    /// The people who can decrypt a new capsule; nil if it is not encrypted.
    package var recipients: AgeRecipients?
    /// True if the process ends after the version is written. The data read from the container and the capsule is never freed
    /// then, because with many entries freeing takes as long as comparing them.
    package var endsProcess = false
    /// The number of seconds to wait for another process that writes to a replaced capsule.
    package var lockTimeout = 10.0
    package var jobs = 1 {
        didSet { container.jobs = jobs }
    }
    package var captured: Timestamp

    package init(captured: Timestamp) {
        self.captured = captured
    }
}
