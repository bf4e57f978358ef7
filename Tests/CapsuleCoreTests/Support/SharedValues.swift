import CapsulePropertyList

/// Arrays that hold the next one twice, as few bytes of a binary property list can: 2^depth leaves.
func bomb(_ depth: Int, leaf: PlistValue) -> PlistValue {
    (0..<depth).reduce(leaf) { inner, _ in .array([inner, inner]) }
}
