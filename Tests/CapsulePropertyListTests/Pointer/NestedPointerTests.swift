import CapsulePropertyList
import Testing

/// Pointers that lead into data.
@Suite struct NestedPointerTests {
    /// A substitute for zlib: compressed data is data with a prefix of `z` or `Z`.
    private static let coding = NestedCoding(
        inflate: { data, limit in
            guard let first = data.first, first | 0x20 == UInt8(ascii: "z"), data.count - 1 <= limit else { return nil }
            return Array(data.dropFirst())
        },
        deflate: { bytes, data in bytes == [0] ? nil : Array(data.prefix(1)) + bytes })

    private static let text = """
        <?xml version="1.0" encoding="UTF-8"?>
        <plist version="1.0">
        <!-- kept -->
        <dict>
            <key>count</key> <integer>1</integer>
            <key>list</key>
            <array>
                <string>a &#38; b</string>
            </array>
        </dict>
        </plist>

        """

    private static let xml = Array(text.utf8)

    private func pointer(_ text: String) throws(PlistError) -> PlistPointer { try PlistPointer(text) }

    private func edited(_ value: PlistValue, _ edit: PlistEdit, _ text: String) throws(PlistError) -> PlistValue {
        var value = value
        try value.edit(edit, at: try pointer(text), nested: Self.coding)
        return value
    }

    /// Returns the error of reading and of editing at a place, which must be the same, or nil if there is none.
    private func error(_ value: PlistValue, _ text: String) throws(PlistError) -> PlistError? {
        let reading = Result { () throws(PlistError) in try value.value(at: try pointer(text), nested: Self.coding) }
        let editing = Result { () throws(PlistError) in try edited(value, .replace("new"), text) }
        guard case .failure(let error) = reading else { return nil }
        #expect(editing == .failure(error))
        return error
    }

    // MARK: <plist>

    @Test func editsPropertyListsInPlace() throws {
        let value: PlistValue = ["state": .data(Self.xml)]
        #expect(try value.value(at: pointer("/state/<plist>/list/0")) == "a & b")
        #expect(try value.value(at: pointer("/state/<plist>/list/[=a & b]")) == "a & b")
        #expect(try value.value(at: pointer("/state/<plist>")) == ["count": 1, "list": ["a & b"]])
        let changed = Self.text.replacing("<integer>1<", with: "<integer>2<")
        #expect(try edited(value, .replace(2), "/state/<plist>/count") == ["state": .data(Array(changed.utf8))])
        // An edit without a change preserves every byte.
        #expect(try edited(value, .replace(1), "/state/<plist>/count") == value)
        let whole = try edited(value, .replace(["count": 1]), "/state/<plist>").value(at: pointer("/state/<plist>"))
        #expect(whole == ["count": 1])
    }

    @Test func binaryStaysBinary() throws {
        let value: PlistValue = ["state": .data(try BinaryPlistWriter.write(["a": ["x", "y"], "b": 1]))]
        let edited = try edited(value, .add("new"), "/state/<plist>/a/1")
        let data = try #require(edited.dictionary?["state"]?.data)
        #expect(PlistFormat.sniff(data) == .binary)
        #expect(try read(data) == ["a": ["x", "new", "y"], "b": 1])
        #expect(try self.edited(edited, .remove, "/state/<plist>/a/1") == value)
    }

    @Test func openStepStaysOpenStep() throws {
        let text = "{\n    // kept\n    a = (1, two);\n}\n"
        let value: PlistValue = [.data(Array(text.utf8))]
        #expect(try value.value(at: pointer("/0/<plist>/a/1")) == "two")
        let changed = text.replacing("two", with: "three")
        #expect(try edited(value, .replace("three"), "/0/<plist>/a/1") == [.data(Array(changed.utf8))])
    }

    @Test func documentsWithinDocuments() throws {
        let inner = try BinaryPlistWriter.write(["count": 1])
        let outer = try XMLPlistWriter.write(["more": .data(inner), "other": "x"])
        let value: PlistValue = [["state": .data(outer)]]
        let edited = try edited(value, .set(["new"]), "/0/state/<plist>/more/<plist>/list")
        #expect(try edited.value(at: pointer("/0/state/<plist>/more/<plist>")) == ["count": 1, "list": ["new"]])
        let data = try #require(edited.value(at: pointer("/0/state")).data)
        #expect(PlistFormat.sniff(data) == .xml)
        #expect(try self.edited(edited, .remove, "/0/state/<plist>/more/<plist>/list") == value)
    }

