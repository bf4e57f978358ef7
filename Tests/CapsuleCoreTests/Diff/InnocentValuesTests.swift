import CapsulePropertyList
import Testing

@testable import CapsuleCore

/// Values that only look like secrets. If one is hidden, a report says nothing where it could.
@Suite struct InnocentValuesTests {
    @Test(arguments: [
        "pass the salt, please", "the session begins at noon", "Session: begins at noon", "a monkey at the keyboard",
        "author: Jane Austen",
        "authority=local-council", "design: minimalism", "signal: strong-enough", "passenger=Jane Austen", "compass: north-west",
        "pinned: everything", "spinner=activity-indicator", "the seeds of plants", "Seed: sunflowers", "refresh: automatically",
        "PASS: testSomething", "basic training", "Basic instructions", "the bearer certificates", "bearer of news",
        "tokenizer: something",
        "hasPassword=absolutely", "isAuth: definitely", "passwordHint: first pet's name", "tokenCount=123456789",
        "password: true",
        "{\"pin\": true}", "{\"password\": null}", "{\"otp\": 0}", "{\"hasPassword\":\"sometimes\"}",
        "{\"passwordHint\":\"the first pet\"}",
        "{\"name\":\"color\",\"value\":\"dark blue\"}",
        "{\"title\":\"How to reset the password of a device\",\"url\":\"https://x.com\"}",
        "https://example.com:8080/path", "https://bob@example.com/x", "mailto:bob@example.com",
        "https://x.com/?page=12345678&sort=ascending",
        "https://x.com/?id=12345678", "docker run -u 1000:1000 image", "sudo -u postgres psql",
        "git commit --author somebody-else",
        "--verbose something", "machine learning is everywhere", "please login with your account", "Cookie: chocolate chip",
        "<title>password rules</title>", "<key>author</key>\n<string>Jane Austen</string>", "webhooks are useful", "Password:",
        "Passwords:\nthe chapter on choosing one", "12:30 at the pinnacle", "encompass: all of them",
        "https://hooks.slack.com/help",
        "signature move of the day", "auth: required-by-server", "skin: pinkish-red", "sk-button-primary", "npm_config",
        "ratio 16:9@60", "a://b", "://:@", "token of gratitude", "secretary: Jane Austen", "assassin: nobody-knows",
        "passport control",
    ])
    func texts(text: String) {
        let shown = SecretCover.hiding(Array(text.utf8)).map { String(decoding: $0.text, as: UTF8.self) } ?? text
        #expect(shown == text)
    }

    @Test(arguments: [
        "hasPassword", "isSecret", "passwordHint", "tokenCount", "tokenExpirationDate", "credentialType", "monkey", "keyboard",
        "author",
        "authority", "design", "signal", "passenger", "compass", "pinned", "isPinned", "spinner", "seeds", "seedling",
        "cookieConsent",
        "shouldShowPassword", "needsAuth", "usesOAuth", "passwordRequired", "pinCount", "pinColor", "mapPins", "shopping",
        "otpLength",
        "invalidPassword", "requiresPasscode", "signatureDate", "oauthProvider", "webhookCount", "tokenURL", "authStatus",
        "session_count",
        "bypass", "trespass", "disclaimer", "caesarSalad", "opinion", "shipping", "hotspot", "considered", "ZPINNED", "ZAUTHOR",
    ])
    func names(name: String) throws {
        #expect(!Secrets.isName(name))
        var cover = SecretCover()
        let change = PlistChange(.added("a long enough value"), at: PlistPointer(steps: [PlistString(name)]))
        #expect(cover.hiding(change) == change && cover.count == 0)
    }

    static let values: [(pointer: String, value: PlistValue)] = [
        ("/tokens/count", "a dozen of them"), ("/tokens/main/expiresAt", "2026-01-01T00:00:00Z"),
        ("/auth/username", "bob@example.com"),
        ("/credentials/service", "com.example.service"), ("/password", false), ("/password", ""), ("/pin", 1), ("/pin", true),
        ("/tokens", 12_345_678), ("/accessToken", 1.5), ("/session/started/by", "somebody-else"),
        ("/passwordHint", "the first pet"),
        ("/a", ["key": "color", "value": "dark blue"]), ("/a", ["key": "password", "type": "secure text", "count": 3]),
        ("/a", ["name": "Jane Austen", "domain": "literature"]), ("/a", ["hasPassword": "sometimes"]), ("/0/1/2", "a long value"),
        ("/a", ["title": "How to choose a good password today", "text": "Take four random words."]),
        ("/headers/[name=Accept]/value", "application/json"),
    ]

    @Test(arguments: values)
    func propertyLists(pointer: String, value: PlistValue) throws {
        var cover = SecretCover()
        let change = PlistChange(.added(value), at: try PlistPointer(pointer))
        #expect(cover.hiding(change) == change && cover.count == 0)
    }

    @Test func rows() {
        let columns = [
            RowChange.Column("id", new: .value(4711)), RowChange.Column("has_pin", new: .value(1)),
            RowChange.Column("service", new: .value("com.example.service")),
            RowChange.Column("updated_at", new: .value("2026-01-01 10:00")),
        ]
        let content = ChangeDetail.Content.row(RowChange(.added, table: "tokens", key: [], columns: columns))
        var (hidden, cover) = (content, SecretCover())
        cover.hide(&hidden)
        #expect(hidden == content && cover.count == 0)
    }

    @Test(arguments: ["de.lproj/Main.strings", "A/de.lproj/x.plist", "L.xcstrings", "L.strings", "L.stringsdict"])
    func translations(path: String) throws {
        var cover = SecretCover()
        cover.enter(try RelativePath(validating: Array(path.utf8)))
        let change = PlistChange(.added("Passwort vergessen?"), at: PlistPointer(steps: ["password"]))
        #expect(cover.hiding(change) == change)
        let text = "\"password\" = \"Passwort vergessen\";"
        #expect(cover.hidden(text) == text && cover.hidden("ghp_0123456789abcdef") == SecretCover.word)
        cover.enter(try RelativePath(validating: Array("settings.plist".utf8)))
        #expect(cover.hiding(change) != change)
    }
}
