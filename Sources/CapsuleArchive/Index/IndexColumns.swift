import CapsuleCore

/// The columns of a raw block, each with its own cursor.
struct IndexColumns {
    var kind: ByteReader
    var root: ByteReader
    var mode: ByteReader
    var seconds: ByteReader
    var nanoseconds: ByteReader
    var size: ByteReader
    var digest: ByteReader
    var path: ByteReader
    var target: ByteReader
    var attributes: ByteReader
    var extents: ByteReader
    var members: ByteReader
    private var prediction = ExtentPrediction()

    init(_ block: UnsafeRawBufferPointer) throws {
        var found = [UnsafeRawBufferPointer?](repeating: nil, count: Int(IndexColumn.last) + 1)
        var reader = ByteReader(block)
        while reader.remaining > 0 {
            let id = try reader.integer(UInt16.self)
            let bytes = try reader.slice(Int(try reader.integer(UInt32.self)))
            if id >= 1, id <= IndexColumn.last {
                guard found[Int(id)] == nil else { throw IndexBlock.Problem(message: "column \(id) appears twice") }
                found[Int(id)] = bytes
            } else if id >= IndexColumn.mandatory {
                throw IndexBlock.Problem(message: "column \(id) is of a newer format and can't be skipped")
            }
        }
        func column(_ id: UInt16) throws -> ByteReader {
            guard let bytes = found[Int(id)] else { throw IndexBlock.Problem(message: "column \(id) is missing") }
            return ByteReader(bytes)
        }
        kind = try column(IndexColumn.kind)
        root = try column(IndexColumn.root)
        mode = try column(IndexColumn.mode)
        seconds = try column(IndexColumn.seconds)
        nanoseconds = try column(IndexColumn.nanoseconds)
        size = try column(IndexColumn.size)
        digest = try column(IndexColumn.digest)
        path = try column(IndexColumn.path)
        target = try column(IndexColumn.target)
        attributes = try column(IndexColumn.attributes)
        extents = try column(IndexColumn.extents)
        members = try column(IndexColumn.members)
    }

    var isAtEnd: Bool {
        [kind, root, mode, seconds, nanoseconds, size, digest, path, target, attributes, extents, members]
            .allSatisfy { $0.remaining == 0 }
    }

    mutating func readMembers(into references: inout [MemberReference]) throws {
        let count = try members.count(limit: members.remaining / 16)
        references.reserveCapacity(count)
        for _ in 0..<count {
            let reference = MemberReference(
                offset: try members.integer(UInt64.self), stored: try members.integer(UInt32.self),
                raw: try members.integer(UInt32.self))
            guard reference.raw <= CapsuleLimits.memberRawLength, reference.stored <= CapsuleLimits.memberStoredLength else {
                throw IndexBlock.Problem(message: "a member beyond the size limit")
            }
            references.append(reference)
        }
    }

    mutating func next(seconds running: inout Int64, path bytes: inout [UInt8]) throws -> TreeEntry {
        guard let entryKind = EntryKind(rawValue: try kind.integer(UInt8.self)) else {
            throw IndexBlock.Problem(message: "an unknown kind of entry")
        }
        let entryRoot = TreeRoot(rawValue: try root.integer(UInt8.self))
        let bits = try mode.integer(UInt16.self)
        guard bits <= 0o7777 else { throw IndexBlock.Problem(message: "a mode above 07777") }
        running &+= try seconds.zigzag()
        guard let modified = Timestamp(seconds: running, nanoseconds: try nanoseconds.integer(UInt32.self)) else {
            throw IndexBlock.Problem(message: "nanoseconds of more than a second")
        }
        let shared = try path.count(limit: bytes.count)
        let rest = try path.slice(try path.count(limit: RelativePath.maximumLength))
        bytes.removeLast(bytes.count - shared)
        bytes.append(contentsOf: rest)
        if !rest.isEmpty || shared > 0 || entryRoot != .wrapper || entryKind != .directory {
            return try entry(RelativePath(validating: bytes), entryRoot, entryKind, FileMode(bits), modified)
        }
        return try entry(.root, entryRoot, entryKind, FileMode(bits), modified)
    }

