import CapsuleCore
import CapsulePropertyList

/// One JSON object (RFC 8259) as it is being written: members in the order they are added, no spaces, UTF-8.
struct JSONText {
    private(set) var bytes: [UInt8] = [UInt8(ascii: "{")]
    private var isEmpty = true

    /// The finished object.
    var closed: [UInt8] { bytes + [UInt8(ascii: "}")] }

    mutating func add(_ key: String, _ value: String) {
        addKey(key)
        Self.append(quoted: Array(value.utf8), to: &bytes)
    }

    mutating func add(_ key: String, _ value: String?) {
        if let value { add(key, value) }
    }

    /// Numbers that JSON readers take for exact go as they are, larger ones as `{"$int":"…"}`.
    mutating func add(_ key: String, _ value: UInt64) {
        addKey(key)
        bytes += Array((value < 1 << 53 ? String(value) : "{\"$int\":\"\(value)\"}").utf8)
    }

    mutating func add(_ key: String, _ value: Bool) {
        addKey(key)
        bytes += Array((value ? "true" : "false").utf8)
    }

    mutating func add(_ key: String, _ object: JSONText) {
        addKey(key)
        bytes += object.closed
    }

    mutating func add(_ key: String, list: [JSONText]) {
        addKey(key)
        Self.append(list.map(\.closed), to: &bytes)
    }

    /// A list of texts; what is no UTF-8 in one is repaired.
    mutating func add(_ key: String, names: [[UInt8]]) {
        addKey(key)
        Self.append(
            names.map { name in
                var text: [UInt8] = []
                Self.append(quoted: Array(String(decoding: name, as: UTF8.self).utf8), to: &text)
                return text
            }, to: &bytes)
    }

    /// A name of any bytes: under `key` as text, or under `key64` in base 64 where it is no UTF-8.
    mutating func add(_ key: String, name: [UInt8]) {
        if String(validating: name, as: UTF8.self) != nil {
            addKey(key)
            Self.append(quoted: name, to: &bytes)
        } else {
            add(key + "64", base64: name)
        }
    }

    mutating func add(_ key: String, base64 bytes: [UInt8]) {
        addKey(key)
        Self.append(quoted: Base64.encode(bytes), to: &self.bytes)
    }

    private mutating func addKey(_ key: String) {
        if !isEmpty { bytes.append(UInt8(ascii: ",")) }
        isEmpty = false
        Self.append(quoted: Array(key.utf8), to: &bytes)
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

    /// A string literal; `text` is UTF-8.
    static func append(quoted text: [UInt8], to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "\""))
        for byte in text {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes += [UInt8(ascii: "\\"), byte]
            case 0..<0x20, 0x7F:
                let digits = String(byte, radix: 16)
                bytes += Array(("\\u00" + (byte < 16 ? "0" : "") + digits).utf8)
            default: bytes.append(byte)
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }
}
