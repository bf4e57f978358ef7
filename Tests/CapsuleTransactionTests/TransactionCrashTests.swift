#if DEBUG
import CapsuleCore
import CapsuleSystem
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import CapsuleTransaction

/// Every change that a transaction makes to the disk fails once, and is once the last one. After that, the trees are always the old
/// ones or the new ones, and the result says which. In the short form, each run draws the calls that fail.
@Suite struct TransactionCrashTests {
    static let later = Timestamp(seconds: 1_720_000_000, nanoseconds: 7) ?? .epoch

    /// The trees for a transaction with every kind of step.
    static let before: TreeLiteral = [
        "": .directory(mode: 0o755),
        "keep": .file("kept", attributes: ["user.x": [1]]),
        "facts": .file("facts", attributes: ["user.x": [1], "user.y": [2]]),
        "swap1": .file("first"), "swap2": .file("second"),
        "chain1": .file("c1"), "chain2": .file("c2"),
        "tofile": .directory(mode: 0o555), "tofile/inner": .file("inner"),
        "todir": .file("todir"),
        "link": .link("keep"), "linkfile": .link("/nowhere"),
        "closed": .directory(mode: 0o555), "closed/f": .file("f"), "closed/g": .file("g"),
        "moved/deep/f": .file("deep f"), "moved/l": .link("deep/f"),
    ]
    static let after: TreeLiteral = [
        "": .directory(mode: 0o755),
        "keep": .file("kept", attributes: ["user.x": [1]]),
        "facts": .file("facts", mode: 0o444, at: later, attributes: ["user.x": [7], "user.z": [3]]),
        "swap1": .file("second"), "swap2": .file("first"),
        "chain2": .file("c1"), "chain3": .file("c2"),
        "tofile": .file("now a file", at: later),
        "todir": .directory(mode: 0o500, at: later, attributes: ["user.d": [4]]), "todir/inner": .file("inner"),
        "link": .link("closed"), "linkfile": .file("was a link"),
        "closed": .directory(mode: 0o555), "closed/f": .file("f2", mode: 0o600), "closed/new": .file("new"),
        "renamed/deep/f": .file("deep f", mode: 0o600), "renamed/l": .link("deep/f"),
    ]
    static let small: (TreeLiteral, TreeLiteral) = (
        ["a": .file("one"), "b": .file("two"), "d": .directory(mode: 0o555), "d/x": .file("x")],
        ["a": .file("two"), "b": .directory(), "b/c": .file("c"), "d": .directory(mode: 0o555), "d/y": .file("x", mode: 0o600)]
    )

    /// Nested directories that are deleted.
    static let leaving: (TreeLiteral, TreeLiteral) = (
        [
            "p": .directory(mode: 0o555, attributes: ["user.p": [1]]), "p/f": .file("f"),
            "p/q": .directory(mode: 0o500, attributes: ["user.q": [2]]), "p/q/g": .file("g"), "z": .file("z"),
        ],
        ["p": .file("p"), "z": .directory(), "z/g": .file("g")]
    )

    /// Returns which of the trees is on the disk. The times of the top directories are ignored while a staging directory is made or
    /// deleted, unless `isExact` is true.
    private func state(of target: LiveTarget, isExact: Bool) throws -> String {
        let found = try target.found()
        var (old, new) = (target.before, target.after)
        if !isExact {
            for number in found.indices {
                for time in [found[number][""]?.modified].compactMap({ $0 }) {
                    old[number][""]?.modified = time
                    new[number][""]?.modified = time
                }
            }
        }
        let fromOld = TestTrees.differences(old, from: found)
        let fromNew = TestTrees.differences(new, from: found)
        if fromOld.isEmpty { return "old" }
        if fromNew.isEmpty { return "new" }
        return "neither:\n  old: \(fromOld.joined(separator: "\n       "))\n  new: \(fromNew.joined(separator: "\n       "))"
    }

    private func said(_ recovered: [Recovery], _ root: String) -> String? {
        for recovery in recovered where recovery.path == HostPath(root) {
            switch recovery.outcome {
            case .rolledBack: return "old"
            case .finished, .cleared: return "new"
            }
        }
        return nil
    }

    /// Returns the number of changes that a successful transaction makes.
    private func calls(_ target: LiveTarget) throws -> Int {
        try target.reset()
        let plan = try target.plan()
        let (_, calls) = try InjectedFaults.during(below: HostPath(target.scratch.path)) { try target.run(plan, jobs: 1) }
        #expect(try state(of: target, isExact: true) == "new")
        return calls
    }

