import CapsulePropertyList
import Testing

@testable import CapsuleCore

/// Secrets as apps store them, and values that only look like some. Each secret is `•` in the tables, and is planted as a word that
/// may not be in what is shown.
@Suite struct PlantedSecretsTests {
    private static let planted = "Zk93plantedQ7"

    /// Texts: settings, logs, shells, URLs, files of the network, XML and JSON.
    @Test(arguments: [
        "https://bob:•@example.com/x", "postgres://app:•@db.local:5432/main", "DATABASE_URL=postgres://app:•@db/main",
        "redis://:•@cache:6379", "mongodb+srv://u:•@c.mongodb.net/?w=1", "see <https://u:•@h/>", "\"amqp://guest:•@mq\"",
        "smb://WORKGROUP;bob:•@nas/share", "https://x.com/?key=•", "https://x.com/?a=1&code=•&b=2", "https://x.com/a?sig=•",
        "https://s3.com/o?X-Amz-Signature=•&x=1", "https://s3.com/o?X-Amz-Credential=•", "https://s3.com/?X-Amz-Security-Token=•",
        "https://s.com/?X-Goog-Signature=•", "https://x.com/#access_token=•&b=2", "https://x.com/?a=1&amp;signature=•",
        "https://x.com/cb?SAMLResponse=•", "https://x.com/?otp=•", "https://x.com/?client_secret=•#f", "myapp://auth?code=•",
        "https://hooks.slack.com/services/•", "https://discord.com/api/webhooks/•", "https://api.telegram.org/bot•",
        "DB_PASS=•", "DB_PASSWORD='•'", "export API_KEY=\"•\"", "SMTP_PWD=•", "STRIPE_SECRET=•", "SENTRY_DSN=•", "CSRF_TOKEN=•",
        "WEBHOOK_URL=•", "ConnectionString=•", "connection_string: •", "OAUTH=•", "SSN=•", "IBAN: •", "pin: •", "PIN: •",
        "otp=•", "cvv: •", "totp: •", "auth=•", "mnemonic: •", "seed=•", "recoveryPhrase: •", "backup_codes=•", "cardNumber: •",
        "psk=•", "wifi psk: \"•\"", "Password: •", "Password:\n•", "Passcode:\n  •", "API key:\n•\nnext", "Login\nPassword:\n•",
        "machine h login bob password •", "machine h\nlogin bob\npassword •", "login bob password •",
        "default login x password •",
        "curl -u bob:• https://x", "curl --user bob:• https://x", "curl --user 'bob:•' x", "tool --password •",
        "tool --token '•'",
        "tool --api-key=•", "tool --passphrase \"•\"", "tool --client-secret •", "<password>•</password>", "<a><pin>•</pin></a>",
        "<apiKey type=\"x\">•</apiKey>", "<key>passcode</key>\n<string>•</string>", "Cookie: a=•", "Set-Cookie: sid=•; Path=/",
        "cookie: theme=dark; id=•", "curl -H 'Cookie: id=•'", "sid=•", "Authorization: Bearer •", "Bearer •", "X-Api-Key: •",
        "X-CSRF-Token: •", "{\"password\":\"•\"}", "{\"auth\":\"•\"}", "{\"cookie\":\"•\"}", "{\"backupCodes\":[\"•\"]}",
        "{\"name\":\"password\",\"value\":\"•\"}", "{\"value\":\"•\",\"name\":\"Authorization\"}",
        "{\"key\": \"pin\", \"v\": \"•\"}",
        "[{\"name\":\"Cookie\",\"value\":\"•\"}]", "{\\\"key\\\":\\\"token\\\",\\\"value\\\":\\\"•\\\"}",
        "{\"a\":{\"header\":\"X-Api-Key\",\"content\":\"•\"}}", "{\"dsn\":\"•\"}", "{\"signature\":\"•\"}", "glpat-•abcdefgh",
        "sk-ant-•abcdefgh", "npm_•abcdefgh", "whsec_•", "xapp-•", "hf_•abcdefgh", "SG.•abcdefgh", "oauth.token=•",
        "loaded -----BEGIN PRIVATE KEY-----\n•\n-----END PRIVATE KEY-----",
        "> -----BEGIN RSA PRIVATE KEY-----\n> •\n> -----END RSA PRIVATE KEY-----",
        "2026-05-01 10:00:06.123 App[312:9] Password:\n•", "{v_Data = \"•\";}", "GOCSPX-•abcdefgh", "password=o'br•",
        "UPDATE u SET password='it''s•' WHERE id=1",
        "password => •", "token := \"•\"", "password = @\"•\"", "{'password': b'•'}", "secret = '''•'''",
        "secret = \"\"\"•\"\"\"", "<map><string name=\"auth_token\">•</string></map>", "<entry key=\"password\" value=\"•\"/>",
        "<input type=\"text\" value='•' name='csrf_token'>", "<meta name=\"csrf-token\" content=\"•\">",
        "<accessToken><![CDATA[•]]></accessToken>", "<wsse:Password Type=\"t\">•</wsse:Password>",
        "<accessToken>\n  •\n</accessToken>",
        "seed phrase: some words •", "\"mnemonic\": \"abandon ability •\"", "jdbc:postgresql://h/db?user=u&password=•",
    ])
    func texts(form: String) {
        let text = form.replacing("•", with: Self.planted)
        #expect(!Self.shown(text).contains(Self.planted))
    }

