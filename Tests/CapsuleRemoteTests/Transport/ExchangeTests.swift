import CapsuleCore
import Synchronization
import TestSupport
import Testing

@testable import CapsuleRemote

/// A server's behavior in one try of a request.
private struct Reply {
    var status = 200
    var fields: [String: String] = [:]
    var body = ""
    /// libcurl's code.
    var code: UInt32 = 0

    static func part(_ range: ClosedRange<Int>, of total: Int, _ body: String, tag: String? = nil, code: UInt32 = 0) -> Reply {
        var fields = ["Content-Range": "bytes \(range.lowerBound)-\(range.upperBound)/\(total)"]
        fields["ETag"] = tag
        return Reply(status: 206, fields: fields, body: body, code: code)
    }

    static func broken(_ code: UInt32) -> Reply { Reply(status: 0, code: code) }
    static func to(_ location: String) -> Reply { Reply(status: 302, fields: ["Location": location]) }
}

private final class Recorder: BodyReceiver {
    private let state = Mutex<(text: String, begins: Int)>(("", 0))
    private let limit: Int

    init(limit: Int = .max) { self.limit = limit }

    var text: String { state.withLock { $0.text } }
    var begins: Int { state.withLock { $0.begins } }
    var isDone: Bool { state.withLock { $0.text.utf8.count } >= limit }
    func begin(_ head: HTTPHead) { state.withLock { $0 = ("", $0.begins + 1) } }
    func receive(_ bytes: [UInt8]) { state.withLock { $0.text += String(decoding: bytes, as: UTF8.self) } }
}

/// A request that meets servers.
private struct Run {
    /// The lines of each try, and the time in milliseconds before the next one.
    private(set) var tries: [[String]] = []
    private(set) var waits: [Int] = []
    private(set) var reasons: [String?] = []
    private(set) var answer: HTTPAnswer?

    init(_ request: HTTPRequest, _ replies: [Reply]) throws {
        let exchange = Exchange(request, index: 0)
        for reply in replies {
            tries.append(exchange.start().map { "\($0.key) \($0.value)" })
            switch try Self.outcome(exchange, reply) {
            case .answer(let found):
                answer = found
                return
            case .again(let milliseconds, let reason):
                waits.append(milliseconds)
                reasons.append(reason)
            }
        }
    }

    private static func outcome(_ exchange: Exchange, _ reply: Reply) throws -> Exchange.Outcome {
        if reply.status > 0 {
            let head = HTTPHead(status: reply.status, fields: reply.fields.map { HTTPHeader($0.key, $0.value) })
            if case .forget(let outcome) = try exchange.take(head) { return outcome }
            let body = Array(reply.body.utf8)
            let step = body.count < 1_000 ? 1 : 65_536
            for start in stride(from: 0, to: body.count, by: step) {
                let piece = Array(body[start..<min(start + step, body.count)])
                if case .forget(let outcome) = try exchange.take(piece) { return outcome }
            }
        }
        switch try exchange.end(HelperFrame.TransferEnd(code: reply.code, message: "said\nso")) {
        case .end(let outcome), .forget(let outcome): return outcome
        case .wait: throw SupportError("the exchange waits after the end")
        }
    }

    /// The values of a header in each try.
    func headers(_ name: String) -> [[String]] {
        tries.map { $0.filter { $0.hasPrefix("header \(name): ") }.map { String($0.dropFirst(9 + name.count)) } }
    }

    var urls: [String] { tries.flatMap { $0.filter { $0.hasPrefix("url ") }.map { String($0.dropFirst(4)) } } }
}

private func get(
    _ text: String = "https://a/f", range: Range<UInt64>? = nil, suffix: UInt64? = nil, to receiver: Recorder? = nil
) throws -> HTTPRequest {
    var request = HTTPRequest(.get, try WebAddress(parsing: text), range: range)
    request.suffix = suffix
    request.receiver = receiver
    return request
}

