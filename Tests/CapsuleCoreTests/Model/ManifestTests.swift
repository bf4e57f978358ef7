import CapsuleCore
import CapsuleOverlay
import CapsulePropertyList
import TestSupport
import Testing

@Suite struct ManifestTests {
    static func manifest(name: [UInt8] = Array("Gifs".utf8)) -> Manifest {
        Manifest(
            version: 3, name: name, label: VersionLabel("before"), note: "a note", captured: Timestamp(seconds: 1_700_000_000),
            source: SourceDescription(kind: .bundle, archive: "tar.gz", bundleIdentifier: "com.example.gifs"), layout: .container,
            groups: [Array("group.a".utf8), [0xFF, 0xFE]], treeDigest: digest(1), contentDigest: digest(2),
            indexDigest: digest(3),
            entries: 42, bytes: .max,
            omitted: [
                Omission(path: Array("tmp/socket".utf8), reason: "socket"), Omission(path: [0x80], reason: "excluded"),
                Omission(path: Array("line\nbreak".utf8), reason: "pipe"),
            ],
            overlays: [["CapsuleOverlay": 1, "Path": "x.plist", "Merge": ["a": 1]]],
            overlay: ["CapsuleOverlay": 1, "Targets": []],
            other: ["Parents": .array([.string("x")]), "New": .boolean(true)])
    }

    private static func digest(_ byte: UInt8) -> ContentDigest {
        ContentDigest { $0.copyBytes(from: [UInt8](repeating: byte, count: 32)) }
    }

    @Test func comesBack() throws {
        let manifest = Self.manifest()
        #expect(try Manifest(propertyList: manifest.propertyList) == manifest)
    }

