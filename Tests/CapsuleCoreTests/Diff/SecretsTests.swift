import CapsulePropertyList
import Testing

@testable import CapsuleCore

/// If one of these fails, a password is in a report that someone sends to others.
@Suite struct SecretsTests {
    @Test(arguments: [
        "token", "accessToken", "access_token", "access-token", "Access Token", "accesstoken", "ZACCESSTOKEN", "ZTOKEN1",
        "tokens",
        "refreshToken", "refresh", "password", "userPassword", "passwd", "passphrase", "apiKey", "APIKey", "api_key", "X-Api-Key",
        "apikey", "ZAPIKEY", "clientSecret", "Authorization", "session", "sessionID", "session_id", "sessionid", "ZSESSION",
        "credentials", "privateKey", "private_key", "idTokens", "com.example.session-token", "FBSDKAccessTokenData",
    ])
    func namesOfSecrets(name: String) { #expect(Secrets.isName(name)) }

    @Test(arguments: [
        "", "tokenizer", "passwordless", "ZSESSIONCOUNT", "sessionCount", "possession", "ZPROFESSION", "secretary", "keyboard",
        "key", "refreshInterval", "tokenType", "passwordHint", "apiKeyVersion", "authors", "title", "compassDirection",
    ])
    func otherNames(name: String) { #expect(!Secrets.isName(name)) }

    private static let jwt = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U"

    static let shownTexts: [(text: String, shown: String)] = [
        ("\(jwt)", "•"), ("jwt \(jwt), next", "jwt •, next"), ("ghp_0123456789abcdef", "•"), ("github_pat_0123456789_abc", "•"),
        ("xoxb-1234567890-abc", "•"), ("AKIAIOSFODNN7EXAMPLE", "•"), ("AKIA", "AKIA"), ("sk_live_0123456789", "•"),
        ("https://x.com/?a=1&access_token=abcdefgh&b=2#f", "https://x.com/?a=1&access_token=•&b=2#f"),
        ("https://x.com/?token=abc", "https://x.com/?token=abc"), ("token=abcdefgh next", "token=• next"),
        ("{\"token\": \"abcd\\\"efgh\", \"n\": 1}", "{\"token\": \"•\", \"n\": 1}"),
        ("{\\\"token\\\":\\\"abcdefgh\\\",\\\"n\\\":1}", "{\\\"token\\\":\\\"•\\\",\\\"n\\\":1}"),
        ("{\"token\":123456789,\"name\":\"abcdefgh\"}", "{\"token\":123456789,\"name\":\"abcdefgh\"}"),
        ("{\"tokens\":[\"abcdefgh\"],\"n\":1}", "{\"tokens\":[\"•\"],\"n\":1}"),
        ("{\"tokens\": [\"abcdefgh\" , \"ij\"]}", "{\"tokens\": [\"•\" , \"•\"]}"),
        ("{\\\"tokens\\\":[\\\"abcdefgh\\\",\\\"ij\\\"]}", "{\\\"tokens\\\":[\\\"•\\\",\\\"•\\\"]}"),
        ("tokens: [abcdefgh, ij]", "tokens: [•]"), ("token: Optional(\"abcdefgh\")", "token: Optional(\"•\")"),
        ("password: |", "password: |"), ("password: >-\n", "password: >-\n"), ("token=abcdefgh&n=1", "token=•&n=1"),
        ("password=abc&def", "password=•"),
        ("Authorization: Bearer abcdefgh1", "Authorization: Bearer •"),
        ("Authorization: Basic dXNlcjpwYXNz", "Authorization: Basic •"),
        ("x, Basic Ym9iOjQ3MTE=, y", "x, Basic •, y"), ("curl -H 'Bearer abcdefgh1'", "curl -H 'Bearer •'"),
        ("the bearer certificates", "the bearer certificates"),
        ("<key>password</key>\n<string>abcdefgh</string>", "<key>password</key>\n<string>•</string>"),
        ("-----BEGIN RSA PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY-----\nx", "•\nx"),
        ("-----BEGIN PRIVATE KEY-----\nabc", "•"), ("-----BEGIN CERTIFICATE-----\nabc", "-----BEGIN CERTIFICATE-----\nabc"),
        ("a tokenizer: something", "a tokenizer: something"), ("", ""), ("password:", "password:"),
        ("\"token\":\\", "\"token\":\\"),
    ]

    @Test(arguments: shownTexts)
    func texts(text: String, shown: String) {
        let hidden = SecretCover.hiding(Array(text.utf8)).map { String(decoding: $0.text, as: UTF8.self) } ?? text
        #expect(hidden == shown.replacing("•", with: SecretCover.word))
    }

    /// True if a text that is cut ends in what may begin a secret.
    @Test(arguments: ["eyJhbGci", "x token=abc", "-----BEGIN RS", "ghp_0", "Bearer a", "{\"token\":\"ab"])
    func beginningsOfSecrets(text: String) {
        #expect(!Secrets.ranges(in: Array(text.utf8), isCut: true).isEmpty)
        #expect(SecretCover.hiding(Array(text.utf8)) == nil)
    }

    static let shownValues: [(pointer: String, value: PlistValue, shown: PlistValue)] = [
        ("/accessToken", "abcdefgh", "hidden (secret)"), ("/accessToken", "abcdefg", "abcdefg"),
        ("/accessToken", 123_456_789, 123_456_789), ("/accessToken", true, true), ("/title", "abcdefgh", "abcdefgh"),
        ("/tokens/0", "abcdefgh", "hidden (secret)"), ("/token/<plist>/0", "abcdefgh", "hidden (secret)"),
        ("/token/name", "abcdefgh", "abcdefgh"), ("/token", .data(Array("abcdefgh".utf8)), "hidden (secret)"),
        ("/a", ["b": ["password": "abcdefgh", "n": 1]], ["b": ["password": "hidden (secret)", "n": 1]]),
        ("/a", ["tokens": ["abcdefgh", "ijklmnop"]], ["tokens": ["hidden (secret)", "hidden (secret)"]]),
        ("/a", .data(Array("cookies".utf8)), "hidden (cookie)"),
        ("/a", .data([0] + Array("bplist00\u{5B}accessToken_abcdefgh".utf8)), "hidden (secret)"),
        ("/a", .data(Array("{\"token\":\"abcdefgh\"}".utf8)), "hidden (secret)"),
    ]

    @Test(arguments: shownValues)
    func values(pointer: String, value: PlistValue, shown: PlistValue) throws {
        var cover = SecretCover()
        let change = cover.hiding(PlistChange(.modified(old: value, new: 7), at: try PlistPointer(pointer)))
        #expect(change.old == shown)
        #expect((cover.count == 0) == (value == shown))
    }

    @Test func elementsThatAreNamedByTheirValue() throws {
        var cover = SecretCover()
        let pointer = PlistPointer(steps: ["tokens", "[=abcdefgh]"])
        let change = cover.hiding(PlistChange(.added("abcdefgh"), at: pointer))
        #expect(change.pointer.steps == ["tokens", "[=hidden (secret)]"] && change.new == "hidden (secret)")
    }

    @Test func rows() throws {
        let columns = [
            RowChange.Column(
                "ZACCESSTOKEN", attribute: "accessToken", old: .textHead("abc", count: 5_000), new: .value("abcdefgh")),
            RowChange.Column(
                "ZBLOB", old: .dataHead([0] + Array("clientSecret".utf8), count: 9_999), new: .value(.data([1, 2]))),
            RowChange.Column("ZTEXT", old: .textHead("see ?token=ab", count: 5_000), new: .value("plain text")),
            RowChange.Column("ZSESSIONCOUNT", old: .value(12_345_678), new: .value(123_456_789)),
        ]
        var content = ChangeDetail.Content.row(RowChange(.modified, table: "ZUSER", key: [], columns: columns))
        var cover = SecretCover()
        cover.hide(&content)
        guard case .row(let row) = content else { return }
        #expect(row.columns[0].old == .hidden("secret") && row.columns[0].new == .hidden("secret"))
        #expect(row.columns[1].old == .hidden("secret") && row.columns[1].new == .value(.data([1, 2])))
        #expect(row.columns[2].old == .textHead("see ?token=hidden (secret)", count: 5_000))
        #expect(row.columns[3] == columns[3] && cover.count == 3)
    }

    @Test func keychains() {
        let columns = [
            RowChange.Column("acct", old: .value("me"), new: .value("you")),
            RowChange.Column("data", old: .value(5), new: .value(.null)),
            RowChange.Column("gena", old: .value(.data([1])), new: .dataHead([1], count: 9_000)),
        ]
        var row = RowChange(.modified, table: "genp", key: [], columns: columns)
        row.isKeychain = true
        var (content, cover) = (ChangeDetail.Content.row(row), SecretCover())
        cover.hide(&content)
        (row.columns[1].old, row.columns[2].old, row.columns[2].new) = (
            .hidden("keychain"), .hidden("keychain"), .hidden("keychain")
        )
        #expect(content == .row(row))
    }

    /// A line is looked at before it is cut, and a line of a private key beside the others.
    @Test func linesOfTexts() throws {
        let filler = String(repeating: "x", count: 5_000)
        let before = "\(filler) token=\(String(repeating: "a", count: 600))1\nkey\n"
        let after = before.replacing("a1\n", with: "a2\n").replacing(
            "key\n", with: "-----BEGIN PRIVATE KEY-----\nMIIabcdef\n-----END PRIVATE KEY-----\n")
        let diff = TextDiff(try TextContent(Array(before.utf8)), try TextContent(Array(after.utf8)))
        var details = diff.details
        var cover = SecretCover()
        for index in details.indices { cover.hide(&details[index].content) }
        guard case .text(let text) = details[0].content else { return }
        let lines = text.hunks.flatMap { $0.lines.map(\.text) }
        #expect(!lines.contains { $0.contains("aaaa") || $0.contains("MII") })
    }
}
