import CapsuleCore
import CapsulePropertyList

/// A value in a report for machines (RFC 8259): UTF-8, without spaces.
protocol JSONValue {
    func append(to json: inout [UInt8])
    /// True for a name that is not text: the key of its member ends in `64`.
    var isBase64Name: Bool { get }
}

extension JSONValue {
    var isBase64Name: Bool { false }
}

/// An object, whose members are in the order in which they are written. A member without a value is left out:
///     let object: JSONObject = ["kind": "end", "entries": entries, "label": label?.text]
struct JSONObject: JSONValue, ExpressibleByDictionaryLiteral {
    /// The object without its closing brace.
    private var start = [UInt8(ascii: "{")]

    init(dictionaryLiteral members: (String, (any JSONValue)?)...) {
        start.reserveCapacity(48 * members.count)
        for (key, value) in members { add(key, value) }
    }

    init(schema: String, _ members: JSONObject) {
        self = ["schema": "capsule.\(schema)", "version": 1]
        add(members)
    }

    init(header schema: String, _ members: JSONObject) {
        self = ["kind": "header"]
        add(JSONObject(schema: schema, members))
    }

    var isEmpty: Bool { start.count == 1 }

    var line: [UInt8] {
        var line: [UInt8] = []
        appendLine(to: &line)
        return line
    }

    func appendLine(to report: inout [UInt8]) {
        append(to: &report)
        report.append(UInt8(ascii: "\n"))
    }

    /// Adds a member, unless it has no value. The key may come from the data.
    mutating func add(_ key: String, _ value: (any JSONValue)?) {
        if let value { add(key, value: value) }
    }

    mutating func add(_ key: String, value: some JSONValue) {
        if !isEmpty { start.append(UInt8(ascii: ",")) }
        key.append(to: &start)
        if value.isBase64Name {
            start.removeLast()
            start += "64\"".utf8
        }
        start.append(UInt8(ascii: ":"))
        value.append(to: &start)
    }

    mutating func add(_ members: JSONObject) {
        if members.isEmpty { return }
        if !isEmpty { start.append(UInt8(ascii: ",")) }
        start += members.start[1...]
    }

    func append(to json: inout [UInt8]) {
        json += start
        json.append(UInt8(ascii: "}"))
    }
}

extension String: JSONValue {
    func append(to json: inout [UInt8]) {
        var text = self
        text.withUTF8 { json.append(quoting: $0) }
    }
}

extension [UInt8] {
    fileprivate mutating func append(quoting text: UnsafeBufferPointer<UInt8>) {
        append(UInt8(ascii: "\""))
        var start = 0
        for place in text.indices where Self.needsEscape(text[place]) {
            append(contentsOf: UnsafeBufferPointer(rebasing: text[start..<place]))
            start = place + 1
            let byte = text[place]
            if byte >= 0x20, byte != 0x7F {
                self += [UInt8(ascii: "\\"), byte]
            } else {
                self += Array("\\u00\(byte < 16 ? "0" : "")\(String(byte, radix: 16))".utf8)
            }
        }
        append(contentsOf: UnsafeBufferPointer(rebasing: text[start...]))
        append(UInt8(ascii: "\""))
    }

    @inline(__always)
    private static func needsEscape(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") || byte == 0x7F
    }
}

extension Bool: JSONValue {
    func append(to json: inout [UInt8]) { json += Array((self ? "true" : "false").utf8) }
}

extension UInt64: JSONValue {
    /// Numbers below 2^53, which JSON readers keep exact, are written as they are, larger ones as `{"$int":"…"}`.
    func append(to json: inout [UInt8]) {
        if self < 1 << 53 {
            json.appendDecimal(self)
        } else {
            JSONObject(dictionaryLiteral: ("$int", String(self))).append(to: &json)
        }
    }
}

extension UInt32: JSONValue {
    func append(to json: inout [UInt8]) { UInt64(self).append(to: &json) }
}

/// A number that is never negative.
extension Int: JSONValue {
    func append(to json: inout [UInt8]) { UInt64(self).append(to: &json) }
}

extension Array: JSONValue where Element: JSONValue {
    func append(to json: inout [UInt8]) {
        json.append(UInt8(ascii: "["))
        for (index, element) in enumerated() {
            if index > 0 { json.append(UInt8(ascii: ",")) }
            element.append(to: &json)
        }
        json.append(UInt8(ascii: "]"))
    }
}

