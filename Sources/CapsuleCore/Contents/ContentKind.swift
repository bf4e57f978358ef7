package import CapsulePropertyList

/// The format of a file's content, detected from the bytes and never from the name. It determines the handler that compares the file.
package enum ContentKind: String, Hashable, Sendable, CaseIterable {
    case sqlite, plist, json, cookies, gzip, zlib, image, text, bytes

    package static let headBytes = 1 << 16
    /// The bytes that a database begins with. (sqlite.org/fileformat.html, section 1.3)
    private static let sqliteMagic = Array("SQLite format 3\0".utf8)
    private static let openStepLimits = PlistLimits(depth: 64, documentBytes: headBytes)

    /// Returns the kinds that a file may have, the most specific first and ``bytes`` last. If the file can't be read as one
    /// kind, the next one is tried.
    package static func candidates(_ head: [UInt8], size: UInt64) -> [ContentKind] {
        let isWhole = UInt64(head.count) >= size
        let isText = TextContent.isLikely(head, isWhole: isWhole)
        if let kind = byMagic(head) { return isText ? [kind, .text, .bytes] : [kind, .bytes] }
        var kinds: [ContentKind] = []
        switch PlistFormat.sniff(head) {
        case .xml where isXMLPlist(head): kinds.append(.plist)
        case .openStep where isText && isOpenStep(head, isWhole: isWhole): kinds.append(.plist)
        case .json where !JSONContent.isLines(head): kinds.append(.json)
        default: break
        }
        if isText {
            kinds.append(.text)
        } else if kinds.isEmpty, WrappedContent(head) == .zlib {
            // zlib's header has only two bytes, and many texts begin with them too.
            kinds.append(.zlib)
        }
        return kinds + [.bytes]
    }

    /// Returns the kinds that two files can be compared as, in order. JSON and a property list can be compared with each other,
    /// as values.
    package static func shared(_ old: [ContentKind], _ new: [ContentKind]) -> [ContentKind] {
        let areValues = [old, new].allSatisfy { $0.first == .plist || $0.first == .json }
        if areValues, old.first != new.first { return [.plist] + shared(Array(old.dropFirst()), Array(new.dropFirst())) }
        return old.filter { new.contains($0) }
    }

    /// Returns true if a file is a binary or an XML property list. JSON and OpenStep are excluded, because other texts look like them.
    package static func isEncodedPlist(_ head: [UInt8]) -> Bool {
        switch PlistFormat.sniff(head) {
        case .binary: true
        case .xml: isXMLPlist(head)
        default: false
        }
    }

    private static func byMagic(_ head: [UInt8]) -> ContentKind? {
        if head.starts(with: sqliteMagic) { return .sqlite }
        if PlistFormat.sniff(head) == .binary { return .plist }
        if BinaryCookies.isLikely(head) { return .cookies }
        if GzipHeader(head) != nil { return .gzip }
        return ImageHeader(head) == nil ? nil : .image
    }

    /// Returns true if the root element is that of a property list. Web pages and drawings are XML too, or begin like it.
    private static func isXMLPlist(_ head: [UInt8]) -> Bool {
        var scan = TextScan(head, isHead: true)
        // A text that declares another encoding, such as Latin-1, is ASCII up to its first element.
        let text = (try? scan.utf8()) ?? head
        return XMLProlog.rootName(of: text[...]).map { ["plist", "dict", "array"].contains($0) } ?? false
    }

    /// Returns true if the text is an OpenStep property list. Many other texts begin like one. An incomplete text must begin
    /// with a bracket.
    private static func isOpenStep(_ head: [UInt8], isWhole: Bool) -> Bool {
        if isWhole { return (try? PlistReader.readLeniently(head, accepting: [.openStep], limits: openStepLimits)) != nil }
        let first = head.first { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }
        return first == UInt8(ascii: "{") || first == UInt8(ascii: "(")
    }
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

/// Content that is compressed with deflate, detected by its header. It must be inflated to detect what is inside.
package enum WrappedContent: Hashable, Sendable {
    case gzip(GzipHeader)
    case zlib

    /// Detects the header at the beginning of a file. The file may still contain something else, because zlib's header has only
    /// two bytes.
    package init?(_ head: [UInt8]) {
        if let header = GzipHeader(head) {
            self = .gzip(header)
        } else if Self.isZlib(head) {
            self = .zlib
        } else {
            return nil
        }
    }

    /// Returns true for deflate with a window of up to 32 KiB, without a preset dictionary, with a correct check value, and
    /// with a first block of an existing type. (RFC 1950, section 2.2, and RFC 1951, section 3.2.3)
    private static func isZlib(_ head: [UInt8]) -> Bool {
        guard head.count >= 3 else { return false }
        let (method, flags) = (head[0], head[1])
        return method & 0x0F == 8 && method >> 4 <= 7 && flags & 0x20 == 0 && (UInt16(method) << 8 | UInt16(flags)) % 31 == 0
            && head[2] >> 1 & 3 != 3
    }
}

/// The header before a gzip member's data. (RFC 1952, section 2.3)
package struct GzipHeader: Hashable, Sendable {
    /// The name of the compressed file in Latin-1, or nil if it is not given.
    package let name: [UInt8]?
    package let comment: [UInt8]?
    /// The modification time of the file in seconds since 1970, or nil if it is not given.
    package let modified: UInt32?
    package let byteCount: Int

    private static let fixedBytes = 10

    package init?(_ head: [UInt8]) {
        let fields = ByteFields(head)
        // The three upper flags are reserved.
        guard head.starts(with: [0x1F, 0x8B, 8]), head.count >= Self.fixedBytes, head[3] & 0xE0 == 0,
            let time = fields.little(4, at: 4)
        else { return nil }
        let flags = head[3]
        modified = time == 0 ? nil : UInt32(truncatingIfNeeded: time)
        var offset = Self.fixedBytes
        if flags & 4 != 0 {
            guard let extra = fields.little(2, at: offset) else { return nil }
            offset += 2 + Int(extra)
        }
        func string() -> [UInt8]? {
            guard let string = fields.string(at: offset) else { return nil }
            offset += string.count + 1
            return string
        }
        name = flags & 8 != 0 ? string() : nil
        if flags & 8 != 0, name == nil { return nil }
        comment = flags & 16 != 0 ? string() : nil
        if flags & 16 != 0, comment == nil { return nil }
        if flags & 2 != 0 { offset += 2 }
        guard offset <= head.count else { return nil }
        byteCount = offset
    }
}
