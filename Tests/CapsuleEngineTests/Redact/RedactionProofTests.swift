import CapsuleContainers
import CapsuleCore
import CapsulePropertyList
import CapsuleSystem
import TestSupport
import Testing

@testable import CapsuleEngine

/// Each test leaves a secret where a rule of `capsule redact` removes it, as if the rule were broken. The proof finds it.
@Suite struct RedactionProofTests {
    static let secret = #"p@ss"wörd/0123456789"#

    /// Scripts in Python that leave the secret `S` in a container, the directory `c`.
    static let leaks: [(rule: String, script: String)] = [
        ("text", "write('a.txt', S)"),
        ("UTF-16, low byte first", "write('a.bin', b'\\0\\1x' + S.encode('utf-16-le'))"),
        ("UTF-16, high byte first", "write('a.bin', b'\\0\\1x' + S.encode('utf-16-be'))"),
        ("escapes of URLs", "write('a.txt', 'x?q=' + urllib.parse.quote(S, safe=''))"),
        ("escapes of JSON", "write('a.log', 'said ' + json.dumps(S))"),
        ("escapes of JSON, shown", "write('a.log', 'said ' + json.dumps(S, ensure_ascii=False).replace('/', '\\\\/'))"),
        ("Base64, first byte of three", "write('a.txt', base64.b64encode(S.encode() + b'more'))"),
        ("Base64, second byte of three", "write('a.txt', base64.b64encode(b'x' + S.encode()))"),
        ("Base64, third byte of three", "write('a.txt', base64.urlsafe_b64encode(b'xy' + S.encode() + b'z'))"),
        ("hexadecimal", "write('a.txt', S.encode().hex().upper())"),
        ("gzip", "write('a.gz', gzip.compress(b'x' * 99 + S.encode()))"),
        ("zlib in gzip", "write('a.z', gzip.compress(zlib.compress(S.encode() * 9)))"),
        ("data of XML, in lines", "write('a.plist', plistlib.dumps({'data': (S * 20).encode()}))"),
        ("a key of a binary property list", "write('a.plist', plistlib.dumps({'x' + S: 1}, fmt=plistlib.FMT_BINARY))"),
        (
            "a property list in data of one",
            "write('a.plist', plistlib.dumps({'d': plistlib.dumps({'data': (S * 20).encode()})}))"
        ),
        ("an escaped JSON string", "write('a.json', '{\"a\": \"' + ''.join('\\\\u%04x' % ord(c) for c in S) + '\"}')"),
        ("a file's name", "write(urllib.parse.quote(S, safe=''), 'x')"),
        ("a link", "os.symlink(S, 'c/link')"),
        ("a zip", "zip('a.zip', 'in/it.txt', S * 50)"),
        ("a zip in a zip", "zip('b.zip', 'x', 'y'); zip('a.zip', 'b.zip', zipped('it.txt', S * 50))"),
        ("a row", "rows('INSERT INTO t VALUES (?)', S)"),
        ("a row in UTF-16", "rows('INSERT INTO t VALUES (?)', S, 'PRAGMA encoding=\"UTF-16le\"')"),
        ("a row that is longer than a page", "rows('INSERT INTO t VALUES (?)', 'x' * 4060 + S + 'y' * 9000)"),
        ("Base64 in lines", "write('a.txt', base64.encodebytes(b'x' * 50 + S.encode() + b'y' * 50))"),
        ("any character in an escape of URLs", "write('a.txt', ''.join('%%%02x' % byte for byte in S.encode()))"),
        ("any character in an escape of JSON", "write('a.log', 'x ' + ''.join('\\\\u%04x' % ord(c) for c in S))"),
        ("entities of HTML", "write('a.html', ''.join('&#%d;' % ord(c) for c in S))"),
        ("Base64 in lines of a row", "rows('INSERT INTO t VALUES (?)', base64.encodebytes(b'x' * 50 + S.encode() * 3).decode())"),
        ("Base64 in lines of a blob", "rows('INSERT INTO t VALUES (?)', base64.encodebytes(b'x' * 50 + S.encode() * 3))"),
        ("Base64 in lines of unknown data", "write('a.bin', b'\\0\\1' + base64.encodebytes(b'x' * 50 + S.encode() * 3))"),
        (
            "Base64 in indented lines",
            "write('a.yml', 'a: |\\n  ' + base64.encodebytes(b'x' * 50 + S.encode()).decode().replace('\\n', '\\n  '))"
        ),
        (
            "a property list as a string",
            "write('a.json', json.dumps({'p': plistlib.dumps({'d': b'x' * 30 + S.encode()}).decode()}))"
        ),
        ("a property list in a text", "write('a.txt', b'-- ' + plistlib.dumps({'d': b'x' * 40 + S.encode()}))"),
        ("gzip in Base64", "write('a.json', json.dumps({'p': base64.b64encode(gzip.compress(S.encode())).decode()}))"),
        ("a marked blob of zlib", "rows('INSERT INTO t VALUES (?)', b'\\1' + zlib.compress(S.encode()))"),
        ("a zip in a blob", "rows('INSERT INTO t VALUES (?)', zipped('it.txt', S * 50))"),
        ("a zip in Base64", "write('a.json', json.dumps({'p': base64.b64encode(zipped('it.txt', S * 50)).decode()}))"),
        ("entities of HTML in a row", "rows('INSERT INTO t VALUES (?)', ''.join('&#%d;' % ord(c) for c in S))"),
        (
            "Base64 of a property list in a row",
            "rows('INSERT INTO t VALUES (?)', base64.b64encode(plistlib.dumps({'x': S + '\u{e9}'}, fmt=plistlib.FMT_BINARY)).decode())"
        ),
        ("escapes of JavaScript", "write('a.js', ''.join('\\\\x%02x' % byte for byte in S.encode()))"),
        ("gzip of two members", "write('a.gz', gzip.compress(b'one') + gzip.compress(S.encode()))"),
        ("quotes of CSV", "write('a.csv', '1,\"' + S.replace('\"', '\"\"') + '\"')"),
        ("JSON in JSON", "write('a.log', 'x ' + json.dumps(json.dumps(S, ensure_ascii=False), ensure_ascii=False))"),
        ("names of entities", "write('a.html', S.replace('\"', '&quot;'))"),
        ("gzip in a row", "rows('INSERT INTO t VALUES (?)', gzip.compress(S.encode() * 9))"),
        ("a tar in gzip", "write('a.tgz', tarred(S))"),
        ("a property list in a row", "rows('INSERT INTO t VALUES (?)', plistlib.dumps({'d': (S * 20).encode()}))"),
        ("a deleted row", "rows('INSERT INTO t VALUES (?)', S, 'PRAGMA secure_delete=OFF', 'DELETE FROM t')"),
        (
            "a log",
            "rows('INSERT INTO t VALUES (?)', S, 'PRAGMA journal_mode=WAL', 'UPDATE t SET a = 1', keeps=True)"
        ),
        ("the schema", "rows(\"CREATE TABLE u (a DEFAULT '\" + S + \"')\")"),
        (
            "hexadecimal in groups",
            "h = S.encode().hex(); write('a.log', '<' + ' '.join(h[i:i + 8] for i in range(0, len(h), 8)) + '>')"
        ),
        ("hexadecimal with colons", "write('a.log', S.encode().hex(':').upper())"),
        ("hexadecimal of UTF-16", "write('a.log', S.encode('utf-16-le').hex())"),
        ("escapes of JSON in JSON", "write('a.log', json.dumps(''.join('\\\\u%04x' % ord(c) for c in S)))"),
        ("escapes of OpenStep property lists", "write('a.log', ''.join('\\\\U%04x' % ord(c) for c in S))"),
        ("escapes of Swift", "write('a.log', ''.join('\\\\u{%x}' % ord(c) for c in S))"),
        ("octal escapes", "write('a.log', ''.join('\\\\%03o' % byte for byte in S.encode()))"),
        ("names that HTML has for characters", "write('a.html', S.replace('@', '&commat;').replace('ö', '&ouml;'))"),
        ("quoted-printable", "write('a.eml', quopri.encodestring(('x' * 60 + S).encode()))"),
        ("escapes of two kinds in each other", "write('a.log', json.dumps(urllib.parse.quote(S)).replace('%', '\\\\u0025'))"),
        ("gzip after a header", "write('a.bin', b'\\0\\1HDR\\0' + gzip.compress(S.encode() * 3) + b'\\0end')"),
        ("zlib after a header, in a row", "rows('INSERT INTO t VALUES (?)', b'\\0\\1x' + zlib.compress(S.encode() * 3))"),
        ("a zip after a header", "write('a.bin', b'\\0\\1HDR\\0' + zipped('it.txt', S * 50))"),
        ("deflate without a header", "rows('INSERT INTO t VALUES (?)', zlib.compress(S.encode() * 3)[2:-4])"),
        ("a picture's compressed text", "write('a.png', png(S))"),
        (
            "a zip in a zip in a zip in a zip in a zip",
            "zip('a.zip', 'a', zipped('b', zipped('c', zipped('d', zipped('e', S * 50)))))"
        ),
        ("gzip in itself", "write('a.gz', functools.reduce(lambda data, _: gzip.compress(data), range(20), S.encode() * 9))"),
        (
            "gzip in gzip in gzip in gzip",
            "write('a.gz', functools.reduce(lambda data, _: gzip.compress(data), range(4), b'x' + S.encode()))"
        ),
        ("gzip in Base64 after a slash", "write('a.txt', 'x/' + base64.b64encode(gzip.compress(S.encode() * 3)).decode())"),
        ("gzip in hexadecimal after a word", "write('a.txt', 'line: ' + gzip.compress(S.encode() * 3).hex())"),
        ("more in gzip than is searched", "write('a.gz', gzip.compress(b'ab01' * (17 << 20) + S.encode(), 1))"),
        ("a database in gzip", "write('a.gz', gzip.compress(database(S)))"),
        ("a database in a row", "rows('INSERT INTO t VALUES (?)', database(S))"),
        ("a database in a property list", "write('a.plist', plistlib.dumps({'d': database(S)}, fmt=plistlib.FMT_BINARY))"),
    ]

