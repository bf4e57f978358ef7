import CapsuleCore
import CapsulePropertyList

/// Markup in UTF-8, which reads in the code as it does in the page:
///     let html: HTML = "<p>\(counted) in <code>\(path)</code></p>"
/// Literals are markup. Everything that is interpolated is text from files, and is escaped, unless it is markup itself. A string
/// that is not a literal can't become markup.
struct HTML: ExpressibleByStringInterpolation {
    fileprivate(set) var bytes: [UInt8] = []

    init(stringLiteral markup: StaticString) {
        bytes.append(literal: markup)
    }

    init(stringInterpolation interpolation: StringInterpolation) {
        bytes = interpolation.html.bytes
    }

    init(joining parts: [StaticString]) {
        for part in parts { bytes.append(literal: part) }
    }

    init(base64 data: [UInt8]) {
        bytes = Base64.encode(data)
    }

    mutating func append(_ html: HTML) {
        bytes.append(contentsOf: html.bytes)
    }

    struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var html: HTML = ""

        init(literalCapacity: Int, interpolationCount: Int) {
            html.bytes.reserveCapacity(literalCapacity + 16 * interpolationCount)
        }

        mutating func appendLiteral(_ markup: StaticString) {
            html.bytes.append(literal: markup)
        }

        mutating func appendInterpolation(_ markup: StaticString) {
            html.bytes.append(literal: markup)
        }

        mutating func appendInterpolation(_ markup: HTML?) {
            if let markup { html.append(markup) }
        }

        mutating func appendInterpolation(_ parts: [HTML], separator: HTML = "") {
            for (number, part) in parts.enumerated() {
                if number > 0 { html.append(separator) }
                html.append(part)
            }
        }

        mutating func appendInterpolation(
            if condition: Bool, _ markup: @autoclosure () -> HTML, else other: @autoclosure () -> HTML = ""
        ) {
            html.append(condition ? markup() : other())
        }

        mutating func appendInterpolation(_ number: some BinaryInteger) {
            html.bytes.append(contentsOf: String(number).utf8)
        }

        /// Appends a foreign string as text. Invisible bytes become marked escapes.
        mutating func appendInterpolation(_ text: String, keepsTabs: Bool = false) {
            html.escape(text.utf8, marksEscapes: true, keepsTabs: keepsTabs)
        }

        mutating func appendInterpolation(_ text: some Collection<UInt8>, keepsTabs: Bool = false) {
            html.escape(text, marksEscapes: true, keepsTabs: keepsTabs)
        }

        mutating func appendInterpolation(attribute text: String) {
            html.escape(text.utf8, marksEscapes: false)
        }

        mutating func appendInterpolation(attribute text: some Collection<UInt8>) {
            html.escape(text, marksEscapes: false)
        }

        mutating func appendInterpolation(anchor path: [UInt8]) {
            html.append(anchor: path)
        }
    }

    /// Appends `/` and the path, with all bytes except letters, digits and `/-._~` as `%NN`.
    fileprivate mutating func append(anchor path: [UInt8]) {
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

    fileprivate mutating func escape(_ foreign: some Collection<UInt8>, marksEscapes: Bool, keepsTabs: Bool = false) {
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
                bytes.append(literal: entity)
            } else {
                if marksEscapes { bytes.append(literal: "<i>") }
                for byte in foreign[place..<place + width] { bytes += TerminalCharacters.escaped(byte).utf8 }
                if marksEscapes { bytes.append(literal: "</i>") }
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

    private static func scalar(at bytes: Slice<UnsafeBufferPointer<UInt8>>) -> Unicode.Scalar? {
        var decoder = UTF8()
        var iterator = bytes.makeIterator()
        guard case .scalarValue(let scalar) = decoder.decode(&iterator) else { return nil }
        return scalar
    }

    /// Returns true if a non-ASCII character is visible and does not change the direction of text. The joiners are kept, since words and
    /// emoji need them.
    static func isShown(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator, .privateUse, .surrogate, .unassigned: false
        case .format: scalar.value == 0x200C || scalar.value == 0x200D
        default: true
        }
    }

    private mutating func appendHexadecimal(_ byte: UInt8) {
        func digit(_ value: UInt8) -> UInt8 { value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "A") + value - 10 }
        bytes.append(digit(byte >> 4))
        bytes.append(digit(byte & 15))
    }
}

extension [UInt8] {
    fileprivate mutating func append(literal: StaticString) {
        literal.withUTF8Buffer { append(contentsOf: $0) }
    }
}
