import CapsulePropertyList
import Testing

@testable import CapsuleCore
@testable import CapsuleRules

@Suite struct ChangeMatchTests {
    private static let uuid = "6B29FC40-CA47-1067-B31D-00DD010662DA"

    private static func fits(_ match: String, _ entry: EntryChange, _ number: Int? = 0) throws -> Bool {
        let match = try ChangeMatch(try json(match))
        guard let number else { return match.fits(entry) }
        return match.fits(entry.details[number], of: entry)
    }

    @Test(arguments: [
        (#"{"Path":"a/*.plist"}"#, true), (#"{"Path":"**"}"#, true), (#"{"Path":"a/x"}"#, false), (#"{"Kind":"modified"}"#, true),
        (#"{"Kind":"added"}"#, false), (#"{"Kind":["deleted","modified"]}"#, true), (#"{"Path":"**","Kind":"value"}"#, false),
        (#"{"Path":"**","Pointer":"/k"}"#, false), (#"{"Path":"**","To":1}"#, false), (#"{"Path":"**","From":1}"#, false),
        (#"{"Path":"**","Table":"T"}"#, false), (#"{"Path":"**","Column":"T"}"#, false),
        (#"{"Path":"**","Row":{"a":1}}"#, false),
    ])
    func onAnEntrysOwnLine(match: String, isFit: Bool) throws {
        #expect(try Self.fits(match, try entry(.modified, "a/b.plist"), nil) == isFit)
    }

    @Test(arguments: [("new/x", true), ("old/x", true), ("other/x", false), ("**/x", true)])
    func aRenamedEntryFitsByEitherPath(pattern: String, isFit: Bool) throws {
        let renamed = try entry(.renamed(from: try relativePath("old/x")), "new/x")
        #expect(try ChangeMatch(["Path": .string(PlistString(pattern)), "Kind": "renamed"]).fits(renamed) == isFit)
    }

    @Test(arguments: [
        (#"{"Pointer":"/a/k"}"#, true), (#"{"Pointer":"k"}"#, true), (#"{"Pointer":"/k"}"#, false),
        (#"{"Pointer":"/*/k"}"#, true),
        (#"{"Pointer":"/a/k*"}"#, true), (#"{"Pointer":"/**"}"#, true), (#"{"Pointer":""}"#, false),
        (#"{"Kind":"value"}"#, true), (#"{"Kind":"modified"}"#, true), (#"{"Kind":"added"}"#, false), (#"{"Kind":"row"}"#, false),
        (#"{"From":7}"#, true), (#"{"From":7,"To":8}"#, true), (#"{"To":7}"#, false), (#"{"Value":8}"#, true),
        (#"{"To":8.0}"#, false), (#"{"To":"8"}"#, false), (#"{"To":{"Is":"integer"}}"#, true), (#"{"To":{"Is":"real"}}"#, false),
        (#"{"To":{"Min":8}}"#, true), (#"{"To":{"Min":8.5}}"#, false), (#"{"To":{"Min":1,"Max":9.5}}"#, true),
        (#"{"To":{"Equals":8}}"#, true), (#"{"To":{"Equals":8,"Max":7}}"#, false), (#"{"From":{"Is":"absent"}}"#, false),
        (#"{"To":{"Like":"*"}}"#, false), (#"{"Path":"x","To":8}"#, false), (#"{"Table":"*"}"#, false),
        (#"{"Column":"*"}"#, false), (#"{"Row":{"a":{"Is":"absent"}}}"#, false),
    ])
    func onAValue(match: String, isFit: Bool) throws {
        #expect(try Self.fits(match, try entry(.modified, "a/b.plist", try value("/a/k", 7, 8))) == isFit)
    }

    @Test func anOldValueIsAbsentWhereOneWasAdded() throws {
        let added = try entry(.modified, "p", try value("/k", .added(1)))
        #expect(try Self.fits(#"{"Kind":"added","From":{"Is":"absent"},"To":1}"#, added))
        #expect(try !Self.fits(#"{"From":{"Is":"integer"}}"#, added))
        let deleted = try entry(.modified, "p", try value("/k", .deleted(1)))
        #expect(try Self.fits(#"{"Kind":"deleted","From":1,"To":{"Is":"absent"}}"#, deleted))
    }

    @Test func theRootHasTheEmptyPointer() throws {
        let root = try entry(.modified, "p", try value("", 1, 2))
        #expect(try Self.fits(#"{"Pointer":""}"#, root))
        #expect(try !Self.fits(#"{"Pointer":"/"}"#, root))
        let encoding = try entry(.modified, "p", try value("/d", .encoding(old: .binary, new: .xml)))
        #expect(try Self.fits(#"{"Pointer":"/d","Kind":"encoding","From":"binary","To":"xml"}"#, encoding))
        #expect(try !Self.fits(#"{"Pointer":"/d","Kind":"value"}"#, encoding))
    }

    @Test(arguments: [
        (#"{"Table":"ZNOTE"}"#, true), (#"{"Table":"Note"}"#, true), (#"{"Table":"Z*"}"#, true), (#"{"Table":"note"}"#, false),
        (#"{"Table":"ZNOTE","Column":"ZTITLE"}"#, true), (#"{"Column":"title"}"#, true), (#"{"Column":"Z*"}"#, true),
        (#"{"Column":"ZBODY"}"#, false), (#"{"Table":"ZNOTE","Column":"ZTITLE","From":"Draft","To":"Final"}"#, true),
        (#"{"Column":"Z_OPT","From":"Draft"}"#, false), (#"{"To":"Final"}"#, true), (#"{"To":3}"#, true), (#"{"To":4}"#, false),
        (#"{"Row":{"Z_PK":12}}"#, true), (#"{"Row":{"Z_PK":12.0}}"#, false), (#"{"Row":{"Z_PK":{"Min":10}}}"#, true),
        (#"{"Row":{"Z_PK":12,"ZTITLE":"Final"}}"#, true), (#"{"Row":{"title":"Final"}}"#, true), (#"{"Row":{"ZBODY":1}}"#, false),
        (#"{"Row":{"ZBODY":{"Is":"absent"}}}"#, true), (#"{"Kind":"row"}"#, true), (#"{"Kind":"modified"}"#, true),
        (#"{"Kind":"schema"}"#, false), (#"{"Pointer":"/a"}"#, false),
    ])
    func onARowThatWasModified(match: String, isFit: Bool) throws {
        let change = row(.modified, column("ZTITLE", "Draft", "Final", attribute: "title"), column("Z_OPT", 2, 3))
        #expect(try Self.fits(match, try entry(.modified, "x.sqlite", change)) == isFit)
    }

    /// A rule about a column must never make whole rows noise.
    @Test(arguments: [
        (#"{"Table":"ZNOTE"}"#, true), (#"{"Table":"Z*","Column":"Z_OPT"}"#, false), (#"{"Table":"ZNOTE","To":1}"#, false),
        (#"{"Table":"Z*","Column":"Z_OPT","Kind":"added"}"#, true), (#"{"Column":"Z_OPT","Kind":"row","To":1}"#, true),
        (#"{"Column":"Z_OPT","Kind":"added","To":2}"#, false), (#"{"Column":"ZBODY","Kind":"added"}"#, false),
        (#"{"Kind":"added","To":"a"}"#, true), (#"{"Kind":"deleted"}"#, false),
    ])
    func onARowThatWasAdded(match: String, isFit: Bool) throws {
        let change = row(.added, column("ZTITLE", nil, "a"), column("Z_OPT", nil, 1))
        #expect(try Self.fits(match, try entry(.modified, "x.sqlite", change)) == isFit)
    }

    @Test func placesInsideOfAColumnHavePointers() throws {
        var blob = column("ZBLOB", .data([1]), .data([2]))
        blob.nested = [PlistChange(.modified(old: 1, new: 2), at: try PlistPointer("/seen"))]
        let changed = try entry(.modified, "x.sqlite", row(.modified, blob))
        #expect(try Self.fits(#"{"Column":"ZBLOB","Pointer":"/seen","To":2}"#, changed))
        #expect(try Self.fits(#"{"Column":"ZBLOB"}"#, changed))
        #expect(try Self.fits(#"{"Column":"ZBLOB","To":{"Is":"data"}}"#, changed))
        #expect(try !Self.fits(#"{"Column":"ZBLOB","Pointer":"/other"}"#, changed))
    }

    @Test func linesWithoutPlacesAreKnownByTheirKind() throws {
        let changed = try entry(.modified, "a", textDetail, limitDetail)
        #expect(try Self.fits(#"{"Kind":"text"}"#, changed))
        #expect(try Self.fits(#"{"Path":"a"}"#, changed))
        #expect(try Self.fits(#"{"Kind":"modified"}"#, changed))
        #expect(try !Self.fits(#"{"Kind":"text","To":{"Is":"absent"}}"#, changed))
        #expect(try !Self.fits(#"{"Path":"a"}"#, changed, 1))
        let mode = ChangeDetail(.metadata(MetadataChange(.mode, old: .value("0644"), new: .value("0600"))))
        #expect(try Self.fits(#"{"Kind":"metadata","From":"0644","To":"0600"}"#, try entry(.modified, "a", mode)))
        #expect(try !Self.fits(#"{"Kind":"metadata","To":"0644"}"#, try entry(.modified, "a", mode)))
        let encoding = ChangeDetail(.encoding(EncodingChange(old: "binary", new: "xml")))
        #expect(try Self.fits(#"{"Kind":"encoding","To":"xml"}"#, try entry(.modified, "a", encoding)))
        let schema = ChangeDetail(.schema(SchemaChange(.added, object: "table", name: "ZNEW", new: "CREATE TABLE ZNEW(a)")))
        #expect(try Self.fits(#"{"Kind":"schema","Table":"ZNEW","To":{"Like":"CREATE*"}}"#, try entry(.modified, "a", schema)))
        #expect(try !Self.fits(#"{"Table":"ZNEW"}"#, try entry(.modified, "a", schema)))
        let cookie = ChangeDetail(
            .cookie(
                CookieChange(
                    .added, domain: ".x.com", path: "/", cookie: "sid",
                    fields: [.init("expires", old: nil, new: .value(1)), .init("value", old: nil, new: .hidden("cookie"))])))
        #expect(try Self.fits(#"{"Kind":"cookie","From":{"Is":"absent"}}"#, try entry(.modified, "a", cookie)))
        #expect(try !Self.fits(#"{"Kind":"cookie","To":{"Is":"string"}}"#, try entry(.modified, "a", cookie)))
        #expect(try !Self.fits(#"{"Kind":"cookie","To":"cookie"}"#, try entry(.modified, "a", cookie)))
    }

    @Test(
        arguments: [
            (#"{"Is":"date"}"#, DisplayValue.value(.date(0)), true), (#"{"Is":"date"}"#, .value("2026-01-01"), false),
            (#"{"Is":"uuid"}"#, .value(.string(PlistString(uuid))), true),
            (#"{"Is":"uuid"}"#, .value(.string(PlistString(uuid.lowercased()))), true),
            (#"{"Is":"uuid"}"#, .value(.string(PlistString(uuid + "0"))), false), (#"{"Is":"uuid"}"#, .value(.data([1])), false),
            (#"{"Is":"boolean"}"#, .value(true), true), (#"{"Is":"boolean"}"#, .value(1), false),
            (#"{"Is":"null"}"#, .value(.null), true),
            (#"{"Is":"absent"}"#, .value(.null), false), (#"{"Is":"string"}"#, .textHead("a", count: 9), true),
            (#"{"Equals":"a"}"#, .textHead("a", count: 9), false), (#"{"Like":"a*"}"#, .textHead("a", count: 9), false),
            (#"{"Is":"data"}"#, .dataHead([1], count: 9), true),
            (#"{"Is":"date","Min":"2001-01-01T00:00:01Z"}"#, .value(.date(1)), true),
            (#"{"Is":"date","Max":"2001-01-01T00:00:01Z"}"#, .value(.date(1.5)), false),
            (#"{"Is":"date","Equals":"2001-01-01T00:00:01.5Z"}"#, .value(.date(1.5)), true),
            (#"{"Equals":"2001-01-01T00:00:01.5Z"}"#, .value(.date(1.5)), false),
            (#"{"Is":"data"}"#, .external(name: "x", size: 1, digest: nil), true),
            (#"{"Is":"string"}"#, .hidden("cookie"), false), (#"{"Is":"data"}"#, .hidden("cookie"), false),
            (#"{"Equals":"cookie"}"#, .hidden("cookie"), false),
            (#"{"Like":"https://*.gif"}"#, .value("https://a/b/c.gif"), true), (#"{"Like":"a?c"}"#, .value("a/c"), true),
            (#"{"Like":"a"}"#, .value("ab"), false), (#"{"Min":1}"#, .value("1"), false),
            (#"{"Min":0}"#, .value(.real(.nan)), false),
            (#"{"Max":9007199254740992.0}"#, .value(9_007_199_254_740_993), false),
            (#"{"Min":9007199254740992.0}"#, .value(9_007_199_254_740_993), true),
            (#"{"Max":1e300}"#, .value(.integer(PlistInteger(UInt64.max))), true),
            (#"{"Min":-1e300}"#, .value(.integer(PlistInteger(Int64.min))), true),
            (#"{"Min":18446744073709551615}"#, .value(1e20), true),
            (#"{"Is":"container-path"}"#, .text("/var/mobile/Containers/Data/Application/\(uuid)/Documents"), true),
            (#"{"Is":"container-path"}"#, .value("file:///private/var/mobile/Containers/Shared/x"), true),
            (
                #"{"Is":"container-path"}"#,
                .text("/Users/me/Library/Developer/CoreSimulator/Devices/\(uuid)/data/Containers/Data/x"), true
            ),
            (#"{"Is":"container-path"}"#, .value("/CoreSimulator/Devices/booted/data/Containers/x"), false),
            (#"{"Is":"container-path"}"#, .text("/CoreSimulator/Devices/\(uuid)"), false),
            (#"{"Is":"container-path"}"#, .value("/Library/Caches"), false),
        ] as [(String, DisplayValue, Bool)])
    func formsOfValues(form: String, shown: DisplayValue, isFit: Bool) throws {
        let match = try ChangeMatch(["To": try json(form)])
        #expect(match.to?.fits(shown) == isFit)
    }

    @Test func datesHaveBounds() throws {
        let match = try ChangeMatch(["To": ["Min": .date(5), "Max": .date(9)]])
        #expect(match.to?.fits(.value(.date(7))) == true)
        #expect(match.to?.fits(.value(.date(10))) == false)
        #expect(match.to?.fits(.value(7)) == false)
        #expect(match.to?.fits(nil) == false)
    }

    @Test(arguments: [
        (#"{"Path":"a","Pointer":"/k","From":false,"To":true}"#, "a /k: false → true"),
        (#"{"Path":"a","Pointer":"/n","To":{"Min":1,"Max":9}}"#, "a /n: … → at least 1, at most 9"),
        (#"{"Path":"Documents/**","Kind":"deleted"}"#, "Documents/** (deleted)"),
        (#"{"Table":"ZNOTE","Row":{"Z_PK":12},"Column":"ZTITLE"}"#, #"ZNOTE {"Z_PK": 12} ZTITLE"#),
        (#"{"Kind":["added","row"]}"#, "(added or row)"), (#"{"From":{"Is":"date"}}"#, "any date → …"),
        (#"{"Pointer":""}"#, "(root)"),
    ])
    func matchesAreNamedShortly(match: String, text: String) throws {
        #expect(try ChangeMatch(try json(match)).description == text)
    }
}
