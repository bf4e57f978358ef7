import CapsulePropertyList

/// A container whose contents a ``PlistMerge`` merges one by one.
struct PlistMergeFrame {
    /// Identifies a merge: the values, and the rules for arrays at and below the place.
    struct MergeIdentity: Hashable {
        let addresses: ThreeWayValues.Addresses
        let state: Int
    }

    /// Three dictionaries, and the keys whose values are merged.
    struct Keys {
        let base: PlistDictionary
        let ours: PlistDictionary
        let theirs: PlistDictionary
        let merged: [PlistString]
    }

    /// Elements that pair by a key or as a set, in the order in which they are merged.
    struct Members {
        let arrays: MergedArrays
        let members: ArrayMembers
        let order: ArrayOrder
        let visited: [Int]
        let steps: MergeElementPointers
    }

    /// Elements that pair by their order.
    struct Sequence {
        let arrays: MergedArrays
        let parts: [SequenceMerge.Hunk]
        let steps: MergeElementPointers
    }

    enum Contents {
        case dictionary(Keys)
        case members(Members)
        case sequence(Sequence)
    }

    /// A value in the container.
    struct Child {
        let sides: ThreeWayValues
        /// The step to the value as it is shown.
        let step: PlistString
        /// The step that rules of identity are matched with.
        let identity: PlistString
    }

    let sides: ThreeWayValues
    let contents: Contents
    /// The key under which the result is kept; nil if it is not kept.
    let key: MergeIdentity?
    /// The numbers of notes and conflicts before this container.
    let notes: Int
    let conflicts: Int

    /// The number of keys or members that have begun; for a sequence, the number of finished parts.
    var next = 0
    /// For a sequence, the number of elements of the current part that have begun.
    var offset = 0
    /// The merged values of a dictionary, by their keys.
    private var entries: [PlistString: PlistValue] = [:]
    /// The merged members, by their numbers.
    private(set) var values: [PlistValue?] = []
    /// The elements of a sequence so far.
    var elements: [PlistValue] = []

    init(sides: ThreeWayValues, contents: Contents, key: MergeIdentity?, notes: Int, conflicts: Int) {
        self.sides = sides
        self.contents = contents
        self.key = key
        self.notes = notes
        self.conflicts = conflicts
        if case .members(let members) = contents { values = Array(repeating: nil, count: members.members.count) }
    }

    /// Stores the merged value of the current child.
    mutating func store(_ value: PlistValue?) {
        switch contents {
        case .dictionary(let keys): entries[keys.merged[next - 1]] = value
        case .members(let members): values[members.visited[next - 1]] = value
        case .sequence: if let value { elements.append(value) }
        }
    }

    mutating func nextValue(of keys: Keys) -> Child? {
        guard next < keys.merged.count else { return nil }
        let key = keys.merged[next]
        next += 1
        return Child(sides: ThreeWayValues(keys.base[key], keys.ours[key], keys.theirs[key]), step: key, identity: key)
    }

    mutating func nextMember(of members: Members) -> Child? {
        guard next < members.visited.count else { return nil }
        let places = members.members.places[members.visited[next]]
        next += 1
        return Child(
            sides: members.arrays.sides(places), step: members.steps.step(places), identity: MergeElementPointers.index(places))
    }

    /// Returns the merged dictionary: the keys of ours, then the other keys of theirs. Values that only one side added are taken as
    /// they are.
    func dictionary(_ keys: Keys) -> PlistDictionary {
        var result = PlistDictionary()
        for (key, value) in keys.ours {
            let isAdded = keys.base[key] == nil && keys.theirs[key] == nil
            if let value = isAdded ? value : entries[key] { result[key] = value }
        }
        for (key, value) in keys.theirs where keys.ours[key] == nil {
            if let value = keys.base[key] == nil ? value : entries[key] { result[key] = value }
        }
        return result
    }
}

/// The values of the base and both sides in one place; nil where there is none.
struct ThreeWayValues {
    /// Identifies three containers as long as they are kept alive.
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

    /// The addresses of the three values; nil if one of them is a scalar.
    var addresses: Addresses? {
        guard let base = Self.address(of: base), let ours = Self.address(of: ours), let theirs = Self.address(of: theirs) else {
            return nil
        }
        return Addresses(base: base, ours: ours, theirs: theirs)
    }

    /// Returns the address of a value. Nil and empty containers have numbers that are not addresses.
    private static func address(of value: PlistValue?) -> UInt? {
        switch value {
        case nil: 0
        case .array(let elements)? where elements.isEmpty: 1
        case .dictionary(let entries)? where entries.isEmpty: 2
        case let value?: value.storageAddress
        }
    }

    /// True if one of them is a keyed archive. Its objects refer to each other by number, so no part of it can be changed alone.
    var hasArchive: Bool {
        [base, ours, theirs].contains { $0.map { KeyedArchive.isArchive($0) } ?? false }
    }

    /// The reason why they are in conflict.
    var reason: String {
        if ours == nil { return "ours deleted it" }
        if theirs == nil { return "theirs deleted it" }
        if base == nil { return "both added" }
        return hasArchive ? "both changed a keyed archive, which can't be merged in parts" : "both changed"
    }

    /// Returns the value that a resolution selects; ours for an open conflict.
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
