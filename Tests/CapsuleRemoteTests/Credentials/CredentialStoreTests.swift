import CapsuleCore
import CapsuleRemote
import Foundation
import TestSupport
import Testing

@Suite struct CredentialStoreTests {
    /// A home directory, and a directory for helpers, which is the only one in PATH.
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private func addHelper(_ name: String, _ script: String) throws {
        // Copied by another process: a program that another test starts meanwhile would inherit a descriptor that is open for writing here,
        // and the helper could not be run ("Text file busy").
        let path = try scratch.write("#!/bin/sh\n\(script)\n", to: "bin/new-\(name)")
        let installed = try Program.run("install", ["-m", "755", path, scratch("bin/docker-credential-\(name)")])
        try #require(installed.status == 0, "\(installed.errors)")
    }

    private func find(
        _ address: String, _ environment: [String: String] = [:], seconds: Double = 60
    ) throws -> CredentialStore.Answer {
        var environment = environment
        environment["PATH"] = scratch("bin")
        let store = CredentialStore(environment: environment, home: HostPath(scratch("home")), helperSeconds: seconds)
        return try store.credential(for: OCIReference(parsing: address))
    }

    private static func base64(_ text: String) -> String { base64(Array(text.utf8)) }

    private static func base64(_ bytes: [UInt8]) -> String { Data(bytes).base64EncodedString() }

    private static func auths(_ entries: [(String, String)]) -> String {
        "{\"auths\":{" + entries.map { "\"\($0.0)\":{\"auth\":\"\(base64($0.1))\"}" }.joined(separator: ",") + "}}"
    }

    private func user(_ answer: CredentialStore.Answer) -> String? {
        guard case .password(let user, _) = answer.credential else { return nil }
        return user
    }

    private let docker = "home/.docker/config.json"
    private let podman = "home/.config/containers/auth.json"

    @Test func nothingAnywhere() throws {
        let answer = try find("oci://h.io/a")
        #expect(answer.credential == nil && answer.problem == nil)
    }

    // MARK: - The order of places

    @Test func theEnvironmentComesFirst() throws {
        try scratch.write(Self.auths([("h.io", "file:p")]), to: docker)
        let own = ["CAPSULE_REGISTRY_USERNAME": "env", "CAPSULE_REGISTRY_PASSWORD": "p:q", "CAPSULE_REGISTRY_HOST": "H.io"]
        #expect(try find("oci://h.io/a", own).credential == .password(user: "env", password: "p:q"))
        // Another host gets nothing of it, and neither does another port.
        #expect(try find("oci://other.io/a", own).credential == nil)
        #expect(try find("oci://h.io:444/a", own).credential == nil)
        var hub = own
        hub["CAPSULE_REGISTRY_HOST"] = "docker.io"
        #expect(user(try find("oci://index.docker.io/a", hub)) == "env")
    }

    @Test func theEnvironmentNeedsAHost() throws {
        try scratch.write(Self.auths([("h.io", "file:p")]), to: docker)
        let answer = try find("oci://h.io/a", ["CAPSULE_REGISTRY_USERNAME": "env", "CAPSULE_REGISTRY_PASSWORD": "p"])
        #expect(user(answer) == "file")
        #expect(answer.problem?.message.hasPrefix("CAPSULE_REGISTRY_HOST is not set") == true)
        let half = try find("oci://h.io/a", ["CAPSULE_REGISTRY_USERNAME": "env", "CAPSULE_REGISTRY_HOST": "h.io"])
        #expect(half.problem?.message == "CAPSULE_REGISTRY_PASSWORD is not set")
        // An empty variable is none.
        #expect(try find("oci://h.io/a", ["CAPSULE_REGISTRY_USERNAME": ""]).problem == nil)
    }

    @Test func anAuthFileIsTheOnlyOne() throws {
        try scratch.write(Self.auths([("h.io", "docker:p")]), to: docker)
        try scratch.write(Self.auths([("other.io", "only:p")]), to: "only.json")
        let environment = ["REGISTRY_AUTH_FILE": scratch("only.json")]
        #expect(try find("oci://h.io/a", environment).credential == nil)
        #expect(user(try find("oci://other.io/a", environment)) == "only")
        let missing = try find("oci://h.io/a", ["REGISTRY_AUTH_FILE": scratch("none.json")])
        #expect(missing.credential == nil && missing.problem?.code == .notFound)
    }