@Suite struct ExchangeRedirectTests {
    @Test func redirectsAreFollowedUpToALimit() throws {
        let run = try Run(get(), Array(repeating: .to("g"), count: 5) + [Reply(body: "x")])
        #expect(run.urls == ["https://a/f"] + Array(repeating: "https://a/g", count: 5))
        #expect(run.answer?.address.text == "https://a/g")
        #expect(run.answer?.body == Array("x".utf8))
        let error = failure { try Run(get("https://a/f?secret"), Array(repeating: .to("g"), count: 6)) }
        #expect(error?.message == "the server redirects more than 5 times")
        #expect(error?.path == HostPath("https://a/f"))
    }

    @Test func encryptionIsKept() throws {
        #expect(failure { try Run(get(), [.to("http://a/f")]) }?.code == .refused)
        #expect(try Run(get("http://a/f"), [.to("http://b/"), .to("https://b/"), Reply()]).answer != nil)
        #expect(failure { try Run(get("http://a/f"), [.to("https://b/"), .to("http://b/")]) }?.code == .refused)
        #expect(try Run(get(), [Reply()]).tries[0].contains("plain ") == false)
        #expect(try Run(get("http://a"), [Reply()]).tries[0].contains("plain "))
    }

    @Test(arguments: ["ftp://a/", "https://u:secret@a/", "https://", "https://a:0/"])
    func otherPlacesAreRefused(location: String) {
        let error = failure { try Run(get(), [.to(location)]) }
        #expect(error?.message == "the server redirects to something that is not a web address")
        // The user has not made a mistake.
        #expect(error?.code == .failure)
    }

    @Test func aSecretGoesToTheSameOriginOnly() throws {
        var request = try get()
        request.authorization = "Bearer secret"
        request.fields = [HTTPHeader("Accept", "x")]
        let places = ["https://a/g", "https://a:444/", "https://b/", "https://a:443/h"]
        let run = try Run(request, places.map { .to($0) } + [Reply()])
        #expect(run.headers("Authorization") == [["Bearer secret"], ["Bearer secret"], [], [], ["Bearer secret"]])
        #expect(run.headers("Accept") == Array(repeating: ["x"], count: 5))
        var plain = try get("http://a/f")
        plain.authorization = "Bearer secret"
        #expect(try Run(plain, [.to("https://a/f"), Reply()]).headers("Authorization") == [["Bearer secret"], []])
    }

    @Test func uploadsAreNotRedirected() throws {
        var request = HTTPRequest(.put, try WebAddress(parsing: "https://a/"))
        request.body = HTTPBody([1, 2])
        let run = try Run(request, [.to("https://a/b")])
        #expect(run.answer?.status == 302)
        #expect(run.tries[0].contains("body 2"))
    }

    @Test func anExpiredPlaceIsAskedForOnceMore() throws {
        let receiver = Recorder()
        let replies: [Reply] = [
            .to("https://b/1"), .part(0...3, of: 8, "ab", code: 56), Reply(status: 403), .to("https://b/2"),
            .part(2...3, of: 8, "cd"),
        ]
        let run = try Run(get(range: 0..<4, to: receiver), replies)
        #expect(run.urls == ["https://a/f", "https://b/1", "https://b/1", "https://a/f", "https://b/2"])
        #expect(receiver.text == "abcd")
        let twice = try Run(get(range: 0..<4, to: Recorder()), replies.dropLast() + [Reply(status: 403)])
        #expect(twice.answer?.status == 403)
        #expect(try Run(get(), [.to("https://b/1"), Reply(status: 403)]).answer?.status == 403)
    }
}

@Suite struct ExchangeRetryTests {
    @Test(arguments: [408, 429, 500, 502, 503, 504])
    func aBusyServerIsAskedAgain(status: Int) throws {
        let run = try Run(get(), Array(repeating: Reply(status: status), count: 9))
        #expect(run.tries.count == 5)
        #expect(run.answer?.status == status)
        for (number, wait) in run.waits.enumerated() {
            #expect((225 << number...275 << number).contains(wait), "try \(number): \(wait)")
        }
        #expect(run.reasons.allSatisfy { $0 == nil })
    }

    @Test(arguments: [400, 401, 403, 404, 416, 501])
    func otherAnswersAreFinal(status: Int) throws {
        let run = try Run(get(), [Reply(status: status, body: "why")])
        #expect(run.answer?.status == status)
        #expect(run.answer?.body == Array("why".utf8))
    }

