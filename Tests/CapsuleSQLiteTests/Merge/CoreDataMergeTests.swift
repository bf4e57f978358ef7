import CapsuleCore
import CapsuleDatabases
import CapsuleMerge
import CapsulePropertyList
import CapsuleSQLite
import Testing

@Suite("merged Core Data stores")
struct CoreDataMergeTests {
    private static let store = """
        CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, Z_MAX INTEGER);
        CREATE TABLE Z_METADATA (Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR(255), Z_PLIST BLOB);
        INSERT INTO Z_PRIMARYKEY VALUES (1, 'Note', 0, 2), (2, 'Tag', 0, 0);
        INSERT INTO Z_METADATA VALUES (1, 'U', x'00');
        CREATE TABLE ZNOTE (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZTITLE VARCHAR, ZEDITED TIMESTAMP, ZIMAGE BLOB);
        CREATE TABLE ZTAG (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZNAME VARCHAR);
        CREATE TABLE Z_1TAGS (Z_1NOTES INTEGER, Z_2TAGS INTEGER, PRIMARY KEY (Z_1NOTES, Z_2TAGS));
        INSERT INTO ZNOTE VALUES (1, 1, 1, 'one', 10.5, NULL), (2, 1, 1, 'two', 10.5, NULL);
        """
    private static let notes = "SELECT Z_PK, Z_OPT, ZTITLE, ZEDITED FROM ZNOTE ORDER BY 1"

    @Test(arguments: [false, true])
    func countersGoOn(_ isSwapped: Bool) throws {
        let merged = try merge(
            Self.store,
            ours: """
                UPDATE ZNOTE SET ZTITLE = 'ours', Z_OPT = Z_OPT + 1 WHERE Z_PK = 1;
                INSERT INTO ZNOTE VALUES (3, 1, 1, 'three', 11.5, NULL); UPDATE Z_PRIMARYKEY SET Z_MAX = 3 WHERE Z_ENT = 1;
                INSERT INTO Z_1TAGS VALUES (1, 1);
                """,
            theirs: """
                UPDATE ZNOTE SET ZEDITED = 12.5, Z_OPT = Z_OPT + 2 WHERE Z_PK = 1;
                INSERT INTO ZNOTE VALUES (4, 1, 1, 'four', 11.5, NULL), (5, 1, 1, 'five', 11.5, NULL);
                UPDATE Z_PRIMARYKEY SET Z_MAX = 5 WHERE Z_ENT = 1; INSERT INTO Z_1TAGS VALUES (1, 2);
                """, isSwapped: isSwapped)
        #expect(merged.lines.isEmpty)
        #expect(
            try merged.rows(Self.notes) == ["1|3|ours|12.5", "2|1|two|10.5", "3|1|three|11.5", "4|1|four|11.5", "5|1|five|11.5"])
        #expect(try merged.rows("SELECT Z_MAX FROM Z_PRIMARYKEY") == ["5", "0"])
        #expect(try merged.rows("SELECT * FROM Z_1TAGS ORDER BY 1, 2") == ["1|1", "1|2"])
        #expect(
            merged.notes == [
                "table ZNOTE: both sides increased Z_OPT in a row; the larger number was taken",
                "table Z_PRIMARYKEY: both sides increased Z_MAX in a row; the larger number was taken",
            ])
    }

    @Test func oneConflictOfARow() throws {
        let merged = try merge(
            Self.store, ours: "UPDATE ZNOTE SET ZTITLE = 'o', Z_OPT = 2, ZEDITED = 20.5 WHERE Z_PK = 2",
            theirs: "UPDATE ZNOTE SET ZTITLE = 't', Z_OPT = 5 WHERE Z_PK = 2", resolutions: ["1": .theirs])
        #expect(merged.lines == ["row ZNOTE {Z_PK=2} ZTITLE: 'two' | 'o' | 't' both changed"])
        #expect(try merged.rows(Self.notes) == ["1|1|one|10.5", "2|5|t|20.5"])
    }

    @Test func oneNewKeyForTwoRows() throws {
        let merged = try merge(
            Self.store,
            ours: "INSERT INTO ZNOTE VALUES (3, 1, 1, 'o', 11.5, NULL); UPDATE Z_PRIMARYKEY SET Z_MAX = 3 WHERE Z_ENT = 1",
            theirs: "INSERT INTO ZNOTE VALUES (3, 1, 2, 't', 12.5, NULL); UPDATE Z_PRIMARYKEY SET Z_MAX = 3 WHERE Z_ENT = 1",
            resolutions: ["2": .value(.date(13.25))])
        #expect(
            merged.lines == [
                "row ZNOTE {Z_PK=3} ZTITLE: - | 'o' | 't' both added",
                "row ZNOTE {Z_PK=3} ZEDITED: - | date 11.5 | date 12.5 both added",
            ])
        #expect(try merged.rows(Self.notes).last == "3|2|o|13.25")
    }

    @Test func aCounterThatWentDown() throws {
        let merged = try merge(
            Self.store, ours: "UPDATE Z_PRIMARYKEY SET Z_MAX = 1 WHERE Z_ENT = 1",
            theirs: "UPDATE Z_PRIMARYKEY SET Z_MAX = 7 WHERE Z_ENT = 1")
        #expect(merged.lines == ["row Z_PRIMARYKEY {Z_ENT=1} Z_MAX: 2 | 1 | 7 both changed"])
        #expect(merged.notes.isEmpty)
    }

    @Test func countersOfOtherDatabasesAreValues() throws {
        let merged = try merge(
            "CREATE TABLE t(id INTEGER PRIMARY KEY, Z_OPT); INSERT INTO t VALUES (1, 1);", ours: "UPDATE t SET Z_OPT = 2",
            theirs: "UPDATE t SET Z_OPT = 3")
        #expect(merged.lines == ["row t {id=1} Z_OPT: 1 | 2 | 3 both changed"])
    }

    @Test func metadataIsAnyRow() throws {
        let merged = try merge(
            Self.store, ours: "UPDATE Z_METADATA SET Z_PLIST = x'01'", theirs: "UPDATE Z_METADATA SET Z_PLIST = x'02'")
        #expect(merged.lines == ["row Z_METADATA {Z_VERSION=1} Z_PLIST: x'00' | x'01' | x'02' both changed"])
    }

    @Test func filesOfTheResult() throws {
        let names = [
            "AAAAAAAA-0000-4000-8000-00000000000A", "BBBBBBBB-0000-4000-8000-00000000000B",
            "CCCCCCCC-0000-4000-8000-00000000000C",
        ]
        func blob(_ place: Int) -> String { "x'02\(hexadecimal(names[place].utf8))00'" }
        let merged = try merge(
            Self.store + "UPDATE ZNOTE SET ZIMAGE = \(blob(0));", ours: "UPDATE ZNOTE SET ZIMAGE = \(blob(1)) WHERE Z_PK = 1",
            theirs: "UPDATE ZNOTE SET ZIMAGE = \(blob(2)) WHERE Z_PK = 2")
        #expect(merged.lines.isEmpty)
        #expect(merged.externalFiles == [names[1], names[2]])
    }
}
