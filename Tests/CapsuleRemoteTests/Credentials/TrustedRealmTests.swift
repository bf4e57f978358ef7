import Testing

@testable import CapsuleRemote

@Suite struct TrustedRealmTests {
    enum Expected { case accepted, anonymous, refused }

    private static func decision(_ realm: String, _ registry: String, _ named: String = "") throws -> Expected {
        switch TrustedRealm(realm, of: try WebAddress(parsing: registry).origin, named: named) {
        case .accepted: .accepted
        case .anonymous: .anonymous
        case .refused: .refused
        }
    }

    @Test(arguments: [
        // The registry's own host, at any port.
        ("https://ghcr.io/token", "https://ghcr.io", Expected.accepted),
        ("https://GHCR.io/token", "https://ghcr.io", .accepted),
        ("https://gitlab.example/jwt/auth", "https://gitlab.example:5050", .accepted),
        ("http://localhost:5001/token", "http://localhost:5000", .accepted),
        ("http://127.0.0.1:5001/token", "http://127.0.0.1:5000", .accepted),
        ("http://10.0.0.5/token", "http://10.0.0.5:5000", .accepted),
        ("https://10.0.0.5/token", "https://10.0.0.5", .accepted),
        // Pairs that are known.
        ("https://auth.docker.io/token", "https://registry-1.docker.io", .accepted),
        ("https://gitlab.com/jwt/auth", "https://registry.gitlab.com", .accepted),
        ("https://gitlab.com/jwt/auth", "https://registry.example.com", .anonymous),
        // The scheme.
        ("http://ghcr.io/token", "https://ghcr.io", .refused),
        ("https://ghcr.io/token", "http://ghcr.io", .accepted),
        ("http://auth.example.com/token", "http://registry.example.com", .accepted),
        ("http://auth.example.com/token", "http://localhost:5000", .refused),
        ("https://auth.example.com/token", "http://localhost:5000", .anonymous),
        ("ftp://ghcr.io/token", "https://ghcr.io", .refused),
        ("/token", "https://ghcr.io", .refused),
        ("", "https://ghcr.io", .refused),
        ("https://me:secret@ghcr.io/token", "https://ghcr.io", .refused),
        ("https://ghcr.io@evil.example/token", "https://ghcr.io", .refused),
        ("https://ghcr.io/token#x", "https://ghcr.io", .refused),
        // Addresses that are not public.
        ("https://127.0.0.1/token", "https://ghcr.io", .refused),
        ("https://169.254.169.254/latest", "https://ghcr.io", .refused),
        ("https://192.168.1.1/", "https://ghcr.io", .refused),
        ("https://[::1]/", "https://ghcr.io", .refused),
        ("https://[::ffff:10.0.0.1]/", "https://ghcr.io", .refused),
        ("https://[fe80::1]/", "https://ghcr.io", .refused),
        ("https://2130706433/", "https://ghcr.io", .refused),
        ("https://0x7f.1/", "https://ghcr.io", .refused),
        ("https://127.0.0.1./", "https://ghcr.io", .refused),
        ("https://localhost/", "https://ghcr.io", .refused),
        ("https://a.localhost./", "https://ghcr.io", .refused),
        ("http://127.0.0.1:5001/token", "http://localhost:5000", .refused),
        ("https://8.8.8.8/", "https://ghcr.io", .anonymous),
        ("https://8.8.4.4/", "https://8.8.8.8", .anonymous),
        // A parent domain that both share.
        ("https://auth.example.com/", "https://registry.example.com", .accepted),
        ("https://auth.example.com/", "https://a.b.registry.example.com", .accepted),
        ("https://a.example.com/", "https://registry.a.example.com", .accepted),
        ("https://auth.example.co.uk/", "https://registry.example.co.uk", .accepted),
        ("https://auth.example.de/", "https://registry.example.de", .accepted),
        ("https://example.com/", "https://registry.example.com", .anonymous),
        ("https://auth.example.com/", "https://example.com", .anonymous),
        ("https://auth.example.com/", "https://registry.example.org", .anonymous),
        ("https://auth.evilexample.com/", "https://registry.example.com", .anonymous),
        ("https://auth.example.com.evil.net/", "https://registry.example.com", .anonymous),
        ("https://a.com/", "https://b.com", .anonymous),
        ("https://x.a.com/", "https://x.b.com", .anonymous),
        ("https://auth.example.com./", "https://registry.example.com.", .anonymous),
        ("https://a..com/", "https://b..com", .anonymous),
        // Domains in which strangers have names.
        ("https://evil.github.io/", "https://me.github.io", .anonymous),
        ("https://a.evil.github.io/", "https://b.evil.github.io", .anonymous),
        ("https://evil.s3.us-east-1.amazonaws.com/", "https://1.dkr.ecr.us-east-1.amazonaws.com", .anonymous),
        ("https://evil.s3.us-east-1.amazonaws.com/", "https://my.s3.us-east-1.amazonaws.com", .anonymous),
        ("https://x.notazurecr.io/", "https://y.notazurecr.io", .accepted),
    ])
    func decisions(realm: String, registry: String, expected: Expected) throws {
        #expect(try Self.decision(realm, registry) == expected, "\(realm) of \(registry)")
    }

    @Test(arguments: TrustedRealm.sharedDomains)
    func sharedDomains(domain: String) throws {
        #expect(try Self.decision("https://evil.\(domain)/", "https://mine.\(domain)") == .anonymous)
        #expect(try Self.decision("https://a.evil.\(domain)/", "https://a.mine.\(domain)") == .anonymous)
        #expect(try Self.decision("https://mine.\(domain)/", "https://mine.\(domain)") == .accepted)
    }

    @Test(arguments: TrustedRealm.secondLevels.sorted())
    func secondLevels(label: String) throws {
        for country in ["uk", "jp", "br"] {
            #expect(try Self.decision("https://evil.\(label).\(country)/", "https://mine.\(label).\(country)") == .anonymous)
            #expect(try Self.decision("https://a.mine.\(label).\(country)/", "https://b.mine.\(label).\(country)") == .accepted)
        }
    }

    @Test func hostsThatTheUserNames() throws {
        let realm = "https://login.other.net/token"
        #expect(try Self.decision(realm, "https://ghcr.io", "login.other.net") == .accepted)
        #expect(try Self.decision(realm, "https://ghcr.io", "a.b, Login.Other.Net") == .accepted)
        #expect(try Self.decision(realm, "https://ghcr.io", "other.net") == .anonymous)
        // Naming a host makes a private address acceptable, but not plain http.
        #expect(try Self.decision("http://login.other.net/", "https://ghcr.io", "login.other.net") == .refused)
        #expect(try Self.decision("https://10.0.0.1/", "https://ghcr.io", "10.0.0.1") == .accepted)
        #expect(try Self.decision("https://10.0.0.1/", "https://ghcr.io") == .refused)
        guard case .anonymous(_, let reason) = TrustedRealm(realm, of: try WebAddress(parsing: "https://ghcr.io").origin) else {
            Issue.record("not anonymous")
            return
        }
        #expect(reason.contains("CAPSULE_TRUST_REALM=login.other.net"))
    }
}