    private func survives(_ target: LiveTarget, deathAt number: Int, recoverFrom first: Int = 0) throws {
        try target.reset()
        let plan = try target.plan()
        let (outcome, _) = InjectedFaults.during(below: HostPath(target.scratch.path), [(number, .death)]) {
            Result { try target.run(plan, jobs: 1) }
        }
        let roots = try target.roots()
        let one = try LockedTarget([roots[first]], timeout: 0)
        let rest = try LockedTarget(roots, timeout: 0)
        let state = try state(of: target, isExact: false)
        #expect(state == "old" || state == "new", "call \(number) was the last")
        if let said = said(one.recovered, target.live(first)) { #expect(state == said, "call \(number) was the last") }
        #expect(
            rest.recovered.isEmpty
                || rest.recovered.allSatisfy { said([$0], String(decoding: $0.path.bytes, as: UTF8.self)) == state })
        if case .success = outcome { #expect(state == "new") }
    }

    private func survives(_ target: LiveTarget, failure errno: Int32, at number: Int) throws {
        try target.reset()
        let plan = try target.plan()
        let (outcome, _) = InjectedFaults.during(below: HostPath(target.scratch.path), [(number, .failure(errno))]) {
            Result { try target.run(plan, jobs: 1) }
        }
        var refused: [ApplyTransaction.Outcome] = []
        var recovered: [Recovery] = []
        switch outcome {
        case .success(let outcome):
            if !outcome.refusedAttributes.isEmpty { refused.append(outcome) }
            if outcome.leavings != nil { recovered = try target.lock().recovered }
        case .failure:
            // A single failure is undone at once, so there is nothing to recover.
            for root in target.before.indices {
                #expect(!Files.exists(target.live(root) + "/.capsule-transaction"), "call \(number) failed: \(outcome)")
            }
            recovered = try target.lock().recovered
        }
        let state = try state(of: target, isExact: false)
        if refused.isEmpty { #expect(state == "old" || state == "new", "call \(number) failed: \(outcome)") }
        switch outcome {
        case .success where refused.isEmpty: #expect(state == "new", "call \(number) failed")
        case .success: #expect(state.contains("user."), "an attribute was refused at call \(number)")
        case .failure: #expect(state == said(recovered, target.live()) ?? "old", "call \(number) failed: \(outcome)")
        }
    }

    @Test(arguments: [true, false]) func survivesDeathAtEveryCall(movesDirectories: Bool) throws {
        let target = try LiveTarget(Self.before, Self.after).moving(directories: movesDirectories)
        let calls = try calls(target)
        #expect(calls > 100)
        for number in 1...calls { try survives(target, deathAt: number) }
    }

    @Test(arguments: [ENOSPC, EIO], [true, false])
    func survivesAFailureOfEveryCall(_ errno: Int32, movesDirectories: Bool) throws {
        let target = try LiveTarget(Self.before, Self.after).moving(directories: movesDirectories)
        let calls = try calls(target)
        for number in sample(of: 1..<calls + 1, oneIn: 2) { try survives(target, failure: errno, at: number) }
    }

    /// The process dies at every call of the recovery from an earlier death.
    @Test(arguments: [true, false]) func survivesDeathWhileItRecovers(movesDirectories: Bool) throws {
        let (old, new) = movesDirectories ? Self.small : Self.leaving
        let target = try LiveTarget(old, new).moving(directories: movesDirectories)
        let calls = try calls(target)
        for number in sample(of: 1..<calls + 1, oneIn: 8) {
            var second = 1
            while true {
                try target.reset()
                let plan = try target.plan()
                _ = InjectedFaults.during(below: HostPath(target.scratch.path), [(number, .death)]) {
                    Result { try target.run(plan, jobs: 1) }
                }
                let roots = try target.roots()
                let (recovery, made) = InjectedFaults.during(below: HostPath(target.scratch.path), [(second, .death)]) {
                    Result { try LockedTarget(roots, timeout: 0).recovered }
                }
                let rest = try target.lock().recovered
                let state = try state(of: target, isExact: false)
                #expect(state == "old" || state == "new", "calls \(number) and \(second) were the last")
                if let said = said(rest, target.live()) { #expect(state == said) }
                if case .success(let recovered) = recovery, let said = said(recovered, target.live()) { #expect(state == said) }
                if made < second { break }
                second += 1
            }
        }
    }

    /// A call fails, and the process dies while the transaction is undone.
    @Test(arguments: [true, false]) func survivesDeathWhileItRollsBack(movesDirectories: Bool) throws {
        let (old, new) = movesDirectories ? Self.small : Self.leaving
        let target = try LiveTarget(old, new).moving(directories: movesDirectories)
        let calls = try calls(target)
        for number in sample(of: 1..<calls + 1, oneIn: 6) {
            for distance in 1...30 {
                try target.reset()
                let plan = try target.plan()
                let (_, made) = InjectedFaults.during(
                    below: HostPath(target.scratch.path), [(number, .failure(EIO)), (number + distance, .death)]
                ) { Result { try target.run(plan, jobs: 1) } }
                let recovered = try target.lock().recovered
                let state = try state(of: target, isExact: false)
                #expect(state == "old" || state == "new", "call \(number) failed, \(number + distance) was the last")
                if let said = said(recovered, target.live()) { #expect(state == said) }
                if made < number + distance { break }
            }
        }
    }

    /// After the crash, the app continues and replaces a file in the usual way. Its data is never lost, and without it the
    /// directory is one of the trees.
    @Test(arguments: ["a", "b", "d/y"]) func keepsWhatIsWrittenAfterACrash(_ name: String) throws {
        let target = try LiveTarget(Self.small.0, Self.small.1)
        let path = target.live() + "/" + name
        for number in 1...(try calls(target)) {
            try target.reset()
            let plan = try target.plan()
            _ = InjectedFaults.during(below: HostPath(target.scratch.path), [(number, .death)]) {
                Result { try target.run(plan, jobs: 1) }
            }
            // A directory is in the way of the rename. A real app would do something else.
            guard try Program.run("sh", ["-c", "echo app > app && mv -T app '\(path)'"], in: target.scratch.path).status == 0
            else { continue }
            let recovered = Result { try target.lock().recovered }
            #expect(try Files.read(path) == Array("app\n".utf8), "call \(number) was the last")
            if case .failure = recovered {
                #expect(rename(path, target.scratch["app"]) == 0)
                #expect(try target.lock().recovered.count == 1, "call \(number) was the last")
            }
            var found = try target.found()
            let trees = [target.before, target.after].map { trees in
                var tree = trees[0]
                for path in tree.paths where path.description == name || path.description.hasPrefix(name + "/") {
                    tree[path] = nil
                }
                return tree
            }
            for path in found[0].paths where path.description == name || path.description.hasPrefix(name + "/") {
                found[0][path] = nil
            }
            // The app has changed the times of directories.
            func timeless(_ tree: TreeLiteral) -> TreeLiteral {
                var tree = tree
                for path in tree.paths where tree[path]?.kind == .directory { tree[path]?.modified = .epoch }
                return tree
            }
            let differences = trees.map { timeless($0).differences(from: timeless(found[0])) }
            #expect(differences.contains([]), "call \(number) was the last: \(differences) \(recovered)")
        }
    }

    /// An app writes to a file at any moment. As long as that is the old file, the transaction is undone.
    @Test func losesNothingThatIsWrittenMeanwhile() throws {
        let target = try LiveTarget(["a": .file("a"), "z": .file("z")], ["a": .file("b"), "c": .file("c"), "z": .file("zz")])
        let path = target.live() + "/z"
        for number in 1...(try calls(target)) {
            try target.reset()
            let plan = try target.plan()
            let before = try Syscall.status(HostPath(path)).inode
            let written = Mutex<UInt64?>(nil)
            let write: @Sendable () -> Void = {
                guard let file = try? Syscall.open(HostPath(path), flags: O_WRONLY),
                    let status = try? Syscall.status(of: file.raw, path: HostPath(path))
                else { return }
                written.withLock { $0 = status.inode }
                _ = pwrite(file.raw, "app", 3, off_t(status.size))
            }
            let (outcome, _) = InjectedFaults.during(below: HostPath(target.scratch.path), [(number, .action(write))]) {
                Result { try target.run(plan, jobs: 1) }
            }
            let content = String(decoding: try Files.read(path), as: UTF8.self)
            switch (outcome, written.withLock { $0 }) {
            case (.success, let inode?): #expect(inode != before && content == "zzapp", "at call \(number)")
            case (.success, nil): #expect(content == "zz", "at call \(number)")
            case (.failure, let inode):
                #expect(inode == before && content == "zapp", "at call \(number)")
                #expect(!Files.exists(target.live() + "/.capsule-transaction"), "at call \(number)")
                #expect(try Files.read(target.live() + "/a") == [UInt8(ascii: "a")])
            }
        }
    }

    @Test(arguments: [ENOSPC, EIO]) func survivesAFailureInSeveralDirectories(_ errno: Int32) throws {
        let (old, new) = Self.small
        let target = try LiveTarget([old, ["g": .file("g"), "h": .file("h")]], [new, ["h": .file("g"), "k": .link("h")]])
        for number in 1...(try calls(target)) { try survives(target, failure: errno, at: number) }
    }

    /// One transaction in three directories. Recovery from any of them makes all of them old or all of them new.
    @Test(arguments: 0...2) func keepsSeveralDirectoriesTogether(_ first: Int) throws {
        let (old, new) = Self.small
        let target = try LiveTarget(
            [old, ["g": .file("g"), "h": .file("h")], ["s": .file("s", mode: 0o600)]],
            [new, ["h": .file("g"), "k": .link("h")], ["s": .file("s", mode: 0o640), "d": .directory(mode: 0o500)]])
        for number in 1...(try calls(target)) { try survives(target, deathAt: number, recoverFrom: first) }
    }
}
#endif