    // MARK: <json>

    @Test func editsJSONInPlace() throws {
        let text = #"{"a": [1, {"b": null}],  "c": 1.50}"#
        let value: PlistValue = ["state": .data(Array(text.utf8))]
        func state(_ edit: PlistEdit, _ place: String) throws -> String {
            String(decoding: try edited(value, edit, "/state/<json>" + place).dictionary?["state"]?.data ?? [], as: UTF8.self)
        }
        #expect(try state(.replace(2), "/a/0") == text.replacing("[1,", with: "[2,"))
        #expect(try state(.replace("x"), "/a/1/b") == text.replacing("null", with: #""x""#))
        let data = #expect(throws: PlistError.self) { try state(.replace(.data([1])), "/a/0") }
        #expect(data?.code == .notRepresentable)
        #expect(data?.pointer == "/state/<json>/a/0")
        #expect(try value.value(at: pointer("/state/<json>/a/1")) == ["b": .null])
        #expect(try edited(value, .replace(1), "/state/<json>/a/0") == value)
        #expect(try error(["state": .data(Self.xml)], "/state/<json>/a")?.pointer == "/state/<json>")
    }

    // MARK: <zlib>

    @Test func editsCompressedData() throws {
        let value: PlistValue = [["state": .data(Array("Z".utf8) + Self.xml)]]
        #expect(try value.value(at: pointer("/0/state/<zlib>"), nested: Self.coding) == .data(Self.xml))
        #expect(try value.value(at: pointer("/0/state/<zlib>/<plist>/count"), nested: Self.coding) == 1)
        let changed = "Z" + Self.text.replacing("<integer>1<", with: "<integer>2<")
        #expect(try edited(value, .replace(2), "/0/state/<zlib>/<plist>/count") == [["state": .data(Array(changed.utf8))]])
        // An edit without a change doesn't compress again. This data could not be compressed.
        #expect(try edited([.data([0x7A, 0])], .replace(.data([0])), "/0/<zlib>") == [.data([0x7A, 0])])
        #expect(throws: PlistError.self) { try edited([.data([0x7A, 1])], .replace(.data([0])), "/0/<zlib>") }
        let mismatch = #expect(throws: PlistError.self) { try edited(value, .replace("x"), "/0/state/<zlib>") }
        #expect(mismatch?.description == "a string can't be compressed (at /0/state/<zlib>)")
    }

    @Test func compressionIsTheCallers() throws {
        let value: PlistValue = [.data(Array("zabc".utf8))]
        let unsupported = #expect(throws: PlistError.self) { try value.value(at: pointer("/0/<zlib>")) }
        #expect(unsupported?.code == .unsupported)
        #expect(unsupported?.pointer == "/0/<zlib>")
        #expect(try error([.data([1])], "/0/<zlib>/<plist>")?.code == .damaged)
        var coding = Self.coding
        coding.limits.documentBytes = 2
        #expect(throws: PlistError.self) { try value.value(at: pointer("/0/<zlib>"), nested: coding) }
    }

    // MARK: <archive>

    private static let archive: PlistValue = {
        var fixture = ArchiveFixture()
        let (person, array) = (fixture.addClass("Person"), fixture.addClass("NSArray"))
        let name = fixture.add("Ann")
        let things = fixture.add(ArchiveFixture.object(array, ["NS.objects": [name, 7]]))
        _ = fixture.add(ArchiveFixture.object(person, ["name": name, "things": things]))
        return fixture.archive()
    }()

    @Test func readsArchivesByPath() throws {
        let value: PlistValue = ["state": .data(try BinaryPlistWriter.write(Self.archive))]
        #expect(try value.value(at: pointer("/state/<archive>/root/name")) == "Ann")
        #expect(try value.value(at: pointer("/state/<archive>/root/things/[=7]")) == 7)
        #expect(try value.value(at: pointer("/state/<archive>/root/$class")) == "Person")
        #expect(try value.value(at: pointer("/state/<plist>/$objects/3")) == "Ann")
        // A document that is an archive itself, in data or directly.
        #expect(try Self.archive.value(at: pointer("/<archive>/root/name")) == "Ann")
        #expect(try value.value(at: pointer("/state/<plist>/<archive>/root/name")) == "Ann")
    }

