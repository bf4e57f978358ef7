import CapsuleCore
import CapsuleSystem
import TestSupport
import Testing

@testable import CapsuleTransaction

/// The result of a transaction in a directory, and the state that a failed one leaves.
@Suite struct ApplyTransactionTests {
    static let later = Timestamp(seconds: 1_720_000_000, nanoseconds: 7) ?? .epoch

    /// One change of each kind, applied forward and backward.
    static let pairs: [(name: String, TreeLiteral, TreeLiteral)] = [
        ("a new file", ["keep": .file("k")], ["keep": .file("k"), "new": .file("n", mode: 0o600, at: later)]),
        ("another content", ["a": .file("one")], ["a": .file("two, longer", at: later)]),
        ("another mode", ["a": .file("one")], ["a": .file("one", mode: 0o640)]),
        ("a closed file", ["a": .file("one", mode: 0o400)], ["a": .file("two", mode: 0o000)]),
        ("another time", ["a": .file("one")], ["a": .file("one", at: later)]),
        (
            "attributes", ["a": .file("one", attributes: ["user.x": [1], "user.gone": [2]])],
            ["a": .file("one", mode: 0o444, attributes: ["user.x": [9], "user.come": [3]])]
        ),
        (
            "attributes of a directory", ["d": .directory(attributes: ["user.x": [1]]), "d/f": .file("f")],
            ["d": .directory(mode: 0o700, at: later, attributes: ["user.y": [2]]), "d/f": .file("f")]
        ),
        ("a swap", ["a": .file("one"), "b": .file("two")], ["a": .file("two"), "b": .file("one")]),
        (
            "a chain of names", ["a": .file("one"), "b": .file("two"), "c": .file("three")],
            ["b": .file("one"), "c": .file("two"), "d": .file("three")]
        ),
        ("a file becomes a directory", ["a": .file("one")], ["a": .directory(mode: 0o750), "a/one": .file("one")]),
        (
            "a directory gets another name", ["d/e/f": .file("f"), "d/g": .link("e/f"), "other": .file("o")],
            ["n/e/f": .file("f"), "n/g": .link("e/f"), "other": .file("o")]
        ),
        ("a link becomes a file", ["a": .link("/etc/passwd")], ["a": .file("a")]),
        ("a link becomes a directory", ["a": .link("b"), "b/x": .file("x")], ["a/x": .file("new x"), "b/x": .file("x")]),
        ("a link leads elsewhere", ["a": .link("b")], ["a": .link("c", at: later)]),
        ("an empty directory", [:], ["d": .directory(mode: 0o555, at: later)]),
        (
            "closed directories", ["d": .directory(mode: 0o555), "d/e": .directory(mode: 0o500), "d/e/f": .file("f")],
            ["d": .directory(mode: 0o555), "d/e": .directory(mode: 0o500), "d/e/f": .file("other"), "d/g": .file("g")]
        ),
        (
            "a closed directory goes", ["d": .directory(mode: 0o555), "d/e": .directory(mode: 0o500), "d/e/f": .file("f")],
            ["x": .file("f", mode: 0o444)]
        ),
        ("an empty file", ["a": .file("")], ["b": .file("")]),
        (
            "the directory itself", ["": .directory(), "a": .file("a")],
            ["": .directory(mode: 0o700, at: later), "a": .file("a")]
        ),
        (
            "holes", ["a": .file([UInt8](repeating: 0, count: 200_000) + [1])],
            ["a": .file([UInt8](repeating: 0, count: 1_000_000) + [2]), "b": .file([UInt8](repeating: 7, count: 700_000))]
        ),
        (
            "hard links", ["a": .file("one"), "b": .hardLink(to: "a"), "c": .hardLink(to: "a")],
            ["a": .file("one", mode: 0o600), "b": .file("one"), "d": .file("one")]
        ),
    ]

    @Test(arguments: pairs.indices, [true, false])
    func becomesTheOtherTreeAndBack(_ number: Int, isForward: Bool) throws {
        let (_, one, other) = Self.pairs[number]
        let target = try isForward ? LiveTarget(one, other) : LiveTarget(other.withoutHardLinks, one.withoutHardLinks)
        for knowsDigests in [true, false] {
            try target.reset()
            let outcome = try target.run(try target.plan(knowsDigests: knowsDigests))
            #expect(TestTrees.differences(target.after, from: try target.found()) == [])
            #expect(outcome.leavings == nil)
            #expect(outcome.refusedAttributes.isEmpty)
        }
    }

    @Test func doesNothingForNothing() throws {
        let target = try LiveTarget(["a": .file("one")], ["a": .file("one")])
        let before = try Syscall.status(HostPath(target.live()))
        try target.run()
        #expect(try Syscall.status(HostPath(target.live())) == before)
    }

