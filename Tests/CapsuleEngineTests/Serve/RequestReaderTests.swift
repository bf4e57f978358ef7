import CapsuleCore
import CapsuleEngine
import Testing

@Suite struct RequestReaderTests {
    private static func read(_ text: String) throws(RequestRefusal) -> ReceivedRequest? {
        var reader = RequestReader()
        return try Array(text.utf8).withRawBytes { (bytes) throws(RequestRefusal) in try reader.take(bytes) }
    }

    private static let head = "POST /v1/restore HTTP/1.1\r\nHost: 127.0.0.1:80\r\n"

    @Test func requestHasItsFieldsAndBody() throws {
        let request = try #require(try Self.read(Self.head + "X-A:\t b c \r\nContent-Length: 2\r\n\r\n{}GET /"))
        #expect(request.method == "POST" && request.target == "/v1/restore" && request.body == Array("{}".utf8))
        #expect(request.values(of: "x-a") == [Array("b c".utf8)])
        #expect(try Self.read(Self.head + "\r\n")?.body == [])
    }

    @Test func eachByteMayArriveByItself() throws {
        let text = Self.head + "Content-Length: 2\r\n\r\n{}"
        var reader = RequestReader()
        for (place, byte) in text.utf8.enumerated() {
            let request = try [byte].withRawBytes { (bytes) throws(RequestRefusal) in try reader.take(bytes) }
            #expect((request != nil) == (place == text.utf8.count - 1))
        }
    }

    @Test(arguments: [
        ("POST /\r\n\r\n", 400), (" POST / HTTP/1.1\r\n\r\n", 400), ("POST  / HTTP/1.1\r\n\r\n", 400),
        ("POST http://127.0.0.1/ HTTP/1.1\r\n\r\n", 400), ("POST /\u{e9} HTTP/1.1\r\n\r\n", 400),
        ("POST / HTTP/2\r\n\r\n", 505), ("P(ST / HTTP/1.1\r\n\r\n", 400), ("\r\nPOST / HTTP/1.1\r\n\r\n", 400),
        (head + " folded\r\n\r\n", 400), (head + "Name : x\r\n\r\n", 400), (head + "Name\r\n\r\n", 400),
        (head + ": x\r\n\r\n", 400),
        (head + "A: x\nB: y\r\n\r\n", 400), (head + "A: x\rB: y\r\n\r\n", 400), (head + "A: x\u{0}\r\n\r\n", 400),
        (head + "A: x\u{1b}\r\n\r\n", 400),
        (head + "Transfer-Encoding: chunked\r\n\r\n", 411), (head + "Content-Length: 1\r\nContent-Length: 1\r\n\r\n", 400),
        (head + "Content-Length: +1\r\n\r\n", 400), (head + "Content-Length: -1\r\n\r\n", 400),
        (head + "Content-Length:\r\n\r\n", 400), (head + "Content-Length: 0x1\r\n\r\n", 400),
        (head + "Content-Length: 65537\r\n\r\n", 413), (head + "Content-Length: 99999999999999999999\r\n\r\n", 413),
        (head + String(repeating: "A: x\r\n", count: 64) + "\r\n", 431),
        (head + "A: " + String(repeating: "x", count: 16_384), 431),
        (head + "A: " + String(repeating: "x", count: 16_384) + "\r\n\r\n", 431),
    ])
    func malformedRequestIsRefused(_ text: String, status: Int) {
        let refusal = #expect(throws: RequestRefusal.self) { try Self.read(text) }
        #expect(refusal?.status == status && refusal?.reason.isEmpty == false)
    }

    @Test func unfinishedRequestWaits() throws {
        let whole = Self.head + "Content-Length: 2\r\n\r\n{}"
        for count in 0..<whole.utf8.count {
            let part = String(decoding: whole.utf8.prefix(count), as: UTF8.self)
            #expect(try Self.read(part) == nil)
        }
    }
}

@Suite struct RequestGateTests {
    private static let gate = RequestGate(port: 81, token: "secret")

    private static func refusal(_ fields: String, method: String = "POST") throws -> Int? {
        var reader = RequestReader()
        let text = Array("\(method) / HTTP/1.1\r\n\(fields)\r\n".utf8)
        let request = try #require(try text.withRawBytes { (bytes) throws(RequestRefusal) in try reader.take(bytes) })
        do throws(RequestRefusal) {
            try gate.check(request)
            return nil
        } catch {
            return error.status
        }
    }

    private static let token = "Authorization: Bearer secret\r\n"
    private static let host = "Host: 127.0.0.1:81\r\n"

    @Test func onlyAProgramWithTheTokenPasses() throws {
        #expect(try Self.refusal(Self.host + Self.token) == nil)
        #expect(try Self.refusal("Host: localhost:81\r\n" + Self.token) == nil)
        #expect(try Self.refusal(Self.host + Self.token, method: "GET") == 405)
        for token in [
            "", "Bearer ", "Bearer secre", "Bearer secret0", "bearer secret", "Bearer Secret", "Basic secret", "secret",
        ] {
            #expect(try Self.refusal(Self.host + "Authorization: \(token)\r\n") == 401)
        }
        #expect(try Self.refusal(Self.host) == 401)
        #expect(try Self.refusal(Self.host + Self.token + Self.token) == 401)
    }

    @Test func pageOfABrowserIsRefused() throws {
        for host in ["", "Host: 127.0.0.1\r\n", "Host: 127.0.0.1:82\r\n", "Host: evil.example:81\r\n", Self.host + Self.host] {
            #expect(try Self.refusal(host + Self.token) == 421)
        }
        for origin in ["http://evil.example", "null", "http://127.0.0.1:81"] {
            #expect(try Self.refusal(Self.host + Self.token + "Origin: \(origin)\r\n") == 403)
        }
    }
}
