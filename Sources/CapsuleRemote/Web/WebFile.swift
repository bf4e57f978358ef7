import CapsuleArchive
package import CapsuleCore
import CapsuleSystem
import Synchronization

/// A file on a web server, read by ranges (RFC 9110 section 14).
package final class WebFile: RemoteBytes {
    package let path: HostPath
    package let length: UInt64
    private let transport: Transport
    /// The address after redirects. A presigned one expires, so the given one is asked anew then.
    private let place: Mutex<WebAddress>
    private let given: WebAddress
    private let tag: String?
    private let spool: Spool

    /// The bytes that the first request asks for. They hold the footer and the manifest of nearly every capsule, and the index root of most.
    static let tail: UInt64 = 64 << 10
    /// The longest file that is fetched whole if the server sends no ranges.
    static let whole: UInt64 = 32 << 20

    /// Opens a file: one request, unless the server can't send the last bytes of a file.
    /// - Parameter directory: where to keep what was fetched; nil for `$TMPDIR`.
    package init(_ address: WebAddress, _ transport: Transport, spoolIn directory: HostPath? = nil) throws(CapsuleError) {
        let opening = try Opening(address, transport, directory)
        (given, self.transport) = (address, transport)
        path = HostPath(address.shown)
        length = opening.length
        place = Mutex(opening.place)
        tag = opening.tag
        spool = opening.spool
    }

    package func read(at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer) throws(CapsuleError) {
        guard !buffer.isEmpty else { return }
        let range = offset..<(offset + UInt64(buffer.count))
        if !spool.has(range) { try fetch([FetchPlan.windows(around: range, length: length)]) }
        try spool.read(at: offset, into: buffer)
    }

    package func fetch(_ ranges: [Range<UInt64>]) throws(CapsuleError) {
        let wanted = FetchPlan.ranges(for: spool.missing(ranges))
        guard !wanted.isEmpty else { return }
        try fetch(wanted, from: place.withLock { $0 })
    }

    private func fetch(_ ranges: [Range<UInt64>], from place: WebAddress) throws(CapsuleError) {
        let receivers = ranges.map { RangeReceiver($0, spool, tag: tag, path: path) }
        let requests = zip(ranges, receivers).map { range, receiver in
            var request = HTTPRequest(.get, place, range: range)
            if let tag { request.fields.append(HTTPHeader("If-Range", tag)) }
            request.receiver = receiver
            return request
        }
        for answer in try transport.send(requests, atOnce: FetchPlan.atOnce) {
            guard answer.status == 200 || answer.status == 206 else {
                if [400, 401, 403].contains(answer.status), place != given {
                    return try fetch(FetchPlan.ranges(for: spool.missing(ranges)), from: given)
                }
                if answer.status == 416 { throw .changed(path) }
                throw answer.failure(of: path)
            }
            self.place.withLock { $0 = answer.address }
        }
        for range in ranges where !spool.has(range) {
            throw CapsuleError("the server sent fewer bytes than it had announced", path: path)
        }
    }
}

/// Receives a range of a file whose length is known. A server that ignores the range sends the whole file, and that is as good.
final class RangeReceiver: BodyReceiver {
    private let range: Range<UInt64>
    private let spool: Spool
    private let tag: String?
    private let path: HostPath
    /// The offset of the next byte, and whether the server sends the whole file.
    private let state = Mutex<(next: UInt64, isWhole: Bool)>((0, false))

    init(_ range: Range<UInt64>, _ spool: Spool, tag: String?, path: HostPath) {
        self.range = range
        self.spool = spool
        self.tag = tag
        self.path = path
    }

    func begin(_ head: HTTPHead) throws(CapsuleError) {
        let total = head.status == 206 ? head.contentRange?.total : head.length
        let isSame = tag == nil || head.strongTag == nil || head.strongTag == tag
        guard isSame, head.status == 206 ? total == spool.length : total == nil || total == spool.length else {
            throw .changed(path)
        }
        state.withLock { $0 = head.status == 206 ? (range.lowerBound, false) : (0, true) }
    }

    func receive(_ bytes: [UInt8]) throws(CapsuleError) {
        let start = state.withLock { state in
            defer { state.next += UInt64(bytes.count) }
            return state.next
        }
        try spool.write(bytes, at: start)
        spool.mark(start..<(start + UInt64(bytes.count)))
    }

    var isDone: Bool { state.withLock { $0.isWhole && $0.next >= range.upperBound } }
}

