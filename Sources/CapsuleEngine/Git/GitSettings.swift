import CapsuleCore
import CapsuleFileSystem

/// What stands in git's configuration of this program.
struct GitSettings {
    /// One setting.
    struct Setting {
        let key: String
        /// What it is to be.
        let value: [UInt8]
        /// A part that every value of ours has, of other releases too.
        let mark: String

        /// Whether a value was written by this program.
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
            Setting(
                key: "merge.capsule.name", value: Array("property lists, key by key (capsule)".utf8), mark: "(capsule)"),
            Setting(key: "merge.capsule.driver", value: commands.driver, mark: " git merge-driver "),
        ]
    }

    /// The values of a key in the scope; mostly one or none.
    func values(of setting: Setting) throws(CapsuleError) -> [[UInt8]] {
        let outcome = try GitProgram.run([
            Array("config".utf8), scope.flag, Array("-z".utf8), Array("--get-all".utf8), Array(setting.key.utf8),
        ])
        switch outcome.status {
        case 0: return outcome.output.split(separator: 0, omittingEmptySubsequences: false).dropLast().map { Array($0) }
        // No such key; nor any file yet.
        case 1: return []
        default: throw GitProgram.failure(of: outcome, to: "read '\(setting.key)'")
        }
    }

    /// - Throws: for a setting that somebody else made.
    func refuseForeign() throws(CapsuleError) {
        for setting in all {
            for value in try values(of: setting) where !setting.isOurs(value) {
                throw CapsuleError(
                    .exists, "'\(setting.key)' is '\(String(decoding: value, as: UTF8.self))', which capsule did not set",
                    hint: "'git config \(String(decoding: scope.flag, as: UTF8.self)) --unset \(setting.key)' removes it")
            }
        }
    }

    /// Makes each setting what it is to be.
    ///
    /// - Returns: whether any was not.
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

    /// Takes our settings away, and leaves what somebody else wrote.
    ///
    /// - Returns: whether there were any.
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

/// The commands that git is told to run, as a shell reads them.
///
/// Each does without this program where it can't be run, as in a graphical client with another PATH: a diff then shows the file as
/// it is, and a merge is git's own, so that a side is never lost without a word.
struct GitCommandLine {
    /// This program, as a shell finds it.
    let program: [UInt8]

    /// - Parameter program: quoted already.
    init(program: [UInt8]) {
        self.program = program
    }

    /// The program that is running: by its name alone, if that is what PATH leads to, so that an update elsewhere is found.
    static func current() throws(CapsuleError) -> GitCommandLine {
        guard let own = ProgramPath.own else {
            throw CapsuleError("can't find the path of this program")
        }
        if let found = ProgramPath.find("capsule"), (try? RealPath.resolve(found)) == own {
            return GitCommandLine(program: Array("capsule".utf8))
        }
        return GitCommandLine(program: quoted(own.bytes))
    }

    /// `diff.capsule.textconv`; git appends the file's name as an argument.
    var textconv: [UInt8] {
        Array("f() { ".utf8) + program + Array(#" git textconv -- "$1" || cat -- "$1"; }; f"#.utf8)
    }

    /// `merge.capsule.driver`; git puts names in the place of `%O` and the like (gitattributes(5)).
    ///
    /// A shell's status for a command that can't be run is 126 or 127, and from 128 on for one that a signal ended; 255 is ours.
    var driver: [UInt8] {
        // A percent sign would be taken for a placeholder.
        program.flatMap { $0 == UInt8(ascii: "%") ? [$0, $0] : [$0] }
            + Array(
                (" git merge-driver -- %O %A %B %L %P; s=$?; if [ $s -gt 125 ] && [ $s -ne 255 ]; then "
                    + "git merge-file -L ours -L base -L theirs --marker-size=%L %A %O %B; s=$?; fi; exit $s").utf8)
    }

    /// A word of a shell's: as it is, whatever is in it.
    static func quoted(_ word: [UInt8]) -> [UInt8] {
        let quote = UInt8(ascii: "'")
        return [quote] + word.flatMap { $0 == quote ? Array(#"'\''"#.utf8) : [$0] } + [quote]
    }
}

/// The program `git`, as PATH has it, in the current directory.
enum GitProgram {
    /// Bytes of an answer that are taken in.
    private static let answerLimit = 1 << 24

    /// Runs git.
    static func run(_ arguments: [[UInt8]], limit: Int = answerLimit) throws(CapsuleError) -> ChildProcess.Outcome {
        do throws(FileSystemError) {
            return try ChildProcess.output(of: HostPath("git"), arguments, limit: limit)
        } catch {
            guard error.code == .notFound else { throw CapsuleError(error) }
            throw CapsuleError("can't run git: it is not in PATH", hint: "install git, or add it to PATH")
        }
    }

    /// Runs git, which has to succeed.
    ///
    /// - Returns: what it printed.
    static func answer(_ arguments: [[UInt8]], to purpose: String) throws(CapsuleError) -> [UInt8] {
        let outcome = try run(arguments)
        guard outcome.status == 0 else { throw failure(of: outcome, to: purpose) }
        return outcome.output
    }

    /// The path on the one line that git prints.
    static func path(_ words: String...) throws(CapsuleError) -> HostPath {
        var output = try answer(words.map { Array($0.utf8) }, to: "find a path of this repository")
        if output.last == 0x0A { output.removeLast() }
        return HostPath(output)
    }

    /// An error with git's own words.
    static func failure(of outcome: ChildProcess.Outcome, to purpose: String, hint: String? = nil) -> CapsuleError {
        var error = CapsuleError("git could not \(purpose) (status \(outcome.status))", hint: hint)
        error.details = said(by: outcome)
        return error
    }

    /// What git said of an error, a line each.
    static func said(by outcome: ChildProcess.Outcome) -> [String] {
        outcome.errors.split(separator: 0x0A).prefix(8).map { "git: " + String(decoding: $0, as: UTF8.self) }
    }
}
