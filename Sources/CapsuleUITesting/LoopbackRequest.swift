import Foundation

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// A request to a server on 127.0.0.1 (RFC 9112), over a socket: Foundation on Linux has no URLSession.
struct LoopbackRequest {
    private static let longestAnswer = 64 << 20
    private static let endOfHead = Array("\r\n\r\n".utf8)

    let action: String
    let token: String
    let port: UInt16
    let body: Data

    /// Sends the request and waits for the answer, without a time limit: the server carries out one after the other.
    /// - Returns: the body of the answer.
    func answer() throws -> Data {
        let socket = try connected()
        defer { close(socket) }
        try send(message, to: socket)
        let answer = try receive(from: socket)
        guard let head = answer.indices.first(where: { answer[$0...].starts(with: Self.endOfHead) }) else {
            throw Self.failure("the answer has no head")
        }
        return Data(answer[(head + Self.endOfHead.count)...])
    }

    private var message: Data {
        let head = """
            POST /v1/\(action) HTTP/1.1\r
            Host: 127.0.0.1:\(port)\r
            Authorization: Bearer \(token)\r
            Content-Type: application/json\r
            Content-Length: \(body.count)\r
            Connection: close\r
            \r

            """
        return Data(head.utf8) + body
    }

    private func connected() throws -> Int32 {
        #if canImport(Darwin)
        let opened = socket(AF_INET, SOCK_STREAM, 0)
        #else
        let opened = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #endif
        guard opened >= 0 else { throw Self.failure("no socket") }
        #if canImport(Darwin)
        // A server that ends meanwhile is an error, not a signal.
        var on: Int32 = 1
        setsockopt(opened, SOL_SOCKET, SO_NOSIGPIPE, &on, socklen_t(MemoryLayout<Int32>.size))
        #endif
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let result = withUnsafePointer(to: &address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(opened, $0, length) }
        }
        guard result == 0 else {
            close(opened)
            throw CapsuleServer.Failure(
                status: 2, message: "capsule serve does not answer on port \(port)", hint: "is it still running?")
        }
        return opened
    }

    private func send(_ message: Data, to socket: Int32) throws {
        let bytes = [UInt8](message)
        var done = 0
        while done < bytes.count {
            let sent = bytes[done...].withUnsafeBytes { bytes in
                #if canImport(Darwin)
                Darwin.send(socket, bytes.baseAddress, bytes.count, 0)
                #else
                Glibc.send(socket, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
                #endif
            }
            if sent > 0 { done += sent } else if errno != EINTR { throw Self.failure("the request can't be sent") }
        }
    }

    private func receive(from socket: Int32) throws -> [UInt8] {
        var answer: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = read(socket, &buffer, buffer.count)
            if count == 0 { return answer }
            if count < 0, errno == EINTR { continue }
            guard count > 0, answer.count + count <= Self.longestAnswer else { throw Self.failure("the answer can't be read") }
            answer += buffer[..<count]
        }
    }

    private static func failure(_ message: String) -> CapsuleServer.Failure {
        CapsuleServer.Failure(status: 2, message: "\(message) (capsule serve)", hint: nil)
    }
}
