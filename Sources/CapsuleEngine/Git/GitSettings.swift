import CapsuleCore
import CapsuleSystem

/// This program's settings in git's configuration.
struct GitSettings {
    struct Setting {
        let key: String
        let value: [UInt8]
        /// A part that every value written by this program has, in any release.
        let mark: String

        func isOurs(_ value: [UInt8]) -> Bool {
            let mark = Array(mark.utf8)
            return value.count >= mark.count
                && value.indices.dropLast(mark.count - 1).contains { value[$0...].starts(with: mark) }
        }
    }

    let scope: GitScope
    let all: [Setting]

    init(_ scope: GitScope, _ commands: GitCommandLine) {
        self.scope = scope
        all = [
            Setting(key: "diff.capsule.textconv", value: commands.textconv, mark: " git textconv "),
            Setting(key: "merge.capsule.name", value: Array("property lists, key by key (capsule)".utf8), mark: "(capsule)"),
            Setting(key: "merge.capsule.driver", value: commands.driver, mark: " git merge-driver "),
        ]
    }

    func values(of setting: Setting) throws(CapsuleError) -> [[UInt8]] {
        let outcome = try GitProgram.run([
            Array("config".utf8), scope.flag, Array("-z".utf8), Array("--get-all".utf8), Array(setting.key.utf8),
        ])
        switch outcome.status {
        case 0: return outcome.output.split(separator: 0, omittingEmptySubsequences: false).dropLast().map { Array($0) }
        // There is no such key, or no configuration file yet.
        case 1: return []
        default: throw GitProgram.failure(of: outcome, to: "read '\(setting.key)'")
        }
    }

    /// Throws if a setting has a value that someone else wrote.
    func refuseForeign() throws(CapsuleError) {
        for setting in all {
            for value in try values(of: setting) where !setting.isOurs(value) {
                throw CapsuleError(
                    .exists, "'\(setting.key)' is '\(String(decoding: value, as: UTF8.self))', which capsule did not set",
                    hint: "'git config \(String(decoding: scope.flag, as: UTF8.self)) --unset \(setting.key)' removes it")
            }
        }
    }

    /// Writes each setting that differs from the wanted value.
    /// - Returns: true if any was written.
    func set() throws(CapsuleError) -> Bool {
        var isChanged = false
        for setting in all where try values(of: setting) != [setting.value] {
            _ = try GitProgram.answer(
                [Array("config".utf8), scope.flag, Array("--replace-all".utf8), Array(setting.key.utf8), setting.value],
                to: "write its configuration")
            isChanged = true
        }
        return isChanged
    }

    /// Removes this program's settings, and leaves those that someone else wrote.
    func unset() throws(CapsuleError) -> Bool {
        var isChanged = false
        for setting in all {
            let values = try values(of: setting)
            guard !values.isEmpty, values.allSatisfy(setting.isOurs) else { continue }
            _ = try GitProgram.answer(
                [Array("config".utf8), scope.flag, Array("--unset-all".utf8), Array(setting.key.utf8)],
                to: "write its configuration")
            isChanged = true
        }
        return isChanged
    }
}

/// The commands that git runs, in the syntax of a shell. Each command works without this program too, because it may not be
/// found, as in a graphical client with another PATH. A diff then shows the file as it is, and a merge is git's own, so that no
/// side is lost silently.
struct GitCommandLine {
    /// The program's name or path, as a word in shell syntax.
    let program: [UInt8]

    /// Returns the commands for the running program. It is named without a path if PATH leads to it, so that an update at another
    /// path is found.
    static func current() throws(CapsuleError) -> GitCommandLine {
        guard let own = ProgramPath.own else {
            throw CapsuleError("can't find the path of this program")
        }
        if let found = ProgramPath.find("capsule"), (try? RealPath.resolve(found)) == own {
            return GitCommandLine(program: Array("capsule".utf8))
        }
        return GitCommandLine(program: quoted(own.bytes))
    }

    /// The value of `diff.capsule.textconv`. Git appends the file's name as an argument.
    var textconv: [UInt8] { Array("f() { ".utf8) + program + Array(#" git textconv -- "$1" || cat -- "$1"; }; f"#.utf8) }

    /// The value of `merge.capsule.driver`. Git replaces `%O` and the other placeholders with names (gitattributes(5)). A shell's
    /// status is 126 or 127 for a command that can't be run, and at least 128 for one that a signal ended. The status 255 is this
    /// program's own.
    var driver: [UInt8] {
        // A percent sign would be taken for a placeholder.
        program.flatMap { $0 == UInt8(ascii: "%") ? [$0, $0] : [$0] }
            + Array(
                (" git merge-driver -- %O %A %B %L %P; s=$?; if [ $s -gt 125 ] && [ $s -ne 255 ]; then "
                    + "git merge-file -L ours -L base -L theirs --marker-size=%L %A %O %B; s=$?; fi; exit $s").utf8)
    }

    /// Returns a word quoted for a shell, so that every character stands for itself.
    static func quoted(_ word: [UInt8]) -> [UInt8] {
        let quote = UInt8(ascii: "'")
        return [quote] + word.flatMap { $0 == quote ? Array(#"'\''"#.utf8) : [$0] } + [quote]
    }
}

/// Runs the program `git` in PATH, in the current directory.
enum GitProgram {
    private static let answerLimit = 1 << 24

    static func run(_ arguments: [[UInt8]], limit: Int = answerLimit) throws(CapsuleError) -> ChildProcess.Outcome {
        do throws(CapsuleError) {
            return try ChildProcess.output(of: HostPath("git"), arguments, limit: limit)
        } catch {
            guard error.code == .notFound else { throw error }
            throw CapsuleError("can't run git: it is not in PATH", hint: "install git, or add it to PATH")
        }
    }

    /// Runs git, and throws if it fails.
    /// - Returns: the standard output of git.
    static func answer(_ arguments: [[UInt8]], to purpose: String) throws(CapsuleError) -> [UInt8] {
        let outcome = try run(arguments)
        guard outcome.status == 0 else { throw failure(of: outcome, to: purpose) }
        return outcome.output
    }

    static func path(_ words: String...) throws(CapsuleError) -> HostPath {
        var output = try answer(words.map { Array($0.utf8) }, to: "find a path of this repository")
        if output.last == 0x0A { output.removeLast() }
        return HostPath(output)
    }

    static func failure(of outcome: ChildProcess.Outcome, to purpose: String, hint: String? = nil) -> CapsuleError {
        var error = CapsuleError("git could not \(purpose) (status \(outcome.status))", hint: hint)
        error.details = said(by: outcome)
        return error
    }

    static func said(by outcome: ChildProcess.Outcome) -> [String] {
        outcome.errors.split(separator: 0x0A).prefix(8).map { "git: " + String(decoding: $0, as: UTF8.self) }
    }
}
