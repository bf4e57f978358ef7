/// Says of which class the changes are that a match picks.
public struct NoiseRule: Hashable, Sendable {
    /// The changes that it speaks of.
    public let match: ChangeMatch
    /// ``NoiseClass/signal`` for what is never noise.
    public let noise: NoiseClass
    /// Why, for people.
    public let note: String?

    /// A rule of a match.
    public init(_ match: ChangeMatch, _ noise: NoiseClass, note: String? = nil) {
        self.match = match
        self.noise = noise
        self.note = note
    }
}
