import CapsuleCore
import Testing

@Suite struct HostPathTests {
    @Test(arguments: [
        ("a", "a", "."), ("a/b", "b", "a"), ("/a", "a", "/"), ("/a/b/", "b", "/a"), ("a//", "a", "."), ("/", "", "."),
        ("///", "", "."),
        ("", "", "."), (".", ".", "."), ("..", "..", "."), ("../x", "x", ".."), ("a/b//", "b", "a"),
    ])
    func parts(text: String, name: String, directory: String) {
        #expect(HostPath(text).name == Array(name.utf8))
        #expect(HostPath(text).directory == HostPath(directory))
    }

    @Test(arguments: [("a", "b", "a/b"), ("a/", "b", "a/b"), ("/", "b", "/b"), ("", "b", "b"), (".", "b", "b")])
    func appending(text: String, name: String, whole: String) {
        #expect(HostPath(text).appending(Array(name.utf8)) == HostPath(whole))
    }

    @Test func anyBytesAreKept() {
        #expect(HostPath([0x2F, 0xFF, 0x2F, 0xFE]).name == [0xFE])
        #expect(HostPath([0x2F, 0xFF, 0x2F, 0xFE]).directory == HostPath([0x2F, 0xFF]))
    }
}
