public import Foundation

/// The server of `capsule serve`, which resets and checks the app's data while a UI test runs.
///
///     let capsule = try CapsuleServer.fromEnvironment()
///     app.terminate()
///     try capsule.restore("clean")
///     app.launch()
///     …
///     try capsule.expect("run.plist")
///
/// The app must not run while its data is replaced. Calls block until the server has answered.
public struct CapsuleServer: Sendable {
    /// The server refuses a request, or carries it out and fails.
    public struct Failure: Error, CustomStringConvertible, LocalizedError, Sendable {
        /// The exit status of the command: 2 for a failure, 64 for a request that can't be understood.
        public let status: Int
        /// What went wrong, with the file that it is about: a sentence for people, which may change.
        public let message: String
        /// What to do about it; nil if nothing is known.
        public let hint: String?

        public var description: String { message + (hint.map { " (\($0))" } ?? "") }
        public var errorDescription: String? { description }
    }

    /// The data differs from what the expectation allows.
    public struct UnexpectedChanges: Error, CustomStringConvertible, LocalizedError, Sendable {
        /// What the expectation finds, a sentence each.
        public let findings: [String]
        /// All changes as a page in HTML, to attach to the test: `XCTAttachment(data: error.page, uniformTypeIdentifier: "public.html")`.
        public let page: Data

        public var description: String { "unexpected changes of the app's data: " + findings.joined(separator: "; ") }
        public var errorDescription: String? { description }
    }

    private struct PortFile: Decodable {
        let port: UInt16
        let token: String
    }

    private static let variables = ["CAPSULE_PORT_FILE", "TEST_RUNNER_CAPSULE_PORT_FILE"]

    private let port: UInt16
    private let token: String
    /// The simulator that the test runs on; nil if it runs on none.
    private let device: String?

    /// Finds the server by the port file that `CAPSULE_PORT_FILE` names, and the simulator by `SIMULATOR_UDID`.
    /// - Throws: ``Failure`` with the status 64 if there is no such variable or file.
    public static func fromEnvironment(
        _ environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws -> CapsuleServer {
        guard let path = variables.lazy.compactMap({ environment[$0] }).first(where: { !$0.isEmpty }) else {
            throw Failure(
                status: 64, message: "CAPSULE_PORT_FILE is not set",
                hint: "run the tests with: capsule serve -- xcodebuild test …")
        }
        return try CapsuleServer(portFile: URL(fileURLWithPath: path), device: environment["SIMULATOR_UDID"])
    }

    /// - Parameters:
    ///   - portFile: the file that `capsule serve --port-file` writes.
    ///   - device: the UDID of the simulator whose app is meant; nil if the project names one.
    /// - Throws: ``Failure`` with the status 64 if the file can't be read.
    public init(portFile: URL, device: String? = nil) throws {
        guard let data = try? Data(contentsOf: portFile), let file = try? JSONDecoder().decode(PortFile.self, from: data) else {
            throw Failure(
                status: 64, message: "\(portFile.path) is not a port file of capsule serve",
                hint: "is the server running, and does the test run on this machine?")
        }
        (port, token, self.device) = (file.port, file.token, device)
    }

    /// Makes the app's data equal to that of a version.
    /// - Parameter version: a label, a number, `~1` for the one before the newest.
    /// - Throws: ``Failure``. The data is then as it was.
    public func restore(_ version: String) throws {
        try perform("restore", ["version": version])
    }

    /// Adds the app's data to the project's capsule, as a new version.
    /// - Parameters:
    ///   - label: its label: letters, digits, `.`, `_` and `-`.
    ///   - moving: true to take the label from the version that has it.
    /// - Throws: ``Failure``, for example if a version has the label.
    public func pack(label: String, moving: Bool = false) throws {
        try perform("pack", ["label": label, "moveLabel": moving])
    }

    /// Compares the app's data with a version.
    /// - Parameter version: nil for the one that was restored last through this server, or else the newest.
    /// - Returns: a JSON object for each change, and others, as docs/json.md describes them for `diff`.
    /// - Throws: ``Failure``
    public func changes(since version: String? = nil) throws -> [Data] {
        try perform("diff", ["version": version].compactMapValues { $0 }).lines
            .map { try JSONSerialization.data(withJSONObject: $0) }
    }

    /// Compares the app's data with a version, and judges the changes.
    /// - Parameters:
    ///   - expectation: a file of the project; nil for the project's own.
    ///   - version: nil for the one that was restored last through this server, or else the newest.
    /// - Throws: ``UnexpectedChanges`` if the expectation fails, ``Failure`` if the data can't be compared.
    public func expect(_ expectation: String? = nil, since version: String? = nil) throws {
        var request: [String: any Sendable] = ["page": true]
        request["expectation"] = expectation
        request["version"] = version
        let reply = try perform("expect", request)
        guard reply.status != 0 else { return }
        let findings = reply.lines.filter { $0["kind"] as? String == "finding" }.compactMap { $0["message"] as? String }
        throw UnexpectedChanges(findings: findings, page: Data(reply.page.utf8))
    }
}

extension CapsuleServer {
    private struct Reply {
        let status: Int
        let lines: [[String: Any]]
        let page: String
    }

    /// - Throws: ``Failure`` for any exit status but those of a result: 0, and 1 for differences.
    @discardableResult
    private func perform(_ action: String, _ request: [String: any Sendable]) throws -> Reply {
        var request = request
        request["device"] = device
        let body = try JSONSerialization.data(withJSONObject: request)
        let answer = try LoopbackRequest(action: action, token: token, port: port, body: body).answer()
        guard let object = try? JSONSerialization.jsonObject(with: answer) as? [String: Any],
            let status = object["status"] as? Int, let lines = object["lines"] as? [[String: Any]]
        else {
            throw Failure(status: 2, message: "the answer of capsule serve is not complete", hint: nil)
        }
        guard status > 1 else { return Reply(status: status, lines: lines, page: object["page"] as? String ?? "") }
        let error = lines.last { $0["kind"] as? String == "error" } ?? [:]
        let message = error["message"] as? String ?? object["messages"] as? String ?? "failed"
        let path = (error["path"] as? String).map { "\($0): " } ?? ""
        throw Failure(status: status, message: path + message, hint: error["hint"] as? String)
    }
}
