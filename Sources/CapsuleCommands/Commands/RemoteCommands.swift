import CapsuleArguments
import CapsuleContainers
import CapsuleCore
import CapsuleEngine

struct PushCommand {
    let context: CommandContext

    func run() throws(CapsuleError) -> ExitStatus {
        let command = context.command
        let meter = context.meter()
        var pusher = Pusher()
        pusher.force = command[.force]
        pusher.sendsKeychain = command[.keychain]
        pusher.tags = command[.tags]
        pusher.asImage = command[.asImage]
        pusher.progress = meter
        for annotation in command[.annotations] {
            pusher.annotations[String(decoding: annotation.name, as: UTF8.self)] = String(
                decoding: annotation.value, as: UTF8.self)
        }
        let outcome: Pusher.Outcome
        do throws(CapsuleError) {
            outcome = try pusher.push(command[.file], to: command[.remoteTarget])
        } catch {
            throw error.hinting(error.code == .interrupted ? "the next push sends only what is missing" : nil)
        }
        meter?.clear()
        for note in outcome.notes { context.diagnostics.note(note) }
        if context.isReported { try context.write(context.reporter.pushed(outcome)) }
        return .success
    }
}

struct PullCommand {
    let context: CommandContext

    func run() throws(CapsuleError) -> ExitStatus {
        let command = context.command
        let meter = context.meter()
        var puller = Puller()
        puller.force = command[.force]
        puller.lockTimeout = command[.lockTimeout]
        puller.progress = meter
        let outcome = try puller.pull(command[.remote], to: command[.output].map { HostPath($0) })
        meter?.clear()
        for file in outcome.keptSignatures {
            context.diagnostics.warning(
                "\(QuotedBytes(file.bytes).text): the server has another signature", hint: "'--force' replaces it")
        }
        if context.isReported { try context.write(context.reporter.pulled(outcome, from: RemoteName.shown(command[.remote]))) }
        return .success
    }
}

struct TagsCommand {
    let context: CommandContext

    func run() throws(CapsuleError) -> ExitStatus {
        let address = context.command[.remote]
        try context.list(context.reporter.tagged(try RemoteTags.list(of: address), at: address))
        return .success
    }
}