/// A name of any bytes: text, or base64 under a key that ends in `64` if it is not UTF-8.
struct JSONName: JSONValue {
    private let bytes: [UInt8]
    let isBase64Name: Bool

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        isBase64Name = bytes.contains { $0 >= 0x80 } && String(validating: bytes, as: UTF8.self) == nil
    }

    func append(to json: inout [UInt8]) {
        if isBase64Name { return JSONData(bytes).append(to: &json) }
        bytes.withUnsafeBufferPointer { json.append(quoting: $0) }
    }
}

struct JSONData: JSONValue {
    private let bytes: [UInt8]

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    func append(to json: inout [UInt8]) {
        json.append(UInt8(ascii: "\""))
        json += Base64.encode(bytes)
        json.append(UInt8(ascii: "\""))
    }
}

extension ContentDigest: JSONValue {
    func append(to json: inout [UInt8]) {
        json.append(UInt8(ascii: "\""))
        appendHex(to: &json)
        json.append(UInt8(ascii: "\""))
    }
}

/// A time in UTC (ISO 8601), with its nanoseconds if they are known.
struct JSONTime: JSONValue {
    private let time: Timestamp
    private let isExact: Bool

    init(_ time: Timestamp, isExact: Bool = true) {
        self.time = time
        self.isExact = isExact
    }

    func append(to json: inout [UInt8]) {
        json.append(UInt8(ascii: "\""))
        time.appendISO8601(fraction: isExact, to: &json)
        json.append(UInt8(ascii: "\""))
    }
}

/// A share from 0 to 1, with four digits; never 1 unless it is complete.
struct JSONShare: JSONValue {
    private let share: Double

    init(_ share: Double) {
        self.share = share
    }

    func append(to json: inout [UInt8]) {
        let parts = share >= 1 ? 10_000 : UInt64((max(0, share) * 10_000).rounded(.down))
        guard parts < 10_000 else { return json.append(UInt8(ascii: "1")) }
        let digits = String(parts)
        var text = "0." + String(repeating: "0", count: 4 - digits.count) + digits
        while text.last == "0" { text.removeLast() }
        json += Array((text.last == "." ? "0" : text).utf8)
    }
}

/// A property list value (docs/json.md, "Values").
private struct JSONPlistValue: JSONValue {
    let value: PlistValue
    let isFull: Bool
    /// True if words stand for secrets in the value.
    let hasSecrets: Bool

    /// The maximum length of a value in the report. A short file that shares its objects may contain a value of any size.
    private static let limits = PlistLimits(outputBytes: 1 << 24)
    /// The number of bytes of data that are included, unless all are.
    private static let dataLength = 1 << 10

    func append(to json: inout [UInt8]) {
        // A value that shares its objects may be larger than the limit.
        let line =
            (try? JSONPlistWriter.reportLine(value, dataLength: isFull ? nil : Self.dataLength, limits: Self.limits))
            ?? Array("{\"$hidden\":\"too large\"}".utf8)
        json += hasSecrets ? Self.marked(line) : line
    }

    /// Returns a line with an object in place of each word for a secret.
    private static func marked(_ line: [UInt8]) -> [UInt8] {
        guard let text = String(validating: line, as: UTF8.self), text.contains("\"hidden (") else { return line }
        return Array(
            ["secret", "cookie"].reduce(text) { $0.replacing("\"hidden (\($1))\"", with: "{\"$hidden\":\"\($1)\"}") }.utf8)
    }
}

extension PlistValue {
    fileprivate var isScalar: Bool {
        switch self {
        case .array, .dictionary: false
        default: true
        }
    }

    func json(isFull: Bool = true) -> any JSONValue {
        JSONPlistValue(value: self, isFull: isFull, hasSecrets: false)
    }
}

extension DisplayValue {
    /// Returns the value of a change (docs/json.md, "diff").
    func json(isFull: Bool) -> any JSONValue {
        switch self {
        case .value(let value): JSONPlistValue(value: value, isFull: isFull, hasSecrets: !value.isScalar)
        case .dataHead(let head, let count, _): ["$data": JSONData(head), "bytes": count, "cut": true] as JSONObject
        case .textHead(let head, let count, _): ["$text": head.string, "bytes": count, "cut": true] as JSONObject
        case .external(let file, let size, let digest): ["$external": file, "bytes": size, "digest": digest] as JSONObject
        case .hidden(let kind): ["$hidden": kind] as JSONObject
        }
    }
}
