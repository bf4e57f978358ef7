/// Numbers the conflicts of a merge as they are found, and decides those that something was said about.
///
/// Whether a conflict is decided must change nothing about which are found after it: a file of resolutions speaks of numbers.
public struct MergeDecisions: Sendable {
    /// All that were found, in their order.
    public private(set) var conflicts: [Conflict] = []
    /// What was decided before, by number.
    private let resolutions: [String: Resolution]
    /// What is preferred; the last one that fits decides.
    private let preferences: [MergePreference]
    /// What decides the conflicts that nothing else does; nil leaves them open.
    private var rest: Resolution?
    /// About how many bytes the values of property lists in conflict are, written out.
    var shown = 0
    /// The numbers that were decided with what can't stand in their place: a value of another type, a word that names nothing.
    /// Their conflicts stay open.
    public private(set) var unfitNumbers: [String] = []

    /// Decisions of a file of resolutions, which come first, and of preferences.
    public init(resolutions: [String: Resolution] = [:], preferences: [MergePreference] = []) {
        self.resolutions = resolutions
        self.preferences = preferences
    }

    /// How many are still open.
    public var openCount: Int { conflicts.count { $0.resolution == nil } }

    /// The same decisions, of which one more decides what is still open.
    func deciding(rest: Resolution) -> MergeDecisions {
        var decisions = self
        decisions.rest = rest
        return decisions
    }

    /// Notes a conflict.
    ///
    /// - Parameters:
    ///   - conflict: what both sides changed; it is listed, whatever becomes of it.
    ///   - isFit: whether what was decided can stand in its place. What can't leaves the conflict open.
    /// - Returns: what was decided about it; nil leaves it open, and then ours stands in its place.
    public mutating func settle(_ conflict: Conflict, accepting isFit: (Resolution) -> Bool = { _ in true }) -> Resolution? {
        var conflict = conflict
        conflict.id = String(conflicts.count + 1)
        if let resolution = resolutions[conflict.id] {
            if isFit(resolution) { conflict.resolution = resolution } else { unfitNumbers.append(conflict.id) }
        } else if let preference = preferences.last(where: { $0.concerns(conflict) }) {
            conflict.resolution = preference.resolution
            conflict.decidedBy = preference.text
        } else if let rest, isFit(rest) {
            conflict.resolution = rest
        }
        conflicts.append(conflict)
        return conflict.resolution
    }
}
