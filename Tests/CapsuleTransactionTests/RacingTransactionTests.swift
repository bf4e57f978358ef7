import CapsuleCore
import CapsuleSystem
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import CapsuleTransaction

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
