/// What kind of container `locate` looks for: `--kind`.
enum KindChoice: String, WordChoice {
    case data, bundle, group
}
