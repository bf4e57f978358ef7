import CapsuleCore
import CapsuleSystem
import Foundation
import TestSupport
import Testing

@testable import CapsuleTransaction

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
