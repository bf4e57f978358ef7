import Testing

/// The modes of what is written. Nobody may read a capsule who can't read the container. Only the owner may read undo files and conflicts.
@Suite struct OutputModeTests {
    private static func plist(_ value: String) -> String {
        "<plist version=\"1.0\"><dict><key>a</key><string>\(value)</string></dict></plist>"
    }

    private static func types(_ names: String...) -> String {
        let elements = names.map { "<dict><key>CFBundleURLName</key><string>\($0)</string></dict>" }.joined()
        return "<plist version=\"1.0\"><dict><key>CFBundleURLTypes</key><array>\(elements)</array></dict></plist>"
    }

    private let session: Session

    init() throws {
        session = try Session([
            "open/h": "1\n", "closed/h": "token\n", "a.json": #"{"a":1}"#, "b.json": #"{"a":2}"#, "d.json": #"{"a":3}"#,
            "changed.json": #"{"a":1}"#, "p.plist": Self.plist("p"), "q.plist": Self.plist("q"), "open.plist": Self.plist("p"),
            "base.plist": Self.plist("base"), "Info.plist": Self.types("a"), "new.plist": Self.types("a", "b"),
            "data.plist": "<plist version=\"1.0\"><dict><key>a</key><data>AAAA</data></dict></plist>",
            "secret.plist": Self.plist("token"), "b2/t": "token\n",
        ])
        try session.expect(
            rows: """
                0 | $ chmod -R go=rX . && chmod 700 closed && chmod 600 p.plist q.plist secret.plist
                0 | $ cp -R $SAMPLES/Gifs-before.xcappdata b.xcappdata && chmod 755 b.xcappdata b.xcappdata/AppData
                0 | $ cp -Rp b.xcappdata b1.xcappdata && mkdir -p b1.xcappdata/AppGroups/g && cp -Rp b1.xcappdata b2.xcappdata
                0 | $ cp b2/t b2.xcappdata/AppGroups/g && chmod 700 b2.xcappdata/AppGroups/g
                """)
    }

    /// An app group that is closed closes the capsule, as does a version that is appended. Nothing is opened wider.
    @Test func capsulesArchivesAndMerges() throws {
        try session.expect(
            rows: """
                0 | pack -q open -o open.capsule
                0 | pack -q closed -o closed.capsule
                0 | $ chmod 750 closed
                0 | pack -q closed -o group.capsule
                0 | $ chmod 700 closed
                0 | pack -q b.xcappdata -o bundle.capsule
                0 | pack -q b.xcappdata -o groups.capsule --group g=closed
                0 | pack -q open -o append.capsule
                0 | pack -q closed --append -o append.capsule
                0 | pack -q open -o kept.capsule
                0 | $ chmod 604 kept.capsule
                0 | pack -q open --append -o kept.capsule
                0 | $ tar czf closed.tgz closed
                0 | pack -q closed.tgz -o of-archive.capsule
                0 | pack -q closed.capsule -o of-capsule.capsule
                0 | unpack -q closed.capsule --as tar.gz -o closed.tar.gz
                0 | unpack -q closed.capsule --as tar.zst -o closed.tar.zst
                0 | unpack -q closed.capsule --as zip -o closed.zip
                0 | unpack -q open --as zip -o open.zip
                0 | merge -q open closed open -o merge1.capsule
                0 | merge -q open open closed -o merge2.capsule
                0 | merge -q open closed open -o merge1
                0 | merge -q open open closed -o merge2
                0 | merge -q closed open open -o merge3
                0 | merge -q closed.capsule open open -o merge4
                0 | merge -q open open open -o merge5
                0 | merge -q b1.xcappdata b1.xcappdata b2.xcappdata -o merge.xcappdata
                0 | compact -q closed.capsule -o compact.capsule
                0 | diff -q open closed --overlay run.capsule --exit-zero
                0 | $ chmod 755 closed
                0 | diff -q open closed --overlay wide.capsule --exit-zero
                0 | $ chmod 700 closed
                0 | overlay invert wide.capsule -o wide-invert.capsule
                0 | overlay invert run.capsule -o run-invert.capsule
                0 | overlay compose wide-invert.capsule run.capsule -o compose.capsule
                0 | $ stat -c '%a %n' *.capsule *.tar.* *.zip merge* merge.xcappdata/AppGroups/g | 600 append.capsule | 644 bundle.capsule | 600 closed.capsule | 600 compact.capsule | 600 compose.capsule | 640 group.capsule | 600 groups.capsule | 604 kept.capsule | 600 merge1.capsule | 600 merge2.capsule | 600 of-archive.capsule | 600 of-capsule.capsule | 644 open.capsule | 600 run-invert.capsule | 600 run.capsule | 644 wide-invert.capsule | 644 wide.capsule | 600 closed.tar.gz | 600 closed.tar.zst | 600 closed.zip | 644 open.zip | 755 merge.xcappdata | 700 merge1 | 600 merge1.capsule | 700 merge2 | 600 merge2.capsule | 700 merge3 | 700 merge4 | 755 merge5 | 700 merge.xcappdata/AppGroups/g
                """)
    }

