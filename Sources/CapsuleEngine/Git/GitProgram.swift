import CapsuleCore
import CapsuleFileSystem

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
