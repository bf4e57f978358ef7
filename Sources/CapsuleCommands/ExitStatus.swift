/// How a command ends.
struct ExitStatus: Equatable {
    let code: Int32

    /// Done, or the same.
    static let success = ExitStatus(code: 0)
    /// Different, conflicts, would change, expectation not met.
    static let different = ExitStatus(code: 1)
    static let failure = ExitStatus(code: 2)
    /// The command line can't be understood (sysexits.h, EX_USAGE).
    static let usage = ExitStatus(code: 64)

    /// What shells say of a command that a signal ended.
    static func interrupted(by signal: Int32) -> ExitStatus { ExitStatus(code: 128 + signal) }
}
