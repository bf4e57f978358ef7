"""Makes a container with planted secrets, and hunts for them in a tree of files, with nothing but Python's own readers.

    planted_secrets.py make DIRECTORY      prints nothing; the secrets are in DIRECTORY.secrets, one on a line
    planted_secrets.py hunt TREE SECRETS   prints where each is still found; status 1 if one is
    planted_secrets.py open TREE           opens every database, property list and JSON file; status 1 if one fails
"""

import base64
import gzip
import io
import itertools
import json
import os
import plistlib
import sqlite3
import sys
import urllib.parse
import zipfile
import zlib

EMAIL = "otter.finder@example.com"
NUMBER = itertools.count(1)
PLANTED = []


def secret(prefix="s3cr3t"):
    value = f"{prefix}-{next(NUMBER):03d}-q7Zk9vXw2"
    PLANTED.append(value)
    return value


def keyed_archive(root):
    """Returns an archive as NSKeyedArchiver writes a dictionary of strings."""
    objects, numbers = ["$null"], {}

    def add(value):
        if isinstance(value, dict):
            place = len(objects)
            objects.append(None)
            keys = [plistlib.UID(add(key)) for key in value]
            values = [plistlib.UID(add(item)) for item in value.values()]
            objects.append({"$classname": "NSDictionary", "$classes": ["NSDictionary", "NSObject"]})
            objects[place] = {"NS.keys": keys, "NS.objects": values, "$class": plistlib.UID(len(objects) - 1)}
            return place
        if (type(value), value) not in numbers:
            numbers[(type(value), value)] = len(objects)
            objects.append(value)
        return numbers[(type(value), value)]

    top = add(root)
    archive = {
        "$archiver": "NSKeyedArchiver", "$version": 100000, "$top": {"root": plistlib.UID(top)}, "$objects": objects}
    return plistlib.dumps(archive, fmt=plistlib.FMT_BINARY)


def cookies(*values):
    records = []
    for name, value in values:
        strings = [b".example.com\0", name.encode() + b"\0", b"/\0", value.encode() + b"\0"]
        offsets, place = [], 56
        for text in strings:
            offsets.append(place)
            place += len(text)
        head = [place, 0, 0, 0, *offsets, 0, 0]
        times = b"\0" * 16
        records.append(b"".join(number.to_bytes(4, "little") for number in head) + times + b"".join(strings))
    start = 8 + 4 * len(records) + 4
    page = b"\0\0\1\0" + len(records).to_bytes(4, "little")
    for record in records:
        page += start.to_bytes(4, "little")
        start += len(record)
    page += b"\0\0\0\0" + b"".join(records)
    checksum = sum(page[::4])
    return b"cook" + (1).to_bytes(4, "big") + len(page).to_bytes(4, "big") + page + checksum.to_bytes(4, "big")


