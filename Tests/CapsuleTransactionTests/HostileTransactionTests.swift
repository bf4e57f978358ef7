import CapsuleCore
import CapsuleSystem
import Foundation
import TestSupport
import Testing

@testable import CapsuleTransaction

/// Staging directories that Capsule didn't make. Nothing outside is touched, and nothing that may be a user's is deleted.
@Suite struct HostileTransactionTests {
    private let target: LiveTarget
    private let outside: String
    private var staging: String { target.live() + "/.capsule-transaction" }

    init() throws {
        target = try LiveTarget(["a": .file("one"), "d/f": .file("f")], ["a": .file("two"), "d/f": .file("g")])
        outside = target.scratch["outside"]
        let tree: TreeLiteral = ["": .directory(), "secret": .file("secret"), "a": .file("outside a"), "journal": .file("j")]
        try tree.make(at: outside)
    }

    private func shell(_ script: String) throws {
        let run = try Program.run("sh", ["-ec", script], in: target.live())
        guard run.status == 0 else { throw SupportError(run.errors) }
    }

    /// Checks that recovery is refused, and that nothing has changed.
    private func isRefused(_ script: String, _ word: String) throws {
        try shell("mkdir -p .capsule-transaction; cd .capsule-transaction; O='\(outside)'; \(script)")
        let (before, outsideBefore) = (try target.found(), try TreeLiteral(reading: outside))
        for _ in 0..<2 {
            let error = failure { try target.lock() }
            #expect(error?.message.contains(word) == true, "\(error?.message ?? "no error")")
            #expect(TestTrees.differences(before, from: try target.found()) == [])
        }
        #expect(outsideBefore.differences(from: try TreeLiteral(reading: outside)) == [])
    }

    @Test(arguments: [
        ("cd ..; rmdir .capsule-transaction; ln -s \"$O\" .capsule-transaction", "cannot open"),
        ("cd ..; rmdir .capsule-transaction; echo x > .capsule-transaction", "cannot open"),
        ("ln -s \"$O\" new", "cannot open"),
        ("mkdir new; ln -s \"$O\" old", "cannot open"),
        ("mkdir new old; ln -s \"$O/journal\" journal", "cannot open"),
        ("mkdir new old; mkfifo journal", "cannot read"),
        ("mkdir new old; mkdir journal", "cannot read"),
        ("mkdir new old; echo CAPSTXN1 > journal", "damaged"),
        ("mkdir new old; : > done", "damaged"),
        ("mkdir new old; echo x > leader", "damaged"),
        ("mkdir new old; echo mine > old/1", "no journal"),
        ("mkdir new old; mkdir -p new/1; echo mine > new/1/x", "cannot delete"),
        ("mkdir new old; echo mine > notes", "cannot delete"),
    ])
    func refusesWhatNoTransactionLeaves(_ script: String, _ word: String) throws {
        try isRefused(script, word)
    }

    private func write(_ journal: ApplyJournal, as name: String = "journal") throws {
        try shell("mkdir -p .capsule-transaction/new .capsule-transaction/old")
        try Files.write(journal.encoded(), to: staging + "/" + name)
    }

    private func inode(_ path: String) throws -> UInt64 { try Syscall.status(HostPath(path)).inode }

    /// A journal names a directory that is not part of its transaction.
    @Test func touchesNoDirectoryThatDoesNotTakePart() throws {
        let place = ApplyPlan.TargetPath(root: 1, path: try ApplyJournalTests.path("secret"))
        try write(
            ApplyJournal(
                identifier: .random(), roots: [HostPath(target.live()), HostPath(outside)],
                steps: [
                    .move(
                        inode: try inode(outside + "/secret"), isDirectory: false, from: .tree(place),
                        to: .old(root: 1, number: 1))
                ]))
        try isRefused("true", "is part of")
        // A directory with the staging of another transaction is not touched, either.
        try shell("mkdir -p '\(outside)/.capsule-transaction/old' '\(outside)/.capsule-transaction/new'")
        let note = CoordinatorLink(identifier: .random(), path: HostPath(target.live()))
        try Files.write(note.encoded(), to: outside + "/.capsule-transaction/leader")
        try isRefused("true", "is part of")
    }

