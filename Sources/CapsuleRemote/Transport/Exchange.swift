package import CapsuleCore

/// One request on its way to an answer: redirects, retries, and the place where a broken transfer continues.
package final class Exchange {
    /// The next step.
    package enum Step {
        case wait
        /// The rest of the answer is not needed.
        case forget(Outcome)
        case end(Outcome)
    }

    package enum Outcome {
        case answer(HTTPAnswer)
        /// Send the request again, after a time in milliseconds.
        case again(after: Int, reason: String?)
    }

    package let index: Int
    private let original: HTTPRequest
    package private(set) var address: WebAddress
    private var redirects = 0
    private var tries = 0
    /// The bytes of the body that the receiver has, and their number at the last failure.
    private var received: UInt64 = 0
    private var receivedBefore: UInt64 = 0
    /// The content's length, the part of it that the body holds, and its strong entity tag, as the server said.
    private var total: UInt64?
    private var span: Range<UInt64>?
    private var tag: String?
    private var head: HTTPHead?
    private var collected: [UInt8] = []
    private var isContinuing = false
    /// True once a redirect that no longer leads anywhere was asked for anew.
    private var isRenewed = false

    private static let mostTries = 5
    private static let mostRedirects = 5
    /// The most bytes of an error's body that are read.
    private static let errorLimit = 64 << 10
    /// The number of bytes after which a broken transfer counts as a new one.
    private static let progress: UInt64 = 1 << 20

    /// The transfers that may still break, of all requests that are sent together.
    package final class Patience {
        fileprivate var breaks = 32
        package init() {}
    }

    private let patience: Patience

    package init(_ request: HTTPRequest, index: Int, patience: Patience = Patience()) {
        original = request
        self.patience = patience
        address = request.address
        self.index = index
    }

    package var body: HTTPBody? { original.body }

    private var isRead: Bool { original.method == .get || original.method == .head }

    /// The bytes of the content that this try asks for; nil for all, or for those at its end.
    private var wanted: Range<UInt64>? {
        guard isContinuing, let span else { return original.range }
        return (span.lowerBound + received)..<span.upperBound
    }

    /// Begins a try.
    /// - Returns: the lines of the request for the helper.
    package func start() -> [(key: String, value: String)] {
        isContinuing = received > 0 && received < span.map { UInt64($0.count) } ?? 0
        if !isContinuing { (received, span, total) = (0, nil, nil) }
        head = nil
        collected = []
        var lines = [(key: "url", value: address.text), ("method", original.method.rawValue)]
        var fields = original.fields
        // A body must stay as it is, and no server need be asked before it is sent.
        fields += [HTTPHeader("Accept-Encoding", "identity"), HTTPHeader("Expect", "")]
        if let wanted {
            fields.append(HTTPHeader("Range", "bytes=\(wanted.lowerBound)-\(wanted.upperBound - 1)"))
        } else if let suffix = original.suffix {
            fields.append(HTTPHeader("Range", "bytes=-\(suffix)"))
        }
        if isContinuing, let tag, !fields.contains(where: { $0.name == "If-Range" }) {
            fields.append(HTTPHeader("If-Range", tag))
        }
        if let authorization = original.authorization, address.origin == original.address.origin {
            fields.append(HTTPHeader("Authorization", authorization))
        }
        lines += fields.map { ("header", $0.value.isEmpty ? "\($0.name):" : "\($0.name): \($0.value)") }
        if let body { lines.append(("body", String(body.length))) }
        if address.scheme == .http { lines.append(("plain", "")) }
        return lines
    }

    package func take(_ head: HTTPHead) throws(CapsuleError) -> Step {
        self.head = head
        guard isContent(head) else { return .wait }
        if head.status == 206 {
            guard let content = head.contentRange, isAskedFor(content), total == nil || total == content.total else {
                throw CapsuleError(
                    .damaged,
                    "the server sent other bytes than those that were asked for: \(head["content-range"] ?? "no Content-Range")",
                    path: HostPath(address.shown))
            }
            total = content.total
            if !isContinuing { span = content.range }
        } else {
            received = 0
            total = head.length
            span = total.map { 0..<$0 }
        }
        tag = head.strongTag
        if received == 0 { try original.receiver?.begin(head) }
        return .wait
    }

    private func isContent(_ head: HTTPHead) -> Bool {
        (head.status == 200 || head.status == 206) && original.method == .get
    }

    /// Returns true if a part of the content is the one that this try asks for.
    private func isAskedFor(_ content: (range: Range<UInt64>, total: UInt64)) -> Bool {
        if let wanted { return content.range == wanted }
        return original.suffix != nil && content.range.upperBound == content.total
    }

    package func take(_ bytes: [UInt8]) throws(CapsuleError) -> Step {
        guard let head else { return .wait }
        let isContent = isContent(head)
        if isContent, let receiver = original.receiver {
            if let span, received + UInt64(bytes.count) > UInt64(span.count) {
                throw CapsuleError(
                    .damaged, "the server sent more bytes than those that were asked for", path: HostPath(address.shown))
            }
            try receiver.receive(bytes)
            received += UInt64(bytes.count)
            return receiver.isDone ? .forget(try judged(head)) : .wait
        }
        let limit = isContent || (200..<300).contains(head.status) ? original.limit : Self.errorLimit
        collected += bytes
        guard collected.count > limit else { return .wait }
        if isContent || (200..<300).contains(head.status) {
            throw CapsuleError(.limit, "the answer is longer than \(limit) bytes", path: HostPath(address.shown))
        }
        collected.removeLast(collected.count - limit)
        return .forget(try judged(head))
    }

    package func end(_ end: HelperFrame.TransferEnd) throws(CapsuleError) -> Step {
        if let failure = TransferFailure(end, from: address) { return .end(try retried(failure)) }
        guard let head else { throw CapsuleError("capsule-http reported no answer", path: HostPath(address.shown)) }
        if isContent(head), original.receiver != nil, let span, received < UInt64(span.count) {
            return .end(try retried(TransferFailure.short(address)))
        }
        return .end(try judged(head))
    }

    private func retried(_ failure: TransferFailure) throws(CapsuleError) -> Outcome {
        if received >= receivedBefore + Self.progress { tries = 0 }
        receivedBefore = received
        tries += 1
        patience.breaks -= 1
        // A body that was sent may have had its effect: uploads are begun anew by whoever knows what that means.
        guard tries < failure.tries, patience.breaks > 0, isRead || !failure.isLate else { throw failure.error }
        return .again(after: delay, reason: nil)
    }

    /// Doubles from try to try, with a little noise against clients in step.
    private var delay: Int {
        let delay = min(10_000, 125 << tries)
        return delay + Int.random(in: -delay / 10...delay / 10)
    }

    private func judged(_ head: HTTPHead) throws(CapsuleError) -> Outcome {
        switch head.status {
        case 301, 302, 303, 307, 308:
            guard isRead, original.followsRedirects, let location = head["location"] else { break }
            redirects += 1
            guard redirects <= Self.mostRedirects else {
                throw CapsuleError(
                    "the server redirects more than \(Self.mostRedirects) times", path: HostPath(original.address.shown))
            }
            guard let next = try? address.resolving(location) else {
                throw CapsuleError("the server redirects to something that is not a web address", path: HostPath(address.shown))
            }
            guard next.scheme == .https || address.scheme == .http else {
                throw CapsuleError(
                    .refused, "the server redirects from https to http, which would show others what is sent",
                    path: HostPath(address.shown))
            }
            address = next
            return .again(after: 0, reason: nil)
        case 408, 429, 500, 502, 503, 504:
            tries += 1
            guard tries < Self.mostTries, isRead || head.status == 429 || head.status == 503 else { break }
            if let seconds = head["retry-after"].flatMap({ Int($0) }), seconds >= 0 {
                guard seconds <= 120 else { break }
                let reason = "\(address.authority) answered \(head.status); trying again in \(seconds) s"
                return .again(after: max(seconds * 1_000, delay), reason: seconds > 1 ? reason : nil)
            }
            return .again(after: delay, reason: nil)
        case 400, 401, 403:
            // A presigned address may have expired since the first try.
            guard tries > 0, address != original.address, !isRenewed else { break }
            isRenewed = true
            (address, redirects) = (original.address, 0)
            return .again(after: 0, reason: nil)
        default: break
        }
        return .answer(HTTPAnswer(head: head, body: collected, address: address))
    }
}

