import CapsuleCore
import CapsuleEngine

/// The end of the command that `capsule run` ran, as reports show it.
struct CommandResult {
    /// The command's name. Its arguments may be secret, and reports are published.
    let name: String
    /// A description of the failure, without the command's name; nil if the command ended with status 0.
    let failure: String?
}

extension CommandResult {
    init(_ command: [[UInt8]], _ ran: CommandRecording.Execution) {
        name = QuotedBytes(command.first ?? []).text
        failure = ran.status == 0 ? nil : ran.signal.map { "was ended by signal \($0)" } ?? "failed with status \(ran.status)"
    }
}
