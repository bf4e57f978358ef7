import CapsuleArguments
import CapsuleContainers
import CapsuleCore
import CapsuleEngine

struct LabelCommand {
    let context: CommandContext

    func run() throws(CapsuleError) -> ExitStatus {
        let command = context.command
        let argument = command[.file]
        let labeler = Labeler(lockTimeout: command[.lockTimeout])
        let (file, version) = try Self.file(argument)
        let outcome: Labeler.Outcome
        if let label = command[.deletedLabel].flatMap({ VersionLabel($0) }) {
            if command[.givenLabel] != nil {
                throw CapsuleError(.usage, "'--delete' deletes a label, and takes no second one")
            }
            if version != nil {
                throw CapsuleError(.usage, "'--delete' needs no version", hint: "a label names one version: name only the file")
            }
            outcome = try labeler.delete(label, of: file)
        } else if let label = command[.givenLabel].flatMap({ VersionLabel($0) }) {
            outcome = try labeler.give(label, to: version ?? .latest, of: file, moves: command[.moveLabel])
        } else {
            throw CapsuleError(.usage, "no label is given", hint: "'capsule log FILE' lists the labels that the versions have")
        }
        if context.isReported { try context.write(context.reporter.labeled(outcome, as: argument)) }
        return .success
    }

    private static func file(_ argument: [UInt8]) throws(CapsuleError) -> (file: HostPath, version: VersionSelector?) {
        let path = HostPath(argument)
        if path == .standardStream { throw CapsuleError(.usage, "label changes a file, not a stream") }
        guard try !FileProbe.exists(path), let name = VersionedName(argument) else { return (path, nil) }
        return (name.file, try name.selector())
    }
}
