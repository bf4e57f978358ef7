import Testing

/// Secrets that an app stores, in every form, are in no report, unless it is asked for them.
@Suite struct HiddenSecretsTests {
    private static let planted = "Zk93planted"
    private let session: Session

    init() throws {
        session = try Session()
        try session.python(
            #"""
            import json, os, plistlib, sqlite3
            for side, number in (("A", 1), ("B", 2)):
                count = iter(range(1, 1000))
                def secret(): return f"Zk93planted{number}x{next(count)}"
                os.makedirs(side + "/Documents/de.lproj"); os.makedirs(side + "/Library/Preferences")
                def path(name): return f"{side}/{name}"
                plistlib.dump({
                    "password": secret(), "tokens": {"main": secret(), "count": number}, "auth": {"v": secret()}, "hasPassword": True,
                    "pairs": [{"key": "apiKey", "value": secret()}, {"key": "color", "value": f"blue{number}"}], "pin": 471100 + number,
                    "server": f"https://bob:{secret()}@example.com/?n={number}", "cookies": {"sid": secret()},
                    "inner": plistlib.dumps({"backupCodes": [secret()]}, fmt=plistlib.FMT_BINARY),
                }, open(path("Library/Preferences/app.plist"), "wb"))
                json.dump({
                    "headers": [{"name": "Cookie", "value": f"a={secret()}"}, {"name": "Accept", "value": f"text{number}"}],
                    "oauth": {"x": secret()}, "mnemonic": secret(), "url": f"https://x.com/?sig={secret()}&n={number}",
                }, open(path("Documents/state.json"), "w"))
                open(path("Documents/notes.txt"), "w").write("\n".join([
                    f"run {number}", "Password:", secret(), f"DATABASE_URL=postgres://app:{secret()}@db/main",
                    f"machine h login bob password {secret()}", f"curl -u bob:{secret()} x", f"tool --passphrase {secret()}",
                    f"<pin>{secret()}</pin>", f"Set-Cookie: sid={secret()}; Path=/", f'{{"name":"pin","value":"{secret()}"}}',
                    f"https://hooks.slack.com/services/{secret()}", ""]))
                open(path("Documents/de.lproj/Main.strings"), "w").write(f'"password" = "Passwort vergessen {number}";\n')
                os.symlink(f"smb://bob:{secret()}@nas/share", path("Documents/link"))
                db = sqlite3.connect(path("Documents/app.sqlite"))
                db.executescript("""
                    create table ItemTable(key text unique, value blob);
                    create table credentials(id integer primary key, v);
                    create table users(id integer primary key, name, pin, note);
                    """)
                db.execute("insert into ItemTable values('refreshToken', ?)", (secret(),))
                db.execute("insert into ItemTable values('theme', ?)", (f"dark{number}",))
                db.execute("insert into credentials values(1, ?)", (secret(),))
                db.execute("insert into users values(7, 'walrus', ?, ?)", (secret(), f"https://x.com/?code={secret()}"))
                db.commit()
            """#)
    }

    @Test(arguments: ["", "--json", "--full", "--all", "--html -", "--markdown -", "--expect-write -", "--learn -"])
    func differences(option: String) throws {
        let text = try session.run("capsule diff A B \(option)").text
        #expect(!text.contains(Self.planted) && !text.contains("471102"))
        #expect(text.contains("app.plist"))
        guard ["", "--json", "--full", "--all"].contains(option) else { return }
        for shown in ["blue2", "text2", "dark2", "vergessen 2", "run 2"] { #expect(text.contains(shown), "\(shown)") }
    }

    @Test(arguments: [
        "Library/Preferences/app.plist", "Library/Preferences/app.plist:/pairs/0/value", "Library/Preferences/app.plist:/pairs",
        "Library/Preferences/app.plist:/tokens", "Documents/state.json", "Documents/state.json:/headers/0/value",
        "Documents/app.sqlite",
        "Documents/app.sqlite:ItemTable", "Documents/app.sqlite:credentials[1]", "Documents/app.sqlite:users",
        "Documents/notes.txt",
    ])
    func contents(place: String) throws {
        for option in ["", "--json"] {
            let text = try session.run("capsule show B \(place) \(option)").text
            #expect(!text.contains(Self.planted) && !text.contains("471102") && !text.isEmpty)
        }
    }

    @Test func everythingElse() throws {
        for command in ["grep \(Self.planted) B", "grep \(Self.planted) B --json", "grep walrus B"] {
            let outcome = try session.run("capsule \(command)")
            #expect(!outcome.text.isEmpty && !outcome.text.contains(Self.planted + "2x"))
        }
        _ = try session.run("capsule show B --html page.html")
        #expect(try !session.text("page.html").contains(Self.planted))
        #expect(try session.run("capsule diff A B --show-secrets").text.contains(Self.planted + "2x1"))
    }
}