    @Test func theServerSaysHowLong() throws {
        func run(_ text: String, _ status: Int = 503) throws -> Run {
            try Run(get("https://a:444/f?secret"), [Reply(status: status, fields: ["Retry-After": text]), Reply()])
        }
        #expect(try run("7").waits == [7_000])
        #expect(try run("7", 429).reasons == ["a:444 answered 429; trying again in 7 s"])
        #expect(try run("120").waits == [120_000])
        #expect(try run("121").answer?.status == 503)
        #expect(try run("1").reasons == [nil])
        for text in ["0", "-1", "soon", "Fri, 17 May 2024 10:30:00 GMT", "99999999999999999999"] {
            #expect(try run(text).waits.allSatisfy { (225...275).contains($0) }, "\(text)")
        }
    }

    @Test func anErrorIsReadInPart() throws {
        let run = try Run(get(), [Reply(status: 404, body: String(repeating: "x", count: 70_000))])
        #expect(run.answer?.body.count == 65_536)
        var request = try get()
        request.limit = 3
        #expect(try Run(request, [Reply(body: "abc")]).answer?.body == Array("abc".utf8))
        #expect(failure { try Run(request, [Reply(body: "abcd")]) }?.code == .limit)
    }

    @Test(arguments: [(6, 2), (7, 3), (18, 5), (28, 2), (35, 3), (56, 5), (60, 1), (92, 5), (23, 1), (1, 1)] as [(UInt32, Int)])
    func aFailureIsReportedAfterSomeTries(code: UInt32, tries: Int) throws {
        let broken = Array(repeating: Reply.broken(code), count: tries)
        #expect(try Run(get(), Array(broken.dropLast()) + [Reply()]).answer?.status == 200)
        let error = failure { try Run(get("https://a/f?secret"), broken + [Reply()]) }
        #expect(error?.path == HostPath("https://a/f"))
        #expect(error?.message.contains("\n") == false)
    }

    @Test func anUploadThatMayHaveArrivedIsNotRepeated() throws {
        var request = HTTPRequest(.post, try WebAddress(parsing: "https://a/"))
        #expect(failure { try Run(request, [.broken(56)]) } != nil)
        #expect(try Run(request, [.broken(7), Reply(status: 201)]).answer?.status == 201)
        #expect(try Run(request, [Reply(status: 500)]).answer?.status == 500)
        #expect(try Run(request, [Reply(status: 503), Reply(status: 429), Reply(status: 202)]).answer?.status == 202)
        request.method = .head
        #expect(try Run(request, [.broken(56), Reply()]).answer?.status == 200)
    }

    @Test func progressBeginsTheCountAnew() throws {
        let receiver = Recorder()
        let piece = String(repeating: "x", count: 1 << 20)
        let total = 12 << 20
        let replies = (0..<12).map { Reply.part($0 << 20...total - 1, of: total, piece, code: $0 < 11 ? 56 : 0) }
        #expect(try Run(get(range: 0..<UInt64(total), to: receiver), replies).answer?.status == 206)
        #expect(receiver.text.utf8.count == total)
        #expect(receiver.begins == 1)
    }

    @Test func breaksAreBoundedInAll() throws {
        let piece = String(repeating: "x", count: 1 << 20)
        let total = 40 << 20
        let replies = (0..<40).map { Reply.part($0 << 20...total - 1, of: total, piece, code: $0 < 39 ? 56 : 0) }
        let error = failure { try Run(get(range: 0..<UInt64(total), to: Recorder()), replies) }
        #expect(error?.message.hasPrefix("the connection broke") == true)
        #expect(failure { try Run(get(), [.broken(28), .broken(28)]) }?.code == .time)
    }
}