/// The first requests for a file: its length, its tag and its end.
private struct Opening {
    let length: UInt64
    let place: WebAddress
    let tag: String?
    let spool: Spool

    init(_ address: WebAddress, _ transport: Transport, _ directory: HostPath?) throws(CapsuleError) {
        let path = HostPath(address.shown)
        // The length is not known yet. Not HEAD, since presigned addresses are for GET alone.
        var request = HTTPRequest(.get, address)
        request.suffix = WebFile.tail
        let first = WholeReceiver()
        request.receiver = first
        var answer = try transport.send(request)
        if [200, 206].contains(answer.status), !first.isCut {
            // After a break, the answer is only the last part of what the receiver has.
            let total = answer.status == 206 ? answer.head.contentRange?.total : nil
            try self.init(answer, total ?? UInt64(first.bytes.count), endingWith: first.bytes, path, directory)
            return
        }
        // Azure's storage has no suffix ranges: it sends the whole file, or an error.
        guard [200, 206, 400, 416, 501].contains(answer.status) else { throw answer.failure(of: path) }
        request.suffix = nil
        request.range = 0..<1
        request.receiver = WholeReceiver(limit: 1)
        answer = try transport.send(request)
        guard answer.status == 206, let content = answer.head.contentRange else {
            if answer.status == 416 { throw CapsuleError(.notCapsule, "is empty, not a capsule", path: path) }
            guard answer.status == 200 else { throw answer.failure(of: path) }
            throw CapsuleError(
                "this server sends only whole files, and this one is longer than \(WebFile.whole >> 20) MiB", path: path,
                hint: "download it, and name that file")
        }
        let start = content.total - min(content.total, WebFile.tail)
        request.range = start..<content.total
        if let tag = answer.head.strongTag { request.fields = [HTTPHeader("If-Range", tag)] }
        let last = WholeReceiver(limit: Int(WebFile.tail))
        request.receiver = last
        answer = try transport.send(request)
        guard answer.status == 206 else {
            if [200, 416].contains(answer.status) { throw .changed(path) }
            throw answer.failure(of: path)
        }
        try self.init(answer, content.total, endingWith: last.bytes, path, directory)
    }

    private init(
        _ answer: HTTPAnswer, _ length: UInt64, endingWith bytes: [UInt8], _ path: HostPath, _ directory: HostPath?
    ) throws(CapsuleError) {
        guard UInt64(bytes.count) <= length else { throw .changed(path) }
        self.length = length
        place = answer.address
        tag = answer.head.strongTag
        spool = try Spool(length: length, in: directory)
        try spool.write(bytes, at: length - UInt64(bytes.count))
        spool.mark((length - UInt64(bytes.count))..<length)
    }
}

/// Keeps a body in memory, up to a limit.
private final class WholeReceiver: BodyReceiver {
    private let state = Mutex<(bytes: [UInt8], isCut: Bool)>(([], false))
    private let limit: Int

    init(limit: Int = Int(WebFile.whole)) { self.limit = limit }

    var bytes: [UInt8] { state.withLock { $0.bytes } }
    var isCut: Bool { state.withLock { $0.isCut } }

    func begin(_ head: HTTPHead) throws(CapsuleError) {
        state.withLock { $0 = ([], (head.length ?? 0) > UInt64(limit)) }
    }

    func receive(_ bytes: [UInt8]) throws(CapsuleError) {
        state.withLock { state in
            if state.bytes.count + bytes.count > limit { state.isCut = true }
            if !state.isCut { state.bytes += bytes }
        }
    }

    var isDone: Bool { isCut }
}

extension CapsuleError {
    fileprivate static func changed(_ path: HostPath) -> CapsuleError {
        CapsuleError(.changed, "changed while it was read", path: path, hint: "run the command again")
    }
}

extension HTTPAnswer {
    /// The error for an answer with an error status.
    package func failure(of path: HostPath) -> CapsuleError {
        switch status {
        case 404, 410: CapsuleError(.notFound, "the server has no such file (\(status))", path: path)
        case 401, 403:
            CapsuleError(
                .notPermitted, "the server refuses access (\(status))", path: path,
                hint: "no password is sent over https://; a presigned address may have expired")
        case 429:
            CapsuleError(
                "the server has received too many requests (429)", path: path, hint: "wait a while, and run the command again")
        default: CapsuleError("the server answered with status \(status)", path: path)
        }
    }
}
