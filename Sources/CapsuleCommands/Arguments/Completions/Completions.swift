/// The completion script for a shell, generated from the table.
///
/// The script contains verbs, flags and words. For names that are in files, such as versions and paths in a container, it calls `capsule`
/// itself (see ``Completer``).
struct Completions: Sendable {
    /// The script, to be sourced or installed where the shell finds it.
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
    /// The way in which a shell can complete a value.
    enum Completion: Sendable, Hashable {
        case nothing
        case files
        case directories
        case words([String])
        /// `capsule` provides the completions; if `orFiles` is true, files are offered when it has none.
        case asked(orFiles: Bool)
        /// A program in `PATH`, then files as its arguments; both only after `--`.
        case command
    }

    /// The way to complete a value of this form. A container may be a file as well as a directory.
    var completion: Completion {
        switch self {
        case .container, .propertyList: .asked(orFiles: true)
        case .path, .pointer, .noise, .device, .bundleID, .versions, .topic: .asked(orFiles: false)
        case .file: .files
        case .directory: .directories
        case .words(let words): .words(words)
        case .program: .command
        case .glob, .text, .label, .integer, .seconds, .namedDirectory, .namedFile, .definition: .nothing
        }
    }
}

/// Quotes any text as one word of a shell script.
enum ShellText {
    /// Quotes for bash and zsh: with single quotes, in which only the quote itself is special.
    static func quoted(_ text: String) -> String {
        "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
    }

    /// Quotes for fish, where a backslash is special in single quotes too.
    static func quotedForFish(_ text: String) -> String {
        "'" + text.map { $0 == "'" || $0 == "\\" ? "\\\($0)" : String($0) }.joined() + "'"
    }
}
