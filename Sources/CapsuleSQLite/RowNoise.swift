package import CapsuleCore

/// Which rows nobody asked for: they take no room from those that are told.
package struct RowNoise {
    /// Whether rows of a table may be noise.
    let mayConcern: (_ table: String) -> Bool
    let isNoise: (RowChange) -> Bool

    /// Of no row, unless told otherwise.
    package init(
        mayConcern: @escaping (String) -> Bool = { _ in false }, isNoise: @escaping (RowChange) -> Bool = { _ in false }
    ) {
        self.mayConcern = mayConcern
        self.isNoise = isNoise
    }
}