    @Test(arguments: ["", ".", "..", "../../pwned", "a/b", "/a", String(repeating: "x", count: 241)])
    func aNameThatIsNoComponentIsRefused(name: String) throws {
        let error = #expect(throws: ManifestError.self) {
            try Manifest(propertyList: Self.manifest(name: Array(name.utf8)).propertyList)
        }
        #expect(error?.key == "Name")
    }

    @Test(arguments: [["../g"], ["g/h"], [""], ["b", "a"], ["a", "a"]])
    func groupsThatAreNoComponentsInOrderAreRefused(groups: [String]) throws {
        var manifest = Self.manifest()
        manifest.groups = groups.map { Array($0.utf8) }
        let error = #expect(throws: ManifestError.self) { try Manifest(propertyList: manifest.propertyList) }
        #expect(error?.key == "Groups")
    }

    @Test func comesBackThroughXML() throws {
        let manifest = Self.manifest()
        let document = try XMLPlistWriter.write(manifest.propertyList)
        let read = try PlistReader.read(document).value
        #expect(try Manifest(propertyList: read) == manifest)
        #expect(try XMLPlistWriter.write(try Manifest(propertyList: read).propertyList) == document)
    }

    @Test func keysAreInTheOrderOfTheFormat() throws {
        let list = try #require(Self.manifest().propertyList.dictionary)
        #expect(
            list.map { $0.key.string } == [
                "FormatVersion", "Version", "Name", "Label", "Note", "Captured", "Source", "Layout", "Groups", "Overlays",
                "Overlay",
                "Parents",
                "New", "TreeDigest",
                "ContentDigest", "IndexDigest", "Entries", "Bytes", "Omitted",
            ])
    }

    /// The name among the groups is enough for a reader; the key is for people.
    @Test func aKeychainIsOfTheWholeDevice() throws {
        var manifest = Self.manifest()
        #expect(!manifest.hasKeychain && manifest.propertyList.dictionary?["Keychain"] == nil)
        manifest.groups.insert(Array("Keychain".utf8), at: 0)
        #expect(manifest.hasKeychain && manifest.propertyList.dictionary?["Keychain"] == "whole device")
        #expect(try Manifest(propertyList: manifest.propertyList) == manifest)
    }

    @Test func whatThereIsNotIsLeftOut() throws {
        var manifest = Self.manifest()
        manifest.label = nil
        manifest.note = nil
        manifest.groups = []
        manifest.omitted = []
        manifest.other = [:]
        manifest.source = SourceDescription(kind: .directory)
        let list = try #require(manifest.propertyList.dictionary)
        for key in ["Label", "Note", "Groups", "Omitted"] { #expect(list[PlistString(key)] == nil) }
        #expect(list["Source"] == .dictionary(["Kind": .string("directory")]))
        #expect(try Manifest(propertyList: .dictionary(list)) == manifest)
    }

    @Test(arguments: [
        Array("é\u{301}日本🗂".utf8), Array("a<&>\"'".utf8), Array(" ".utf8), [0xFF], [0xC3], Array("a\tb".utf8), Array("a\rb".utf8),
        [1], [0x7F],
        Array("\u{FFFE}".utf8), Array("\u{FFFF}".utf8), Array("\u{FFFD}".utf8), [0xED, 0xA0, 0x80],
    ])
    func namesOfAnyBytesComeBack(name: [UInt8]) throws {
        let document = try XMLPlistWriter.write(Self.manifest(name: name).propertyList)
        #expect(try Manifest(propertyList: try PlistReader.read(document).value).name == name)
    }

    @Test(arguments: [
        ([UInt8](arrayLiteral: 0xFF), true), (Array("a\nb".utf8), true), (Array("é".utf8), false), (Array("\u{FFFE}".utf8), true),
    ])
    func onlyWhatNoXMLHoldsIsData(name: [UInt8], isData: Bool) {
        #expect((PlistValue.name(name).data != nil) == isData)
        #expect(PlistValue.name(name).nameBytes == name)
    }

    @Test(arguments: [
        "FormatVersion", "Version", "Name", "Captured", "Source", "Layout", "TreeDigest", "ContentDigest", "IndexDigest",
        "Entries", "Bytes",
    ])
    func aMissingKeyIsNamed(key: String) throws {
        var list = try #require(Self.manifest().propertyList.dictionary)
        list[PlistString(key)] = nil
        #expect(throws: ManifestError.self) { try Manifest(propertyList: .dictionary(list)) }
        Self.expect(key, .dictionary(list))
    }

    @Test(arguments: [
        ("FormatVersion", PlistValue.integer(2)), ("FormatVersion", .string("1")), ("Version", .integer(0)),
        ("Version", .integer(4_294_967_296)),
        ("Version", .integer(-1)), ("Name", .integer(1)), ("Label", .string("latest")), ("Label", .string("a b")),
        ("Label", .integer(1)),
        ("Note", .integer(1)), ("Captured", .string("2024")), ("Captured", .date(.nan)), ("Captured", .date(1e300)),
        ("Source", .string("x")),
        ("Layout", .string("other")), ("Layout", .integer(1)), ("Groups", .string("g")), ("Groups", .array([.integer(1)])),
        ("TreeDigest", .string("00")), ("TreeDigest", .data([UInt8](repeating: 0, count: 32))), ("ContentDigest", .string("")),
        ("IndexDigest", .integer(0)), ("Entries", .integer(-1)), ("Entries", .real(1)), ("Bytes", .string("1")),
        ("Omitted", .string("x")),
        ("Omitted", .array([.dictionary(["Path": .string("x")])])), ("Omitted", .array([.dictionary(["Reason": .string("x")])])),
        ("Omitted", .array([.string("x")])),
    ])
    func aWrongValueIsNamed(key: String, value: PlistValue) throws {
        var list = try #require(Self.manifest().propertyList.dictionary)
        list[PlistString(key)] = value
        Self.expect(key, .dictionary(list))
    }

    @Test(arguments: [
        ("Kind", PlistValue?.none), ("Kind", .integer(1)), ("Archive", .integer(1)), ("BundleIdentifier", .data([1])),
    ])
    func aWrongSourceIsNamed(key: String, value: PlistValue?) throws {
        var list = try #require(Self.manifest().propertyList.dictionary)
        var source = try #require(list["Source"]?.dictionary)
        source[PlistString(key)] = value
        list["Source"] = .dictionary(source)
        Self.expect(key, .dictionary(list))
    }

    @Test(arguments: [
        ("socket", "socket"), ("hard link to a\u{1B}b", "hard link to a\\u{1b}b"), ("é日", "é日"),
        ("line\nbreak", "line\\u{a}break"),
        ("\u{7F}\u{85}\u{FFFE}\u{10FFFF}", "\\u{7f}\\u{85}\\u{fffe}\\u{10ffff}"),
    ])
    func reasonsAreAlwaysWritten(reason: String, spelled: String) throws {
        var manifest = Self.manifest()
        manifest.omitted = [Omission(path: [1], reason: reason)]
        #expect(manifest.omitted[0].reason == spelled)
        let document = try XMLPlistWriter.write(manifest.propertyList)
        #expect(try Manifest(propertyList: try PlistReader.read(document).value) == manifest)
    }

    @Test func anotherValueThanADictionaryIsNone() {
        Self.expect(nil, .array([]))
        #expect(ManifestError(propertyList: .string("x"))?.message == "the manifest is not a dictionary")
    }

    @Test func aKindOfALaterFormatIsKept() throws {
        var list = try #require(Self.manifest().propertyList.dictionary)
        list["Source"] = .dictionary(["Kind": .string("watch")])
        #expect(try Manifest(propertyList: .dictionary(list)).source.kind.rawValue == "watch")
    }

    private static func expect(_ key: String?, _ value: PlistValue) {
        let error = ManifestError(propertyList: value)
        #expect(error != nil)
        #expect(error?.key?.string == key)
    }
}

extension ManifestError {
    /// The error of reading a manifest; nil if there is none.
    fileprivate init?(propertyList: PlistValue) {
        do {
            _ = try Manifest(propertyList: propertyList)
            return nil
        } catch {
            self = error
        }
    }
}