    @Test func podmanComesBeforeDocker() throws {
        try scratch.write(Self.auths([("h.io", "docker:p"), ("d.io", "docker:p")]), to: docker)
        try scratch.write(Self.auths([("h.io", "podman:p")]), to: podman)
        #expect(user(try find("oci://h.io/a")) == "podman")
        #expect(user(try find("oci://d.io/a")) == "docker")
        try scratch.write(Self.auths([("h.io", "xdg:p")]), to: "config/containers/auth.json")
        try scratch.write(Self.auths([("d.io", "own:p")]), to: "docker/config.json")
        let environment = ["XDG_CONFIG_HOME": scratch("config"), "DOCKER_CONFIG": scratch("docker")]
        #expect(user(try find("oci://h.io/a", environment)) == "xdg")
        #expect(user(try find("oci://d.io/a", environment)) == "own")
        #if !canImport(Darwin)
        try scratch.write(Self.auths([("h.io", "run:p")]), to: "run/containers/auth.json")
        #expect(user(try find("oci://h.io/a", ["XDG_RUNTIME_DIR": scratch("run")])) == "run")
        #endif
    }

    // MARK: - Entries

    @Test func theMostSpecificKeyCounts() throws {
        try scratch.write(
            Self.auths([
                ("h.io", "host:p"), ("h.io/a/b", "deep:p"), ("h.io/a", "one:p"), ("https://h.io/v1/", "url:p"),
                ("https://u.io/v2/x", "url:p"), ("http://v.io", "plain:p"), ("h.io:5000", "port:p"),
            ]), to: docker)
        #expect(user(try find("oci://h.io/a/b")) == "deep")
        #expect(user(try find("oci://h.io/a/b/c")) == "deep")
        #expect(user(try find("oci://h.io/a/bc")) == "one")
        #expect(user(try find("oci://h.io/x")) == "host")
        #expect(user(try find("oci://h.io:5000/a/b")) == "port")
        #expect(user(try find("oci://u.io/a")) == "url")
        #expect(user(try find("oci://v.io/a")) == "plain")
        #expect(try find("oci://sub.h.io/a").credential == nil)
    }

    @Test(arguments: [
        "https://index.docker.io/v1/", "docker.io", "index.docker.io", "https://registry-1.docker.io", "docker.io/library",
    ])
    func dockersRegistryHasManyNames(key: String) throws {
        try scratch.write(Self.auths([(key, "hub:p")]), to: docker)
        #expect(user(try find("oci://docker.io/gifs")) == "hub")
    }