    /// A directory claims to follow another one. That one is examined, but not changed.
    @Test func leavesALeaderAloneThatHasNoSuchJournal() throws {
        let note = CoordinatorLink(identifier: .random(), path: HostPath(outside))
        try shell("mkdir -p .capsule-transaction/new .capsule-transaction/old")
        try Files.write(note.encoded(), to: staging + "/leader")
        let before = try TreeLiteral(reading: outside)
        let recovered = try target.lock().recovered
        #expect(recovered.map(\.path) == [HostPath(target.live())])
        #expect(before.differences(from: try TreeLiteral(reading: outside)) == [])
        #expect(!Files.exists(staging))
    }

    @Test func stopsWhereALeaderIsGone() throws {
        let note = CoordinatorLink(identifier: .random(), path: HostPath(target.scratch["gone"]))
        try shell("mkdir -p .capsule-transaction/new .capsule-transaction/old")
        try Files.write(note.encoded(), to: staging + "/leader")
        try isRefused("true", "can't be read")
    }

    /// The journal has steps through a link that replaced a directory.
    @Test func followsNoLinkInAJournal() throws {
        let place = ApplyPlan.TargetPath(root: 0, path: try ApplyJournalTests.path("d/secret"))
        try shell(
            "mkdir -p .capsule-transaction/new .capsule-transaction/old; rm -r d; ln -s '\(outside)' d; echo new > .capsule-transaction/new/1"
        )
        let secret = try inode(outside + "/secret")
        let staged = try inode(staging + "/new/1")
        try write(
            ApplyJournal(
                identifier: .random(), roots: [HostPath(target.live())],
                steps: [
                    .open(
                        ApplyPlan.TargetPath(root: 0, path: try ApplyJournalTests.path("d")), inode: try inode(outside),
                        mode: FileMode(0o755), temporary: FileMode(0o777), modified: .epoch),
                    .move(inode: secret, isDirectory: false, from: .tree(place), to: .old(root: 0, number: 1)),
                    .setMetadata(
                        place, inode: secret, kind: .file, before: JournalStep.Metadata(mode: FileMode(0)),
                        after: JournalStep.Metadata(mode: FileMode(0))),
                    .move(inode: staged, isDirectory: false, from: .new(root: 0, number: 1), to: .tree(place)),
                ]))
        let before = try TreeLiteral(reading: outside)
        let recovered = try target.lock().recovered
        #expect(recovered.count == 1)
        #expect(before.differences(from: try TreeLiteral(reading: outside)) == [])
    }

    // MARK: Names that are taken for one

    @Test func refusesNamesThatTheFileSystemTakesForOne() throws {
        let target = try LiveTarget(
            ["x": .file("x")],
            ["x": .file("x"), "d/README": .file("1"), "d/Readme": .file("2"), "d/é": .file("3"), "d/e\u{301}": .file("4")])
        let room = try TransactionDirectory.make(in: try target.roots()[0])
        defer { try? room.clear() }
        let plan = try target.plan()
        try NameCollisionProbe(plan, [room]).run()
        var taken: Set<String> = []
        let probe = NameCollisionProbe(plan, [room]) { (directory, name) throws(CapsuleError) in
            let key = String(decoding: name, as: UTF8.self).lowercased()
            if !taken.insert(key).inserted { throw CapsuleError(errno: EEXIST, "create", directory.path) }
        }
        let error = failure { try probe.run() }
        #expect(error?.message == "this file system does not distinguish it from d/README")
        #expect(error?.path == HostPath(target.live() + "/d/Readme"))
    }

    /// The names for each directory are tested on its own file system.
    @Test func triesNamesWhereTheyAreToBe() throws {
        let target = try LiveTarget(
            [["x": .file("x")], ["x": .file("x")]], [["x": .file("x")], ["A": .file("1"), "a": .file("2")]])
        let rooms = try target.roots().map { (root) throws in try TransactionDirectory.make(in: root) }
        defer { for room in rooms { try? room.clear() } }
        var probed: [(HostPath, [UInt8])] = []
        try NameCollisionProbe(try target.plan(), rooms) { (directory, name) throws(CapsuleError) in
            probed.append((directory.path, name))
        }.run()
        #expect(probed.map(\.1) == [Array("A".utf8), Array("a".utf8)])
        #expect(probed.allSatisfy { $0.0.bytes.starts(with: Array((target.live(1) + "/").utf8)) })
    }
}