    /// The marks around a value are no part of it: elsewhere it is without them.
    @Test(arguments: [
        ("password: •.", "password: _."), ("(token=•)", "(token=_)"), ("[token: •]!", "[token: _]!"), ("token=a(•)", "token=_"),
        ("see https://x.com/?token=•).", "see https://x.com/?token=_)."),
        ("Authorization: Bearer •, then", "Authorization: Bearer _, then"),
        ("\"password=•\\nnext\"", "\"password=_\\nnext\""), ("it is ghp_•.", "it is _."),
        ("deviceToken = {length = 8, bytes = 0x5a6b3933 706c616e}", "deviceToken = {length = 8, bytes = 0x_}"),
        ("deviceToken = <5a6b3933 706c616e>;", "deviceToken = <_>;"),
        ("<entry key=\"color\" value=\"•\"/>", "<entry key=\"color\" value=\"•\"/>"),
        ("<string name=\"title\">• <b>x</b></string>", "<string name=\"title\">• <b>x</b></string>"),
    ])
    func marks(form: String, shown: String) {
        let text = form.replacing("•", with: Self.planted)
        #expect(Self.shown(text) == shown.replacing("_", with: "hidden (secret)").replacing("•", with: Self.planted))
    }

    /// Short secrets, as which the word above is too long.
    @Test(arguments: [
        "{\"pin\": 4711}", "{\"pin\":\"4711\"}", "PIN: 4711", "password=4711", "passcode: 4711", "<cvv>4711</cvv>", "OTP=4711",
        "https://x.com/?otp=4711", "https://x.com/?password=4711", "tool --password 4711", "curl -u bob:x4711 x",
        "ftp://bob:4711@h",
        "Passcode:\n4711", "Security code: 4711",
    ])
    func shortSecrets(text: String) {
        #expect(!Self.shown(text).contains("4711"))
    }

    static let values: [(pointer: String, value: PlistValue)] = [
        ("/password", "•"), ("/userPass", "•"), ("/tokens/main", "•"), ("/auth/v", "•"), ("/credentials/0/v", "•"),
        ("/oauth/a/b", "•"), ("/cookies/sid", "•"), ("/Cookie", "•"), ("/headers/Set-Cookie", "•"), ("/dsn", "•"), ("/csrf", "•"),
        ("/webhookURL", "•"), ("/ZPIN", "•"), ("/ssn", "•"), ("/iban", "•"), ("/seed", "•"), ("/wallet/mnemonic/0", "•"),
        ("/signature", "•"), ("/backupCodes/3", "•"), ("/wallet/recoveryPhrase", "•"), ("/card/cardNumber", "•"),
        ("/headers/[name=Authorization]/value", "•"), ("/items/[key=password]/v", "•"), ("/a/<plist>/pwd", "•"),
        ("/token/<archive>/$top/v", "•"), ("/a", ["key": "password", "value": "•"]), ("/a", ["Name": "API Token", "Data": "•"]),
        ("/a", [["name": "Cookie", "value": "•"]]), ("/a", ["title": "Passcode", "text": "•"]),
        ("/a", ["field": "otp", "value": "•"]), ("/a", ["tokens": ["main": ["x": "•"]]]),
        ("/a", ["Name": "cart", "Value": "•", "Domain": "x.com", "Path": "/"]), ("/a", ["credentials": [["v": "•"]]]),
        ("/url", "https://bob:•@x.com"), ("/a", ["header": "X-Api-Key", "value": "•"]), ("/a", ["sid": "•"]),
        ("/a", ["pass": "•", "user": "bob"]), ("/note", "Password:\n•"), ("/secrets/a/b/c", "•"),
    ]

    @Test(arguments: values)
    func propertyLists(pointer: String, value: PlistValue) throws {
        for asData in [false, true] {
            let planted = Self.planting(value, asData: asData)
            guard planted != nil || !asData else { continue }
            var cover = SecretCover()
            let change = cover.hiding(PlistChange(.added(planted ?? value), at: try PlistPointer(pointer)))
            #expect(change.new != planted && !"\(change)".contains(Self.planted), "\(pointer)")
            #expect(cover.count == 1)
        }
    }

