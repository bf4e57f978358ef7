import CapsuleContainers
package import CapsuleCore
import CapsuleSystem

/// Answers requests on the loopback, each on a thread of its own.
///
/// A connection carries one request, which must arrive within seconds, however slowly its bytes come. There are at most so many
/// connections; more wait until one of them ends.
package final class LoopbackServer: Sendable {
    package struct Reply: Sendable {
        let status: Int
        let body: [UInt8]

        package init(status: Int, body: [UInt8]) { (self.status, self.body) = (status, body) }
    }

    /// A process on a Mac has 256 descriptors by default, and each command that answers needs a few.
    private static let mostConnections = 128
    private static let timeToSend = Duration.seconds(5)
    private static let timeToReceive = Duration.seconds(30)
    private static let timeToEnd = Duration.seconds(1)
    /// How often a wait looks whether the server ends, in milliseconds.
    private static let step: Int32 = 200

    package var port: UInt16 { listener.port }
    private let listener: LoopbackListener
    private let gate: RequestGate
    private let answer: @Sendable (Result<ReceivedRequest, RequestRefusal>) -> Reply
    private let connections = Monitor()
    // The monitor protects these.
    private nonisolated(unsafe) var count = 0
    private nonisolated(unsafe) var isEnding = false

    /// - Parameters:
    ///   - port: 0 for a free one.
    ///   - answer: carries out a request, or puts a refusal into words.
    package init(
        port: UInt16, token: String, answer: @escaping @Sendable (Result<ReceivedRequest, RequestRefusal>) -> Reply
    ) throws(CapsuleError) {
        do throws(CapsuleError) {
            listener = try LoopbackListener(port: port)
        } catch {
            throw port == 0 ? error : error.hinting("without '--port', it listens on a free port")
        }
        gate = RequestGate(port: listener.port, token: token)
        self.answer = answer
    }

    /// Takes connections until a signal or ``end()`` ends that.
    package func run() throws(CapsuleError) {
        while HostProcess.interruption == nil, connections.locked({ !isEnding }) {
            // A signal that comes just before poll(2) does not end it.
            guard let connection = try listener.accept(milliseconds: Self.step), begin() else { continue }
            let thread = DeepThread { [self] in
                serve(connection)
                leave()
            }
            // Without a thread the connection closes, and the client may try again.
            if let thread { thread.detach() } else { leave() }
        }
    }

    /// Takes connections on another thread until the process ends.
    package func runInBackground() {
        DeepThread { [self] in try? run() }?.detach()
    }

    /// Waits until the requests in progress are answered. New ones are refused.
    package func end() {
        connections.changing { isEnding = true }
        connections.when({ count == 0 }) {}
    }

    /// Waits until there may be another connection.
    /// - Returns: false if the server ends meanwhile.
    private func begin() -> Bool {
        connections.when({ count < Self.mostConnections || isEnding }) {
            if isEnding { return false }
            count += 1
            return true
        }
    }

    private func leave() {
        connections.changing { count -= 1 }
    }

    private func serve(_ connection: LoopbackConnection) {
        guard let received = receive(from: connection) else { return }
        let reply = answer(received).bytes
        reply.withUnsafeBytes { try? connection.write($0, until: .now + Self.timeToReceive) }
        connection.finish(until: .now + Self.timeToEnd, discardingUpTo: 2 * RequestReader.longestBody)
    }

    /// - Returns: nil if the client closed the connection, or was too slow to send anything.
    private func receive(from connection: LoopbackConnection) -> Result<ReceivedRequest, RequestRefusal>? {
        let deadline = ContinuousClock.now + Self.timeToSend
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 12, alignment: 16)
        defer { buffer.deallocate() }
        var reader = RequestReader()
        while true {
            let count: Int
            do throws(CapsuleError) {
                count = try connection.read(into: buffer, until: deadline)
            } catch {
                guard error.code == .time, reader.hasBegun else { return nil }
                return .failure(RequestRefusal(408, "the request did not arrive within 5 seconds"))
            }
            guard count > 0 else { return nil }
            do throws(RequestRefusal) {
                guard let request = try reader.take(UnsafeRawBufferPointer(rebasing: buffer[..<count])) else { continue }
                try gate.check(request)
                return .success(request)
            } catch {
                return .failure(error)
            }
        }
    }
}

extension LoopbackServer.Reply {
    /// The words of the status codes in use (RFC 9110, section 15).
    private static let words = [
        200: "OK", 400: "Bad Request", 401: "Unauthorized", 403: "Forbidden", 404: "Not Found", 405: "Method Not Allowed",
        408: "Request Timeout", 411: "Length Required", 413: "Content Too Large", 421: "Misdirected Request",
        431: "Request Header Fields Too Large", 500: "Internal Server Error", 505: "HTTP Version Not Supported",
    ]

    /// The reply as it is sent.
    var bytes: [UInt8] {
        var head = "HTTP/1.1 \(status) \(Self.words[status] ?? "")\r\n"
        head +=
            "Content-Type: application/json\r\nContent-Length: \(body.count)\r\nCache-Control: no-store\r\nConnection: close\r\n"
        if status == 401 { head += "WWW-Authenticate: Bearer\r\n" }
        if status == 405 { head += "Allow: POST\r\n" }
        return Array((head + "\r\n").utf8) + body
    }
}