    /// A file that only gets another name is not written again.
    @Test func letsFilesThatGoServe() throws {
        let target = try LiveTarget(["d/big": .file("content")], ["e/big": .file("content", mode: 0o600)])
        let inode = try Syscall.status(HostPath(target.live() + "/d/big")).inode
        try target.run()
        #expect(try Syscall.status(HostPath(target.live() + "/e/big")).inode == inode)
    }

    /// Another name of a file may be outside the directory. That file keeps its metadata.
    @Test func leavesOtherNamesOfAFileAlone() throws {
        let target = try LiveTarget(["a": .file("one")], ["a": .file("one", mode: 0o600, attributes: ["user.x": [1]])])
        let outside = target.scratch["outside"]
        #expect(try Program.run("ln", [target.live() + "/a", outside]).status == 0)
        try target.run()
        #expect(TestTrees.differences(target.after, from: try target.found()) == [])
        let status = try Syscall.status(HostPath(outside))
        #expect(status.mode == FileMode(0o644))
        #expect(status.modified == TreeNode.time)
        #expect(status.links == 1)
    }

    // MARK: What changed meanwhile

    @Test(arguments: [
        ("echo x >> a", "a"), ("rm a", "a"), ("rm a; mkdir a", "a"), ("rm a; ln -s /etc/passwd a", "a"),
        ("rm a; mkfifo a", "a"), ("chmod 600 a", "a"), ("echo x > new", "new"), ("echo x > gone/extra", "gone/extra"),
        ("rm -r gone", "gone"), ("rm -r inner; ln -s /tmp inner", "inner"),
    ])
    func refusesWhatDriftedSinceThePlan(_ script: String, _ place: String) throws {
        let target = try LiveTarget(
            ["a": .file("one"), "gone/f": .file("f"), "inner/x": .file("x"), "z": .file("z")],
            ["a": .file("two"), "inner/x": .file("y"), "new": .file("n"), "z": .file("zz")])
        let plan = try target.plan()
        #expect(try Program.run("sh", ["-c", script], in: target.live()).status == 0)
        let drifted = try target.found()
        let error = failure { try target.run(plan) }
        let named = String(decoding: error?.path?.bytes ?? [], as: UTF8.self)
        #expect(named.hasPrefix(target.live() + "/" + place), "\(named): \(error?.message ?? "no error")")
        #expect(TestTrees.differences(drifted, from: try target.found()) == [])
        #expect(!Files.exists(target.live() + "/.capsule-transaction"))
    }

    @Test func refusesItsOwnName() throws {
        let target = try LiveTarget([:], [".capsule-transaction/x": .file("x")])
        #expect(failure { try target.run() }?.message == "is a name reserved for transactions")
    }

    @Test func waitsForNobodyForEver() throws {
        let target = try LiveTarget(["a": .file("one")], ["a": .file("two")])
        let other = try target.lock()
        #expect(failure { try target.lock() }?.message == "another transaction is in progress")
        #expect(other.recovered.isEmpty)
    }

    @Test func refusesADirectoryThatIsNamedTwice() throws {
        let target = try LiveTarget(["a": .file("one")], ["a": .file("two")])
        let roots = try target.roots() + target.roots()
        let error = failure { try LockedTarget(roots, timeout: 0) }
        #expect(error?.code == .usage)
        #expect(error?.message == "is the same directory as \(target.live())")
        #expect(error?.path == HostPath(target.live()))
    }

    /// By whatever path it is named: a change inside the outer directory would be made twice.
    @Test(arguments: [true, false])
    func refusesADirectoryInsideAnother(isOuterFirst: Bool) throws {
        let target = try LiveTarget(["d/e/f": .file("one")], ["d/e/f": .file("two")])
        let link = target.scratch["link"]
        #expect(try Program.run("ln", ["-s", target.live() + "/d/e", link]).status == 0)
        let (outer, inner) = (try RootDirectory(HostPath(target.live())), try RootDirectory(HostPath(link)))
        let error = failure { try LockedTarget(isOuterFirst ? [outer, inner] : [inner, outer], timeout: 0) }
        #expect(error?.code == .usage)
        #expect(error?.path == HostPath(link))
        #expect(error?.message == "is inside \(target.live()), which is also changed")
    }

    /// If a content can't be written, nothing changes.
    @Test func changesNothingWithoutAllContents() throws {
        let target = try LiveTarget(["a": .file("one"), "b": .file("x")], ["a": .file("two"), "b": .file("y")])
        var plan = try target.plan()
        plan.source = WantedContents([Array("two".utf8)])
        #expect(failure { try target.run(plan) }?.message == "the content does not exist")
        #expect(TestTrees.differences(target.before, from: try target.found()) == [])
        #expect(!Files.exists(target.live() + "/.capsule-transaction"))
    }
}