    mutating func forEachPath(_ count: Int, _ body: (TreeRoot, EntryKind, UnsafeRawBufferPointer) -> Void) throws {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(RelativePath.maximumLength)
        var last: TreeRoot?
        for _ in 0..<count {
            guard let entryKind = EntryKind(rawValue: try kind.integer(UInt8.self)) else {
                throw IndexBlock.Problem(message: "an unknown kind of entry")
            }
            let entryRoot = TreeRoot(rawValue: try root.integer(UInt8.self))
            let shared = try path.count(limit: bytes.count)
            let rest = try path.slice(try path.count(limit: RelativePath.maximumLength - shared))
            let isOrdered =
                last == entryRoot ? bytes[shared...].lexicographicallyPrecedes(rest) : last.map { $0 < entryRoot } ?? true
            guard isOrdered else { throw IndexBlock.Problem(message: "entries are out of order or duplicate") }
            last = entryRoot
            bytes.removeLast(bytes.count - shared)
            bytes.append(contentsOf: rest)
            guard bytes.isEmpty ? entryRoot == .wrapper : RelativePath.isSound(bytes) else {
                throw IndexBlock.Problem(message: "an invalid path")
            }
            bytes.withUnsafeBytes { body(entryRoot, entryKind, $0) }
        }
    }

    private mutating func entry(
        _ path: RelativePath, _ root: TreeRoot, _ kind: EntryKind, _ mode: FileMode, _ modified: Timestamp
    ) throws -> TreeEntry {
        var entry = TreeEntry(path: path, root: root, kind: kind, mode: mode, modified: modified)
        if kind.hasContent {
            entry.size = try contentSize()
            entry.digest = try contentDigest()
        }
        if kind == .link {
            entry.target = Array(try target.slice(try target.count(limit: TreeEntry.maximumTargetLength)))
            guard !entry.target.isEmpty, !entry.target.contains(0) else {
                throw IndexBlock.Problem(message: "a link without a target")
            }
        }
        let count = try attributes.count(limit: attributes.remaining)
        if count > 0 { entry.attributes = try readAttributes(count) }
        return entry
    }

    private mutating func readAttributes(_ count: Int) throws -> [ExtendedAttribute] {
        var list: [ExtendedAttribute] = []
        for _ in 0..<count {
            let name = Array(try attributes.slice(try attributes.count(limit: RelativePath.maximumComponentLength)))
            let value = Array(try attributes.slice(try attributes.count(limit: ExtendedAttribute.maximumValueLength)))
            guard !name.isEmpty, !name.contains(0), list.last.map({ $0.name.lexicographicallyPrecedes(name) }) ?? true else {
                throw IndexBlock.Problem(message: "attributes out of order")
            }
            // Like setuid bits, such attributes would give rights if root unpacked them.
            guard ExtendedAttribute.isStorable(name) else {
                throw IndexBlock.Problem(message: "an attribute that a capsule can't have")
            }
            list.append(ExtendedAttribute(name: name, value: value))
        }
        return list
    }

    mutating func readExtents(size: UInt64, members: [MemberReference], into list: inout [Extent]) throws {
        var left = size
        var isAfterZeros = false
        while left > 0 {
            let extent = try prediction.next(from: &extents, members: members, left: &left)
            // Shorter ones would let a few bytes stand for any number of ranges.
            guard !extent.isZeros || extent.length >= CapsuleLimits.zerosLength && !isAfterZeros else {
                throw IndexBlock.Problem(message: "zeros in adjacent pieces")
            }
            isAfterZeros = extent.isZeros
            guard list.count < Self.mostExtents else { throw IndexBlock.Problem(message: "too many extents") }
            list.append(extent)
        }
    }

    private static let mostExtents = Int(CapsuleLimits.indexBlockLength / 16)

    /// Reads the next entry's kind, and returns its size and digest if it has content. Other columns are not read.
    mutating func nextContent() throws -> (size: UInt64, digest: ContentDigest)? {
        guard let entryKind = EntryKind(rawValue: try kind.integer(UInt8.self)) else {
            throw IndexBlock.Problem(message: "an unknown kind of entry")
        }
        guard entryKind.hasContent else { return nil }
        return (try contentSize(), try contentDigest())
    }

