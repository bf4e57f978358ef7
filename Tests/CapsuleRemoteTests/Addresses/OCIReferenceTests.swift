import CapsuleCore
import TestSupport
import Testing

@testable import CapsuleRemote

@Suite struct OCIReferenceTests {
    private static let digest = "sha256:" + String(repeating: "0a", count: 32)

    @Test(arguments: [
        ("oci://ghcr.io/owner/gifs", "https://ghcr.io/v2/owner/gifs/manifests/latest"),
        ("oci://ghcr.io/owner/gifs:main", "https://ghcr.io/v2/owner/gifs/manifests/main"),
        ("OCI://GHCR.io/a:Main_1.2-x", "https://ghcr.io/v2/a/manifests/Main_1.2-x"),
        ("oci://ghcr.io/a.b__c-d---e/f_g:1", "https://ghcr.io/v2/a.b__c-d---e/f_g/manifests/1"),
        ("oci://registry:5000/a", "https://registry:5000/v2/a/manifests/latest"),
        ("oci://localhost/a", "http://localhost/v2/a/manifests/latest"),
        ("oci://localhost:5000/a", "http://localhost:5000/v2/a/manifests/latest"),
        ("oci://127.1.2.3:5000/a", "http://127.1.2.3:5000/v2/a/manifests/latest"),
        ("oci://[::1]:5000/a", "http://[::1]:5000/v2/a/manifests/latest"),
        ("oci://127.1/a", "https://127.1/v2/a/manifests/latest"),
        ("oci://10.0.0.1/a", "https://10.0.0.1/v2/a/manifests/latest"),
        ("oci+https://localhost:5000/a", "https://localhost:5000/v2/a/manifests/latest"),
        ("oci+http://10.0.0.1:80/a", "http://10.0.0.1/v2/a/manifests/latest"),
        ("oci://docker.io/gifs", "https://registry-1.docker.io/v2/library/gifs/manifests/latest"),
        ("oci://index.docker.io/o/gifs", "https://registry-1.docker.io/v2/o/gifs/manifests/latest"),
        ("oci://ghcr.io/a@\(digest)", "https://ghcr.io/v2/a/manifests/\(digest)"),
        ("oci://ghcr.io/a:t@\(digest)", "https://ghcr.io/v2/a/manifests/\(digest)"),
    ])
    func addresses(text: String, manifest: String) throws {
        #expect(try OCIReference(parsing: text).manifest.text == manifest)
    }

    @Test(arguments: [
        ("oci://gifs:main", "names no registry", "name the registry: oci://HOST/NAME"),
        ("oci://gifs/main", "'gifs' is not a registry's host", "name the registry: oci://HOST/NAME"),
        ("oci+http://gifs/main", "'gifs' is not a registry's host", "name the registry: oci+http://HOST/NAME"),
        ("oci://ghcr.io", "names a registry, but nothing in it", "add the name: oci://HOST/NAME"),
        ("oci://ghcr.io/", "the address has no name", nil),
        ("oci:///a/b", "the address has no valid host", nil),
        ("oci://me:secret@ghcr.io/a", "an address must not contain a user name or a password", nil),
        ("oci://ghcr.io:/a", "the address has no valid host", nil),
        ("oci://ghcr.io:99999/a", "the address has no valid host", nil),
        (
            "oci://ghcr.io/Owner/Gifs", "'Owner/Gifs' is not the name of a repository",
            "names in registries are in lower case: 'owner/gifs'"
        ),
        ("oci://ghcr.io/a//b", "'a//b' is not the name of a repository", nil),
        ("oci://ghcr.io/../b", "'../b' is not the name of a repository", nil),
        ("oci://ghcr.io/a..b", "'a..b' is not the name of a repository", nil),
        ("oci://ghcr.io/a___b", "'a___b' is not the name of a repository", nil),
        ("oci://ghcr.io/a-", "'a-' is not the name of a repository", nil),
        ("oci://ghcr.io/a/", "'a/' is not the name of a repository", nil),
        ("oci://ghcr.io/é", "'é' is not the name of a repository", nil),
        ("oci://ghcr.io/a?b", "'a?b' is not the name of a repository", nil),
        ("oci://ghcr.io/a:", "'' is not a tag", nil),
        ("oci://ghcr.io/a:-b", "'-b' is not a tag", nil),
        ("oci://ghcr.io/a:b/c", "'b/c' is not a tag", nil),
        ("oci://ghcr.io/a:b:c", "'b:c' is not a tag", nil),
        ("oci://ghcr.io/a@sha256:12", "'sha256:12' is not a digest", nil),
        ("oci://ghcr.io/a@sha512:12", "'sha512:12' is not a digest", nil),
        ("docker://ghcr.io/a", "not the address of a registry", nil),
    ])
    func refused(text: String, message: String, hint: String?) {
        let error = failure { try OCIReference(parsing: text) }
        #expect(error?.code == .usage)
        #expect(error?.message == message)
        if let hint { #expect(error?.hint == hint) }
    }

    @Test func lengthsAreLimited() throws {
        let name = String(repeating: "a", count: 255 - "ghcr.io/".count)
        #expect(try OCIReference(parsing: "oci://ghcr.io/\(name)").name == name)
        #expect(
            failure { try OCIReference(parsing: "oci://ghcr.io/\(name)a") }?.message == "host and name are longer than 255 bytes")
        let tag = String(repeating: "t", count: 128)
        #expect(try OCIReference(parsing: "oci://ghcr.io/a:\(tag)").tag == tag)
        #expect(failure { try OCIReference(parsing: "oci://ghcr.io/a:\(tag)t") } != nil)
    }

