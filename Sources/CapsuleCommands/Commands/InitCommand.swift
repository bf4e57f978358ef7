import CapsuleArguments
import CapsuleContainers
import CapsuleCore
import CapsuleEngine
import CapsulePropertyList

/// `capsule init`
struct InitCommand {
    let context: CommandContext

    func run() throws(CapsuleError) -> ExitStatus {
        let argument = context.command[.projectApp]
        let isThere = try FileProbe.exists(HostPath(argument))
        let isDirectory = isThere || argument.contains(UInt8(ascii: "/")) && !argument.starts(with: Array("sim:".utf8))
        guard let app = String(validating: argument, as: UTF8.self) else {
            throw CapsuleError(.usage, "is not UTF-8, which the project's file needs", path: HostPath(argument))
        }
        let name = isDirectory || app.hasPrefix("sim:") ? argument : Array("sim:".utf8) + argument
        _ = try context.container(name).liveDirectory()
        let file = Project.capsuleName(for: app)
        let project: PlistValue = ["App": .string(PlistString(app)), "File": .string(PlistString(file))]
        _ = try Project(new: project)
        try PlistOutput.write(project, to: context.file(Project.fileName))
        context.diagnostics.note("wrote .capsule.plist: the app is \(app), the capsule is \(file)")
        if !context.command[.quiet] {
            context.diagnostics.hint("'capsule pack --label clean' saves the app's data, 'capsule restore @clean' resets it")
        }
        return .success
    }
}
