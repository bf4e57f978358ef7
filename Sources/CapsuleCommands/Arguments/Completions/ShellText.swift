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
