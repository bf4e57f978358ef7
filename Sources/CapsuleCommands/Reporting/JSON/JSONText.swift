import CapsuleCore
import CapsulePropertyList

/// Builds one JSON object (RFC 8259): members in the order in which they are added, no spaces, UTF-8.
struct JSONText {
    private(set) var bytes: [UInt8] = [UInt8(ascii: "{")]
    private var isEmpty = true

    /// The finished object.
    var closed: [UInt8] { bytes + [UInt8(ascii: "}")] }

    /// Starts another object in the same buffer.
    mutating func restart() {
        bytes.removeAll(keepingCapacity: true)
        bytes.append(UInt8(ascii: "{"))
        isEmpty = true
    }

    mutating func add(_ key: String, _ value: String) {
        addKey(key)
        Self.append(quoted: Array(value.utf8), to: &bytes)
    }

    mutating func add(_ key: String, _ value: String?) {
        if let value { add(key, value) }
    }

    /// Adds a number. Numbers below 2^53, which JSON readers keep exact, are written as they are, larger ones as `{"$int":"…"}`.
    mutating func add(_ key: String, _ value: UInt64) {
        addKey(key)
        if value < 1 << 53 { bytes.appendDecimal(value) } else { bytes += Array("{\"$int\":\"\(value)\"}".utf8) }
    }

    mutating func add(_ key: String, _ value: Bool) {
        addKey(key)
        bytes += Array((value ? "true" : "false").utf8)
    }

    mutating func add(_ key: String, _ object: JSONText) {
        addKey(key)
        bytes += object.closed
    }

    /// Adds a member whose key comes from the data.
    mutating func add(name: String, _ object: JSONText) {
        addKey(quoting: name)
        bytes += object.closed
    }

    /// Adds a property list value under a key from the data.
    mutating func add(name: String, _ value: PlistValue, isFull: Bool) {
        addKey(quoting: name)
        append(value, isFull: isFull)
    }

    /// Adds data of which only the beginning is included.
    mutating func add(name: String, headOfData head: [UInt8], count: UInt64) {
        addKey(quoting: name)
        var item = JSONText()
        item.add("$data", base64: head)
        item.add("bytes", count)
        item.add("cut", true)
        bytes += item.closed
    }

    /// Adds a share from 0 to 1, with four digits; never 1 unless it is complete.
    mutating func add(_ key: String, share: Double) {
        addKey(key)
        let parts = share >= 1 ? 10_000 : UInt64((max(0, share) * 10_000).rounded(.down))
        guard parts < 10_000 else {
            bytes.append(UInt8(ascii: "1"))
            return
        }
        let digits = String(parts)
        var text = "0." + String(repeating: "0", count: 4 - digits.count) + digits
        while text.last == "0" { text.removeLast() }
        bytes += Array((text.last == "." ? "0" : text).utf8)
    }

    mutating func add(_ key: String, numbers: [UInt64]) {
        addKey(key)
        Self.append(numbers.map { Array(String($0).utf8) }, to: &bytes)
    }

    mutating func add(_ key: String, pairs: [[UInt64]]) {
        addKey(key)
        let pairs = pairs.map { pair in Array("[\(pair.map(String.init).joined(separator: ","))]".utf8) }
        Self.append(pairs, to: &bytes)
    }

    mutating func add(_ key: String, list: [JSONText]) {
        addKey(key)
        Self.append(list.map(\.closed), to: &bytes)
    }

    /// Adds a list of texts. Bytes that are not UTF-8 are replaced.
    mutating func add(_ key: String, names: [[UInt8]]) {
        addKey(key)
        Self.append(
            names.map { name in
                var text: [UInt8] = []
                Self.append(quoted: Array(String(decoding: name, as: UTF8.self).utf8), to: &text)
                return text
            }, to: &bytes)
    }

