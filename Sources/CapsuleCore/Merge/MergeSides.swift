import CapsulePropertyList

/// What the base and both sides have in one place; nil for nothing.
struct MergeSides {
    /// What three containers are recognised by, as long as they are held.
    struct Addresses: Hashable {
        fileprivate let base: UInt
        fileprivate let ours: UInt
        fileprivate let theirs: UInt
    }

    let base: PlistValue?
    let ours: PlistValue?
    let theirs: PlistValue?

    init(_ base: PlistValue?, _ ours: PlistValue?, _ theirs: PlistValue?) {
        self.base = base
        self.ours = ours
        self.theirs = theirs
    }

    /// Nil if one of them is a scalar.
    var addresses: Addresses? {
        guard let base = Self.address(of: base), let ours = Self.address(of: ours), let theirs = Self.address(of: theirs) else {
            return nil
        }
        return Addresses(base: base, ours: ours, theirs: theirs)
    }

    /// Nothing, and what is empty, have numbers that are no addresses.
    private static func address(of value: PlistValue?) -> UInt? {
        switch value {
        case nil: 0
        case .array(let elements)? where elements.isEmpty: 1
        case .dictionary(let entries)? where entries.isEmpty: 2
        case let value?: value.storageAddress
        }
    }

    /// Whether one of them is a keyed archive: its objects refer to each other by number, so that no part of it can be changed
    /// by itself.
    var hasArchive: Bool {
        [base, ours, theirs].contains { $0.map { KeyedArchive.isArchive($0) } ?? false }
    }

    /// Why they are a conflict.
    var reason: String {
        if ours == nil { return "ours deleted it" }
        if theirs == nil { return "theirs deleted it" }
        if base == nil { return "both added" }
        return hasArchive ? "both changed a keyed archive, which can't be merged in parts" : "both changed"
    }

    /// What a resolution stands for; an open conflict leaves ours there.
    func value(_ resolution: Resolution?) -> PlistValue? {
        switch resolution {
        case nil, .ours?: ours
        case .base?: base
        case .theirs?: theirs
        case .absent?: nil
        case .value(let value)?: value
        }
    }
}