def make(directory):
    def write(path, content):
        path = os.path.join(directory, path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(content if isinstance(content, bytes) else content.encode())

    PLANTED.append(EMAIL)
    shared = secret()
    prefs = {
        "accessToken": secret(), "refreshToken": shared, "title": "plain", "password": secret(), "pin": 4711,
        "apiKey": secret(), "csrfToken": secret(), "webhookURL": secret(),
        "recoveryPhrase": f"able {secret()} acid", "client": {"secret": secret(), "id": "plain"}, "sessionKey": secret().encode(), "secretData": secret().encode(),
        "url": f"https://example.com/?token={secret()}&page=2", "dsn": f"https://{secret()}@sentry.example.com/1",
        "database": f"postgres://otter:{secret()}@db.example.com/x", "headers": {"Authorization": f"Bearer {secret()}"},
        "tokens": {"main": secret(), "third": secret(), "other": secret()}, "pairs": [{"name": "password", "value": secret()}],
        "owner": EMAIL, f"seen {EMAIL}": True, "nested": plistlib.dumps({"clientSecret": secret()}, fmt=plistlib.FMT_BINARY),
        "zipped": gzip.compress(plistlib.dumps({"authToken": secret()}, fmt=plistlib.FMT_BINARY), mtime=0),
        "encoded": base64.b64encode(plistlib.dumps({"authToken": secret()}, fmt=plistlib.FMT_BINARY)).decode(),
        "archive": keyed_archive({"authToken": secret(), "mail": EMAIL, "count": 3}), "unicodé": f"é {EMAIL.upper()} 𝄞",
    }
    write("Library/Preferences/binary.plist", plistlib.dumps(prefs, fmt=plistlib.FMT_BINARY))
    write("Library/Preferences/xml.plist", plistlib.dumps({
        "authToken": secret(), "data": (f"user={EMAIL};" * 9).encode(), "passcode": "12ab", "copy": shared,
        "escaped&key": {"password": "a<b&c>d-" + secret()}}))
    PLANTED.append("a<b&c>d-" + PLANTED[-1])
    write("Library/Application Support/archive.bin", keyed_archive({"privateKey": secret(), "who": EMAIL}))
    write("Documents/state.json", json.dumps({
        "user": {"accessToken": secret(), "email": EMAIL, "pin": "9876"}, "cardNumber": 4111111111111111, "password": 738291645.5,
        "body": {"encoding": "base64", "text": base64.b64encode(json.dumps({"id_token": secret()}).encode()).decode()},
        "slashes": {"secret": "ab/cd\"ef\\" + secret()}, "list": [{"key": "apiToken", "value": secret()}]}, indent=2))
    PLANTED.append("ab/cd\"ef\\" + PLANTED[-2])
    write("Documents/unicode.json", json.dumps({"password": "pässwörd-" + secret()}))
    PLANTED.append("pässwörd-" + PLANTED[-1])
    lines = [
        f"Authorization: Bearer {secret()}", f"Cookie: sid={secret()}; theme=dark", f"password={secret()}", "Password:",
        secret(), f"curl -u otter:{secret()} https://example.com", f"login --password {secret()}", f"<password>{secret()}</password>",
        f"mail={urllib.parse.quote(EMAIL)}", f"machine example.com login otter password {secret()}",
        "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJvdHRlciJ9.c2lnbmF0dXJlLW9mLXRoZS1vdHRlcg", f"copied without a name: {shared}",
        f"https://example.com/{base64.b64encode(b'x' + EMAIL.encode()).decode()}", EMAIL.encode().hex(),
        f"GET /?X-Amz-Signature={secret()}", f"{{\"token\": \"{secret()}\"}}", f"api_key: '{secret()}'", f"--token={secret()}",
        f"https://example.com/?next=https%3A%2F%2Fb.example.com%2F%3Faccess_token%3D{secret()}", f"password => \"{secret()}\"",
        f'{{"password":"a\\"b{secret()}"}} x', f'it was a"b{PLANTED[-1]} once', "key -----BEGIN EC PRIVATE KEY-----", secret(),
        "-----END EC PRIVATE KEY-----", f"logged in with password: {secret()}.", f"it was {PLANTED[-1]} once",
        f"https://hooks.slack.com/services/{secret()}", f"xoxb-{secret()}", f"otp: 123456", "AKIAIOSFODNN7EXAMPLE",
        "-----BEGIN PRIVATE KEY-----", "MIIBVQIBADANBgkqhkiG9w0BAQEFAASCAT8wggE7AgEAAkEAq7BFUpkGp3", "-----END PRIVATE KEY-----"]
    PLANTED.extend(line for line in lines if line.startswith(("eyJ", "AKIA", "MII")))
    write("Documents/app.log", "\n".join(lines) + "\n")
    write("Documents/prefs.xml", f"<map><string name='auth_token'>{secret()}</string><entry key='pin' value='{secret()}'/></map>")
    write(f"Documents/token={secret()}.json", "[]")
    write(".com.apple.mobile_container_manager.metadata.plist", plistlib.dumps({
        "MCMMetadataIdentifier": "com.example.otters", "MCMMetadataInfo": {"owner": EMAIL, "accessToken": secret()}}))
    write("Documents/wide.txt", b"\xff\xfe" + f"secret: {secret()}\r\nmail {EMAIL}\r\n".encode("utf-16-le"))
    write("Documents/log.gz", gzip.compress(f"token={secret()}\n{EMAIL}\n".encode(), mtime=0))
    write("Documents/state.z", zlib.compress(json.dumps({"password": secret()}).encode()))
    write(f"Documents/{EMAIL}/inbox.txt", f"hello {EMAIL}\n")
    write("Documents/picture.bin", b"\x89\0\1\2" * 64 + EMAIL.encode("utf-16-be") + b"\0\1" * 32 + shared.encode())
    write("Library/Cookies/Cookies.binarycookies", cookies(("session", secret("cookie")), ("short", "ab1")))
    os.symlink(f"https://otter:{secret()}@example.com/", os.path.join(directory, "Documents/link"))
    write("Library/Caches/page.html", f"{EMAIL} {shared}")
    databases(directory)
    assert len(PLANTED) >= 60, len(PLANTED)
    with open(directory + ".secrets", "w") as file:
        file.writelines(value + "\n" for value in dict.fromkeys(PLANTED))


def databases(directory):
    path = os.path.join(directory, "Library/Application Support/Model.sqlite")
    database = sqlite3.connect(path)
    # The fillers make the deleted rows lie in pages that stay in use, and in free ones.
    database.executescript("""
        PRAGMA secure_delete=OFF; PRAGMA journal_mode=WAL; PRAGMA wal_autocheckpoint=0;
        CREATE TABLE account (id INTEGER PRIMARY KEY, email TEXT UNIQUE, token TEXT, pin INTEGER, data BLOB);
        CREATE INDEX byToken ON account (token);
        CREATE TABLE item (key TEXT PRIMARY KEY, value) WITHOUT ROWID;
        CREATE TABLE note (body TEXT, filler TEXT);
        CREATE TABLE session (account REFERENCES account (email), at REAL);
        CREATE VIRTUAL TABLE search USING fts5(body);
        CREATE VIRTUAL TABLE old USING fts4(body);
        """)
    database.execute("INSERT INTO account VALUES (1, ?, ?, 4711, ?)", (EMAIL, secret(), keyed_archive({"secret": secret()})))
    database.execute("INSERT INTO account VALUES (2, 'plain', ?, 12, ?)", (secret(), f'{{"mail": "{EMAIL}"}}'.encode()))
    database.execute("INSERT INTO session VALUES (?, 1.5)", (EMAIL,))
    database.execute("CREATE TABLE device (token BLOB UNIQUE)")
    for _ in range(2):
        database.execute("INSERT INTO device VALUES (?)", (b"\0\1" + secret().encode(),))
    database.execute("INSERT INTO item VALUES ('password', ?)", (secret(),))
    database.execute("INSERT INTO item VALUES ('color', ?)", (gzip.compress(f"blue for {EMAIL}".encode(), mtime=0),))
    # As web views, redux-persist and key-value stores have them.
    database.execute("CREATE TABLE kv (k TEXT, v)")
    database.execute("INSERT INTO kv VALUES ('refresh_token', ?)", (secret(),))
    database.execute("INSERT INTO kv VALUES ('wide', ?)", (json.dumps({"authToken": secret()}).encode("utf-16-le"),))
    database.execute("INSERT INTO kv VALUES ('state', ?)", (gzip.compress(json.dumps({"accessToken": secret()}).encode(), mtime=0),))
    database.execute("INSERT INTO kv VALUES ('password', 738291645.5)")
    for table in "search", "old":
        database.execute(f"INSERT INTO {table} VALUES (?)", (f"mail from {EMAIL} about otters",))
    deleted = secret("token")
    for number in range(400):
        database.execute("INSERT INTO note VALUES (?, ?)", (f"Authorization: Bearer {deleted}{number}", "x" * 300))
    database.commit()
    database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    database.execute("DELETE FROM note WHERE rowid % 7 > 0")
    database.execute("UPDATE note SET body = 'rewritten'")
    database.execute("INSERT INTO account VALUES (3, 'in the log', ?, 3, NULL)", (secret(),))
    database.commit()
    database.execute("ANALYZE")
    database.commit()
    # The log must stay: nobody may close the database as its last user.
    copies = {name: open(path + name, "rb").read() for name in ("", "-wal")}
    database.close()
    for name, content in copies.items():
        with open(path + name, "wb") as file:
            file.write(content)
    wide = sqlite3.connect(os.path.join(directory, "Documents/wide.sqlite"))
    wide.executescript("PRAGMA encoding='UTF-16le'; CREATE TABLE credentials (name TEXT, v TEXT)")
    wide.execute("INSERT INTO credentials VALUES ('a', ?)", (secret(),))
    wide.execute("INSERT INTO credentials VALUES (?, 'x')", (EMAIL,))
    wide.commit()


def spellings(value):
    data = value.encode()
    yield data
    yield value.encode("utf-16-le")
    yield value.encode("utf-16-be")
    for kept in "", "@", "@:/":
        yield urllib.parse.quote(value, safe=kept).encode()
    for text in json.dumps(value)[1:-1], json.dumps(value, ensure_ascii=False)[1:-1]:
        yield text.encode()
        yield text.replace("/", "\\/").encode()
    yield data.hex().encode()
    for offset in range(3):
        text = base64.b64encode(b"\0" * offset + data)
        yield text[-(-offset * 8 // 6):len(text) - 4 if len(text) % 4 == 0 else None]


def contents(name, data, depth=0):
    """Yields the names and the bytes of what data holds, decoded in every way that Python knows."""
    yield name, data
    if depth > 4:
        return
    if data.startswith(b"\x1f\x8b"):
        yield from contents(name + "!gzip", gzip.decompress(data), depth + 1)
    if data[:1] == b"\x78":
        try:
            yield from contents(name + "!zlib", zlib.decompress(data), depth + 1)
        except zlib.error:
            pass
    if data.startswith(b"PK"):
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            for entry in archive.namelist():
                yield name, entry.encode()
                yield from contents(f"{name}!{entry}", archive.read(entry), depth + 1)
    if data.startswith((b"bplist", b"<?xml", b"<plist")):
        try:
            value = plistlib.loads(data)
        except Exception:
            return
        yield from values(name + "!plist", value, depth)
    if data[:1] in (b"{", b"["):
        try:
            yield from values(name + "!json", json.loads(data), depth)
        except ValueError:
            pass


def values(name, value, depth):
    if isinstance(value, dict):
        for key, item in value.items():
            yield name, str(key).encode()
            yield from values(name, item, depth)
    elif isinstance(value, list):
        for item in value:
            yield from values(name, item, depth)
    elif isinstance(value, bytes):
        yield from contents(name, value, depth + 1)
    else:
        yield name, str(value).encode()


def rows(path):
    database = sqlite3.connect(f"file:{urllib.parse.quote(path)}?mode=ro&immutable=1", uri=True)
    database.text_factory = bytes
    for (sql,) in database.execute("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL"):
        yield "schema", sql
    for (table,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall():
        table = table.decode()
        for row in database.execute(f'SELECT * FROM "{table}"'):
            for value in row:
                yield table, value if isinstance(value, bytes) else str(value).encode()
    for (table,) in database.execute("SELECT name FROM sqlite_master WHERE sql LIKE '%fts5%'").fetchall():
        database.execute(f"CREATE VIRTUAL TABLE temp.vocabulary USING fts5vocab(main, '{table.decode()}', 'row')")
        for (term,) in database.execute("SELECT term FROM temp.vocabulary"):
            yield table.decode() + " index", term


def tree(top):
    for directory, names, files in os.walk(top):
        for name in names + files:
            path = os.path.join(directory, name)
            yield path, os.path.relpath(path, top).encode()
            if os.path.islink(path):
                yield path, os.readlink(path).encode()
            elif os.path.isfile(path):
                with open(path, "rb") as file:
                    data = file.read()
                yield from contents(path, data)
                if data.startswith(b"SQLite format 3"):
                    for table, value in rows(path):
                        yield from contents(f"{path}:{table}", value)


def hunt(top, file):
    wanted = [line.rstrip("\n") for line in open(file)]
    needles = [(value, spelling.lower()) for value in wanted for spelling in set(spellings(value))]
    found = False
    for name, data in tree(top):
        for value, needle in needles:
            if needle in data.lower():
                print(f"{name}: {value}")
                found = True
    return found


def open_all(top):
    for directory, _, files in os.walk(top):
        for name in files:
            path = os.path.join(directory, name)
            if os.path.islink(path):
                continue
            with open(path, "rb") as file:
                data = file.read()
            if data.startswith(b"SQLite format 3"):
                database = sqlite3.connect(path)
                for table in "search", "old":
                    if database.execute("SELECT 1 FROM sqlite_master WHERE name = ?", (table,)).fetchone():
                        database.execute(f"INSERT INTO {table}({table}) VALUES ('integrity-check')")
                        assert database.execute(f"SELECT count(*) FROM {table} WHERE {table} MATCH 'otters'").fetchone() == (1,)
                assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",), path
                if database.execute("SELECT 1 FROM sqlite_master WHERE name = 'kv'").fetchone():
                    kept = dict(database.execute("SELECT k, v FROM kv"))
                    assert json.loads(kept["wide"].decode("utf-16-le"))["authToken"].startswith("redacted-"), kept
                    assert json.loads(gzip.decompress(kept["state"])) and kept["password"] == 0, kept
                assert database.execute("PRAGMA foreign_key_check").fetchall() == [], path
                assert database.execute("PRAGMA freelist_count").fetchone() == (0,), path
                assert not os.path.exists(path + "-wal"), path
                database.close()
            elif name.endswith(".plist") or data.startswith(b"bplist"):
                value = plistlib.loads(data)
                if "encoded" in value:
                    plistlib.loads(base64.b64decode(value["encoded"]))
                for nested in "nested", "archive":
                    if nested in value:
                        plistlib.loads(value[nested])
            elif name.endswith(".json"):
                value = json.loads(data)
                if "body" in value:
                    json.loads(base64.b64decode(value["body"]["text"]))
            elif data.startswith(b"\x1f\x8b"):
                gzip.decompress(data)


if __name__ == "__main__":
    if sys.argv[1] == "make":
        make(sys.argv[2])
    elif sys.argv[1] == "hunt":
        sys.exit(hunt(sys.argv[2], sys.argv[3]))
    else:
        open_all(sys.argv[2])
