import CapsuleCore
import CapsuleHashing
import CapsuleSystem
import TestSupport
import Testing

@testable import CapsuleTransaction

/// The journal's file. Its content is read back, and anything else in it is refused.
@Suite struct ApplyJournalTests {
    static func path(_ text: String) throws -> RelativePath {
        text.isEmpty ? .root : try RelativePath(validating: Array(text.utf8))
    }

    static func journal(place: String = "d/f", root: Int = 1) throws -> ApplyJournal {
        let place = TargetPath(root: root, path: try path(place))
        let facts = JournalStep.Metadata(
            mode: FileMode(0o644), modified: Timestamp(seconds: -1, nanoseconds: 999_999_999),
            attributes: [ExtendedAttribute(name: Array("user.x".utf8), value: [0, 1, 255])], removed: [Array("user.y".utf8)])
        return ApplyJournal(
            identifier: ApplyJournal.Identifier(Array(0..<16)), roots: [HostPath("/a"), HostPath("/b c")],
            steps: [
                .open(
                    TargetPath(root: 0, path: .root), inode: .max, mode: FileMode(0o2555), temporary: FileMode(0o2755),
                    modified: Timestamp(seconds: .min)),
                .move(inode: 7, isDirectory: false, from: .tree(place), to: .old(root: root, number: 3)),
                .move(inode: 7, isDirectory: true, from: .old(root: root, number: 3), to: .tree(place)),
                .move(inode: 300, isDirectory: false, from: .new(root: root, number: 1_000_000), to: .tree(place)),
                .setMetadata(place, inode: 0, kind: .file, before: JournalStep.Metadata(), after: facts),
                .setMetadata(place, inode: 1, kind: .link, before: facts, after: JournalStep.Metadata()),
            ])
    }

    /// Returns the body with its digest.
    static func signed(_ body: [UInt8]) -> [UInt8] {
        body + SHA256Hasher.digest(of: body).withBytes { Array($0) }
    }

    @Test func isReadAsItWasWritten() throws {
        let journal = try Self.journal()
        #expect(ApplyJournal(decoding: journal.encoded()) == journal)
    }

    @Test func everyFlippedBitIsSeen() throws {
        let bytes = try Self.journal().encoded()
        for place in bytes.indices {
            var damaged = bytes
            damaged[place] ^= 1 << UInt8(place % 8)
            #expect(ApplyJournal(decoding: damaged) == nil, "byte \(place)")
            #expect(ApplyJournal(decoding: Array(bytes[..<place])) == nil, "cut at \(place)")
        }
        #expect(ApplyJournal(decoding: bytes + [0]) == nil)
    }

    /// An attacker can make a correct digest, too.
    @Test func everyCutIsSeenWhateverTheDigest() throws {
        let body = Array(try Self.journal().encoded().dropLast(ContentDigest.byteCount))
        for end in body.indices { #expect(ApplyJournal(decoding: Self.signed(Array(body[..<end]))) == nil, "cut at \(end)") }
        #expect(ApplyJournal(decoding: Self.signed(body + [0])) == nil)
        #expect(ApplyJournal(decoding: Self.signed(body)) != nil)
    }

    /// A journal with any byte changed on purpose is read or refused, but never has a path that leads elsewhere.
    @Test func noByteLeadsOutside() throws {
        let body = Array(try Self.journal().encoded().dropLast(ContentDigest.byteCount))
        var read = 0
        for place in body.indices {
            for value in [0, 1, 0x2E, 0x2F, 0x7F, 0x80, 0xFF] as [UInt8] {
                var hostile = body
                hostile[place] = value
                guard let journal = ApplyJournal(decoding: Self.signed(hostile)) else { continue }
                read += 1
                #expect(journal.roots.allSatisfy { $0.bytes.first == UInt8(ascii: "/") && !$0.bytes.contains(0) })
                for case .move(_, _, let from, let to) in journal.steps {
                    #expect(from.root == to.root && journal.roots.indices.contains(from.root))
                }
            }
        }
        #expect(read > 0)
    }

    @Test(arguments: [
        "../x", "/etc/passwd", "a/../b", "a//b", ".", "a\0b", ".capsule-transaction/journal", ".capsule-transaction",
    ])
    func refusesPaths(_ path: String) throws {
        let sound = try Self.journal(place: String(repeating: "x", count: path.utf8.count))
        let body = Array(sound.encoded().dropLast(ContentDigest.byteCount))
        var hostile: [UInt8] = []
        let old = Array(repeating: UInt8(ascii: "x"), count: path.utf8.count)
        var at = 0
        // Names of attributes contain an x, too, but without the length of a path before it.
        let marked = [UInt8(path.utf8.count)] + old
        while at < body.count {
            if body[at...].starts(with: marked) {
                hostile += [UInt8(path.utf8.count)] + Array(path.utf8)
                at += marked.count
            } else {
                hostile.append(body[at])
                at += 1
            }
        }
        #expect(hostile != body)
        #expect(ApplyJournal(decoding: Self.signed(hostile)) == nil)
    }

    @Test func refusesARootThatItDoesNotName() throws {
        var journal = try Self.journal(root: 1)
        journal.roots = [HostPath("/a")]
        #expect(ApplyJournal(decoding: journal.encoded()) == nil)
        journal.roots = [HostPath("relative"), HostPath("/b")]
        #expect(ApplyJournal(decoding: journal.encoded()) == nil)
        journal.roots = []
        #expect(ApplyJournal(decoding: journal.encoded()) == nil)
    }

    /// A journal from another machine or user does not give a file the rights of its owner.
    @Test func dropsWhatMakesAProgramRunAsItsOwner() throws {
        let place = TargetPath(root: 0, path: try Self.path("f"))
        let journal = ApplyJournal(
            identifier: .random(), roots: [HostPath("/a")],
            steps: [
                .setMetadata(
                    place, inode: 1, kind: .file, before: JournalStep.Metadata(),
                    after: JournalStep.Metadata(mode: FileMode(0o6755)))
            ])
        let read = ApplyJournal(decoding: journal.encoded())
        guard case .setMetadata(_, _, _, _, let after)? = read?.steps.first else {
            Issue.record("it was not read")
            return
        }
        #expect(after.mode == FileMode(0o755))
    }

    @Test func leaderNotesAreReadAsTheyWereWritten() throws {
        let note = CoordinatorLink(identifier: .random(), path: HostPath("/some where"))
        #expect(CoordinatorLink(decoding: note.encoded()) == note)
        for end in 0..<24 { #expect(CoordinatorLink(decoding: Array(note.encoded()[..<end])) == nil) }
        #expect(CoordinatorLink(decoding: CoordinatorLink(identifier: .random(), path: HostPath("relative")).encoded()) == nil)
    }
}
