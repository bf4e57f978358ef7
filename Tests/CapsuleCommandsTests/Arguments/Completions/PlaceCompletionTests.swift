import Foundation
import TestSupport
import Testing

@testable import CapsuleArguments
@testable import CapsuleCommands

/// Completion of `PATH:PLACE`, and of a project's `@VERSION` and `app:`.
@Suite struct PlaceCompletionTests {
    private let session: Session

    init() throws {
        session = try Session(["app/Documents/": "", "p/Data/Documents/": "", "p/sub/": ""])
        try session.python(
            """
            import plistlib, sqlite3, zipfile
            database = sqlite3.connect("app/Documents/app.db")
            database.executescript('''
                create table ZNOTE (Z_PK integer primary key, Z_ENT integer, ZTEXT text);
                create table Z_PRIMARYKEY (Z_ENT integer primary key, Z_NAME text, Z_SUPER integer, Z_MAX integer);
                create table Z_METADATA (Z_VERSION integer primary key, Z_UUID text, Z_PLIST blob);
                create table "odd name" (x);
                insert into Z_PRIMARYKEY values (1, 'Note', 0, 0);''')
            database.close()
            value = {"name": {"first": "a", "la/st": {"x": 1}}, "list": [1, {"x": 1}], "n": 1}
            plistlib.dump(value, open("app/Documents/p.plist", "wb"), fmt=plistlib.FMT_BINARY)
            open("app/Documents/p.json", "w").write('{"a": {"b": [1]}}')
            open("app/Documents/a.txt", "w").write("one")
            with zipfile.ZipFile("x.zip", "w") as archive: archive.write("app/Documents/app.db")
            """)
        _ = try session.run("capsule pack -q app -o x.capsule")
    }

    /// Returns the words that are offered for the last word of a line.
    private func completions(_ line: String, in place: String = ".") throws -> String {
        let words = line.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
        let last = ShellWord.words(of: Array((words.last ?? "").utf8), breaks: []).last
        return try WorkingDirectory.with(session[place]) {
            let names = Completer(words.map { Array($0.utf8) }, last).names
            return names.map { String(decoding: $0, as: UTF8.self) }.joined(separator: " | ")
        }
    }

    private func expect(rows table: String, in place: String = ".") throws {
        for row in table.split(separator: "\n") {
            let parts = row.split(separator: " => ", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            let wanted = parts[1] == "nothing" ? "" : parts[1]
            #expect(try completions(parts[0], in: place) == wanted, "\(parts[0])")
        }
    }

    @Test(arguments: ["app", "x.capsule", "x.capsule@1"]) func placesInFilesAreOffered(container: String) throws {
        try expect(
            rows: """
                show \(container) Documents/app.db:Z => \
                Documents/app.db:ZNOTE | Documents/app.db:Z_METADATA | Documents/app.db:Z_PRIMARYKEY
                log \(container) Documents/app.db:N => Documents/app.db:Note
                cat \(container) Documents/app.db:od => Documents/app.db:odd name
                diff \(container) app Documents/app.db:ZN => Documents/app.db:ZNOTE
                show \(container) app.db:No => app.db:Note
                show \(container) Documents/p.plist: => Documents/p.plist:/list | Documents/p.plist:/list/ | \
                Documents/p.plist:/n | Documents/p.plist:/name | Documents/p.plist:/name/
                show \(container) Documents/p.plist:/name/l => Documents/p.plist:/name/la~1st | Documents/p.plist:/name/la~1st/
                log \(container) Documents/p.plist:/list/1/ => Documents/p.plist:/list/1/x
                show \(container) Documents/p.json:/a/b/ => Documents/p.json:/a/b/0
                show \(container):Documents/p.json:/a/b/ => \(container):Documents/p.json:/a/b/0
                cat \(container):Documents/app.db:ZN => \(container):Documents/app.db:ZNOTE
                show \(container):Doc => \(container):Documents/
                """)
    }

    @Test func noPlacesAreOfferedElsewhere() throws {
        try expect(
            rows: """
                cat x.capsule Documents/p.plist:/ => nothing
                diff app x.capsule Documents/p.plist:/ => nothing
                ls x.capsule Documents/app.db:Z => nothing
                show x.capsule Documents/p.plist:n => nothing
                show x.capsule Documents/p.plist:/nothing/ => nothing
                show x.capsule Documents/a.txt: => nothing
                show x.capsule Documents: => nothing
                show x.capsule nothing: => nothing
                show x.zip Documents/app.db: => nothing
                show oci://localhost:1/x:y Documents/app.db: => nothing
                show - Documents/app.db: => nothing
                diff app:Documents/app.db:Z => nothing
                """)
    }

    @Test func aProjectsNamesAreOffered() throws {
        try session.write("one\n", to: "p/Data/Documents/a.txt")
        for line in ["init -q Data", "pack -q --label clean"] {
            #expect(try session.run("cd p && capsule \(line)").errors == "")
        }
        try expect(
            rows: """
                restore @ => @latest | @first | @1 | @clean
                diff @cl => @clean
                diff @1..c => @1..clean
                pack a => app:
                ls app => app:
                cat app:Doc => app:Documents/
                cat @clean:Documents/ => @clean:Documents/a.txt
                cat @clean Documents/ => Documents/a.txt
                log @ Doc => Documents/
                ls app: Doc => Documents/
                compact @ --keep cl => clean
                """, in: "p")
        try expect(rows: "cat @1 D => Documents/\nls @c => @clean", in: "p/sub")
        // A file of such a name is completed by the shell.
        try session.write("", to: "p/apple")
        try expect(rows: "pack a => nothing\npack => nothing", in: "p")
        try expect(rows: "restore @ => nothing\npack a => nothing\ncat @1 D => nothing")
    }
}
