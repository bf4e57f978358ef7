import CapsuleCore

extension IndexColumns {
    /// Whether other columns say the same of their entries; where the contents are stored is not compared.
    func isAlike(_ other: IndexColumns, times: Bool) -> Bool {
        var pairs = [
            (kind, other.kind), (root, other.root), (mode, other.mode), (size, other.size), (digest, other.digest),
            (path, other.path), (target, other.target), (attributes, other.attributes),
        ]
        if times { pairs += [(seconds, other.seconds), (nanoseconds, other.nanoseconds)] }
        return pairs.allSatisfy { RawBytes.areEqual($0.rest, $1.rest) }
    }

    /// Whether the next `count` entries are these; what no comparison speaks of is passed over on both sides, as is where the
    /// contents are stored.
    mutating func isAlike(_ count: Int, _ entries: ArraySlice<TreeEntry>, times: Bool) throws -> Bool {
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
            let isCompared = entryRoot != .wrapper && entryKind != .identity
            guard isCompared else {
                try passOverAttributes()
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

    /// Reads the next path in place of the one before.
    private mutating func readPath(into bytes: inout [UInt8]) throws {
        let shared = try path.count(limit: bytes.count)
        let rest = try path.slice(try path.count(limit: RelativePath.maximumLength - shared))
        bytes.removeLast(bytes.count - shared)
        bytes.append(contentsOf: rest)
    }

    private mutating func passOverAttributes() throws {
        for _ in 0..<(try attributes.count(limit: attributes.remaining)) { _ = try nextAttribute() }
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
