/// How much of a diff is told.
struct DiffStyle: Sendable {
    /// Whether long values are told whole.
    var isFull = false
    /// Whether noise is told line by line, and not only counted.
    var showsNoise = false
}