    static let start = """
        import base64, functools, gzip, io, json, os, plistlib, quopri, sqlite3, struct, sys, tarfile, urllib.parse, zipfile, zlib
        S = sys.argv[1]
        os.makedirs('c/Documents')
        def write(name, content):
            with open('c/Documents/' + name, 'wb') as file:
                file.write(content if isinstance(content, bytes) else content.encode())
        def zipped(name, content):
            file = io.BytesIO()
            with zipfile.ZipFile(file, 'w', zipfile.ZIP_DEFLATED) as archive:
                archive.writestr(name, content)
            return file.getvalue()
        def tarred(content):
            file = io.BytesIO()
            with tarfile.open(fileobj=file, mode='w:gz') as archive:
                entry = tarfile.TarInfo('it.txt')
                entry.size = len(content.encode())
                archive.addfile(entry, io.BytesIO(content.encode()))
            return file.getvalue()
        def database(value):
            for start in range(2000):
                connection = sqlite3.connect('nested', isolation_level=None)
                connection.executescript('PRAGMA page_size=512; CREATE TABLE t (a)')
                connection.execute('INSERT INTO t VALUES (?)', ('x' * start + value + 'y' * (1400 - start),))
                connection.close()
                content = open('nested', 'rb').read()
                os.remove('nested')
                # A page ends within the value.
                if value.encode() not in content:
                    return content
        def png(text):
            def chunk(kind, data):
                return struct.pack('>I', len(data)) + kind + data + struct.pack('>I', zlib.crc32(kind + data))
            return (b'\\x89PNG\\r\\n\\x1a\\n' + chunk(b'IHDR', struct.pack('>IIBBBBB', 1, 1, 8, 0, 0, 0, 0))
                + chunk(b'zTXt', b'Comment\\0\\0' + zlib.compress(text.encode())) + chunk(b'IDAT', zlib.compress(b'\\0\\0'))
                + chunk(b'IEND', b''))
        def zip(name, *entry):
            write(name, zipped(*entry))
        def rows(sql, *rest, keeps=False):
            value, others = (rest[:1] if '?' in sql else ()), (rest[1:] if '?' in sql else rest)
            database = sqlite3.connect('c/Documents/a.sqlite', isolation_level=None)
            for line in others[:1]:
                database.execute(line)
            database.execute('CREATE TABLE t (a)')
            database.execute(sql, value)
            for line in others[1:]:
                database.execute(line)
            if keeps:
                files = {name: open('c/Documents/a.sqlite' + name, 'rb').read() for name in ('', '-wal')}
                database.close()
                for name, content in files.items():
                    write('a.sqlite' + name, content)

        """

