import CapsuleContainers
import CapsuleCore
import CapsuleEngine
import Synchronization

/// Answers requests, each by a command line of its own process: what goes wrong there ends there.
final class ServedAnswers: Sendable {
    private let diagnostics: Diagnostics
    private let project: Project
    private let files: ServerFiles
    private let queue = ContainerQueue()
    /// The versions that apps were made equal to, by simulator.
    private let restored = Mutex<[String?: String]>([:])

    init(_ context: CommandContext, _ project: Project, _ files: ServerFiles) {
        (diagnostics, self.project, self.files) = (context.diagnostics, project, files)
    }

    func reply(to received: Result<ReceivedRequest, RequestRefusal>) -> LoopbackServer.Reply {
        do throws(RequestRefusal) {
            let request = try received.get()
            guard let action = ServedRequest.Action(target: request.target) else {
                let known = ServedRequest.Action.allCases.map { "/v1/\($0.rawValue)" }.joined(separator: ", ")
                throw RequestRefusal(404, "there is no \(request.target): requests go to \(known)")
            }
            return reply(to: action, request.body)
        } catch {
            diagnostics.note("refused: \(error.reason)")
            return Self.failure(CapsuleError(.usage, error.reason), status: error.status)
        }
    }

    private func reply(to action: ServedRequest.Action, _ body: [UInt8]) -> LoopbackServer.Reply {
        do throws(CapsuleError) {
            let request = try ServedRequest(action, body, of: project) { device in restored.withLock { $0[device] } }
            if let device = request.device { try check(device) }
            return try queue.run(for: project.device == nil ? request.device : nil) { () throws(CapsuleError) in
                try carryOut(request)
            }
        } catch {
            diagnostics.error(error)
            return Self.failure(error, status: error.code == .usage ? 400 : 500)
        }
    }

    private func carryOut(_ request: ServedRequest) throws(CapsuleError) -> LoopbackServer.Reply {
        let clock = ContinuousClock()
        let start = clock.now
        let page = request.wantsPage ? files.newPage() : nil
        var arguments = request.arguments
        if let page { arguments += [Array("--html".utf8), page.bytes] }
        let variables = request.device.map { ["SIMULATOR_UDID": Array($0.utf8)] } ?? [:]
        let ran = try HostProcess.runAgain(arguments, with: variables)
        if request.action == .restore, ran.status == 0 { restored.withLock { $0[request.device] = request.version } }
        let milliseconds = (clock.now - start) / .milliseconds(1)
        let words = ProjectCommandLine.text(of: request.arguments.dropLast())
        let place = request.device.map { " on \($0)" } ?? ""
        diagnostics.note("\(words)\(place): status \(ran.status), \(Int(milliseconds)) ms")
        let lines = ran.output.split(separator: UInt8(ascii: "\n")).map { JSONText($0) }
        let content = try page.flatMap { (page) throws(CapsuleError) in try files.take(page) }
        let reply = JSONReporter().served(status: ran.status, lines, messages: ran.errors, page: content)
        return LoopbackServer.Reply(status: Self.status(of: ran.status), body: reply)
    }

    /// The status code for an exit status: of the verbs here, 1 is a difference.
    private static func status(of exit: Int32) -> Int {
        switch exit {
        case 0, ExitStatus.different.code: 200
        case ExitStatus.usage.code: 400
        default: 500
        }
    }

    /// Throws if the project's app is on another simulator than the test.
    private func check(_ device: String) throws(CapsuleError) {
        guard project.device != nil else { return }
        let place = try Container(project.app).liveDirectory()
        let components = place.bytes.split(separator: UInt8(ascii: "/"))
        guard !components.contains(where: { String(decoding: $0, as: UTF8.self).lowercased() == device.lowercased() }) else {
            return
        }
        throw CapsuleError(
            .usage, "is not on the simulator of the test, \(device)", path: HostPath(project.app),
            hint: "write 'sim:BUNDLE-ID' as App in .capsule.plist: each test then has its own simulator's")
    }

    private static func failure(_ error: CapsuleError, status: Int) -> LoopbackServer.Reply {
        let exit = error.code == .usage ? ExitStatus.usage : .failure
        let line = JSONText(JSONError(error, exit).line.dropLast())
        return LoopbackServer.Reply(
            status: status, body: JSONReporter().served(status: exit.code, [line], messages: [], page: nil))
    }
}

/// Lets one command at a time change a container; others wait.
private final class ContainerQueue: Sendable {
    private let monitor = Monitor()
    // The monitor protects this.
    private nonisolated(unsafe) var busy: Set<String> = []

    /// - Parameter device: the simulator of the container; nil if the project has only one.
    func run<Outcome>(
        for device: String?, _ body: () throws(CapsuleError) -> Outcome
    ) throws(CapsuleError) -> Outcome {
        let name = device?.lowercased() ?? ""
        monitor.when({ !busy.contains(name) }) { _ = busy.insert(name) }
        defer { monitor.changing { _ = busy.remove(name) } }
        return try body()
    }
}
