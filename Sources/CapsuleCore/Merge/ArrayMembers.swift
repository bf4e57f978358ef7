import CapsulePropertyList

/// Which elements of three arrays are the same ones: by a key, or, in a set, equal ones.
struct ArrayMembers {
    /// The indices of a member; nil where it is not.
    struct Places: Hashable {
        var base: Int?
        var ours: Int?
        var theirs: Int?
    }

    /// The members of each array in its order, by number.
    private(set) var base: [Int] = []
    private(set) var ours: [Int] = []
    private(set) var theirs: [Int] = []
    /// By number.
    private(set) var places: [Places] = []
    /// What they pair by, by number.
    private(set) var names: [PlistValue] = []
    private let keyed: KeyedElements?

    var count: Int { places.count }

    /// Pairs by key; nil if an element has none, or an array or a dictionary, which may be as good as equal and take long to tell
    /// apart, or two of one array have the same.
    init?(_ arrays: MergedArrays, _ keyed: KeyedElements) {
        self.keyed = keyed
        var numbers: [PlistValue: Int] = [:]
        for (elements, side) in [
            (arrays.base, \Places.base), (arrays.ours, \Places.ours), (arrays.theirs, \Places.theirs),
        ] {
            for (place, element) in elements.enumerated() {
                guard let name = keyed.value(of: element).map({ keyed.folded($0) }), name.array == nil, name.dictionary == nil
                else { return nil }
                let number = numbers[name] ?? add(name)
                guard places[number][keyPath: side] == nil else { return nil }
                numbers[name] = number
                places[number][keyPath: side] = place
            }
        }
        list(arrays)
    }

    /// Pairs equal elements, which have one number of their class; nil if two of one array are equal.
    init?(_ arrays: MergedArrays, base: [Int], ours: [Int], theirs: [Int]) {
        keyed = nil
        // The member of each class.
        var known: [Int: Int] = [:]
        for (elements, classes, side) in [
            (arrays.base, base, \Places.base), (arrays.ours, ours, \Places.ours), (arrays.theirs, theirs, \Places.theirs),
        ] {
            for (place, number) in classes.enumerated() {
                let member = known[number] ?? add(elements[place])
                guard places[member][keyPath: side] == nil else { return nil }
                known[number] = member
                places[member][keyPath: side] = place
            }
        }
        list(arrays)
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

    /// What stands for a member where the order of an array is told; nil if the array does not have it.
    func label(_ member: Int, _ elements: [PlistValue], _ side: KeyPath<Places, Int?>) -> PlistValue? {
        guard let place = places[member][keyPath: side] else { return nil }
        guard let keyed else { return elements[place] }
        return keyed.value(of: elements[place])
    }

    /// The members of labels; nil unless they are the expected ones, each once.
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