    /// A capsule or an archive that others can't read makes nothing that they can read, nor does an overlay that is packed.
    @Test func whatIsMadeOfAClosedFile() throws {
        try session.write("<plist version=\"1.0\"><dict/></plist>", to: "open/p")
        #expect(try session.run("capsule pack -q closed -o closed.capsule").status == 0)
        try session.expect(
            rows: """
                0 | pack -q open -o u.capsule
                0 | $ chmod 600 u.capsule
                0 | pack -q u.capsule -o u2.capsule
                0 | unpack -q u.capsule --as tar.gz -o u.tgz
                0 | pack -q u.tgz -o u4.capsule
                0 | merge -q u.capsule@1 u.capsule u.capsule -o u5.capsule
                0 | diff -q u.capsule closed --overlay u6.capsule --exit-zero
                0 | pack -q open --overlay p=secret.plist -o u7.capsule
                0 | pack -q open -o u8.capsule
                0 | pack -q open --append --overlay p=secret.plist -o u8.capsule
                0 | $ rm open/p
                0 | restore -q closed.capsule open --undo back.capsule
                0 | $ stat -c '%a %n' u* back.capsule | 600 u.capsule | 600 u.tgz | 600 u2.capsule | 600 u4.capsule | 600 u5.capsule | 600 u6.capsule | 600 u7.capsule | 600 u8.capsule | 600 back.capsule
                """)
    }

    /// Undo files and conflicts hold values. Reports and rules are as the mask has them.
    @Test func propertyListsAndReports() throws {
        try session.expect(
            rows: """
                0 | apply -q b.json changed.json --undo back.plist
                1 | merge a.json b.json d.json -o none --conflicts todo.plist | 1 open conflict: the result was not written | add 'Take' to each conflict in todo.plist, and pass the file to '--resolve'
                1 | merge a.json b.json d.json -o none --conflicts todo.json | 1 open conflict: the result was not written | add 'Take' to each conflict in todo.json, and pass the file to '--resolve'
                0 | diff -q p.plist q.plist --overlay pq.plist --exit-zero
                0 | plist convert json p.plist -o p.json -q
                0 | plist set -q p.plist /a --string r -o r.plist
                0 | apply -q pq.plist p.plist -o s.plist
                0 | apply -q pq.plist open.plist -o s2.plist
                0 | $ chmod 644 pq.plist
                0 | apply -q pq.plist open.plist -o s3.plist
                0 | $ chmod 644 p.plist
                0 | merge -q base.plist base.plist q.plist -o merged.plist
                0 | plist convert json p.plist -o open.json -q
                0 | diff -q open closed --html r.html --learn rules.plist --expect-write expect.plist --exit-zero
                0 | $ head -c 5 rules.plist | <?xml[no line break]
                0 | $ stat -c '%a %n' back.plist todo.* p.json r.plist s*.plist merged.plist open.json r.html rules.plist expect.plist | 600 back.plist | 600 todo.json | 600 todo.plist | 600 p.json | 600 r.plist | 600 s.plist | 600 s2.plist | 644 s3.plist | 600 secret.plist | 600 merged.plist | 644 open.json | 644 r.html | 644 rules.plist | 644 expect.plist
                """)
    }

    /// It is refused, before anything is written or changed, for an overlay that JSON can't hold.
    @Test func aNameThatEndsInJSONMakesJSON() throws {
        try session.expect(
            rows: """
                0 | diff -q open closed --learn rules.json --expect-write expect.json --exit-zero
                0 | diff -q open closed --rules rules.json
                0 | diff -q open closed --expect expect.json
                0 | diff -q base.plist q.plist --overlay o.json --exit-zero
                0 | diff -q base.plist q.plist --overlay plain.json --plain --exit-zero
                0 | overlay invert o.json -o i.json
                0 | overlay compose o.json i.json -o c.json
                0 | $ cp base.plist work.plist
                0 | apply -q o.json work.plist --undo u.json
                0 | plist get work.plist a | q
                0 | apply -q u.json work.plist
                0 | diff -q base.plist work.plist
                0 | diff -q Info.plist new.plist --overlay plain2.json --plain --exit-zero
                0 | apply -q plain2.json Info.plist
                0 | diff -q Info.plist new.plist
                0 | $ for name in rules expect o plain i c u plain2; do python3 -m json.tool $name.json > /dev/null || echo $name; done
                2 | diff -q base.plist data.plist --overlay no.json | no.json: can't be JSON: JSON has no data (at /Operations/1/value) | a file name without '.json' writes a property list, which can hold it
                0 | $ cp data.plist work.plist
                2 | apply -q o.json work.plist --force --undo no.json | work.plist:1:28: error: the value is data of 3 bytes, AAAA, but the overlay expects "base" (a string, not data) (at /a), required by /Operations/0 in o.json:4:5 | the property list has changed since the overlay was made; its 'test' operations say what it expects
                0 | $ cmp work.plist data.plist
                1 | $ test -e no.json
                """)
    }
}
