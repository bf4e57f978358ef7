import CapsuleCore
import CapsuleRemote
import Testing

@Suite struct WebAddressTests {
    @Test(arguments: [
        ("https://example.com", "https://example.com/"),
        ("HTTPS://Example.COM:443/a.capsule", "https://example.com/a.capsule"),
        ("http://localhost:5000/v2/?n=1", "http://localhost:5000/v2/?n=1"),
        ("https://example.com?x", "https://example.com/?x"),
        ("https://[::1]:8443/a", "https://[::1]:8443/a"),
        ("https://example.com/My App.capsule", "https://example.com/My%20App.capsule"),
        ("https://example.com/M%20ü", "https://example.com/M%20%C3%BC"),
        ("https://example.com:/a", "https://example.com/a"),
    ])
    func parses(text: String, expected: String) throws {
        #expect(try WebAddress(parsing: text).text == expected)
    }

    @Test(arguments: [
        "", "example.com/a", "ftp://example.com/a", "https:/example.com", "https://", "https:///a",
        "https://ann:secret@example.com/a",
        "https://example.com/a#b", "https://example.com:0/", "https://example.com:65536/", "https://example.com:8x/",
        "https://exa mple.com/",
        "https://[::1/", "https://[example]/", "https://exämple.com/", "https://\u{0}/", "https://:80/",
    ])
    func refuses(text: String) {
        #expect(throws: CapsuleError.self) { try WebAddress(parsing: text) }
    }

    @Test func aSecretIsNotShown() throws {
        let address = try WebAddress(parsing: "https://example.com/a.capsule?X-Amz-Signature=secret")
        #expect(address.shown == "https://example.com/a.capsule")
        #expect(address.query == "X-Amz-Signature=secret")
        do {
            _ = try WebAddress(parsing: "ftp://example.com/a.capsule?secret")
            Issue.record("parsed")
        } catch {
            #expect(!error.description.contains("secret"))
        }
    }

    /// RFC 3986 section 5.4, without the fragments, and what a registry answers.
    @Test(arguments: [
        ("g", "http://a/b/c/g"), ("./g", "http://a/b/c/g"), ("g/", "http://a/b/c/g/"), ("/g", "http://a/g"), ("//g", "http://g/"),
        ("?y", "http://a/b/c/d;p?y"), ("g?y", "http://a/b/c/g?y"), (";x", "http://a/b/c/;x"), ("", "http://a/b/c/d;p?q"),
        (".", "http://a/b/c/"), ("./", "http://a/b/c/"), ("..", "http://a/b/"), ("../", "http://a/b/"), ("../g", "http://a/b/g"),
        ("../..", "http://a/"), ("../../g", "http://a/g"), ("../../../g", "http://a/g"), ("/./g", "http://a/g"),
        ("/../g", "http://a/g"),
        ("g.", "http://a/b/c/g."), ("..g", "http://a/b/c/..g"), ("./g/.", "http://a/b/c/g/"), ("g/../h", "http://a/b/c/h"),
        ("g?y/../x", "http://a/b/c/g?y/../x"), ("https://b:5000/x?y#z", "https://b:5000/x?y"),
    ])
    func resolves(reference: String, expected: String) throws {
        #expect(try WebAddress(parsing: "http://a/b/c/d;p?q").resolving(reference).text == expected)
    }

    @Test(arguments: ["mailto:a", "javascript:1", "https://u:p@b/", "file:///etc/passwd", "//a:99999/"])
    func refusesReference(reference: String) {
        #expect(throws: CapsuleError.self) { try WebAddress(parsing: "http://a/b").resolving(reference) }
    }

    @Test func queriesGrow() throws {
        let address = try WebAddress(parsing: "https://a/t").adding("service", "r s").adding("scope", "repository:a/b:pull,push")
        #expect(address.text == "https://a/t?service=r%20s&scope=repository%3Aa%2Fb%3Apull%2Cpush")
    }

    @Test func originsDifferByPortAndScheme() throws {
        let origins = try ["https://a", "http://a", "https://a:444", "https://A:443/b"].map { try WebAddress(parsing: $0).origin }
        #expect(Set(origins).count == 3)
        #expect(origins[0] == origins[3])
    }
}
