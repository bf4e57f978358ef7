import CapsuleCore
import CapsuleDatabases
import CapsuleHashing
import CapsulePropertyList
import CapsuleSQLite
import Testing

@Suite("Core Data stores and what values hold")
struct CoreDataTests {
    private static let names = [
        "AAAAAAAA-0000-4000-8000-00000000000A", "BBBBBBBB-0000-4000-8000-00000000000B", "CCCCCCCC-0000-4000-8000-00000000000C",
    ]

    private static func store(_ sql: String) -> String {
        """
        CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, Z_MAX INTEGER);
        CREATE TABLE Z_METADATA (Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR(255), Z_PLIST BLOB);
        INSERT INTO Z_PRIMARYKEY VALUES (1, 'Note', 0, 3), (2, 'Sketch', 1, 0), (3, 'Tag', 0, 0);
        CREATE TABLE ZNOTE (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZTITLE VARCHAR, ZEDITED TIMESTAMP, ZIMAGE BLOB);
        CREATE TABLE Z_1TAGS (Z_1NOTES INTEGER, Z_3TAGS INTEGER, PRIMARY KEY (Z_1NOTES, Z_3TAGS));
        \(sql)
        """
    }

    private static func reference(_ name: String) -> String { "x'02\(hexadecimal(name.utf8))00'" }

