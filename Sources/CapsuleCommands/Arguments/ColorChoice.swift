/// When output is colored: `--color`.
enum ColorChoice: String, WordChoice {
    /// On a terminal, unless NO_COLOR is set.
    case auto
    case always
    case never
}
