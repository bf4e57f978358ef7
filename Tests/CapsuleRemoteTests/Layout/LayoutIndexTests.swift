import CapsuleCore
import CapsulePropertyList
import TestSupport
import Testing

@testable import CapsuleRemote

@Suite struct LayoutIndexTests {
    private static let path = HostPath("oci:d:t")
    private static let manifest = Array("{}".utf8)

    private static func index(_ text: String) throws -> LayoutIndex { try LayoutIndex(Array(text.utf8), path: path) }

    private static func entry(_ tag: String?, _ digit: String = "0", size: String = "2") -> String {
        let annotations = tag.map { ",\"annotations\":{\"org.opencontainers.image.ref.name\":\"\($0)\"}" } ?? ""
        let digest = String(repeating: digit, count: 64)
        return "{\"mediaType\":\"m\",\"digest\":\"sha256:\(digest)\",\"size\":\(size)\(annotations)}"
    }

    private static func list(_ entries: String...) -> String {
        "{\"schemaVersion\":2,\"manifests\":[\(entries.joined(separator: ","))]}"
    }

    @Test func tagsAreFound() throws {
        let index = try Self.index(Self.list(Self.entry("b", "1"), Self.entry(nil, "2"), Self.entry("a", "3"), "7", "{}"))
        #expect(index.tags == ["a", "b"])
        #expect(try index.entry("a")?.blob.digest.text == "sha256:" + String(repeating: "3", count: 64))
        let entry = try index.entry("a")
        #expect(entry?.type == "m" && entry?.blob.size == 2)
        #expect(try index.entry("c") == nil)
        let several = failure { try index.entry(nil) }
        #expect(several?.code == .usage && several?.hint == "name one of them by its tag: a, b")
    }

    @Test func oneManifestNeedsNoTag() throws {
        #expect(try Self.index(Self.list(Self.entry(nil))).entry(nil) != nil)
        #expect(try Self.index(Self.list(Self.entry("a"), Self.entry("b"))).entry(nil) != nil)
        #expect(try Self.index(Self.list()).entry(nil) == nil)
        #expect(try LayoutIndex(LayoutIndex.empty, path: Self.path).tags.isEmpty)
    }

    @Test(arguments: [
        "", "{", "[]", "{}", "{\"manifests\":{}}", "{\"manifests\":null}", "{\"manifests\":[],\"manifests\":[]}",
    ])
    func otherDocumentsAreRefused(text: String) {
        let error = failure { try Self.index(text) }
        #expect(error?.code == .damaged && error?.path == Self.path)
    }

    @Test func invalidEntriesAreRefused() throws {
        let twice = failure { try Self.index(Self.list(Self.entry("a", "1"), Self.entry("a", "2"))).entry("a") }
        #expect(twice?.message == "the layout has several manifests with the tag 'a'")
        for size in ["-1", "null", "\"2\"", "4194305", "1.5"] {
            #expect(failure { try Self.index(Self.list(Self.entry("a", size: size))).entry("a") }?.code == .damaged)
        }
        for digit in ["G", "A", "../", "00"] {
            #expect(failure { try Self.index(Self.list(Self.entry("a", digit))).entry("a") }?.code == .damaged)
        }
    }

    @Test func onlyTheTagChanges() throws {
        let foreign = "{ \"digest\" : \"x\",\n  \"size\": 1.0e2, \"unknown\": [null, {\"\\u00e4\": true}] }"
        func text(_ mine: String) -> String {
            "{\"x\": {\"y\" :1},\n \"manifests\": [\(foreign), \(mine)], \"schemaVersion\": 2}\n"
        }
        let index = try Self.index(text(Self.entry("a", "1")))
        let changed = String(decoding: try index.bytes(tagging: Self.manifest, "a"), as: UTF8.self)
        #expect(
            changed.hasPrefix("{\"x\": {\"y\" :1},\n \"manifests\": [\(foreign), {")
                && changed.hasSuffix("}], \"schemaVersion\": 2}\n"))
        #expect(try Self.index(changed).entry("a")?.blob.digest == OCIDigest(of: Self.manifest))
        // Twice the same changes nothing.
        #expect(try Self.index(changed).bytes(tagging: Self.manifest, "a") == Array(changed.utf8))
        let added = try LayoutIndex(index.bytes(tagging: Self.manifest, "b"), path: Self.path)
        let other = String(decoding: try index.bytes(tagging: Self.manifest, "b"), as: UTF8.self)
        #expect(added.tags == ["a", "b"] && other.contains(foreign))
        #expect(try added.entry("a")?.blob.digest.text == "sha256:" + String(repeating: "1", count: 64))
    }
}
