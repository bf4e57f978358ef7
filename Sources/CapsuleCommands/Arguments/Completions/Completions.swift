/// What teaches a shell to complete this command line; all of it comes from the table.
///
/// Verbs, flags and words are in the script. Names that are in files, such as versions and paths in a container, the script asks
/// of `capsule` itself (see ``Completer``).
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
        /// `capsule` knows; files too, where it knows none.
        case asked(orFiles: Bool)
        /// A program in `PATH`, then files as its arguments; both only behind `--`.
        case command
    }

    /// How a value of this form is completed. A container may be a file as well as a directory.
    fileprivate func completion(in table: CommandTable) -> Completion {
        switch self {
        case .container: .asked(orFiles: true)
        case .path, .versions, .topic: .asked(orFiles: false)
        case .file: .files
        case .directory: .directories
        case .words(let words): .words(words)
        case .program: .command
        case .glob, .text, .label, .integer, .seconds, .namedDirectory, .namedFile, .definition: .nothing
        }
    }
}

extension Positional {
    /// The completion of the argument.
    func completion(in table: CommandTable) -> ValueForm.Completion {
        switch id {
        case .identifier, .pointer, .noise: .asked(orFiles: false)
        case .plistFile, .plistFiles: .asked(orFiles: true)
        default: form.completion(in: table)
        }
    }
}

extension Flag {
    /// The completion of the flag's value; nil if it takes none.
    func completion(in table: CommandTable) -> ValueForm.Completion? {
        switch id {
        case .drop, .device: .asked(orFiles: false)
        default: value?.form.completion(in: table)
        }
    }
}

/// Text as a word of a shell script, whatever it holds.
enum ShellText {
    /// For bash and zsh: in single quotes, in which only the quote itself is special.
    static func quoted(_ text: String) -> String {
        "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
    }

    /// For fish, where a backslash is special in single quotes too.
    static func quotedForFish(_ text: String) -> String {
        "'" + text.map { $0 == "'" || $0 == "\\" ? "\\\($0)" : String($0) }.joined() + "'"
    }
}
