/// Which part of a version an entry belongs to; the raw value is the one in the index.
public struct TreeRoot: RawRepresentable, Hashable, Comparable, Sendable {
    /// 0 tree, 1 wrapper, 2 to 254 groups, 255 what an overlay carries beside its tree.
    public let rawValue: UInt8

    /// Takes any number; groups that are none are found by `TreeShape`.
    public init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// The app's data: what digests, diffs and restores speak of.
    public static let tree = TreeRoot(rawValue: 0)
    /// What a bundle adds around it: its own directory, `AppData`, `AppDataInfo.plist`, `AppGroups`.
    public static let wrapper = TreeRoot(rawValue: 1)

    /// In an overlay capsule: contents that are no files of its tree, each named by the digits of its digest
    /// (docs/format.md, section 15).
    public static let carried = TreeRoot(rawValue: 255)

    /// How many app groups a version can hold.
    public static let maximumGroups = 253

    /// The app group with that place among the version's groups.
    ///
    /// - Returns: nil from ``maximumGroups`` on.
    public static func group(_ number: Int) -> TreeRoot? {
        guard number >= 0, number < maximumGroups else { return nil }
        return TreeRoot(rawValue: UInt8(number + 2))
    }

    /// The group's place among the version's groups; nil for all else.
    public var groupNumber: Int? { rawValue >= 2 && self != .carried ? Int(rawValue) - 2 : nil }

    /// The order of the index: tree, wrapper, groups, carried contents.
    public static func < (lhs: TreeRoot, rhs: TreeRoot) -> Bool { lhs.rawValue < rhs.rawValue }
}
