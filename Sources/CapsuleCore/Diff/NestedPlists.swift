import CapsulePropertyList

/// Property lists in the data of two others.
struct NestedPlists {
    typealias Document = (value: PlistValue, format: PlistFormat)

    /// Documents within each other that are looked into.
    private static let depthLimit = 4
    /// Bytes of documents that are read in one comparison.
    private static let byteLimit = 1 << 28

    private var bytes = 0
    /// All that were read: a memo of what is equal knows them by their addresses.
    private var held: [PlistValue] = []
    /// Whether there was one that was not looked into for a limit.
    private(set) var isCutShort = false

    /// What both hold; nil if one of them is no property list in a binary or XML encoding. Other text is anything's.
    mutating func read(_ old: [UInt8], _ new: [UInt8], depth: Int) -> (old: Document, new: Document)? {
        guard Self.isDocument(old), Self.isDocument(new) else { return nil }
        guard depth < Self.depthLimit, bytes + old.count + new.count <= Self.byteLimit else {
            isCutShort = true
            return nil
        }
        bytes += old.count + new.count
        guard let old = try? PlistReader.read(old), let new = try? PlistReader.read(new) else { return nil }
        held += [old.value, new.value]
        return (old, new)
    }

    private static func isDocument(_ bytes: [UInt8]) -> Bool {
        switch PlistFormat.sniff(bytes) {
        case .binary, .xml: true
        default: false
        }
    }
}