    @Test func archivesAreNotEdited() throws {
        let data = PlistValue.data(try XMLPlistWriter.write(Self.archive))
        for (value, place) in [(PlistValue.dictionary(["state": data]), "/state/<archive>"), (Self.archive, "/<archive>")] {
            for edit: PlistEdit in [.replace("Bob"), .set("Bob"), .remove] {
                let error = #expect(throws: PlistError.self) { try edited(value, edit, place + "/root/name") }
                #expect(error?.code == .unsupported)
                #expect(error?.pointer == place)
                #expect(error?.hint?.contains("'<plist>'") == true)
            }
            // An edit without a change is allowed.
            #expect(try edited(value, .replace("Ann"), place + "/root/name") == value)
        }
        // The archive can be edited through its `$objects`.
        let changed = try edited(["state": data], .replace("Bob"), "/state/<plist>/$objects/3")
        #expect(try changed.value(at: pointer("/state/<archive>/root/things/0")) == "Bob")
    }

    @Test func stepsAreKeysWhereThereAreSuch() throws {
        let value: PlistValue = ["<archive>": 1, "<plist>": ["<json>": 2]]
        #expect(try value.value(at: pointer("/<archive>")) == 1)
        #expect(try value.value(at: pointer("/<plist>/<json>")) == 2)
        #expect(try edited(value, .set(3), "/<zlib>").dictionary?["<zlib>"] == 3)
        #expect(try error(["a": 1], "/<archive>")?.code == .missing)
        var archive = Self.archive.dictionary ?? [:]
        archive["<archive>"] = "a key"
        #expect(try PlistValue.dictionary(archive).value(at: pointer("/<archive>")) == "a key")
    }

    // MARK: Errors

    /// An error in a nested document has its position in the data, never a position in the surrounding file.
    @Test func errorsNameTheDocument() throws {
        let broken = Array("<plist>\n<dict><key>a</key></dict></plist>".utf8)
        let error = try error(["state": .data(broken)], "/state/<plist>/a")
        #expect(error?.pointer == "/state/<plist>/a")
        #expect(error?.location == nil)
        #expect(error?.message.hasSuffix(" (in the data: 2:19)") == true, "\(error?.message ?? "")")
        let outer = PlistValue.data(try XMLPlistWriter.write(["inner": .data(broken)]))
        #expect(try self.error(outer, "/<plist>/inner/<plist>")?.pointer == "/<plist>/inner/<plist>/a")
        // A value that the document's encoding can't represent.
        let date = #expect(throws: PlistError.self) {
            try edited(["state": .data(Self.xml)], .replace([.date(0.5)]), "/state/<plist>/list")
        }
        #expect(date?.code == .notRepresentable)
        #expect(date?.pointer == "/state/<plist>/list/0")
        // An archive with a missing object.
        let archive = PlistValue.data(try XMLPlistWriter.write(ArchiveFixture.archive(["$null"], root: .uid(9))))
        #expect(try self.error([archive], "/0/<archive>")?.pointer == "/0/<archive>/$top/root")
    }

    @Test(
        arguments: [
            ("/a/x", .mismatch, "/a/x"), ("/a/0", .mismatch, "/a/0"), ("/a/<xml>/x", .mismatch, "/a/<xml>"),
            ("/a/<plist>", .notPropertyList, "/a/<plist>"), ("/a/<json>", .syntax, "/a/<json>"),
            ("/a/<archive>/root", .notPropertyList, "/a/<archive>"), ("/b/<archive>", .unsupported, "/b/<archive>"),
            ("/b/<plist>/list/3", .missing, "/b/<plist>/list/3"), ("/b/<plist>/none/x", .missing, "/b/<plist>/none"),
            ("/b/<plist>/count/x", .mismatch, "/b/<plist>/count/x"),
        ] as [(String, PlistError.Code, String)])
    func whatLeadsNowhere(_ text: String, _ code: PlistError.Code, _ pointer: String) throws {
        let error = try error(["a": .data([1, 2, 3]), "b": .data(Self.xml)], text)
        #expect(error?.code == code, "\(error?.description ?? "none")")
        #expect(error?.pointer == pointer)
    }
}
