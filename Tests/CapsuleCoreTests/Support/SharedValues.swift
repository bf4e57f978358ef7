import CapsulePropertyList

/// Returns nested arrays, each of which holds the next one twice: 2^depth leaves, in a few bytes of a binary property list.
func bomb(_ depth: Int, leaf: PlistValue) -> PlistValue {
    (0..<depth).reduce(leaf) { inner, _ in .array([inner, inner]) }
}
