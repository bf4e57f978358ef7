import CapsulePropertyList

/// Builds HTML in UTF-8.
///
/// Markup can only be a literal. Everything from files goes through ``text(_:)`` or ``attribute(_:)``, which escape whatever HTML, or a
/// reader, could mistake for something else.
struct HTMLBuffer {
    private(set) var bytes: [UInt8] = []

    /// Appends literal markup.
    mutating func raw(_ markup: StaticString) {
        markup.withUTF8Buffer { bytes.append(contentsOf: $0) }
    }

    /// Joins the parts of a style or a script.
    static func joined(_ parts: [StaticString]) -> [UInt8] {
        var buffer = HTMLBuffer()
        for part in parts { buffer.raw(part) }
        return buffer.bytes
    }

    mutating func number(_ value: some BinaryInteger) {
        bytes.append(contentsOf: String(value).utf8)
    }

    /// Appends base64, whose characters have no meaning in HTML.
    mutating func base64(_ data: [UInt8]) {
        bytes.append(contentsOf: Base64.encode(data))
    }

    /// Appends foreign bytes as text. Invisible bytes become marked escapes.
    mutating func text(_ foreign: some Collection<UInt8>, keepsTabs: Bool = false) {
        escape(foreign, marksEscapes: true, keepsTabs: keepsTabs)
    }

    /// Appends a foreign string as text.
    mutating func text(_ foreign: String, keepsTabs: Bool = false) {
        escape(foreign.utf8, marksEscapes: true, keepsTabs: keepsTabs)
    }

    /// Appends a foreign string as the value of an attribute between quotation marks.
    mutating func attribute(_ foreign: String) {
        escape(foreign.utf8, marksEscapes: false, keepsTabs: false)
    }

    /// Appends foreign bytes as the value of an attribute between quotation marks.
    mutating func attribute(_ foreign: some Collection<UInt8>) {
        escape(foreign, marksEscapes: false, keepsTabs: false)
    }

    /// Appends a path as an anchor in the page: `/` and the path, with all bytes except letters, digits and `/-._~` as `%NN`.
    mutating func anchor(_ path: [UInt8]) {
        bytes.append(UInt8(ascii: "/"))
        for byte in path {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "/"), UInt8(ascii: "-"), UInt8(ascii: "."),
                UInt8(ascii: "_"), UInt8(ascii: "~"):
                bytes.append(byte)
            default:
                bytes.append(UInt8(ascii: "%"))
                appendHexadecimal(byte)
            }
        }
    }

    private mutating func escape(_ foreign: some Collection<UInt8>, marksEscapes: Bool, keepsTabs: Bool) {
        let done: Void? = foreign.withContiguousStorageIfAvailable {
            escape($0, marksEscapes: marksEscapes, keepsTabs: keepsTabs)
        }
        if done == nil {
            Array(foreign).withUnsafeBufferPointer { escape($0, marksEscapes: marksEscapes, keepsTabs: keepsTabs) }
        }
    }

    private mutating func escape(_ foreign: UnsafeBufferPointer<UInt8>, marksEscapes: Bool, keepsTabs: Bool) {
        var start = 0
        var place = 0
        func isPlain(_ byte: UInt8) -> Bool { byte >= 0x20 && byte < 0x7F || byte == 0x09 && keepsTabs }
        while place < foreign.count {
            let byte = foreign[place]
            if isPlain(byte), Self.entity(of: byte) == nil {
                place += 1
                continue
            }
            var width = 1
            if byte >= 0x80, let scalar = Self.scalar(at: foreign[place...]) {
                width = UTF8.width(scalar)
                if Self.isShown(scalar) {
                    place += width
                    continue
                }
            }
            bytes.append(contentsOf: foreign[start..<place])
            if let entity = Self.entity(of: byte) {
                raw(entity)
            } else {
                if marksEscapes { raw("<i>") }
                for byte in foreign[place..<place + width] { appendEscape(byte) }
                if marksEscapes { raw("</i>") }
            }
            place += width
            start = place
        }
        bytes.append(contentsOf: foreign[start...])
    }

    private static func entity(of byte: UInt8) -> StaticString? {
        switch byte {
        case UInt8(ascii: "<"): "&lt;"
        case UInt8(ascii: ">"): "&gt;"
        case UInt8(ascii: "&"): "&amp;"
        case UInt8(ascii: "\""): "&quot;"
        case UInt8(ascii: "'"): "&#39;"
        default: nil
        }
    }

    /// Returns the UTF-8 scalar at the start of `bytes`, if there is one.
    private static func scalar(at bytes: Slice<UnsafeBufferPointer<UInt8>>) -> Unicode.Scalar? {
        var decoder = UTF8()
        var iterator = bytes.makeIterator()
        guard case .scalarValue(let scalar) = decoder.decode(&iterator) else { return nil }
        return scalar
    }

    /// Returns true if a non-ASCII character is visible and does not change the direction of text. The joiners are kept, since words and
    /// emoji need them.
    private static func isShown(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator, .privateUse, .surrogate, .unassigned: false
        case .format: scalar.value == 0x200C || scalar.value == 0x200D
        default: true
        }
    }

    /// Appends an escape in the style of ``QuotedBytes``: `\n`, `\t`, `\xFF`.
    private mutating func appendEscape(_ byte: UInt8) {
        switch byte {
        case UInt8(ascii: "\n"): raw("\\n")
        case UInt8(ascii: "\r"): raw("\\r")
        case UInt8(ascii: "\t"): raw("\\t")
        default:
            raw("\\x")
            appendHexadecimal(byte)
        }
    }

    private mutating func appendHexadecimal(_ byte: UInt8) {
        func digit(_ value: UInt8) -> UInt8 { value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "A") + value - 10 }
        bytes.append(digit(byte >> 4))
        bytes.append(digit(byte & 15))
    }
}
