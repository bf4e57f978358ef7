package import CapsulePropertyList

/// The beginning of a file, from which its formats are guessed. They are never guessed from its name.
package struct ContentHead: Sendable {
    package static let byteCount = 1 << 16

    package let bytes: [UInt8]
    /// True if the file has no more bytes.
    package let isWhole: Bool
    /// True if the bytes may be text in some encoding.
    package let isText: Bool
    /// True if the file seems to be one JSON value. Values in lines of their own are a log.
    package let isJSON: Bool
    private let encoding: PlistFormat?

    /// - Parameter size: the length of the file in bytes.
    package init(_ bytes: [UInt8], size: UInt64) {
        self.bytes = bytes
        isWhole = UInt64(bytes.count) >= size
        isText = TextContent.isLikely(bytes, isWhole: isWhole)
        encoding = PlistFormat.sniff(bytes)
        isJSON = encoding == .json && !JSONContent.isLines(bytes)
    }

    /// True if the file seems to be a property list: binary, XML or OpenStep.
    package var isPropertyList: Bool {
        switch encoding {
        case .binary: true
        case .xml: Self.isXMLPlist(bytes)
        case .openStep: isText && isOpenStep
        default: false
        }
    }

    /// Returns true if a file is a binary or an XML property list. JSON and OpenStep are excluded, because other texts look like them.
    package static func isEncodedPlist(_ head: [UInt8]) -> Bool {
        switch PlistFormat.sniff(head) {
        case .binary: true
        case .xml: isXMLPlist(head)
        default: false
        }
    }

    /// Returns true if the root element is that of a property list. Web pages and drawings are XML too, or begin like it.
    private static func isXMLPlist(_ head: [UInt8]) -> Bool {
        var scan = TextScan(head, isHead: true)
        // A text that declares another encoding, such as Latin-1, is ASCII up to its first element.
        let text = (try? scan.utf8()) ?? head
        return XMLProlog.rootName(of: text[...]).map { ["plist", "dict", "array"].contains($0) } ?? false
    }

    /// True if the text is an OpenStep property list. Many other texts begin like one. An incomplete text must begin with a bracket.
    private var isOpenStep: Bool {
        if isWhole {
            return (try? PlistReader.readLeniently(bytes, accepting: [.openStep], limits: Self.openStepLimits)) != nil
        }
        let first = bytes.first { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }
        return first == UInt8(ascii: "{") || first == UInt8(ascii: "(")
    }

    private static let openStepLimits = PlistLimits(depth: 64, documentBytes: byteCount)
}

/// Finds the first element of an XML text, to distinguish property lists from web pages and drawings.
private struct XMLProlog {
    private var rest: ArraySlice<UInt8>

    /// Returns the name of the first element after declarations, comments and the document type, in UTF-8, or nil if none
    /// begins. (XML 1.0, section 2.8)
    static func rootName(of text: ArraySlice<UInt8>) -> String? {
        var prolog = XMLProlog(rest: text)
        return prolog.rootName()
    }

    private mutating func rootName() -> String? {
        while true {
            rest = rest.drop { $0 == 0x20 || (0x09...0x0D).contains($0) }
            if rest.starts(with: "<!--".utf8), pass("-->") { continue }
            if rest.starts(with: "<?".utf8), pass("?>") { continue }
            if rest.starts(with: "<!".utf8), passType() { continue }
            guard rest.first == UInt8(ascii: "<") else { return nil }
            let name = rest.dropFirst().prefix { byte in
                byte > 0x20 && byte != UInt8(ascii: ">") && byte != UInt8(ascii: "/") && byte < 0x7F
            }
            return name.isEmpty || name.count > 64 ? nil : String(decoding: name, as: UTF8.self)
        }
    }

    private mutating func pass(_ mark: String) -> Bool {
        let mark = Array(mark.utf8)
        while rest.count >= mark.count {
            if rest.starts(with: mark) {
                rest = rest.dropFirst(mark.count)
                return true
            }
            rest = rest.dropFirst()
        }
        return false
    }

    private mutating func passType() -> Bool {
        guard let end = rest.firstIndex(where: { $0 == UInt8(ascii: ">") || $0 == UInt8(ascii: "[") }) else { return false }
        let isPlain = rest[end] == UInt8(ascii: ">")
        rest = rest[(end + 1)...]
        return isPlain || pass("]") && pass(">")
    }
}

/// JSON of any kind, read as values to compare.
package enum JSONContent {
    /// The limits for reading: a bit deeper than people write, and not larger than can be compared in a reasonable time.
    package static let limits = PlistLimits(documentBytes: 1 << 28)

    /// Returns the value of a whole document, which may be null. (RFC 8259)
    ///
    /// - Throws: if anything would be lost: a duplicate key, an integer beyond 64 bits, a real number outside the range of
    ///   doubles, or unpaired surrogates.
    package static func read(_ bytes: [UInt8], limits: PlistLimits = limits) throws(PlistError) -> PlistValue {
        try PlistReader.read(bytes, accepting: [.json], limits: limits).value
    }

    /// Returns true if a file begins with a JSON value, a line end and another value. Such a log is compared as text.
    static func isLines(_ head: [UInt8]) -> Bool {
        var depth = 0
        var isInString = false
        var isEscaped = false
        for (offset, byte) in head.enumerated() {
            if isInString {
                isInString = isEscaped || byte != UInt8(ascii: "\"")
                isEscaped = !isEscaped && byte == UInt8(ascii: "\\")
                continue
            }
            switch byte {
            case UInt8(ascii: "\""): isInString = true
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                depth -= 1
                if depth == 0 { return opens(head[(offset + 1)...]) }
            default: break
            }
        }
        return false
    }

    private static func opens(_ rest: ArraySlice<UInt8>) -> Bool {
        var hasLine = false
        for byte in rest {
            switch byte {
            case 0x0A: hasLine = true
            case 0x20, 0x09, 0x0D: break
            default: return hasLine && (byte == UInt8(ascii: "{") || byte == UInt8(ascii: "["))
            }
        }
        return false
    }
}
