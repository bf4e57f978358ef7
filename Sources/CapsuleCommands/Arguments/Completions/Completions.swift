/// What teaches a shell to complete this command line; all of it comes from the table.
///
/// Nothing is asked of `capsule` itself while a user types: names in a container are not completed.
struct Completions: Sendable {
    /// The script, to be sourced or put where the shell looks for it.
    let script: String

    init(for shell: Shell, table: CommandTable = .capsule) {
        switch shell {
        case .bash: script = BashCompletions(table: table).script
        case .zsh: script = ZshCompletions(table: table).script
        case .fish: script = FishCompletions(table: table).script
        }
    }
}

extension ValueForm {
    /// How a shell can complete a value.
    enum Completion: Sendable, Hashable {
        case nothing
        case files
        case directories
        case words([String])
    }

    /// How a value of this form is completed. A container may be a file as well as a directory.
    func completion(in table: CommandTable) -> Completion {
        switch self {
        case .container, .file: .files
        case .directory: .directories
        case .words(let words): .words(words)
        case .verb: .words(table.verbNames)
        case .path, .glob, .text, .label, .versions, .integer, .seconds, .namedDirectory, .namedFile, .definition: .nothing
        case .program: .files
        }
    }
}
