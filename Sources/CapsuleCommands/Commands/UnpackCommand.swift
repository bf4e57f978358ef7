import CapsuleCore
import CapsuleEngine

/// `capsule unpack`
struct UnpackCommand {
    let context: CommandContext

    func run() throws(CapsuleError) -> ExitStatus {
        let command = context.command
        var options = UnpackOptions()
        options.form = form
        options.paths = command[.paths]
        options.replaces = command[.force]
        options.jobs = try context.jobs()
        let meter = context.meter()
        let outcome = try Unpacker(options: options, progress: meter).unpack(
            context.container(command[.container]), to: destination)
        meter?.clear()
        for note in outcome.notes { context.diagnostics.warning(note) }
        if !command[.quiet] || command[.json] { try context.write(context.reporter.unpacked(outcome)) }
        return .success
    }

    private var form: UnpackOptions.Form? {
        switch context.command[.unpackForm] {
        case .xcappdata: .bundle
        case .container: .container
        case .directory: .directory
        case .tarGzip, .tarZstd, .zip, nil: nil
        }
    }

    private var destination: UnpackOptions.Destination {
        if let output = context.command[.output] { return .named(HostPath(output)) }
        return .into(context.command[.directory].map(HostPath.init) ?? HostPath("."))
    }
}
