import CapsuleArguments
import CapsuleContainers
import CapsuleCore
import CapsuleEngine

/// `capsule serve`
struct ServeCommand {
    /// SIGINT
    private static let interrupt: Int32 = 2

    let context: CommandContext

    func run() throws(CapsuleError) -> ExitStatus {
        let command = context.command
        // A relative path of the port file is one from here, not from the project's root.
        let files = try ServerFiles(portFile: command[.portFile].map(HostPath.init))
        let project = try project()
        let token = Self.randomToken()
        let answers = ServedAnswers(context, project, files)
        let server = try LoopbackServer(port: UInt16(command[.port] ?? 0), token: token) { answers.reply(to: $0) }
        let file = context.file(files.portFile.bytes).forOwner
        try file.write((["port": Int(server.port), "token": token] as JSONObject).line)
        defer { files.discard() }
        if command[.json] { try context.write(JSONReporter().serving(at: server.port, file: file.path)) }
        let name = file.path.shellWord
        context.diagnostics.note("serving \(HostPath(project.capsule)) at 127.0.0.1:\(server.port), port file \(name)")
        guard !command[.program].isEmpty else {
            try server.run()
            server.end()
            // ^C is how a server ends.
            let signal = HostProcess.interruption ?? Self.interrupt
            return signal == Self.interrupt ? .success : .interrupted(by: signal)
        }
        return try run(command[.program], beside: server, file.path)
    }

    /// Runs a command while the server answers, and ends with the command's status.
    private func run(
        _ program: [[UInt8]], beside server: LoopbackServer, _ file: HostPath
    ) throws(CapsuleError) -> ExitStatus {
        server.runInBackground()
        defer { server.end() }
        let variables = ["CAPSULE_PORT_FILE", "TEST_RUNNER_CAPSULE_PORT_FILE"].map { ($0, file.bytes) }
        do throws(CapsuleError) {
            let ran = try CommandRecording.execute(
                program, sharesOutput: !context.command[.json], with: Dictionary(uniqueKeysWithValues: variables))
            return ExitStatus(code: ran.status)
        } catch {
            return try context.unstarted(program, error)
        }
    }

    /// Finds the project, and makes its root the current directory, for the commands that answer requests.
    private func project() throws(CapsuleError) -> Project {
        if let root = context.command[.root] { try HostProcess.enter(HostPath(root)) }
        let home = context.process.environment("HOME")
        guard let outer = try Project.find(home: home) else { throw Project.missing("'serve' needs one") }
        try HostProcess.enter(outer.root)
        guard let project = try Project.find(home: home) else { throw Project.missing("'serve' needs one") }
        guard !project.app.starts(with: Array("sim:all/".utf8)) else {
            throw CapsuleError(
                .usage, "names several simulators, and a test resets one", path: HostPath(project.app),
                hint: "write 'sim:BUNDLE-ID' as App in .capsule.plist: each test names its own simulator")
        }
        return project
    }

    /// 256 random bits, in hexadecimal.
    private static func randomToken() -> String {
        (0..<32).map { _ in
            let byte = UInt8.random(in: .min ... .max)
            return (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }.joined()
    }
}