    @Test(arguments: leaks.indices) func isFound(number: Int) throws {
        let (rule, script) = Self.leaks[number]
        let error = try proofError(script)
        let isLimit = ["gzip in itself", "more in gzip than is searched", "a zip in a zip in a zip in a zip in a zip"].contains(
            rule)
        #expect(
            error?.message.contains(isLimit ? "too long or too deep" : "still has a secret") == true,
            "\(rule): \(error?.message ?? "not found")")
        #expect(error?.message.contains("0123456789") == false)
    }

    @Test func nothingIsFoundWhereNothingIs() throws {
        for script in ["write('a.txt', S[:-1])", "rows('INSERT INTO t VALUES (?)', S[1:])", "zip('a.zip', 'it.txt', 'x')"] {
            #expect(try proofError(script) == nil, "\(script)")
        }
    }

    @Test func theManifestIsSearched() throws {
        var opened = try container("write('a.txt', 'x')")
        opened.omitted.append(Omission(path: Array("Documents/\(Self.secret)".utf8), reason: "excluded"))
        #expect(failure { try prove(opened) } != nil)
        opened.omitted = []
        opened.overlays = [.dictionary(["a": .string(PlistString(Self.secret))])]
        #expect(failure { try prove(opened) } != nil)
        opened.overlays = []
        #expect(failure { try prove(opened) } == nil)
    }

    private func proofError(_ script: String) throws -> CapsuleError? {
        let opened = try container(script)
        return failure { try prove(opened) }
    }

    private func prove(_ opened: OpenedContainer) throws(CapsuleError) {
        let matcher = SecretMatcher(
            [SecretMatcher.Value(Array(Self.secret.utf8), isText: true)], integers: [PlistInteger(123_456_789_012)])
        try RedactionProof(secrets: matcher, opened: opened).run(isKept: { _ in false }, jobs: 2)
    }

    private func container(_ script: String) throws -> OpenedContainer {
        let directory = try TemporaryDirectory()
        let outcome = try Program.run("python3", ["-c", Self.start + script, Self.secret], in: directory.path)
        try #require(outcome.status == 0, "\(outcome.errors)")
        let capsule = directory["c.capsule"]
        _ = try packed(directory["c"], to: capsule)
        return try Container(Array(capsule.utf8)).openLeniently()
    }
}