@Suite struct ExchangeRangeTests {
    @Test func aBrokenRangeContinues() throws {
        let receiver = Recorder()
        let run = try Run(
            get(range: 4..<10, to: receiver),
            [
                .part(4...9, of: 20, "ef", tag: "\"1\"", code: 18), .part(6...9, of: 20, "g", tag: "\"1\""),
                .part(7...9, of: 20, "hij"),
            ])
        #expect(run.headers("Range") == [["bytes=4-9"], ["bytes=6-9"], ["bytes=7-9"]])
        #expect(run.headers("If-Range") == [[], ["\"1\""], ["\"1\""]])
        #expect(receiver.text == "efghij")
        #expect(receiver.begins == 1)
    }

    @Test func aBrokenEndContinues() throws {
        let receiver = Recorder()
        let run = try Run(
            get(suffix: 4, to: receiver), [.part(6...9, of: 10, "gh", code: 56), .part(8...9, of: 10, "ij")])
        #expect(run.headers("Range") == [["bytes=-4"], ["bytes=8-9"]])
        #expect(receiver.text == "ghij")
    }

    @Test func aWholeAnswerContinuesToo() throws {
        for request in [try get(range: 4..<10), try get(suffix: 4), try get()] {
            var request = request
            let receiver = Recorder()
            request.receiver = receiver
            let whole = Reply(fields: ["Content-Length": "10", "ETag": "\"1\""], body: "abc", code: 18)
            let run = try Run(request, [whole, .part(3...9, of: 10, "defghij")])
            #expect(run.headers("Range").last == ["bytes=3-9"])
            #expect(receiver.text == "abcdefghij")
        }
    }

    @Test func anAnswerOfUnknownLengthBeginsAnew() throws {
        let receiver = Recorder()
        let run = try Run(get(to: receiver), [Reply(body: "ab", code: 56), Reply(body: "abc")])
        #expect(run.headers("Range") == [[], []])
        #expect(receiver.text == "abc")
        #expect(receiver.begins == 2)
    }

    @Test func aServerThatCanNotContinueBeginsAnew() throws {
        let receiver = Recorder()
        let whole = ["Content-Length": "4"]
        let run = try Run(
            get(to: receiver),
            [Reply(fields: whole, body: "ab", code: 18), Reply(fields: whole, body: "abc", code: 18), .part(3...3, of: 4, "d")])
        #expect(run.headers("Range") == [[], ["bytes=2-3"], ["bytes=3-3"]])
        #expect(receiver.text == "abcd")
    }

    @Test(arguments: ["bytes 5-9/20", "bytes 4-8/20", "bytes 4-10/20", "items 4-9/20", "bytes 4-9/*", ""])
    func otherBytesAreRefused(text: String) {
        let error = failure { try Run(get(range: 4..<10), [Reply(status: 206, fields: ["Content-Range": text])]) }
        #expect(error?.code == .damaged)
    }

    @Test func whatWasNotAskedForIsRefused() {
        #expect(failure { try Run(get(), [.part(0...1, of: 2, "ab")]) }?.code == .damaged)
        #expect(failure { try Run(get(suffix: 2), [.part(0...1, of: 9, "ab")]) }?.code == .damaged)
        let other: [Reply] = [.part(4...9, of: 20, "ef", code: 18), .part(6...9, of: 21, "ghij")]
        #expect(failure { try Run(get(range: 4..<10, to: Recorder()), other) }?.code == .damaged)
        #expect(failure { try Run(get(range: 4..<6, to: Recorder()), [.part(4...5, of: 9, "abc")]) }?.code == .damaged)
    }

    @Test func aShortAnswerIsRepeated() throws {
        let receiver = Recorder()
        #expect(try Run(get(range: 4..<6, to: receiver), [.part(4...5, of: 9, "e"), .part(5...5, of: 9, "f")]).answer != nil)
        #expect(receiver.text == "ef")
        let short = [Reply.part(4...5, of: 9, "e")] + Array(repeating: .part(5...5, of: 9, ""), count: 4)
        let error = failure { try Run(get(range: 4..<6, to: Recorder()), short) }
        #expect(error?.message == "the connection broke before the answer was complete")
    }

    @Test func aReceiverCanHaveEnough() throws {
        let receiver = Recorder(limit: 2)
        #expect(try Run(get(to: receiver), [Reply(body: "abcdef", code: 56)]).answer?.status == 200)
        #expect(receiver.text == "ab")
    }
}
