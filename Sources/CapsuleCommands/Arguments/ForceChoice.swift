/// What `--force=` may be followed by.
enum ForceChoice: String, WordChoice {
    case all
}
