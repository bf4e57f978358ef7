import CapsuleCore
import CapsuleHashing
import TestSupport
import Testing

@testable import CapsuleArchive

@Suite struct IndexEqualityTests {
    private static func haveSameEntries(_ one: IndexBlock, _ other: IndexBlock, times: Bool) throws -> Bool {
        try haveSameEntries(one.encoded(), other.encoded(), times: times)
    }

    private static func haveSameEntries(_ one: [UInt8], _ other: [UInt8], times: Bool) throws -> Bool {
        let (one, other) = (try #require(BlockLikeness(of: one)), try #require(BlockLikeness(of: other)))
        return one.entries == other.entries && (!times || one.times == other.times)
    }

    private static func hasSameEntries(_ bytes: [UInt8], _ entries: [TreeEntry], times: Bool) throws(IndexBlock.Problem) -> Bool {
        try bytes.withRawBytes { (bytes) throws(IndexBlock.Problem) in
            try IndexBlock.hasSameEntries(bytes, count: entries.count, entries[...], times: times)
        }
    }

    /// Returns the same entries with their contents at other places of another file.
    private static func moved(_ block: IndexBlock) -> IndexBlock {
        var moved = IndexBlock()
        moved.members = block.members.map { MemberReference(offset: $0.offset &+ 1, stored: $0.stored, raw: $0.raw) }
        for (number, entry) in block.entries.enumerated() {
            moved.append(
                entry, extents: block.extents(of: number).map { Extent(member: $0.member, inner: 0, length: $0.length) })
        }
        return moved
    }

    @Test(arguments: SeededGenerator.seeds)
    func wherePlacedDoesNotCount(seed: UInt64) throws {
        let block = try GeneratedIndex(seed: seed, count: 60).block
        let moved = Self.moved(block)
        #expect(block.encoded() != moved.encoded())
        for times in [false, true] {
            #expect(try Self.haveSameEntries(block, moved, times: times))
            #expect(try Self.hasSameEntries(moved.encoded(), block.entries, times: times))
        }
    }

    /// Changes of one fact of an entry. A change returns false if the entry does not have the fact.
    private static let changes: [(name: String, isTime: Bool, change: @Sendable (inout TreeEntry) -> Bool)] = [
        (
            "mode", false,
            {
                $0.mode = FileMode($0.mode.rawValue ^ 1); return true
            }
        ),
        (
            "seconds", true,
            {
                $0.modified = Timestamp(seconds: $0.modified.seconds ^ 1); return true
            }
        ),
        (
            "nanoseconds", true,
            { entry in
                guard let other = Timestamp(seconds: entry.modified.seconds, nanoseconds: entry.modified.nanoseconds ^ 1) else {
                    return false
                }
                entry.modified = other
                return true
            }
        ),
        (
            "path", false,
            { entry in
                guard let path = try? RelativePath(validating: entry.path.bytes + [0x7E]) else { return false }
                entry.path = path
                return true
            }
        ),
        (
            "digest", false,
            { entry in
                guard entry.kind.hasContent else { return false }
                entry.digest = SHA256Hasher.digest(of: [1, 2, 3])
                return true
            }
        ),
        (
            "target", false,
            { entry in
                guard entry.kind == .link else { return false }
                entry.target.append(0x61)
                return true
            }
        ),
        (
            "kind", false,
            { entry in
                guard entry.kind == .directory else { return false }
                entry.kind = .link
                entry.target = [0x61]
                return true
            }
        ),
        (
            "new attribute", false,
            {
                $0.attributes.append(ExtendedAttribute(name: [0x7A], value: [])); return true
            }
        ),
        (
            "attribute's value", false,
            { entry in
                guard !entry.attributes.isEmpty else { return false }
                entry.attributes[0] = ExtendedAttribute(name: entry.attributes[0].name, value: entry.attributes[0].value + [1])
                return true
            }
        ),
        (
            "no attribute", false,
            { entry in
                guard !entry.attributes.isEmpty else { return false }
                entry.attributes.removeLast()
                return true
            }
        ),
    ]

    @Test(arguments: changes.indices)
    func eachFactCounts(number: Int) throws {
        let (name, isTime, change) = Self.changes[number]
        let block = try GeneratedIndex(seed: 7, count: 60).block
        var changed = 0
        for place in block.entries.indices {
            var other = block
            guard change(&other.entries[place]) else { continue }
            changed += 1
            for times in [false, true] {
                let comment: Comment = "\(name) of entry \(place), times \(times)"
                let isSame = isTime && !times
                #expect(try Self.haveSameEntries(block, other, times: times) == isSame, comment)
                // A comparison covers everything except the wrapper and identities.
                #expect(
                    try Self.hasSameEntries(block.encoded(), other.entries, times: times)
                        == (isSame || !block.entries[place].isCompared), comment)
            }
        }
        #expect(changed > 0)
    }

    @Test func noEntryMayLackOrBeTooMany() throws {
        let block = try GeneratedIndex(seed: 3, count: 60).block
        let bytes = block.encoded()
        for place in block.entries.indices {
            var fewer = block.entries
            let entry = fewer.remove(at: place)
            let count = block.entries.count
            let more = Array(block.entries[...place] + block.entries[place...])
            for (entries, what) in [(fewer, "without"), (more, "twice")] {
                let hasSameEntries = try bytes.withRawBytes { (bytes) throws(IndexBlock.Problem) in
                    try IndexBlock.hasSameEntries(bytes, count: count, entries[...], times: true)
                }
                #expect(hasSameEntries == !entry.isCompared, "\(what) entry \(place)")
            }
        }
    }