    @Test func secretsMayHoldAnything() throws {
        let auth = Self.base64(Array("me:p:q".utf8) + [0, 0])
        try scratch.write(
            """
            {"auths": {"a.io": {"auth": "\(auth)"},
                       "b.io": {"auth": "\(Self.base64("me:"))", "identitytoken": "tok"},
                       "c.io": {}, "d.io": null, "e.io": {"auth": null, "identitytoken": ""},
                       "f.io": {"auth": "\(Self.base64(":"))"}},
             "credHelpers": null, "credsStore": null, "HttpHeaders": {"x": 1.5}}
            """, to: docker)
        #expect(try find("oci://a.io/x").credential == .password(user: "me", password: "p:q"))
        #expect(try find("oci://b.io/x").credential == .identityToken("tok"))
        for host in ["c.io", "d.io", "e.io"] {
            let answer = try find("oci://\(host)/x")
            #expect(answer.credential == nil && answer.problem == nil, "\(host)")
        }
        #expect(try find("oci://f.io/x").credential == .password(user: "", password: ""))
        #expect(
            "\(Credential.identityToken("tok")) \(Credential.password(user: "me", password: "p"))"
                == "an identity token the password of me")
    }

    @Test(arguments: ["me", "!", "bm8tY29sb24="])
    func brokenEntriesAreAProblemOfTheirHost(auth: String) throws {
        try scratch.write(
            "{\"auths\": {\"a.io\": {\"auth\": \"\(auth)\"}, \"b.io\": {\"auth\": \"\(Self.base64("b:p"))\"}}}", to: docker)
        let answer = try find("oci://a.io/x")
        #expect(answer.credential == nil)
        #expect(answer.problem?.path == HostPath(scratch(docker)))
        #expect(try find("oci://b.io/x").problem == nil)
    }

    // MARK: - Files

    @Test func brokenFilesAreAProblemOnlyIfTheyAreRead() throws {
        try scratch.write(Self.auths([("h.io", "podman:p")]), to: podman)
        try scratch.write("{\n  \"auths\": {,}\n}", to: docker)
        #expect(try find("oci://h.io/a").problem == nil)
        let answer = try find("oci://other.io/a")
        #expect(answer.credential == nil)
        #expect(answer.problem?.path == HostPath(scratch(docker)))
        #expect(answer.problem?.place == "2:13")
        // A file before it that is broken does not hide what a later one has.
        try scratch.write("[]", to: podman)
        try scratch.write(Self.auths([("h.io", "docker:p")]), to: docker)
        let later = try find("oci://h.io/a")
        #expect(user(later) == "docker" && later.problem?.message == "is an array, not an object")
    }

    @Test func otherKindsOfFiles() throws {
        try scratch.write("", to: docker)
        #expect(try find("oci://h.io/a").problem == nil)
        try scratch.write("", to: "\(podman)/x")
        #expect(try find("oci://h.io/a").problem?.path == HostPath(scratch(podman)))
        try scratch.write(String(repeating: " ", count: (4 << 20) + 1), to: "large.json")
        let environment = ["REGISTRY_AUTH_FILE": scratch("large.json")]
        #expect(try find("oci://h.io/a", environment).problem?.code == .limit)
        #expect(try find("oci://h.io/a", ["REGISTRY_AUTH_FILE": "/dev/null"]).problem?.code == .notAFile)
    }

    // MARK: - Helpers

    @Test func helpersAreAskedInOrder() throws {
        try scratch.write(
            """
            {"credHelpers": {"h.io": "own", "empty.io": "", "https://index.docker.io/v1/": "own"}, "credsStore": "all",
             "auths": {"h.io": {"auth": "\(Self.base64("file:p"))"}, "n.io": {"auth": "\(Self.base64("file:p"))"}}}
            """, to: docker)
        let answer =
            "read host; echo \"{\\\"ServerURL\\\":\\\"$host\\\",\\\"Username\\\":\\\"NAME $1 $host\\\",\\\"Secret\\\":\\\"s\\\"}\""
        try addHelper("own", answer.replacing("NAME", with: "own"))
        try addHelper(
            "all",
            "read host; case $host in n.io) echo 'credentials not found in native keychain'; exit 1;; esac\n"
                + answer.replacing("read host; ", with: "").replacing("NAME", with: "all"))
        #expect(user(try find("oci://h.io/a/b")) == "own get h.io")
        #expect(user(try find("oci://x.io:5000/a")) == "all get x.io:5000")
        #expect(user(try find("oci://empty.io/a")) == "all get empty.io")
        #expect(user(try find("oci://docker.io/a")) == "own get https://index.docker.io/v1/")
        let none = try find("oci://n.io/a")
        #expect(user(none) == "file" && none.problem == nil)
    }

    @Test func tokensOfHelpers() throws {
        try scratch.write("{\"credsStore\": \"t\"}", to: docker)
        try addHelper("t", "echo '{\"Username\":\"<token>\",\"Secret\":\"tok\"}'")
        #expect(try find("oci://h.io/a").credential == .identityToken("tok"))
        try addHelper("t", "echo '{\"Username\":\"\",\"Secret\":\"\"}'")
        #expect(try find("oci://h.io/a").credential == nil)
    }

    @Test(arguments: [
        ("gone", "names the credential helper docker-credential-gone, which is not in PATH"),
        ("fails", "names the credential helper docker-credential-fails, which failed: no session"),
        ("silent", "names the credential helper docker-credential-silent, which failed with status 3"),
        ("text", "names the credential helper docker-credential-text, which gave an answer that is not JSON"),
        ("other", "names the credential helper docker-credential-other, which gave an answer without a user name and a secret"),
        ("slow", "names the credential helper docker-credential-slow, which ran too long and was stopped"),
        ("../../bin/sh", "'../../bin/sh' is not the name of a credential helper"),
    ])
    func problemsOfHelpers(suffix: String, message: String) throws {
        try scratch.write(
            "{\"credsStore\": \"\(suffix)\", \"auths\": {\"f.io\": {\"auth\": \"\(Self.base64("f:p"))\"}}}", to: docker)
        try addHelper("fails", "echo no session; exit 1")
        try addHelper("silent", "exit 3")
        try addHelper("text", "echo hello")
        try addHelper("other", "echo '{}'")
        try addHelper("slow", "exec /bin/sleep 60")
        let answer = try find("oci://h.io/a", seconds: suffix == "slow" ? 0.1 : 60)
        #expect(answer.credential == nil)
        #expect(answer.problem?.message == message)
        #expect(answer.problem?.path == HostPath(scratch(docker)))
        // The file itself may have it all the same.
        #expect(user(try find("oci://f.io/a", seconds: suffix == "slow" ? 0.1 : 60)) == "f")
    }
}
