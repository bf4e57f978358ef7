public import CapsuleCore

/// How to compare two containers.
public struct ComparisonOptions: Sendable {
    /// How far a comparison looks.
    public enum Depth: Sendable {
        /// At the entries and into small property lists: of two capsules little more than the indexes is read.
        case entries
        /// Into all contents that differ.
        case contents
    }

    /// How far to look.
    public var depth = Depth.contents
    /// What is compared, by path or pattern, with all below; empty for everything. What only one side has is no error.
    public var paths: [[UInt8]] = []
    /// Whether another time of the last change is a change.
    public var times = false
    /// Lines around those that differ in texts.
    public var context = 3
    /// Rows of a table that are kept, beside those that are noise; nil for all. All of them are judged.
    public var rows: Int? = 1_000
    /// Lines of a text that are kept; nil for all.
    public var lines: Int? = 1_000
    /// Whether long values are kept whole.
    public var isFull = false
    /// Whether secrets are told, such as cookies' values.
    public var showsSecrets = false
    /// Whether changed images are kept for a report that shows them.
    public var keepsPictures = false
    /// Whether a report says which app's and which version's containers they are.
    public var describesSides = false
    /// Whether the trees' digests are wanted, for which all files of live containers and archives are read.
    public var needsTreeDigests = false
    /// What is noise. Changes that are not kept are classed by these rules while they are found, so give the same ones to
    /// whatever classes the result.
    public var rules = NoiseRules()
    /// What the result is held against: its verdict counts the changes that are not kept, too.
    public var expectation: Expectation?
    /// Whether rules are learned of the result (CapsuleCore's `LearnedRules`), also of the changes that are not kept.
    public var learns = false
    /// Whether the result is to have an expectation of exactly what differs (`described` of CapsuleCore's `ContainerDiff`).
    public var describes = false
    /// What may be spent on each side of one database; nil for as long as it takes. What ends there makes the result inexact.
    public var databaseTime: Duration? = .seconds(60)
    /// How elements of arrays pair, before the built-in rules.
    public var arrays: [ArrayIdentities.Rule] = []
    /// Directories of app groups of live containers, by identifier.
    public var groups: [(identifier: [UInt8], directory: HostPath)] = []
    /// Whether what was read of live containers is kept in the user's cache.
    public var usesCache = true
    /// How many threads work.
    public var jobs = 1

    /// Looks into all contents, by one thread, unless changed.
    public init() {}
}
