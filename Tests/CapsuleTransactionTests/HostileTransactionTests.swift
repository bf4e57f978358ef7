import CapsuleCore
import CapsuleSystem
import Foundation
import Synchronization
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
        let place = TargetPath(root: 1, path: try ApplyJournalTests.path("secret"))
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
        let place = TargetPath(root: 0, path: try ApplyJournalTests.path("d/secret"))
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
                        TargetPath(root: 0, path: try ApplyJournalTests.path("d")), inode: try inode(outside),
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

/// Another thread swaps a directory for a link that leads outside, and back, while transactions run.
@Suite struct RacingTransactionTests {
    /// Swaps the directory until it is stopped.
    private final class Racer: Sendable {
        private let isStopping = Atomic<Bool>(false)
        private let isFinished = Atomic<Bool>(false)

        func start(_ live: String, _ outside: String) {
            Thread {
                while !self.isStopping.load(ordering: .relaxed) {
                    rename(live + "/d", live + "/d.aside")
                    symlink(outside, live + "/d")
                    unlink(live + "/d")
                    rename(live + "/d.aside", live + "/d")
                }
                self.isFinished.store(true, ordering: .sequentiallyConsistent)
            }.start()
        }

        func stop() {
            isStopping.store(true, ordering: .relaxed)
            while !isFinished.load(ordering: .sequentiallyConsistent) { usleep(50) }
        }
    }

    @Test func neverLeavesTheTree() throws {
        let one: TreeLiteral = [
            "d/a": .file("one"), "d/e/b": .file("two"), "d/gone": .file("gone"), "d/same": .file("same"), "x": .file("x"),
        ]
        let other: TreeLiteral = [
            "d/a": .file("two"), "d/e/b": .file("one"), "d/new": .file("new"), "d/same": .file("same", mode: 0o600),
            "d/n/m": .file("m"), "x": .file("y"),
        ]
        let target = try LiveTarget(one, other)
        let outside = target.scratch["outside"]
        let secret: TreeLiteral = [
            "": .directory(mode: 0o777), "a": .file("SECRET a", mode: 0o666), "e/b": .file("SECRET b"), "gone": .file("SECRET"),
            "same": .file("SECRET"),
        ]
        try secret.make(at: outside)
        let audit = try Program.run("find", [outside, "-printf", "%p %C@ %T@ %i %n %m\n"])
        try #require(audit.status == 0)

        for round in 1...(runsLongTests ? 10_000 : 300) {
            try target.reset()
            let plan = try target.plan()
            let racer = Racer()
            racer.start(target.live(), outside)
            let outcome = Result { try target.run(plan) }
            racer.stop()
            _ = try target.lock()
            var found = try target.found()
            found[0][""]?.modified = TreeNode.time
            let fromOld = TestTrees.differences(target.before, from: found)
            let fromNew = TestTrees.differences(target.after, from: found)
            #expect(fromOld.isEmpty || fromNew.isEmpty, "round \(round): \(fromOld) \(fromNew)")
            if case .success = outcome { #expect(fromNew.isEmpty, "round \(round)") }
        }
        #expect(try Program.run("find", [outside, "-printf", "%p %C@ %T@ %i %n %m\n"]).text == audit.text)
        #expect(secret.differences(from: try TreeLiteral(reading: outside)) == [])
    }
}

/// Directories and files without permissions for their owner, changed by a user who is not root.
@Suite struct UnprivilegedTransactionTests {
    /// Gives the test's files to that user.
    private func give(_ target: LiveTarget) throws {
        guard geteuid() == 0 else { return }
        try Unprivileged.give(target.scratch.path)
    }

    private static let before: TreeLiteral = [
        "closed": .directory(mode: 0o555), "closed/f": .file("f", mode: 0o400), "closed/inner": .directory(mode: 0o500),
        "closed/inner/g": .file("g", mode: 0o444), "facts": .file("facts", mode: 0o444, attributes: ["user.x": [1]]),
        "goes": .directory(mode: 0o555), "goes/too": .directory(mode: 0o500), "goes/too/h": .file("h"),
    ]
    private static let after: TreeLiteral = [
        "closed": .directory(mode: 0o555), "closed/f": .file("other", mode: 0o000), "closed/inner": .directory(mode: 0o500),
        "closed/inner/new": .file("new", mode: 0o444),
        "facts": .file("facts", mode: 0o400, attributes: ["user.x": [2], "user.y": [3]]),
        "comes": .directory(mode: 0o555, attributes: ["user.d": [1]]), "comes/h": .file("h"),
        "shut": .directory(mode: 0o000), "shut/x": .file("x"),
    ]

    @Test func opensUpAndPutsBack() throws {
        let target = try LiveTarget(Self.before, Self.after)
        try give(target)
        let plan = try target.plan()
        let refused = try Unprivileged.run { try target.run(plan).refusedAttributes.count }
        #expect(refused == 0)
        // Only root can read this: `shut` has no permissions for its owner.
        guard geteuid() == 0 else { return }
        #expect(TestTrees.differences(target.after, from: try target.found()) == [])
    }

    #if DEBUG
    /// The transaction is killed at every call, and recovered without root's rights.
    @Test func recoversWhatWasClosed() throws {
        var (old, new) = (Self.before, Self.after)
        // Files that only root can read can't be compared. After they are closed, they can't be examined, either.
        new["shut"] = nil
        new["shut/x"] = nil
        new["closed/f"] = .file("other", mode: 0o400)
        old["facts"]?.attributes = [:]
        let target = try LiveTarget(old, new)
        let scratch = HostPath(target.scratch.path)
        var calls = 1
        var number = 1
        while number <= calls {
            try target.reset()
            try give(target)
            let plan = try target.plan()
            let last = number
            let made = try Unprivileged.run {
                InjectedFaults.during(below: scratch, last == 1 ? [] : [(last, .death)]) {
                    Result { try target.run(plan, jobs: 1) }
                }.calls
            }
            if number == 1 { calls = made }
            _ = try Unprivileged.run { try target.lock().recovered.count }
            var found = try target.found()
            found[0][""]?.modified = TreeNode.time
            let differences = [target.before, target.after].map { TestTrees.differences($0, from: found) }
            #expect(differences.contains([]), "call \(number) was the last: \(differences)")
            number += runsLongTests ? 1 : 3
        }
        #expect(calls > 50)
    }
    #endif
}