    mutating func contentDigest() throws -> ContentDigest {
        let found = try digest.digest()
        // No content has this digest. Capsule uses it for unknown content.
        guard found != .zero else { throw IndexBlock.Problem(message: "a file without a digest") }
        return found
    }

    mutating func contentSize() throws -> UInt64 {
        let length = try size.varint()
        guard length <= CapsuleLimits.versionLength else { throw IndexBlock.Problem(message: "a size beyond the limit") }
        return length
    }
}

extension IndexColumns {
    /// Returns true if the next `count` entries are equal to `entries`. Entries that are not compared are skipped on both
    /// sides. The places of contents are not compared.
    mutating func hasSameEntries(_ count: Int, _ entries: ArraySlice<TreeEntry>, times: Bool) throws -> Bool {
        var running: Int64 = 0
        var bytes: [UInt8] = []
        bytes.reserveCapacity(RelativePath.maximumLength)
        var others = entries
        for _ in 0..<count {
            guard let entryKind = EntryKind(rawValue: try kind.integer(UInt8.self)) else { return false }
            let entryRoot = TreeRoot(rawValue: try root.integer(UInt8.self))
            let bits = try mode.integer(UInt16.self)
            running &+= try seconds.zigzag()
            let modified = Timestamp(seconds: running, nanoseconds: try nanoseconds.integer(UInt32.self))
            try readPath(into: &bytes)
            let content = entryKind.hasContent ? (size: try contentSize(), digest: try contentDigest()) : (0, .zero)
            let link = entryKind == .link ? try target.slice(try target.count(limit: TreeEntry.maximumTargetLength)) : nil
            others = others.drop { !$0.isCompared }
            guard entryRoot != .wrapper, entryKind != .identity else {
                for _ in 0..<(try attributes.count(limit: attributes.remaining)) { _ = try nextAttribute() }
                continue
            }
            guard let other = others.popFirst(), other.kind == entryKind, other.root == entryRoot, other.mode.rawValue == bits,
                !times || other.modified == modified, other.size == content.size, other.digest == content.digest,
                Self.areEqual(other.path.bytes, bytes), try areNextAttributes(other.attributes),
                other.target.withRawBytes({ RawBytes.areEqual($0, link ?? UnsafeRawBufferPointer(start: nil, count: 0)) })
            else { return false }
        }
        return others.allSatisfy { !$0.isCompared }
    }

    private static func areEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
        left.withRawBytes { left in right.withRawBytes { RawBytes.areEqual(left, $0) } }
    }

    private mutating func readPath(into bytes: inout [UInt8]) throws {
        let shared = try path.count(limit: bytes.count)
        let rest = try path.slice(try path.count(limit: RelativePath.maximumLength - shared))
        bytes.removeLast(bytes.count - shared)
        bytes.append(contentsOf: rest)
    }

    private mutating func areNextAttributes(_ list: [ExtendedAttribute]) throws -> Bool {
        guard try attributes.count(limit: attributes.remaining) == list.count else { return false }
        for attribute in list {
            let (name, value) = try nextAttribute()
            guard attribute.name.withRawBytes({ RawBytes.areEqual($0, name) }),
                attribute.value.withRawBytes({ RawBytes.areEqual($0, value) })
            else { return false }
        }
        return true
    }

    private mutating func nextAttribute() throws -> (name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer) {
        let name = try attributes.slice(try attributes.count(limit: RelativePath.maximumComponentLength))
        return (name, try attributes.slice(try attributes.count(limit: ExtendedAttribute.maximumValueLength)))
    }
}

/// The numbers of a block's columns. A reader must not skip an unknown column from ``mandatory`` on.
enum IndexColumn {
    static let kind: UInt16 = 1
    static let root: UInt16 = 2
    static let mode: UInt16 = 3
    static let seconds: UInt16 = 4
    static let nanoseconds: UInt16 = 5
    static let size: UInt16 = 6
    static let digest: UInt16 = 7
    static let path: UInt16 = 8
    static let target: UInt16 = 9
    static let attributes: UInt16 = 10
    static let extents: UInt16 = 11
    static let members: UInt16 = 12
    static let last: UInt16 = 12
    static let mandatory: UInt16 = 0x8000
}
