import CapsuleCore
import TestSupport
import Testing

@testable import CapsuleRemote

@Suite struct TrustSettingsTests {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private func settings(
        _ address: String, _ environment: [String: String] = [:], system: String? = nil
    ) throws -> TrustSettings.ForHost {
        var environment = environment.mapValues { Array($0.utf8) }
        environment["HOME"] = Array(scratch("home").utf8)
        return try TrustSettings(environment: { environment[$0] })
            .settings(for: WebAddress(parsing: address), system: system.map { HostPath($0) })
    }

    private func text(_ settings: TrustSettings.ForHost) -> String? {
        settings.authorities.map { String(decoding: $0, as: UTF8.self) }
    }

    @Test func nothingIsSet() throws {
        let found = try settings("https://a/", ["CURL_CA_BUNDLE": "", "SSL_CERT_DIR": ""], system: scratch("system"))
        #expect(found.authorities == nil)
        #expect(found.folder == nil)
        #expect(found.certificate == nil)
    }

    @Test func curlsVariableComesFirst() throws {
        let curls = try scratch.write("curl", to: "curl.crt")
        let openssls = try scratch.write("openssl", to: "openssl.crt")
        let environment = ["SSL_CERT_FILE": openssls, "SSL_CERT_DIR": "/certificates"]
        #expect(text(try settings("https://a/", environment)) == "openssl")
        #expect(try settings("https://a/", environment).folder == HostPath("/certificates"))
        #expect(text(try settings("https://a/", environment.merging(["CURL_CA_BUNDLE": curls]) { $1 })) == "curl")
    }

    @Test func aHostHasItsOwnAuthorities() throws {
        let system = try scratch.write("system", to: "system.crt")
        let home = "home/.config/containers/certs.d"
        try scratch.write("one", to: home + "/a:5000/one.crt")
        try scratch.write("two", to: home + "/a:5000/two.crt")
        try scratch.write("-", to: home + "/a:5000/three.pem")
        try scratch.write("default", to: home + "/a/ca.crt")
        try scratch.write("", to: home + "/a/client.cert")
        try scratch.write("", to: home + "/a/client.key")
        #expect(text(try settings("https://a:5000/", system: system)) == "system\none\ntwo\n")
        #expect(text(try settings("https://a:5000/")) == "one\ntwo\n")
        #expect(try settings("https://b:5000/", system: system).authorities == nil)
        let found = try settings("https://A:443/", system: system)
        #expect(text(found) == "system\ndefault\n")
        #expect(found.certificate == HostPath(scratch(home + "/a/client.cert")))
        #expect(found.key == HostPath(scratch(home + "/a/client.key")))
        // What the user names takes the system's place.
        let bundle = try scratch.write("bundle", to: "bundle.crt")
        #expect(text(try settings("https://a/", ["SSL_CERT_FILE": bundle], system: system)) == "bundle\ndefault\n")
    }

    @Test func thePlaceOfSettings() throws {
        try scratch.write("own", to: "config/containers/certs.d/a/ca.crt")
        #expect(text(try settings("https://a/", ["XDG_CONFIG_HOME": scratch("config")])) == "own\n")
    }

    @Test func problemsAreReported() throws {
        #expect(failure { try settings("https://a/", ["SSL_CERT_FILE": scratch("none")]) }?.path == HostPath(scratch("none")))
        let long = try scratch.write([UInt8](repeating: 0x20, count: 4 << 20 + 1), to: "long")
        #expect(failure { try settings("https://a/", ["SSL_CERT_FILE": long]) }?.code == .limit)
        let most = try scratch.write([UInt8](repeating: 0x20, count: 4 << 20), to: "most")
        #expect(try settings("https://a/", ["SSL_CERT_FILE": most]).authorities?.count == 4 << 20)
        try scratch.write("one", to: "home/.config/containers/certs.d/a/ca.crt")
        #expect(failure { try settings("https://a/", ["SSL_CERT_FILE": most]) }?.code == .limit)
    }
}
