/// A shell that completions are made for.
enum Shell: String, WordChoice {
    case bash
    case zsh
    case fish
}