    @Test func nothingCutIsAlike() throws {
        let block = try IndexBlockTests.small()
        let bytes = block.encoded()
        let likeness = try #require(BlockLikeness(of: bytes))
        for length in 0..<bytes.count {
            let cut = Array(bytes[..<length])
            #expect(BlockLikeness(of: cut) != likeness, "cut to \(length)")
            #expect((try? Self.hasSameEntries(cut, block.entries, times: true)) != true, "cut to \(length)")
        }
    }

    /// Changes each byte to each value. If the result still counts as alike, its facts are the same, apart from the places of
    /// contents.
    @Test func noOtherByteIsAlikeUnlessItSaysSo() throws {
        let block = try IndexBlockTests.small()
        let bytes = block.encoded()
        let likeness = try #require(BlockLikeness(of: bytes))
        for place in bytes.indices {
            for value in UInt8.min...UInt8.max where value != bytes[place] {
                var damaged = bytes
                damaged[place] = value
                let haveSameEntries = BlockLikeness(of: damaged) == likeness
                let hasSameEntries = (try? Self.hasSameEntries(damaged, block.entries, times: true)) == true
                guard let decoded = try? IndexBlockTests.decode(damaged, 4) else { continue }
                #expect(haveSameEntries == (decoded.entries == block.entries), "byte \(place) as \(value)")
                #expect(
                    hasSameEntries == (decoded.entries.filter(\.isCompared) == block.entries.filter(\.isCompared)),
                    "byte \(place) as \(value)")
            }
        }
    }
}

/// Compares the bytes that digests cover with bytes that follow docs/format.md, section 9, by hand.
@Suite struct TreeDigestScopeTests {
    private static let digest = ContentDigest { $0.copyBytes(from: (0..<32).map { UInt8($0) }) }

    private static func entry(_ path: String, _ kind: EntryKind, root: TreeRoot = .tree) throws -> TreeEntry {
        TreeEntry(
            path: try RelativePath(validating: Array(path.utf8)), root: root, kind: kind, mode: FileMode(0o644),
            modified: Timestamp(seconds: 99), size: kind.hasContent ? 0x0102_0304 : 0, digest: kind.hasContent ? digest : .zero,
            target: kind == .link ? Array("to".utf8) : [],
            attributes: [
                ExtendedAttribute(name: Array("n".utf8), value: Array("vv".utf8)),
                ExtendedAttribute(name: Array("o".utf8), value: []),
            ])
    }

    private static func record(_ scope: TreeDigestScope, _ entry: TreeEntry) -> [UInt8] {
        var record: [UInt8] = []
        scope.append(entry, to: &record)
        return record
    }

    private static let attributes: [UInt8] = [2, 0, 0, 0, 1, 0, 0, 0, 0x6E, 2, 0, 0, 0, 0x76, 0x76, 1, 0, 0, 0, 0x6F, 0, 0, 0, 0]
    private static let content: [UInt8] = [4, 3, 2, 1, 0, 0, 0, 0] + (0..<32).map { UInt8($0) }

    @Test func tagsNameTheDigest() {
        #expect(TreeDigestScope.tree.tag == Array("capsule-tree-1\n".utf8))
        #expect(TreeDigestScope.content.tag == Array("capsule-content-1\n".utf8))
    }

    @Test func aFile() throws {
        let file = try Self.entry("a/b", .file)
        let start: [UInt8] = [1, 3, 0, 0, 0, 0x61, 0x2F, 0x62]
        let mode: [UInt8] = [0xA4, 0x01]
        #expect(Self.record(.tree, file) == start + mode + Self.content + Self.attributes)
        #expect(Self.record(.content, file) == start + Self.content)
    }

    @Test func aDirectory() throws {
        let directory = try Self.entry("d", .directory)
        #expect(Self.record(.tree, directory) == [0, 1, 0, 0, 0, 0x64, 0xA4, 0x01] + Self.attributes)
        #expect(Self.record(.content, directory) == [0, 1, 0, 0, 0, 0x64])
    }

    @Test func aLinkHasNoMode() throws {
        let link = try Self.entry("l", .link)
        #expect(Self.record(.tree, link) == [2, 1, 0, 0, 0, 0x6C, 0, 0, 2, 0, 0, 0, 0x74, 0x6F] + Self.attributes)
        #expect(Self.record(.content, link) == [2, 1, 0, 0, 0, 0x6C, 2, 0, 0, 0, 0x74, 0x6F])
    }

    @Test func aGroupsEntryCounts() throws {
        let group = try #require(TreeRoot.group(0))
        #expect(Self.record(.content, try Self.entry("AppGroups/g/x", .directory, root: group)).count == 18)
    }

    @Test func wrapperAndIdentityDoNotCount() throws {
        for scope in [TreeDigestScope.tree, .content] {
            #expect(Self.record(scope, try Self.entry("AppData", .directory, root: .wrapper)).isEmpty)
            #expect(Self.record(scope, try Self.entry("x", .identity)).isEmpty)
        }
    }

    @Test func timesDoNotCount() throws {
        let file = try Self.entry("a", .file)
        var later = file
        later.modified = Timestamp(seconds: 100)
        #expect(Self.record(.tree, file) == Self.record(.tree, later))
    }
}
