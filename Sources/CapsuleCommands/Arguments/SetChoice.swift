/// Which of Xcode's sets of simulators `locate` looks into: `--set`.
enum SetChoice: String, WordChoice {
    case `default`, previews, xctest
}