/// A transfer that brought no answer.
struct TransferFailure {
    let error: CapsuleError
    /// The greatest number of times that such a request is sent.
    let tries: Int
    /// True if the server may have received the request.
    let isLate: Bool

    static func short(_ address: WebAddress) -> TransferFailure {
        TransferFailure(
            error: CapsuleError("the connection broke before the answer was complete", path: HostPath(address.shown)), tries: 5,
            isLate: true)
    }

    private init(error: CapsuleError, tries: Int, isLate: Bool) {
        self.error = error
        self.tries = tries
        self.isLate = isLate
    }

    /// - Returns: nil for a transfer that succeeded. Codes are those of libcurl-errors(3).
    init?(_ end: HelperFrame.TransferEnd, from address: WebAddress) {
        func error(_ message: String, hint: String? = nil) -> CapsuleError {
            CapsuleError(message, path: HostPath(address.shown), hint: hint)
        }
        let said = String(end.message.prefix(500)).trimmingLineEnds
        switch end.code {
        case 0: return nil
        case 5: self.init(error: error("can't find the proxy: \(said)"), tries: 2, isLate: false)
        case 6: self.init(error: error("can't find the host \(address.host): \(said)"), tries: 2, isLate: false)
        case 7: self.init(error: error("can't connect: \(said)"), tries: 3, isLate: false)
        case 35:
            self.init(
                error: error(
                    "can't agree on TLS: \(said)", hint: "a server without TLS is named with 'oci+http://' or 'http://'"),
                tries: 3, isLate: false)
        case 51, 60, 77, 83, 90, 91:
            self.init(
                error: error(
                    "the server's certificate is not trusted: \(said)",
                    hint: "put the certificate of its authority into ~/.config/containers/certs.d/\(address.authority)/ca.crt, "
                        + "or name a bundle in CURL_CA_BUNDLE"),
                tries: 1, isLate: false)
        case 23, 27, 100: self.init(error: error("the head of the server's answer is too long"), tries: 1, isLate: true)
        case 58: self.init(error: error("can't use the client certificate: \(said)"), tries: 1, isLate: false)
        case 28:
            // Each try lasts half a minute.
            self.init(
                error: CapsuleError(.time, "the server does not answer: \(said)", path: HostPath(address.shown)), tries: 2,
                isLate: true)
        case 16, 18, 52, 55, 56, 92: self.init(error: error("the connection broke: \(said)"), tries: 5, isLate: true)
        default: self.init(error: error("the request failed: \(said)"), tries: 1, isLate: true)
        }
    }
}

extension String {
    fileprivate var trimmingLineEnds: String { String(map { $0.isNewline ? " " : $0 }) }
}
