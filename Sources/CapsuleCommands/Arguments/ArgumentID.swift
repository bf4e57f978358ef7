/// What an argument is looked up by: a flag or a positional.
enum ArgumentID: Sendable, Hashable {
    case flag(Flag.ID)
    case positional(Positional.ID)
}
