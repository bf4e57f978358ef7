package import CapsuleCore

/// A header field. Its value holds no line break.
package struct HTTPHeader: Hashable, Sendable {
    package let name: String
    package let value: String

    package init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }
}

/// The status and the header fields of an answer. Names are in lower case.
package struct HTTPHead: Hashable, Sendable {
    package let status: Int
    package let fields: [HTTPHeader]

    package init(status: Int, fields: [HTTPHeader] = []) {
        self.status = status
        self.fields = fields.map { HTTPHeader($0.name.lowercased(), $0.value) }
    }

    /// Parses the status and the header lines, a line each. A line without a colon is skipped.
    init?(parsing bytes: ArraySlice<UInt8>) {
        let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        guard let first = lines.first, let status = Self.number(Substring(decoding: first, as: UTF8.self)), status <= 999 else {
            return nil
        }
        self.init(
            status: Int(status),
            fields: lines.dropFirst().compactMap { line in
                guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { return nil }
                let value = String(decoding: line[(colon + 1)...], as: UTF8.self).drop { $0 == " " || $0 == "\t" }
                return HTTPHeader(String(decoding: line[..<colon], as: UTF8.self), String(value))
            })
    }

    /// All values of a field, in order.
    package func values(_ name: String) -> [String] { fields.filter { $0.name == name }.map(\.value) }

    package subscript(_ name: String) -> String? { fields.first { $0.name == name }?.value }

    /// The entity tag, if it is a strong one (RFC 9110 section 8.8.3) in ASCII.
    package var strongTag: String? {
        self["etag"].flatMap { tag in
            let isTag = tag.count > 2 && tag.hasPrefix("\"") && tag.hasSuffix("\"")
            return isTag && tag.utf8.allSatisfy { (0x21...0x7E).contains($0) } ? tag : nil
        }
    }

    /// The target of the link with `rel="next"` in `Link` (RFC 8288), as the server wrote it.
    var next: String? {
        for value in values("link") {
            var rest = value[...]
            while let start = rest.firstIndex(of: "<"), let end = rest[start...].firstIndex(of: ">") {
                let target = rest[rest.index(after: start)..<end]
                var isQuoted = false
                let parameters = rest[end...].dropFirst().prefix { character in
                    if character == "\"" { isQuoted.toggle() }
                    return isQuoted || character != ","
                }
                rest = rest[parameters.endIndex...]
                let isNext = parameters.split(separator: ";").contains { parameter in
                    let words = parameter.split(separator: "=", maxSplits: 1).map { part in
                        part.lowercased().filter { $0 != "\"" }.split(separator: " ")
                    }
                    return words.count == 2 && words[0] == ["rel"] && words[1].contains("next")
                }
                if isNext { return String(target) }
            }
        }
        return nil
    }

    /// The value of `Content-Length`.
    package var length: UInt64? { self["content-length"].flatMap { Self.number($0[...]) } }

    /// The range of the content that the answer holds, and the length of the whole (RFC 9110 section 14.4); nil if the field is missing or
    /// not valid, or if the length is not known.
    package var contentRange: (range: Range<UInt64>, total: UInt64)? {
        guard let value = self["content-range"], value.prefix(6).lowercased() == "bytes " else { return nil }
        let parts = value.dropFirst(6).split(separator: "/", omittingEmptySubsequences: false)
        let ends = parts[0].split(separator: "-", omittingEmptySubsequences: false).map { Self.number($0) }
        guard parts.count == 2, ends.count == 2, let first = ends[0], let last = ends[1], let total = Self.number(parts[1]),
            first <= last, last < total
        else { return nil }
        return (first..<(last + 1), total)
    }

    /// Parses decimal digits alone.
    private static func number(_ text: Substring) -> UInt64? {
        text.utf8.allSatisfy { (0x30...0x39).contains($0) } ? UInt64(text) : nil
    }
}

/// A request for a ``Transport``.
package struct HTTPRequest: Sendable {
    package enum Method: String, Sendable {
        case get = "GET"
        case head = "HEAD"
        case post = "POST"
        case put = "PUT"
    }

    package var method: Method
    package var address: WebAddress
    /// Header fields that any server may see to which the request is redirected.
    package var fields: [HTTPHeader] = []
    /// The value of `Authorization`. Only the origin of `address` gets it.
    package var authorization: String?
    /// The bytes that are wanted; nil for all.
    package var range: Range<UInt64>?
    /// Asks for this number of bytes at the end instead.
    package var suffix: UInt64?
    package var body: HTTPBody?
    package var followsRedirects = true
    /// The time to wait before the request is sent.
    package var delay = Duration.zero
    /// The most bytes of an answer that are kept in memory.
    package var limit = 4 << 20
    /// Receives the body of a successful answer instead.
    package var receiver: (any BodyReceiver)?

    package init(_ method: Method, _ address: WebAddress, fields: [HTTPHeader] = [], range: Range<UInt64>? = nil) {
        self.method = method
        self.address = address
        self.fields = fields
        self.range = range
    }
}

/// The body of a request, which can be read again from any offset.
package struct HTTPBody: Sendable {
    package let length: UInt64
    package let read: @Sendable (_ offset: UInt64, _ count: Int) throws(CapsuleError) -> [UInt8]

    package init(length: UInt64, read: @escaping @Sendable (UInt64, Int) throws(CapsuleError) -> [UInt8]) {
        self.length = length
        self.read = read
    }

    package init(_ bytes: [UInt8]) {
        self.init(length: UInt64(bytes.count)) { (offset, count) throws(CapsuleError) in
            Array(bytes.dropFirst(Int(clamping: offset)).prefix(count))
        }
    }
}

/// Receives the body of an answer with status 200 or 206.
package protocol BodyReceiver: AnyObject, Sendable {
    /// The answer's head. If a transfer is repeated, its body begins again unless the server continues it.
    func begin(_ head: HTTPHead) throws(CapsuleError)
    func receive(_ bytes: [UInt8]) throws(CapsuleError)
    /// True once the rest of the body is not needed.
    var isDone: Bool { get }
}

extension BodyReceiver {
    package var isDone: Bool { false }
}

/// An answer from a server.
package struct HTTPAnswer: Sendable {
    package let head: HTTPHead
    /// The body; empty if a receiver has it.
    package let body: [UInt8]
    /// The address that answered, after all redirects.
    package let address: WebAddress

    package init(head: HTTPHead, body: [UInt8], address: WebAddress) {
        self.head = head
        self.body = body
        self.address = address
    }

    package var status: Int { head.status }
}
