import CapsuleCore
import CapsulePropertyList

/// The pairing of the elements of three arrays: by a key, or, in a set, by equality. Elements that pair are one member.
struct ArrayMembers {
    /// The indices of a member in the three arrays; nil where an array does not have it.
    struct Places: Hashable {
        var base: Int?
        var ours: Int?
        var theirs: Int?
    }

    /// The members of each array in its order, by their numbers.
    private(set) var base: [Int] = []
    private(set) var ours: [Int] = []
    private(set) var theirs: [Int] = []
    private(set) var places: [Places] = []
    /// The value that each member pairs by, by its number.
    private(set) var names: [PlistValue] = []
    private let keyed: KeyedElements?

    var count: Int { places.count }

    /// Pairs elements by a key, or as a set.
    ///
    /// - Returns: nil if two elements of one array pair. Also if the key is missing, or an array or a dictionary.
    init?(_ arrays: MergedArrays, _ keyed: KeyedElements?) {
        self.keyed = keyed
        var numbers: [PlistValue: Int] = [:]
        for (elements, side) in [
            (arrays.base, \Places.base), (arrays.ours, \Places.ours), (arrays.theirs, \Places.theirs),
        ] {
            for (place, element) in elements.enumerated() {
                guard let name = Self.name(of: element, keyed) else { return nil }
                let number = numbers[name] ?? add(name)
                guard places[number][keyPath: side] == nil else { return nil }
                numbers[name] = number
                places[number][keyPath: side] = place
            }
        }
        list(arrays)
    }

    private static func name(of element: PlistValue, _ keyed: KeyedElements?) -> PlistValue? {
        guard let keyed else { return element }
        guard let name = keyed.value(of: element), !name.isContainer else { return nil }
        return keyed.folded(name)
    }

    private mutating func add(_ name: PlistValue) -> Int {
        places.append(Places())
        names.append(name)
        return places.count - 1
    }

    private mutating func list(_ arrays: MergedArrays) {
        base = Array(repeating: 0, count: arrays.base.count)
        ours = Array(repeating: 0, count: arrays.ours.count)
        theirs = Array(repeating: 0, count: arrays.theirs.count)
        for (member, places) in places.enumerated() {
            if let place = places.base { base[place] = member }
            if let place = places.ours { ours[place] = member }
            if let place = places.theirs { theirs[place] = member }
        }
    }

    func label(_ member: Int, _ elements: [PlistValue], _ side: KeyPath<Places, Int?>) -> PlistValue? {
        guard let place = places[member][keyPath: side] else { return nil }
        guard let keyed else { return elements[place] }
        return keyed.value(of: elements[place])
    }

    /// Returns the members with these labels; nil unless they are the expected ones, each once.
    func members(_ labels: [PlistValue], among expected: [Int]) -> [Int]? {
        guard labels.count == expected.count else { return nil }
        var known: [PlistValue: Int] = [:]
        for member in expected { known[names[member]] = member }
        var result: [Int] = []
        for label in labels {
            guard let member = known.removeValue(forKey: keyed?.folded(label) ?? label) else { return nil }
            result.append(member)
        }
        return result
    }
}

/// The arrays that the base and both sides have in one place; empty where there is none.
struct MergedArrays {
    let base: [PlistValue]
    let ours: [PlistValue]
    let theirs: [PlistValue]

    func sides(_ places: ArrayMembers.Places) -> ThreeWayValues {
        ThreeWayValues(places.base.map { base[$0] }, places.ours.map { ours[$0] }, places.theirs.map { theirs[$0] })
    }
}

/// The steps by which pointers name the elements of three arrays, as ``ElementPointers`` does for two: `[KEY=VALUE]` if it matches
/// only this element in each array that has it, otherwise the index.
struct MergeElementPointers {
    private let base: [PlistString?]
    private let ours: [PlistString?]
    private let theirs: [PlistString?]
    private var counts: [PlistString: (base: Int, ours: Int, theirs: Int)] = [:]

    /// - Parameter key: the key that elements pair by; nil to name them by index.
    init(_ arrays: MergedArrays, key: PlistString?) {
        func selectors(_ elements: [PlistValue]) -> [PlistString?] {
            key == nil ? elements.map { _ in nil } : elements.map { $0.selector(key: key) }
        }
        base = selectors(arrays.base)
        ours = selectors(arrays.ours)
        theirs = selectors(arrays.theirs)
        for case let step? in base { counts[step, default: (0, 0, 0)].base += 1 }
        for case let step? in ours { counts[step, default: (0, 0, 0)].ours += 1 }
        for case let step? in theirs { counts[step, default: (0, 0, 0)].theirs += 1 }
    }

    func step(_ places: ArrayMembers.Places) -> PlistString {
        let found = [places.base.map { base[$0] }, places.ours.map { ours[$0] }, places.theirs.map { theirs[$0] }]
        let steps = found.compactMap { $0 }
        guard let step = steps.first ?? nil, steps.allSatisfy({ $0 == step }), let count = counts[step],
            count == (places.base == nil ? 0 : 1, places.ours == nil ? 0 : 1, places.theirs == nil ? 0 : 1)
        else { return Self.index(places) }
        return step
    }

    /// Returns the index of an element in the base; for an added element, the smaller of its indices.
    static func index(_ places: ArrayMembers.Places) -> PlistString {
        let index = places.base ?? min(places.ours ?? .max, places.theirs ?? .max)
        return PlistString(String(index))
    }
}
