public import CapsulePropertyList

/// What a file holds, by its bytes and never by its name, and so what compares it.
public enum ContentKind: String, Hashable, Sendable, CaseIterable {
    /// A database of SQLite's.
    case sqlite
    /// A property list in XML, binary or OpenStep.
    case plist
    /// One document of JSON.
    case json
    /// A `Cookies.binarycookies`.
    case cookies
    /// A gzip file, whatever is in it.
    case gzip
    /// A zlib stream, whatever is in it.
    case zlib
    /// An image whose header is known.
    case image
    /// Lines of text.
    case text
    /// Anything.
    case bytes

    /// Bytes of a file that are enough to judge by.
    public static let headBytes = 1 << 16
    /// The magic of a database. (sqlite.org/fileformat.html, section 1.3)
    private static let sqliteMagic = Array("SQLite format 3\0".utf8)
    /// A file of OpenStep's that is read to find out whether it is one.
    private static let openStepLimits = PlistLimits(depth: 64, documentBytes: headBytes)

    /// What a file may hold, the most telling kind first; ``bytes`` comes last. One that turns out not to be read as a kind is of
    /// the next.
    ///
    /// - Parameters:
    ///   - head: the file's first ``headBytes``, or all of a smaller one.
    ///   - size: the file's, in bytes.
    public static func candidates(_ head: [UInt8], size: UInt64) -> [ContentKind] {
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
            // Two bytes that many texts begin with too.
            kinds.append(.zlib)
        }
        return kinds + [.bytes]
    }

    /// What two files may be compared as, in order: JSON and a property list as values.
    public static func shared(_ old: [ContentKind], _ new: [ContentKind]) -> [ContentKind] {
        let areValues = [old, new].allSatisfy { $0.first == .plist || $0.first == .json }
        if areValues, old.first != new.first { return [.plist] + shared(Array(old.dropFirst()), Array(new.dropFirst())) }
        return old.filter { new.contains($0) }
    }

    /// Whether a file is a binary or an XML property list. JSON and OpenStep are left out: other texts look like them.
    ///
    /// - Parameter head: the file's first ``headBytes``, or all of a smaller one.
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

    /// Pages and drawings are XML too, or begin as it does.
    private static func isXMLPlist(_ head: [UInt8]) -> Bool {
        var scan = TextScan(head, isHead: true)
        // A text in an encoding that it names itself, Latin-1, is of ASCII up to its first element.
        let text = (try? scan.utf8()) ?? head
        return XMLProlog.rootName(of: text[...]).map { ["plist", "dict", "array"].contains($0) } ?? false
    }

    /// Much that is no property list begins as one of OpenStep's may. One that is not all there has to begin with a bracket.
    private static func isOpenStep(_ head: [UInt8], isWhole: Bool) -> Bool {
        if isWhole { return (try? PlistReader.readLeniently(head, accepting: [.openStep], limits: openStepLimits)) != nil }
        let first = head.first { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }
        return first == UInt8(ascii: "{") || first == UInt8(ascii: "(")
    }
}

/// Finds the first element of an XML text, to tell property lists from pages and drawings.
private struct XMLProlog {
    private var rest: ArraySlice<UInt8>

    /// The name of the first element behind declarations, comments and the document type, in UTF-8; nil where none begins.
    /// (XML 1.0, section 2.8)
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

    /// Passes all up to a mark's end; false if it does not come.
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

    /// Passes a document type and the declarations that it may hold in brackets.
    private mutating func passType() -> Bool {
        guard let end = rest.firstIndex(where: { $0 == UInt8(ascii: ">") || $0 == UInt8(ascii: "[") }) else { return false }
        let isPlain = rest[end] == UInt8(ascii: ">")
        rest = rest[(end + 1)...]
        return isPlain || pass("]") && pass(">")
    }
}

/// JSON of any kind, as values to compare.
public enum JSONContent {
    /// Not much deeper than what people write, and no more than is compared in good time.
    public static let limits = PlistLimits(documentBytes: 1 << 28)

    /// The value of a whole document, null included. (RFC 8259)
    ///
    /// - Throws: for all that would be lost: a key that comes twice, an integer beyond 64 bits, a real beyond what doubles hold,
    ///   unpaired surrogates.
    public static func read(_ bytes: [UInt8], limits: PlistLimits = limits) throws(PlistError) -> PlistValue {
        try PlistReader.read(bytes, accepting: [.json], limits: limits).value
    }

    /// Whether the beginning of a file is a JSON value, a line's end and then more: a log of values in lines is compared as text.
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

    /// Whether a value opens in a later line.
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

/// Content within a layer of deflate, known by its header. What is inside, who can inflate finds out.
public enum WrappedContent: Hashable, Sendable {
    /// A gzip member with its header. (RFC 1952)
    case gzip(GzipHeader)
    /// A zlib stream. (RFC 1950)
    case zlib

    /// A header's word in the names of handlers: `gzip` or `zlib`.
    public var word: String {
        switch self {
        case .gzip: "gzip"
        case .zlib: "zlib"
        }
    }

    /// Looks at the beginning of a file, which may yet hold something else: zlib's header is two bytes.
    public init?(_ head: [UInt8]) {
        if let header = GzipHeader(head) {
            self = .gzip(header)
        } else if Self.isZlib(head) {
            self = .zlib
        } else {
            return nil
        }
    }

    /// Deflate with a window of up to 32 KiB, no dictionary that one has to have, a check that fits, and a first block of a type
    /// that there is. (RFC 1950, section 2.2, and RFC 1951, section 3.2.3)
    private static func isZlib(_ head: [UInt8]) -> Bool {
        guard head.count >= 3 else { return false }
        let (method, flags) = (head[0], head[1])
        return method & 0x0F == 8 && method >> 4 <= 7 && flags & 0x20 == 0 && (UInt16(method) << 8 | UInt16(flags)) % 31 == 0
            && head[2] >> 1 & 3 != 3
    }
}

/// What stands in front of a gzip member's data. (RFC 1952, section 2.3)
public struct GzipHeader: Hashable, Sendable {
    /// The name of the file that was compressed, in Latin-1; nil where none is told.
    public let name: [UInt8]?
    /// A comment, in Latin-1.
    public let comment: [UInt8]?
    /// The time of the file's last change, in seconds since 1970; nil where none is told.
    public let modified: UInt32?
    /// The number of bytes in front of the compressed data.
    public let byteCount: Int

    private static let fixedBytes = 10

    /// Reads the header of the first member; nil if there is none, or it is cut.
    public init?(_ head: [UInt8]) {
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
