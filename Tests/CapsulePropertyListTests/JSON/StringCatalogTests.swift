import Testing

@testable import CapsulePropertyList

/// If new keys had another place, Xcode would move them, and everyone's next change would touch them again.
@Suite struct StringCatalogTests {
    /// Keys in the order in which Xcode writes them, as catalogs in public repositories have them.
    private static let orders: [[PlistString]] = [
        ["", " ", "- %@", "%@", "%lld m", "0", "0.00", "0.000", "5 normal", "7-Day", "100% Plant"],
        ["Page", "Page: %@", "Page#"], ["my_snake", "my.snake"], ["every 90", "every 120"],
        ["author", "Author", "authors"], ["ok", "OK"], ["closed", "Closed", "CLOSED", "closer"],
        ["An allen", "Ändern", "Anmelden"], ["~ %lld", "☀️", "5 normal"], ["zh-Hans", "zh-Hant", "zh-HK"],
        ["Cancel", "Error", "日本語", "设备"], ["comment", "extractionState", "localizations", "shouldTranslate"],
    ]

    @Test(arguments: orders)
    func order(_ keys: [PlistString]) {
        for (number, key) in keys.enumerated() {
            #expect(!StringCatalog.precedes(key, key))
            for later in keys[(number + 1)...] {
                #expect(StringCatalog.precedes(key, later), "\(key.string) \(later.string)")
                #expect(!StringCatalog.precedes(later, key), "\(later.string) \(key.string)")
            }
        }
    }

    private static func catalog(_ keys: [String], isEmptyOpen: Bool = true) -> [UInt8] {
        let empty = isEmptyOpen ? "{\n\n    }" : "{}"
        let strings = keys.map { "    \"\($0)\" : \(empty)" }.joined(separator: ",\n")
        return Array("{\n  \"sourceLanguage\" : \"en\",\n  \"strings\" : {\n\(strings)\n  },\n  \"version\" : \"1.0\"\n}".utf8)
    }

    /// New strings, removed ones, and empty ones, each in a catalog that is Xcode's to the byte.
    @Test(arguments: [
        (["b"], ["a", "b"]), (["a", "c"], ["a", "B", "c", "d"]), (["2", "10", "a"], ["1", "2", "3", "10", "a"]),
        (["a", "b", "c"], ["a", "c"]), (["b", "d"], ["a", "d", "e"]),
    ])
    func newKeys(_ old: [String], _ new: [String]) throws {
        let (before, after) = (try PlistDocument.read(Self.catalog(old)), Self.catalog(new))
        #expect(try before.bytes(holding: PlistDocument.read(after).value) == after)
    }

    /// Keys that are in another order than Xcode's keep it, and new ones come last. So they do in other JSON.
    @Test func otherOrders() throws {
        let before = try PlistDocument.read(Self.catalog(["c", "a"]))
        #expect(
            try before.bytes(holding: PlistDocument.read(Self.catalog(["a", "b", "c"])).value) == Self.catalog(["c", "a", "b"]))
        let other = try PlistDocument.read(Array("{\"b\" : 1}".utf8))
        #expect(try other.bytes(holding: ["b": 1, "a": [:]]) == Array("{\"b\" : 1, \"a\" : {}}".utf8))
        let lines = try PlistDocument.read(Array("{\n  \"b\" : {\n\n  }\n}".utf8))
        let wanted = Array("{\n  \"b\" : {\n\n  },\n  \"a\" : {}\n}".utf8)
        #expect(try lines.bytes(holding: ["b": [:], "a": [:]]) == wanted)
    }

    /// An empty object is spelled like the others of the file.
    @Test func emptyObjects() throws {
        let before = try PlistDocument.read(Self.catalog(["a"], isEmptyOpen: false))
        let wanted = Self.catalog(["a", "b"], isEmptyOpen: false)
        #expect(try before.bytes(holding: PlistDocument.read(wanted).value) == wanted)
    }

    @Test func whatIsACatalog() throws {
        #expect(StringCatalog.isCatalog(["sourceLanguage": "en", "strings": [:]]))
        #expect(!StringCatalog.isCatalog(["sourceLanguage": "en", "strings": []]))
        #expect(!StringCatalog.isCatalog(["strings": [:]]))
        #expect(!StringCatalog.isCatalog([]))
        #expect(StringCatalog.isUnit(["strings", "a", "localizations", "de", "stringUnit"]))
        #expect(!StringCatalog.isUnit(["strings", "stringUnit"]))
    }
}
