/// What must hold between the flags of one call, as data; the parser checks it when all arguments are read.
enum Constraint: Sendable {
    /// A flag as a call uses it: with any value, or with one of `values`.
    struct Use: Sendable {
        let flag: Flag.ID
        let values: [String]

        init(_ flag: Flag.ID, _ values: [String] = []) {
            self.flag = flag
            self.values = values
        }
    }

    /// The two cannot stand together; `reason`, if any, tells a user why, as a hint.
    case conflict(Use, Use, reason: String?)
    /// The first is allowed only with the second.
    case requirement(Use, of: Use, reason: String?)
    /// The first is allowed only with one of the others.
    case requirementOfAny([Use], of: Use, reason: String?)
    /// The number of `flag` is held to `range` unless `exception` is used; `condition` says when that is, as in
    /// `with gzip`.
    case limit(Flag.ID, ClosedRange<Int>, unless: Use, condition: String, reason: String?)

    /// A form needs exactly one of the flags.
    case choice([Flag.ID], for: CommandForm.ID, reason: String?)

    /// What holds for the flags of every verb.
    static let common = [Constraint.conflict(Use(.quiet), Use(.verbose), reason: nil)]
}
