import CapsuleEngine

/// What a command does with the file or the directory that an argument names. Each such argument declares it, and all that
/// guards files goes by it.
enum FileUse: Sendable, Hashable {
    /// It is read.
    case input
    /// It is changed in place: it is what the command works on.
    case target
    /// It is made, or takes the place of what is there. With a kind, what that may be is checked before anything is read; without
    /// one the command finds out what it makes. With the flag `inPlaceWith` it is a target instead.
    case output(OutputKind?, inPlaceWith: Flag.ID? = nil)
    /// Files or directories with names of their own appear in it.
    case results
}
