import CapsulePropertyList

/// A container of an overlay that a ``DeepMerge`` merges value by value.
struct DeepMergeFrame {
    /// Identifies a merge: the two values, and the rules for arrays at and below the place.
    struct Pair: Hashable {
        let overlay: UInt
        let base: UInt?
        let state: Int
    }

    /// The overlay's entries or elements.
    enum Contents {
        case dictionary(PlistDictionary)
        case ordered([PlistValue])
        case set([PlistValue])
        case keyed([PlistValue], KeyedElements)
        /// They take the place of the base's; `isKnown` where a rule says so.
        case fresh([PlistValue], isKnown: Bool)
    }

    /// A value in the container.
    struct Child {
        let overlay: PlistValue
        let base: PlistValue?
        let step: PlistString
    }

    let overlay: PlistValue
    let base: PlistValue?
    let contents: Contents
    /// The key under which the result is kept; nil if it is not kept.
    var pair: Pair?
    /// The number of notes before this container.
    var noted = 0
    /// The number of entries or elements that have begun.
    var next = 0
    /// The result of a dictionary so far.
    var entries = PlistDictionary()
    /// The result of an array so far.
    var elements: [PlistValue] = []
    /// Of a set, the numbers of what it holds.
    var known: Set<Int> = []

    /// Of elements that pair by a key, where each is in the base.
    var index: [PlistValue: [Int]] = [:]
    var taken = KeyedElements.Taken()
    /// Those without a key; nil as long as none is looked for.
    var keyless: Set<Int>?
    /// The partner of the current element in the base, and whether the element has the key.
    var partner: Int?
    var hasKey = false

    init(_ overlay: PlistValue, _ base: PlistValue?, _ contents: Contents) {
        self.overlay = overlay
        self.base = base
        self.contents = contents
    }

    /// The next element in order; nil at the end.
    mutating func nextElement(_ elements: [PlistValue], into base: PlistValue?) -> Child? {
        guard next < elements.count else { return nil }
        next += 1
        return Child(overlay: elements[next - 1], base: base, step: Self.step(next - 1))
    }

    static func step(_ index: Int) -> PlistString { PlistString(String(index)) }
}