    @Test func textsAndNamesComeFromWhatWasWritten() throws {
        let hub = try OCIReference(parsing: "oci://docker.io/gifs:v1")
        #expect(hub.text == "oci://docker.io/gifs:v1")
        #expect(hub.fileName == "gifs.capsule")
        #expect(hub.authority == "docker.io" && hub.repository == "library/gifs")
        let plain = try OCIReference(parsing: "oci+http://H.example/o/my.app")
        #expect(plain.fileName == "my.app.capsule")
        #expect(try plain.tagged("x").text == "oci+http://h.example/o/my.app:x")
        let digest = try #require(OCIDigest(Self.digest))
        #expect(hub.pinned(to: digest).text == "oci://docker.io/gifs:v1@\(Self.digest)")
        #expect(plain.blob(digest).text == "http://h.example/v2/o/my.app/blobs/\(Self.digest)")
        #expect(plain.uploads.text == "http://h.example/v2/o/my.app/blobs/uploads/")
    }

    @Test(arguments: [
        "", "sha256:", "sha256:" + String(repeating: "a", count: 63), "sha256:" + String(repeating: "a", count: 65),
        "sha256:" + String(repeating: "A", count: 64), "SHA256:" + String(repeating: "a", count: 64),
        "sha512:" + String(repeating: "a", count: 64), String(repeating: "a", count: 64),
        "sha256:../" + String(repeating: "a", count: 61), "sha256:" + String(repeating: "a", count: 63) + "\u{301}",
    ])
    func digestsInOtherForms(text: String) {
        #expect(OCIDigest(text) == nil)
    }

    @Test func digests() {
        #expect(OCIDigest(of: []).text == "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
        #expect(OCIDigest(OCIDigest(of: [1]).text) == OCIDigest(of: [1]))
    }
}

@Suite struct RemoteAddressTests {
    @Test(arguments: [
        ("oci://h.io/a", "oci://h.io/a", nil),
        ("oci://h.io/a@3", "oci://h.io/a", "3"),
        ("oci://h.io/a:t@before", "oci://h.io/a:t", "before"),
        ("oci://h.io/a@sha256:12", "oci://h.io/a@sha256:12", nil),
        ("oci://h.io/a:t@sha256:12@~1", "oci://h.io/a:t@sha256:12", "~1"),
        ("oci://h.io/a@1..2", "oci://h.io/a", "1..2"),
        ("oci://h.io/a@", "oci://h.io/a", ""),
        ("oci://gifs:main@2", "oci://gifs:main@2", nil),
        ("https://h/x.capsule@2", "https://h/x.capsule", "2"),
        ("https://h/x.capsule@2?sig=a@b", "https://h/x.capsule?sig=a@b", "2"),
        ("https://h/x.capsule?sig=a/b@c", "https://h/x.capsule?sig=a/b@c", nil),
        ("https://h/@scope/x.capsule", "https://h/@scope/x.capsule", nil),
        ("https://me@h", "https://me@h", nil),
        ("https://me@h/x", "https://me@h/x", nil),
        ("https://h/x%402", "https://h/x%402", nil),
        ("oci:dir", "oci:dir", nil),
        ("oci:dir@2", "oci:dir", "2"),
        ("oci:a@b/dir:tag@2", "oci:a@b/dir:tag", "2"),
        ("oci:my@dir:tag", "oci:my@dir:tag", nil),
        ("oci:my@dir/", "oci:my@dir/", nil),
    ])
    func versionsAreSplitOff(argument: String, address: String, version: String?) {
        let found = RemoteAddress.split(Array(argument.utf8))
        #expect(String(decoding: found.address, as: UTF8.self) == address)
        #expect(found.version.map { String(decoding: $0, as: UTF8.self) } == version)
    }

