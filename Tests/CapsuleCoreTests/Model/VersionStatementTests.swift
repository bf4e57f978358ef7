import CapsuleCore
import CapsuleHashing
import CapsulePropertyList
import Testing

/// The text that a signature signs. It must never change, or old signatures are not good any more.
@Suite struct VersionStatementTests {
    private func text(_ change: (inout Manifest) -> Void = { _ in }) throws -> String {
        var manifest = ManifestTests.manifest()
        change(&manifest)
        return String(decoding: try VersionStatement(manifest).bytes, as: UTF8.self)
    }

    @Test func textIsFixed() throws {
        let text = try text()
        #expect(
            text.split(separator: "\n", omittingEmptySubsequences: false) == [
                "capsule statement 1", "version 3", "tree \(String(repeating: "01", count: 32))",
                "content \(String(repeating: "02", count: 32))",
                "manifest 9eb58d51ffa0dbe0a69cca287459881cd0a9891e6d758dbd8a1bd1a0cc412a93",
                "captured 2023-11-14T22:13:20Z", "source bundle", "archive tar.gz", "app com.example.gifs", "",
            ], "\(text)")
    }

    @Test func labelsAndIndexAreNotSigned() throws {
        let other = try text {
            $0.label = nil
            $0.indexDigest = $0.treeDigest
        }
        #expect(try other == text())
    }

    @Test func everythingElseIsSigned() throws {
        let changes: [(inout Manifest) -> Void] = [
            { $0.version = 4 }, { $0.name = [1] }, { $0.note = nil }, { $0.captured = Timestamp(seconds: 1) },
            { $0.source.kind = .container }, { $0.source.archive = nil }, { $0.source.bundleIdentifier = "com.example.gif" },
            { $0.layout = .directory }, { $0.groups.removeLast() }, { $0.treeDigest = $0.contentDigest },
            { $0.contentDigest = $0.treeDigest }, { $0.entries += 1 }, { $0.bytes -= 1 }, { $0.omitted.removeLast() },
            { $0.overlays = [] }, { $0.overlay = nil }, { $0.other["New"] = .boolean(false) },
        ]
        let texts = try [text()] + changes.map(text)
        #expect(Set(texts).count == texts.count)
    }

    /// No text of a manifest makes a line.
    @Test func nothingForgesALine() throws {
        let forged = try text { $0.source.bundleIdentifier = "a\nversion 9\r \u{1B}%é" }
        #expect(forged.split(separator: "\n").count == 9)
        #expect(forged.hasSuffix("\napp a%0Aversion%209%0D%20%1B%25%C3%A9\n"))
        #expect(try text { $0.source.kind = ContainerKind(rawValue: "b\n") }.contains("\nsource b%0A\narchive"))
    }
}