    /// Adds a name of any bytes: as text under `key`, or in base64 under `key64` if it is not UTF-8.
    mutating func add(_ key: String, name: [UInt8]) {
        if name.allSatisfy({ $0 < 0x80 }) || String(validating: name, as: UTF8.self) != nil {
            addKey(key)
            Self.append(quoted: name, to: &bytes)
        } else {
            add(key + "64", base64: name)
        }
    }

    /// Adds a property list value (docs/json.md, "Values").
    ///
    /// - Parameter isFull: true to include long data in full.
    mutating func add(_ key: String, _ value: PlistValue, isFull: Bool) {
        addKey(key)
        append(value, isFull: isFull)
    }

    private mutating func append(_ value: PlistValue, isFull: Bool) {
        // A value that shares its objects may be larger than the limit.
        bytes +=
            (try? JSONPlistWriter.reportLine(value, dataLength: isFull ? nil : Self.dataLength, limits: Self.valueLimits))
            ?? Array("{\"$hidden\":\"too large\"}".utf8)
    }

    /// The maximum length of a value in the report. A short file that shares its objects may contain a value of any size.
    private static let valueLimits = PlistLimits(outputBytes: 1 << 24)
    /// The number of bytes of data that are included, unless all are.
    private static let dataLength = 1 << 10

    mutating func add(_ key: String, base64 bytes: [UInt8]) {
        addKey(key)
        Self.append(quoted: Base64.encode(bytes), to: &self.bytes)
    }

    /// Adds ASCII text that needs no escaping.
    mutating func add(_ key: String, plain write: (inout [UInt8]) -> Void) {
        addKey(key)
        bytes.append(UInt8(ascii: "\""))
        write(&bytes)
        bytes.append(UInt8(ascii: "\""))
    }

    /// Appends a key from the data.
    private mutating func addKey(quoting key: String) {
        if !isEmpty { bytes.append(UInt8(ascii: ",")) }
        isEmpty = false
        Self.append(quoted: Array(key.utf8), to: &bytes)
        bytes.append(UInt8(ascii: ":"))
    }

    /// Appends a fixed key, which needs no escaping.
    private mutating func addKey(_ key: String) {
        if !isEmpty { bytes.append(UInt8(ascii: ",")) }
        isEmpty = false
        bytes.append(UInt8(ascii: "\""))
        bytes.append(contentsOf: key.utf8)
        bytes.append(UInt8(ascii: "\""))
        bytes.append(UInt8(ascii: ":"))
    }

    private static func append(_ items: [[UInt8]], to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "["))
        for (index, item) in items.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            bytes += item
        }
        bytes.append(UInt8(ascii: "]"))
    }

    /// Appends a string literal; `text` is UTF-8.
    static func append(quoted text: [UInt8], to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "\""))
        var start = 0
        for (place, byte) in text.enumerated() where needsEscape(byte) {
            bytes += text[start..<place]
            start = place + 1
            if byte >= 0x20, byte != 0x7F {
                bytes += [UInt8(ascii: "\\"), byte]
            } else {
                bytes += Array("\\u00\(byte < 16 ? "0" : "")\(String(byte, radix: 16))".utf8)
            }
        }
        bytes += text[start...]
        bytes.append(UInt8(ascii: "\""))
    }

    @inline(__always)
    private static func needsEscape(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") || byte == 0x7F
    }
}

extension JSONText {
    /// Adds a value of a change under a name from the data (docs/json.md, "diff").
    mutating func add(_ value: DisplayValue, as name: String, isFull: Bool) {
        switch value {
        case .value(let value): add(name: name, value, isFull: isFull)
        case .dataHead(let head, let count): add(name: name, headOfData: head, count: count)
        case .textHead(let head, let count):
            var item = JSONText()
            item.add("$text", head.string)
            item.add("bytes", count)
            item.add("cut", true)
            add(name: name, item)
        case .external(let file, let size, let digest):
            var item = JSONText()
            item.add("$external", file)
            if let size { item.add("bytes", size) }
            item.add("digest", digest?.hex)
            add(name: name, item)
        case .hidden(let kind):
            var item = JSONText()
            item.add("$hidden", kind)
            add(name: name, item)
        }
    }
}