    @Test func kindsAreToldByTheirBeginning() throws {
        func parse(_ text: String) throws -> RemoteAddress { try RemoteAddress.parse(Array(text.utf8)).address }
        #expect(try parse("https://h/x@2") == .web(WebAddress(parsing: "https://h/x")))
        #expect(try parse("oci+https://h.io/x@2") == .registry(OCIReference(parsing: "oci+https://h.io/x")))
        guard case .layout(let layout) = try parse("oci:a/b.c:v1@first") else {
            Issue.record("not a layout")
            return
        }
        #expect(layout.directory == HostPath("a/b.c") && layout.tag == "v1")
        for argument in ["./oci:dir", "oci", "sim:booted", "http:x", "x.capsule@2", "ociX://a"] {
            #expect(!RemoteAddress.isAddress(Array(argument.utf8)), "\(argument)")
        }
        for argument in ["oci:d", "OCI://h.io/x", "oci+http://h/x", "HTTPS://h"] {
            #expect(RemoteAddress.isAddress(Array(argument.utf8)), "\(argument)")
        }
    }

    /// An address that is accepted is written in a form that reads back, and makes no request that leaves its repository.
    @Test(arguments: SeededGenerator.seeds)
    func anyTextIsParsed(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let pieces = [
            "h.io", "localhost", ":5000", "/", "/", "a", "b-c", "..", ":", ":tag", "@", "@2", "@sha256:", "?", "#", "%2e",
            "[::1]", "A", "é", "\u{0}", "\\",
            OCIDigest(of: []).text,
        ]
        for _ in 0..<rounds(8_000) {
            let rest = (0..<random.number(0...6)).map { _ in random.pick(pieces) }.joined()
            let text = random.pick(["oci://", "oci+http://", "https://", "oci:"]) + rest
            guard let found = try? RemoteAddress.parse(Array(text.utf8)), case .registry(let reference) = found.address else {
                continue
            }
            #expect((try? OCIReference(parsing: reference.text)) == reference, "\(text), seed \(seed)")
            let target = reference.manifest.target
            #expect(target.hasPrefix("/v2/\(reference.repository)/manifests/"), "\(text), seed \(seed)")
            #expect(!target.split(separator: "/").contains("..") && !target.contains("%") && !target.contains("?"), "\(text), seed \(seed)")
        }
    }

    @Test func layouts() throws {
        #expect(try OCILayoutReference(parsing: Array("oci:/a:b/c".utf8)).directory == HostPath("/a:b/c"))
        #expect(try OCILayoutReference(parsing: Array("oci:d".utf8)).tag == nil)
        let pinned = try OCILayoutReference(parsing: Array("oci:a@b/c:t@\(OCIDigest(.zero))".utf8))
        #expect(pinned.directory == HostPath("a@b/c") && pinned.tag == "t" && pinned.digest == OCIDigest(.zero))
        #expect(pinned.path == HostPath("oci:a@b/c:t@\(OCIDigest(.zero))"))
        #expect(try OCILayoutReference(parsing: Array("oci:a@2x:t".utf8)).directory == HostPath("a@2x"))
        #expect(
            failure { try OCILayoutReference(parsing: Array("oci:d@sha256:0".utf8)) }?.message == "'sha256:0' is not a digest")
        #expect(try OCILayoutReference(parsing: Array("oci:".utf8) + [0xFF]).directory.bytes == [0xFF])
        #expect(failure { try OCILayoutReference(parsing: Array("oci:".utf8)) }?.message == "the address has no directory")
        #expect(failure { try OCILayoutReference(parsing: Array("oci::t".utf8)) }?.message == "the address has no directory")
        #expect(failure { try OCILayoutReference(parsing: Array("oci:d:a b".utf8)) }?.message == "'a b' is not a tag")
    }
}

@Suite struct IPAddressTests {
    @Test(arguments: [
        ("127.0.0.1", true), ("10.1.2.3", true), ("172.16.0.1", true), ("172.32.0.1", false), ("192.168.1.1", true),
        ("169.254.169.254", true),
        ("100.64.0.1", true), ("0.0.0.0", true), ("224.0.0.1", true), ("8.8.8.8", false), ("[::1]", true), ("[::]", true),
        ("[::2]", false), ("[fe80::1]", true), ("[fd00::1]", true), ("[ff02::1]", true), ("[2001:db8::1]", false),
        ("[::ffff:127.0.0.1]", true), ("[::ffff:8.8.8.8]", false), ("[64:ff9b::a00:1]", true), ("[2002:7f00:1::]", true),
        ("[0:0:0:0:0:0:0:1]", true),
    ])
    func localAddresses(host: String, isLocal: Bool) throws {
        #expect(try #require(IPAddress(host: host)).isLocal == isLocal)
        #expect(!IPAddress.isUnusual(host))
    }

    @Test(arguments: [
        "2130706433", "0x7f.1", "127.1", "0177.0.0.1", "1.2.3.256", "a.0x7f", "[1::2::3]", "[1:2]", "[12345::]", "[::1.2.3]", ".",
        "01.2.3.4",
    ])
    func unusual(host: String) {
        #expect(IPAddress(host: host) == nil)
        #expect(IPAddress.isUnusual(host))
    }

    @Test(arguments: ["example.com", "localhost", "1.example", "x1"])
    func names(host: String) {
        #expect(IPAddress(host: host) == nil && !IPAddress.isUnusual(host))
    }
}
