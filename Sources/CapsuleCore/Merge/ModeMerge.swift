/// A property of a whole file that can't be mixed: the side that changed it wins, and two changes are a conflict.
enum ModeMerge<Value: Hashable> {
    /// What to take.
    case value(Value)
    /// Both changed it, differently.
    case conflict

    init(base: Value?, ours: Value, theirs: Value) {
        self =
            if ours == theirs || theirs == base {
                .value(ours)
            } else if ours == base {
                .value(theirs)
            } else {
                .conflict
            }
    }
}