    @Test func numbers() throws {
        var cover = SecretCover()
        for pointer in ["/pin", "/cvv", "/passcode", "/ssn", "/a/otp"] {
            let change = cover.hiding(PlistChange(.modified(old: 4711, new: true), at: try PlistPointer(pointer)))
            #expect(change.old == "hidden (secret)" && change.new == true)
        }
    }

    /// What stands beside a value is known where the value is.
    @Test func siblingsOfChangesAndLeaves() throws {
        let old: PlistValue = [
            "list": [["x": 1, "key": "password", "value": "older-value"]], "plain": ["key": "color", "value": "blue"],
        ]
        let new: PlistValue = [
            "list": [["x": 1, "key": "password", "value": "newer-value"]], "plain": ["key": "color", "value": "dark red"],
        ]
        let hidden = try PlistDiff(old, new).hidingSecrets()
        #expect(hidden.count == 1)
        #expect(hidden.diff.changes.map(\.new).contains("dark red") && !"\(hidden.diff.changes)".contains("newer-value"))
        var (cover, shown) = (SecretCover(), [PlistValue?]())
        PlistLeaves.forEachPlace(in: new) { pointer, _, leaf, naming in
            if let leaf { shown.append(cover.hiding(PlistChange(.added(leaf), at: pointer, naming: naming)).new) }
        }
        #expect(shown.contains("dark red") && shown.contains("hidden (secret)") && !shown.contains("newer-value"))
    }

    static let plantedRows: [(table: String, column: String, naming: String?)] = [
        ("users", "password", nil), ("users", "ZPIN", nil), ("credentials", "v", nil), ("ZTOKEN", "ZV", nil),
        ("cookies", "value", nil),
        ("moz_cookies", "value", nil), ("ItemTable", "value", "password"), ("kv", "v", "auth"), ("settings", "data", "apiKey"),
        ("users", "auth", nil), ("users", "backup_codes", nil), ("users", "csrf", nil), ("users", "pass", nil),
        ("cards", "cvv", nil),
        ("cards", "card_number", nil), ("user_passwords", "content", nil), ("secrets", "a", nil), ("ItemTable", "value", "oauth"),
    ]

    @Test(arguments: plantedRows)
    func rows(table: String, column: String, naming: String?) {
        let values: [DisplayValue] = [
            .value(.string(PlistString(Self.planted))), .value(.data(Array(Self.planted.utf8))),
            .textHead("Zk93pl", count: 9_000),
        ]
        for value in values {
            var row = RowChange(.added, table: table, key: [], columns: [RowChange.Column(column, new: value)])
            row.naming = naming.map(Secrets.pairNaming) ?? []
            var (content, cover) = (ChangeDetail.Content.row(row), SecretCover())
            cover.hide(&content)
            guard case .row(let shown) = content, case .hidden? = shown.columns[0].new else {
                Issue.record("\(table).\(column) is shown")
                continue
            }
            #expect(cover.count == 1)
        }
    }

    @Test func targetsOfLinks() throws {
        func link(_ target: String) throws -> TreeEntry {
            TreeEntry(
                path: try RelativePath(validating: Array("l".utf8)), kind: .link, mode: .link, modified: Timestamp(seconds: 0),
                target: Array(target.utf8))
        }
        var cover = SecretCover()
        let shown = cover.hidingTargets(try link("smb://bob:\(Self.planted)@nas"), try link("../plain"))
        #expect(shown.old?.target == Array("smb://bob:hidden (secret)@nas".utf8) && cover.count == 1)
        #expect(try shown.new == link("../plain"))
    }

    @Test func linesByTheirNeighbors() throws {
        let text =
            "Password:\nhunter2\n\nmachine h\n  login bob\n  password abc\n\npassword resets are easy\nToken:\nsee the other page\n"
        #expect(try TextContent(Array(text.utf8)).secretLines == [1, 5])
    }

    private static func shown(_ text: String) -> String {
        SecretCover.hiding(Array(text.utf8)).map { String(decoding: $0.text, as: UTF8.self) } ?? text
    }

    /// - Returns: the value with the planted word; nil if it has no place of its own for data.
    private static func planting(_ value: PlistValue, asData: Bool) -> PlistValue? {
        switch value {
        case .string(let text):
            guard asData else { return .string(PlistString(text.string.replacing("•", with: planted))) }
            return text == "•" ? .data(Array(planted.utf8)) : nil
        case .array(let elements): return .array(elements.map { planting($0, asData: asData) ?? $0 })
        case .dictionary(let entries):
            return .dictionary(PlistDictionary(entries.map { ($0.key, planting($0.value, asData: asData) ?? $0.value) }))
        default: return value
        }
    }
}
