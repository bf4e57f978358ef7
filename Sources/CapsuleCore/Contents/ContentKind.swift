import CapsulePropertyList

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
