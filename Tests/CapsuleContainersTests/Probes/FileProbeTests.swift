import CapsuleCore
import Foundation
import TestSupport
import Testing

@testable import CapsuleContainers

/// Files that don't exist, and files of which that can't be found out.
@Suite struct FileProbeTests {
    @Test func thereOrNot() throws {
        let directory = try TemporaryDirectory()
        try (["f": .file("x"), "dangling": .link("nowhere"), "loop": .link("loop"), "d": .directory()] as TreeLiteral).make(
            at: directory["t"])
        for name in ["f", "d", "dangling", "loop"] { #expect(try FileProbe.exists(directory.host("t/" + name)), "\(name)") }
        let long = String(repeating: "n", count: 300)
        for name in ["missing", "missing/x", "f/x", "dangling/x", long, "\(long)/x"] {
            #expect(try !FileProbe.exists(directory.host("t/" + name)), "\(name)")
        }
    }

    /// A caller that took this for absence would go on to report something wrong.
    @Test func whatCannotBeKnownIsAnError() throws {
        let directory = try TemporaryDirectory()
        try (["loop": .link("loop")] as TreeLiteral).make(at: directory["t"])
        let path = directory.host("t/loop/x")
        #expect(failure { try FileProbe.exists(path) }?.path == path)
        let target = failure { try FileProbe.checkTarget(path, as: .file, replacing: true) }
        #expect(target?.path == path)
        #expect(target?.message.hasPrefix("cannot stat: ") == true)
        #expect(failure { try Container(Array("\(path)@1".utf8)).resolve() }?.path == HostPath("\(path)@1"))
    }

    /// An output inside a directory that is read is refused, whatever its name is.
    @Test func whatLeadsIntoADirectory() throws {
        let directory = try TemporaryDirectory()
        try (["d/e/f": .file("x"), "other": .directory(), "link": .link("d/e")] as TreeLiteral).make(at: directory["t"])
        for (path, outer, isInside) in [
            ("d", "d", true), ("d/e", "d", true), ("d/e/f", "d", true), ("d/../d/./e", "d", true), ("link", "d", true),
            ("d", "link", false), ("d/e/f", "link", true), ("other", "d", false), ("d", "d/e", false), ("d/missing", "d", false),
            ("d", "missing", false), ("", "d", false),
        ] {
            #expect(
                try FileProbe.leads(directory.host("t/" + path), to: directory.host("t/" + outer)) == isInside,
                "\(path) in \(outer)")
        }
        #expect(try FileProbe.leads(directory.host("t"), to: HostPath("/")))
    }
}