    @Test func entitiesAttributesAndDates() throws {
        let found = try difference(
            Self.store("INSERT INTO ZNOTE VALUES (1, 1, 1, 'Draft', 7e8, NULL), (2, 2, 1, 'x', NULL, NULL)"),
            Self.store(
                """
                INSERT INTO ZNOTE VALUES (1, 1, 2, 'Final', 700000000.5, NULL), (3, 9, 1, 'y', 86400, NULL);
                INSERT INTO Z_1TAGS VALUES (1, 3)
                """))
        #expect(
            lines(found) == [
                "~ ZNOTE [Note] {Z_PK=1} ZTITLE/title: 'Draft' -> 'Final' "
                    + "ZEDITED/edited: date 700000000.0 -> date 700000000.5 Z_OPT: 1 -> 2",
                "- ZNOTE [Sketch] {Z_PK=2} ZTITLE/title='x' Z_ENT=2 Z_OPT=1",
                "+ ZNOTE [Note] {Z_PK=3} ZTITLE/title='y' ZEDITED/edited=date 86400.0 Z_ENT=9 Z_OPT=1",
                "+ Z_1TAGS {Z_1NOTES=1,Z_3TAGS=3}",
            ])
    }

    @Test func otherDatabasesHaveNeitherDatesNorAttributes() throws {
        let schema = "CREATE TABLE ZNOTE(Z_PK INTEGER PRIMARY KEY, Z_ENT, ZEDITED TIMESTAMP, ZIMAGE BLOB);"
        let found = try difference(schema, schema + "INSERT INTO ZNOTE VALUES (1, 1, 5, \(Self.reference(Self.names[0])))") {
            _, _ in
            ExternalFile(size: 1, digest: .zero)
        }
        #expect(
            lines(found) == ["+ ZNOTE {Z_PK=1} ZEDITED=5 ZIMAGE=\(Self.reference(Self.names[0])) Z_ENT=1"])
    }

    /// The blobs of rows 1, 2, … on both sides, files by side and name, and the expected lines.
    struct ExternalCase: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let old: String
        let new: String
        let files: [String: [UInt8]]
        let lines: [String]
    }

    static let externalCases: [ExternalCase] = [
        ExternalCase(
            testDescription: "two names, one content", old: reference(names[0]), new: reference(names[1]),
            files: ["old A": [1, 2, 3], "new B": [1, 2, 3]], lines: []),
        ExternalCase(
            testDescription: "one name, two contents", old: reference(names[0]), new: reference(names[0]),
            files: ["old A": [1, 2, 3], "new A": [1, 2, 4]],
            lines: ["~ ZNOTE [Note] {Z_PK=1} ZIMAGE/image: file AAAA 3 there -> file AAAA 3 there"]),
        ExternalCase(
            testDescription: "one name, one content", old: reference(names[0]), new: reference(names[0]),
            files: ["old A": [1], "new A": [1]], lines: []),
        ExternalCase(
            testDescription: "one name, no files", old: reference(names[0]), new: reference(names[0]), files: [:], lines: []),
        ExternalCase(
            testDescription: "one name, one file is missing", old: reference(names[0]), new: reference(names[0]),
            files: ["old A": [1]],
            lines: ["~ ZNOTE [Note] {Z_PK=1} ZIMAGE/image: file AAAA 1 there -> file AAAA ? missing"]),
        ExternalCase(
            testDescription: "two names, no files", old: reference(names[0]), new: reference(names[1]), files: [:],
            lines: ["~ ZNOTE [Note] {Z_PK=1} ZIMAGE/image: file AAAA ? missing -> file BBBB ? missing"]),
        ExternalCase(
            testDescription: "moved into a file", old: "x'01050607'", new: reference(names[2]), files: ["new C": [5, 6, 7]],
            lines: []),
        ExternalCase(
            testDescription: "moved out of a file and changed", old: reference(names[2]), new: "x'01050608'",
            files: ["old C": [5, 6, 7]],
            lines: ["~ ZNOTE [Note] {Z_PK=1} ZIMAGE/image: file CCCC 3 there -> x'01050608'"]),
        ExternalCase(
            testDescription: "a name without its NUL", old: "x'02\(hexadecimal(names[0].utf8))'", new: "x'0203'",
            files: ["old A": [1]], lines: ["~ ZNOTE [Note] {Z_PK=1} ZIMAGE/image: file AAAA 1 there -> x'0203'"]),
        ExternalCase(
            testDescription: "not quite a name", old: "x'02\(hexadecimal(names[0].utf8))01'", new: "x'0203'",
            files: ["old A": [1]],
            lines: ["~ ZNOTE [Note] {Z_PK=1} ZIMAGE/image: x'02\(hexadecimal(names[0].utf8))01' -> x'0203'"]),
    ]

    @Test(arguments: externalCases)
    func blobsInFiles(_ blobs: ExternalCase) throws {
        func store(_ blob: String) -> String { Self.store("INSERT INTO ZNOTE VALUES (1, 1, 1, NULL, NULL, \(blob))") }
        let found = try difference(store(blobs.old), store(blobs.new)) { side, name in
            blobs.files["\(side) \(name.prefix(1))"].map {
                ExternalFile(size: UInt64($0.count), digest: SHA256Hasher.digest(of: $0), head: $0)
            }
        }
        #expect(lines(found) == blobs.lines)
        #expect(found.isSame == blobs.lines.isEmpty)
    }

    private static func plist(_ value: PlistValue, _ format: PlistFormat = .binary) throws -> String {
        "x'\(hexadecimal(try PlistWriter.write(value, as: format)))'"
    }

    @Test func propertyListsInBlobsAndTexts() throws {
        let schema = "CREATE TABLE t(id INTEGER PRIMARY KEY, a);"
        let old: PlistValue = .dictionary(["count": .integer(1), "name": .string("n")])
        let new: PlistValue = .dictionary(["count": .integer(2), "name": .string("n"), "more": .boolean(true)])
        let rows = try [
            (Self.plist(old), Self.plist(new)), (Self.plist(old), Self.plist(new, .xml)),
            (Self.plist(old), Self.plist(old, .xml)),
            ("CAST(\(Self.plist(old, .xml)) AS TEXT)", "CAST(\(Self.plist(new, .xml)) AS TEXT)"), (Self.plist(old), "x'00'"),
            ("NULL", Self.plist(new)),
        ]
        func insert(_ values: [String]) -> String {
            "INSERT INTO t VALUES " + values.enumerated().map { "(\($0.offset + 1), \($0.element))" }.joined(separator: ",")
        }
        let found = try difference(schema + insert(rows.map(\.0)), schema + insert(rows.map(\.1)))
        let told = lines(found).map { line in line.firstIndex(of: "(").map { String(line[$0...]) } ?? "none" }
        #expect(
            told == [
                "(modified /<plist>/count, added /<plist>/more)", "(modified /<plist>/count, added /<plist>/more)",
                "(encoding /<plist>)", "(modified /<plist>/count, added /<plist>/more)", "none", "none",
            ])
        let none = try difference(
            schema + insert([rows[0].0]), schema + insert([rows[0].1]), options: DatabaseDiffOptions(nestedBytes: 10))
        #expect(lines(none).first?.contains("(") == false)
        #expect(Self.gaps(none) == [.notKept])
        #expect(Self.gaps(found) == [nil, nil, nil, nil, .oneSided, .oneSided])
        let broken = try difference(
            schema + insert(["CAST('bplist00a' AS BLOB)", "'<html>1'"]),
            schema + insert(["CAST('bplist00b' AS BLOB)", "'<html>2'"]))
        #expect(Self.gaps(broken) == [.unreadable, nil])
    }

    /// Returns the reason why the property lists were not compared, for each differing column.
    private static func gaps(_ difference: FoundDifference) -> [NestedGap?] {
        difference.details.flatMap { (detail) -> [NestedGap?] in
            guard case .row(let row) = detail.content else { return [] }
            return row.columns.map(\.nestedGap)
        }
    }

    /// Property lists after Core Data's marker byte, and in files.
    @Test func propertyListsOfCoreData() throws {
        let old = try PlistWriter.write(.dictionary(["a": .integer(1)]), as: .binary)
        let new = try PlistWriter.write(.dictionary(["a": .integer(2)]), as: .binary)
        func store(_ blob: String) -> String { Self.store("INSERT INTO ZNOTE VALUES (1, 1, 1, NULL, NULL, \(blob))") }
        let marked = try difference(store("x'01\(hexadecimal(old))'"), store("x'01\(hexadecimal(new))'"))
        #expect(lines(marked).first?.hasSuffix("(modified /<plist>/a)") == true)
        let inFile = try difference(store("x'01\(hexadecimal(old))'"), store(Self.reference(Self.names[0]))) { _, _ in
            ExternalFile(size: UInt64(new.count), digest: SHA256Hasher.digest(of: new), head: new)
        }
        #expect(lines(inFile).first?.hasSuffix("file AAAA \(new.count) there (modified /<plist>/a)") == true)
    }

    @Test func keychainsHideTheirData() throws {
        let schema =
            "CREATE TABLE genp(rowid INTEGER PRIMARY KEY, acct, data, gena); CREATE TABLE inet(a); CREATE TABLE cert(data);"
        let old = schema + "INSERT INTO genp VALUES (1, 'me', x'0102', x'03'), (2, 'you', 'text', NULL)"
        let new =
            schema + "INSERT INTO genp VALUES (1, 'me', x'0103', x'03'), (3, 'them', x'05', x'06'); INSERT INTO cert VALUES (5)"
        #expect(
            try lines(difference(old, new, options: DatabaseDiffOptions(hidesSecrets: true))) == [
                "+ cert {rowid=1} data=<keychain>", "~ genp {rowid=1} data: <keychain> -> <keychain>",
                "- genp {rowid=2} acct='you' data=<keychain>", "+ genp {rowid=3} acct='them' data=<keychain> gena=<keychain>",
            ])
        #expect(
            try lines(difference(old, new)) == [
                "+ cert {rowid=1} data=5", "~ genp {rowid=1} data: x'0102' -> x'0103'", "- genp {rowid=2} acct='you' data='text'",
                "+ genp {rowid=3} acct='them' data=x'05' gena=x'06'",
            ])
    }
}
