/// A request that a server received (RFC 9112).
package struct ReceivedRequest: Equatable, Sendable {
    package struct Field: Equatable, Sendable {
        /// The name in lower case.
        package let name: String
        package let value: [UInt8]
    }

    package let method: String
    package let target: String
    package let fields: [Field]
    package internal(set) var body: [UInt8] = []

    package func values(of name: String) -> [[UInt8]] { fields.filter { $0.name == name }.map(\.value) }
}

/// An answer that says why a request is not carried out. The connection ends with it.
package struct RequestRefusal: Error, Equatable, Sendable {
    /// The status code (RFC 9110, section 15).
    package let status: Int
    /// A sentence for people: lower case, no period.
    package let reason: String

    package init(_ status: Int, _ reason: String) {
        (self.status, self.reason) = (status, reason)
    }

    static func malformed(_ reason: String) -> RequestRefusal { RequestRefusal(400, reason) }
}

/// Reads a request from its bytes, as they arrive. It accepts what the clients of tests send: one request with a head of bounded length,
/// and a body whose length the head says.
package struct RequestReader: Sendable {
    /// The most bytes of a head and of a body, and the most fields.
    package static let longestHead = 16 << 10
    package static let longestBody = 64 << 10
    private static let mostFields = 64

    private static let end: [UInt8] = [0x0D, 0x0A, 0x0D, 0x0A]

    private var received: [UInt8] = []
    /// The bytes in which the end of the head can't begin.
    private var searched = 0
    /// The request without its body, once its head is there.
    private var head: (request: ReceivedRequest, bodyLength: Int, bodyStart: Int)?

    package init() {}

    /// True if bytes of a request have arrived.
    package var hasBegun: Bool { !received.isEmpty }

    /// Takes bytes that arrived.
    /// - Returns: the request, if it is complete; nil if more bytes are needed. What follows the request is not looked at.
    package mutating func take(_ bytes: UnsafeRawBufferPointer) throws(RequestRefusal) -> ReceivedRequest? {
        received += bytes
        if head == nil { head = try readHead() }
        guard let head, received.count - head.bodyStart >= head.bodyLength else { return nil }
        var request = head.request
        request.body = Array(received[head.bodyStart..<head.bodyStart + head.bodyLength])
        return request
    }

    private mutating func readHead() throws(RequestRefusal) -> (ReceivedRequest, bodyLength: Int, bodyStart: Int)? {
        guard let end = received[searched...].firstRange(of: Self.end), end.upperBound <= Self.longestHead else {
            guard received.count < Self.longestHead else { throw RequestRefusal(431, "the head is longer than 16 KiB") }
            searched = max(0, received.count - (Self.end.count - 1))
            return nil
        }
        var lines = try Self.lines(of: received[..<end.lowerBound])
        let (method, target) = try Self.requestLine(lines.removeFirst())
        guard lines.count <= Self.mostFields else { throw RequestRefusal(431, "there are more than \(Self.mostFields) fields") }
        var fields: [ReceivedRequest.Field] = []
        for line in lines { fields.append(try Self.field(line)) }
        let request = ReceivedRequest(method: method, target: target, fields: fields)
        return (request, try Self.bodyLength(of: request), end.upperBound)
    }

    /// Splits a head at its line ends, each CR LF. A CR or an LF by itself is refused: readers differ on what it means.
    private static func lines(of head: ArraySlice<UInt8>) throws(RequestRefusal) -> [ArraySlice<UInt8>] {
        var lines: [ArraySlice<UInt8>] = []
        var rest = head
        while let feed = rest.firstIndex(of: 0x0A) {
            guard feed > rest.startIndex, rest[feed - 1] == 0x0D else { throw .malformed("a line does not end in CR LF") }
            lines.append(rest[..<(feed - 1)])
            rest = rest[(feed + 1)...]
        }
        lines.append(rest)
        guard !lines.contains(where: { $0.contains(0x0D) || $0.contains(0) }) else {
            throw .malformed("the head contains a control character")
        }
        return lines
    }

    /// Reads `POST /v1/restore HTTP/1.1`.
    private static func requestLine(
        _ line: ArraySlice<UInt8>
    ) throws(RequestRefusal) -> (method: String, target: String) {
        let parts = line.split(separator: 0x20, omittingEmptySubsequences: false)
        guard parts.count == 3, !parts[0].isEmpty, parts[0].allSatisfy(isTokenByte) else {
            throw .malformed("the first line is not a request line")
        }
        guard parts[1].first == UInt8(ascii: "/"), parts[1].allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw .malformed("the target of the request is not a path")
        }
        let versions = ["HTTP/1.1", "HTTP/1.0"]
        guard versions.contains(where: { $0.utf8.elementsEqual(parts[2]) }) else {
            throw RequestRefusal(505, "the version is neither HTTP/1.1 nor HTTP/1.0")
        }
        return (String(decoding: parts[0], as: UTF8.self), String(decoding: parts[1], as: UTF8.self))
    }

    /// Reads `Name: value`. White space before the colon, and a value that continues on the next line, are refused (RFC 9112, section 5).
    private static func field(_ line: ArraySlice<UInt8>) throws(RequestRefusal) -> ReceivedRequest.Field {
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")), colon > line.startIndex,
            line[..<colon].allSatisfy(isTokenByte)
        else { throw .malformed("a line of the head is not a field") }
        func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
        let value = line[(colon + 1)...].drop(while: isSpace)
        let length = value.lastIndex { !isSpace($0) }.map { $0 + 1 } ?? value.startIndex
        guard value.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }) else {
            throw .malformed("the head contains a control character")
        }
        let name = String(decoding: line[..<colon], as: UTF8.self).lowercased()
        return ReceivedRequest.Field(name: name, value: Array(value[..<length]))
    }

    private static func bodyLength(of request: ReceivedRequest) throws(RequestRefusal) -> Int {
        guard request.values(of: "transfer-encoding").isEmpty else {
            throw RequestRefusal(411, "a body needs Content-Length, not Transfer-Encoding")
        }
        let lengths = request.values(of: "content-length")
        guard let length = lengths.first else { return 0 }
        guard lengths.count == 1, !length.isEmpty, length.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
        else { throw .malformed("Content-Length is not one number") }
        guard let count = Int(String(decoding: length, as: UTF8.self)), count <= longestBody else {
            throw RequestRefusal(413, "the body is longer than 64 KiB")
        }
        return count
    }

    /// Returns true for a byte of a method or of a field's name (RFC 9110, section 5.6.2).
    private static func isTokenByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
    }
}
