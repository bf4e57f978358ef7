import CapsulePropertyList
import TestSupport
import Testing

@testable import CapsuleCore
@testable import CapsuleOverlay
@testable import CapsuleRules

@Suite struct FileRecordDocumentTests {
    private static let digest = String(repeating: "ab", count: 32)
    private static let other = String(repeating: "cd", count: 32)

    /// Reads a document in JSON whose file part has these elements.
    private static func read(_ files: String, more: String = "") throws -> Overlay {
        try Overlay(reading: Array(#"{"CapsuleOverlay":1\#(more),"Files":[\#(files)]}"#.utf8))
    }

    @Test func allThatCanBeSaid() throws {
        let overlay = try Self.read(
            #"""
            {"Path": "b/c", "Old": {"Kind": "file", "Mode": "0600", "Time": "-1.500000000", "Size": 5, "Digest": "\#(Self.digest)"},
             "New": {"Kind": "file", "Mode": 644, "Attributes": {}, "Size": 7, "Digest": "\#(Self.other.uppercased())",
                     "Chunks": {"Carried": "\#(Self.digest)", "Pieces": [[1, 3], [2], [0, 2]]}}},
            {"Path": "a", "New": {"Kind": "link", "Target": "x"}},
            {"Path": "b", "Old": {"Kind": "directory"}, "New": {"Kind": "directory", "Mode": "1777"}},
            {"Path": "gone", "Old": {"Kind": "file"}},
            {"Path": "db-wal"}
            """#)
        #expect(overlay.targets.isEmpty)
        #expect(overlay.files.map(\.path.description) == ["a", "b", "b/c", "db-wal", "gone"])
        let file = overlay.files[2]
        #expect(file.old?.modified == Timestamp(seconds: -1, nanoseconds: 500_000_000))
        #expect(file.old?.attributes == nil && file.new?.attributes == [])
        #expect(file.old?.mode == FileMode(0o600) && file.new?.mode == FileMode(0o644))
        let carried = try #require(ContentDigest(hex: Self.digest))
        #expect(
            file.new?.content?.recipe
                == ContentRecipe(
                    pieces: [.copied(offset: 1, length: 3), .carried(length: 2), .copied(offset: 0, length: 2)], carried: carried)
        )
        #expect(overlay.files[0].new == FileState(kind: .link, target: [UInt8(ascii: "x")]))
        #expect(overlay.files[1].new?.mode == FileMode(0o1777))
        #expect(overlay.files[3].isGuard)
        #expect(overlay.files[4].new == nil)
        #expect(try Overlay(overlay.document, format: .xml) == overlay)
    }

    /// An XML integer that lost the zero of `0600` is still read correctly.
    @Test func modesInXML() throws {
        let xml = """
            <plist version="1.0"><dict><key>CapsuleOverlay</key><integer>1</integer><key>Files</key><array><dict>
            <key>Path</key><data>/w==</data><key>New</key><dict><key>Kind</key><string>link</string><key>Target</key><data>gA==</data>
            </dict></dict><dict><key>Path</key><string>d</string><key>Old</key><dict><key>Kind</key><string>directory</string>
            <key>Mode</key><integer>0600</integer><key>Attributes</key><array><dict><key>Name</key><data>AQ==</data><key>Value</key>
            <data></data></dict><dict><key>Name</key><string>a</string><key>Value</key><data>AA==</data></dict></array></dict></dict>
            </array></dict></plist>
            """
        let files = try Overlay(reading: Array(xml.utf8)).files
        #expect(files.map(\.path.bytes) == [[UInt8(ascii: "d")], [0xFF]])
        #expect(files.first?.old?.mode == FileMode(0o600))
        #expect(
            files.first?.old?.attributes
                == [ExtendedAttribute(name: [1], value: []), ExtendedAttribute(name: [UInt8(ascii: "a")], value: [0])])
        #expect(files.last?.new?.target == [0x80])
    }

    /// OpenStep has no numbers.
    @Test func recordsInOpenStep() throws {
        let text = """
            { CapsuleOverlay = 1; Files = ( { Path = a; Old = { Kind = file; Size = 3; Digest = \(Self.other); }; New = { Kind = file;
            Mode = 0640; Size = 4; Digest = \(Self.digest); Chunks = { Carried = \(Self.other); Pieces = ( ( 0, 3 ), ( 1 ) ); }; }; } ); }
            """
        let content = try Overlay(reading: Array(text.utf8)).files.first?.new?.content
        #expect(content?.size == 4)
        #expect(content?.recipe?.pieces == [.copied(offset: 0, length: 3), .carried(length: 1)])
    }

    @Test func targetsAndFilesGoTogether() throws {
        let own = try Self.read(#"{"Path":"a"}"#, more: #","Path":"p.plist","Merge":{"x":1}"#)
        #expect(own.targets.count == 1 && own.files.count == 1)
        #expect(try Overlay(own.document, format: .xml) == own)
        #expect(own.document.dictionary?["Targets"]?.array?.count == 1)
        let both = try Self.read(#"{"Path":"a"}"#, more: #","When":{"A":true},"Targets":[{"Path":"p.plist"}]"#)
        #expect(both.targets.count == 1 && both.conditions.count == 1)
        let alone = try Self.read(#"{"Path":"a"}"#, more: #","When":{"A":true}"#)
        #expect(alone.targets.isEmpty && alone.document.dictionary?["Targets"] == nil)
        let empty = try Self.read("")
        #expect(empty.targets.isEmpty && empty.files.isEmpty)
        #expect(try Overlay(empty.document, format: .xml) == empty)
    }

    @Test func aFilePartIsForContainersAlone() throws {
        let overlay = try Self.read(#"{"Path":"a"}"#, more: #","Targets":[{"Path":"p.plist","Merge":{"x":1}}]"#)
        let error = #expect(throws: OverlayError.self) { try overlay.applied(to: [:]) }
        #expect(error?.message == "the overlay has a file part, which only applies to containers")
        #expect(error?.source?.description == "/Files")
        #expect(try overlay.applied(to: [:], in: OverlayContext(targetPath: "p.plist")).value == ["x": 1])
        #expect(throws: OverlayError.self) { try Self.read(#"{"Path":"a"}"#).placed(at: "x", in: .appData) }
    }

    private static func file(_ more: String) -> String { #"{"Path":"a","New":{"Kind":"file"\#(more)}}"# }

    private static func content(_ size: Int = 4) -> String { #","Size":\#(size),"Digest":"\#(digest)""# }

    /// A record whose old content has four bytes and whose new content has eight.
    private static func recipe(_ pieces: String, old: String = content(4)) -> String {
        #"{"Path":"a","Old":{"Kind":"file"\#(old)},"New":{"Kind":"file"\#(content(8)),"Chunks":{"Carried":"\#(digest)","Pieces":[\#(pieces)]}}}"#
    }

    @Test(
        arguments: [
            ("1", "element 0 of Files must be a dictionary", "/Files/0"),
            (#"{"Path":"a","new":{}}"#, #"unknown key "new""#, "/Files/0/new"),
            (#"{"Old":{"Kind":"file"}}"#, #""Path" is missing"#, "/Files/0"),
            (#"{"Path":1}"#, "Path: must be a string, or data if it is not UTF-8, not an integer", "/Files/0/Path"),
            (#"{"Path":""}"#, #"Path: "": the name is empty"#, "/Files/0/Path"),
            (#"{"Path":"/a"}"#, #"Path: "/a": the path is absolute"#, "/Files/0/Path"),
            (#"{"Path":"a/../b"}"#, #"Path: "a/../b": the path leaves the container with '..'"#, "/Files/0/Path"),
            (#"{"Path":"a//b"}"#, #"Path: "a//b": the path has an empty component"#, "/Files/0/Path"),
            (#"{"Path":"./b"}"#, #"Path: "./b": the path has a component '.'"#, "/Files/0/Path"),
            (#"{"Path":"a\u0000"}"#, "Path: ", "/Files/0/Path"),
            (#"{"Path":"\#(String(repeating: "a", count: 1_024))"}"#, "Path: ", "/Files/0/Path"),
            (#"{"Path":"\#(String(repeating: "a/", count: 2_100))a"}"#, "Path: ", "/Files/0/Path"),
            (#"{"Path":".capsule-transaction"}"#, #"Path: ".capsule-transaction" is reserved"#, "/Files/0/Path"),
            (#"{"Path":".capsule-transaction/new/0"}"#, "Path: ", "/Files/0/Path"),
            (#"{"Path":"AppGroups/g/.capsule-transaction/x"}"#, "Path: ", "/Files/0/Path"),
            (
                #"{"Path":".com.apple.mobile_container_manager.metadata.plist"}"#,
                #"Path: ".com.apple.mobile_container_manager.metadata.plist" identifies the container"#, "/Files/0/Path"
            ),
            (
                #"{"Path":"AppGroups/g/.com.apple.mobile_container_manager.metadata.plist"}"#, "Path: ", "/Files/0/Path"
            ),
            (#"{"Path":"a","Old":[]}"#, "Old: must be a dictionary, not an array", "/Files/0/Old"),
            (#"{"Path":"a","Old":{}}"#, #""Kind" is missing"#, "/Files/0/Old"),
            (#"{"Path":"a","Old":{"Kind":"identity"}}"#, #"Kind: "identity" is not a kind"#, "/Files/0/Old/Kind"),
            (#"{"Path":"a","Old":{"Kind":"fil"}}"#, #"Kind: "fil" is not a kind"#, "/Files/0/Old/Kind"),
            (#"{"Path":"a","Old":{"Kind":"link"}}"#, #""Target" is missing"#, "/Files/0/Old"),
            (#"{"Path":"a","Old":{"Kind":"link","Target":""}}"#, "Target: is empty", "/Files/0/Old/Target"),
            (#"{"Path":"a","Old":{"Kind":"link","Target":"x\u0000"}}"#, "Target: contains a NUL", "/Files/0/Old/Target"),
            (
                #"{"Path":"a","Old":{"Kind":"link","Target":"\#(String(repeating: "t", count: 4_097))"}}"#,
                "Target: is longer than 4096 bytes", "/Files/0/Old/Target"
            ),
            (#"{"Path":"a","Old":{"Kind":"link","Target":"x","Mode":"0777"}}"#, "Mode: a link has no mode", "/Files/0/Old/Mode"),
            (#"{"Path":"a","Old":{"Kind":"directory","Target":"x"}}"#, "Target: is only for links", "/Files/0/Old/Target"),
            (#"{"Path":"a","Old":{"Kind":"directory"\#(content())}}"#, "Size: a directory has no size", "/Files/0/Old/Size"),
            (file(#","Target":"x""#), "Target: is only for links", "/Files/0/New/Target"),
            (file(#","Mod":"0600""#), #"unknown key "Mod""#, "/Files/0/New/Mod"),
            (file(#","Mode":"0800""#), #"Mode: "0800" is not a mode"#, "/Files/0/New/Mode"),
            (file(#","Mode":689"#), #"Mode: "689" is not a mode"#, "/Files/0/New/Mode"),
            (file(#","Mode":-644"#), #"Mode: "-644" is not a mode"#, "/Files/0/New/Mode"),
            (file(#","Mode":"00644""#), #"Mode: "00644" is not a mode"#, "/Files/0/New/Mode"),
            (file(#","Mode":"+644""#), #"Mode: "+644" is not a mode"#, "/Files/0/New/Mode"),
            (file(#","Mode":"""#), #"Mode: "" is not a mode"#, "/Files/0/New/Mode"),
            (file(#","Mode":true"#), "Mode: must be a string, not a boolean", "/Files/0/New/Mode"),
            (file(#","Time":"1.5""#), #"Time: "1.5" is not a time"#, "/Files/0/New/Time"),
            (file(#","Time":"+1.500000000""#), "Time: ", "/Files/0/New/Time"),
            (file(#","Time":"1.50000000x""#), "Time: ", "/Files/0/New/Time"),
            (file(#","Time":".500000000""#), "Time: ", "/Files/0/New/Time"),
            (file(#","Time":"9223372036854775808.000000000""#), "Time: ", "/Files/0/New/Time"),
            (file(#","Time":1"#), "Time: must be a string, not an integer", "/Files/0/New/Time"),
            (file(#","Size":1"#), #""Digest" is missing"#, "/Files/0/New"),
            (file(#","Digest":"\#(digest)""#), #""Size" is missing"#, "/Files/0/New"),
            (
                file(#","Size":-1,"Digest":"\#(digest)""#), "Size: must be a number of bytes, not a negative number",
                "/Files/0/New/Size"
            ),
            (file(#","Size":"1","Digest":"\#(digest)""#), "Size: must be a number of bytes, not a string", "/Files/0/New/Size"),
            (file(#","Size":4398046511105,"Digest":"\#(digest)""#), "Size: is more than 4398046511104", "/Files/0/New/Size"),
            (file(#","Size":1,"Digest":"ab""#), #"Digest: "ab" is not a digest"#, "/Files/0/New/Digest"),
            (file(#","Attributes":{"a":"x"}"#), #""a" of Attributes must be data, not a string"#, "/Files/0/New/Attributes/a"),
            (file(#","Attributes":"x""#), "Attributes: must be a dictionary, not a string", "/Files/0/New/Attributes"),
            (file(#","Attributes":[1]"#), "element 0 of Attributes must be a dictionary", "/Files/0/New/Attributes/0"),
            (file(#","Attributes":[{"Name":"a"}]"#), #""Value" is missing"#, "/Files/0/New/Attributes/0"),
            (file(#","Attributes":[{"Value":"a"}]"#), #""Name" is missing"#, "/Files/0/New/Attributes/0"),
            (
                file(#","Attributes":[{"Name":"a","Value":"a"}]"#), "Value: must be data, not a string",
                "/Files/0/New/Attributes/0/Value"
            ),
            (file(#","Chunks":{}"#), #""Digest" is missing"#, "/Files/0/New"),
            (file(content() + #","Chunks":{"Carried":"\#(digest)"}"#), #""Pieces" is missing"#, "/Files/0/New/Chunks"),
            (file(content() + #","Chunks":{"Pieces":[]}"#), #""Carried" is missing"#, "/Files/0/New/Chunks"),
            (file(content() + #","Chunks":{"Carried":"\#(digest)","Pieces":[[4]]}"#), "Chunks: the other", "/Files/0/New/Chunks"),
            (recipe("[4]", old: ""), "Chunks: the other state has no content", "/Files/0/New/Chunks"),
            (recipe("[0,4]"), "Chunks: they add up to 4 of 8 bytes", "/Files/0/New/Chunks/Pieces"),
            (recipe(""), "Chunks: they add up to 0 of 8 bytes", "/Files/0/New/Chunks/Pieces"),
            (recipe("[0,4],[5]"), "Chunks: with piece 1, the total is more than 8", "/Files/0/New/Chunks/Pieces/1"),
            (recipe("[8],[0]"), "Chunks: piece 1 is empty", "/Files/0/New/Chunks/Pieces/1"),
            (recipe("[1,4],[4]"), "Chunks: piece 0 extends past", "/Files/0/New/Chunks/Pieces/0"),
            (recipe("[18446744073709551615,2],[6]"), "Chunks: piece 0 extends past", "/Files/0/New/Chunks/Pieces/0"),
            (recipe("[1],[18446744073709551615]"), "Chunks: with piece 1", "/Files/0/New/Chunks/Pieces/1"),
            (recipe("[]"), "element 0 of Pieces must be", "/Files/0/New/Chunks/Pieces/0"),
            (recipe("[1,2,3]"), "element 0 of Pieces must be", "/Files/0/New/Chunks/Pieces/0"),
            (recipe("8"), "element 0 of Pieces must be", "/Files/0/New/Chunks/Pieces/0"),
            (recipe("[-8]"), "Pieces: must be a number of bytes, not a negative number", "/Files/0/New/Chunks/Pieces/0/0"),
            (recipe(#"[0,"4"]"#), "Pieces: must be a number of bytes, not a string", "/Files/0/New/Chunks/Pieces/0/1"),
            (
                #"{"Path":"a"},{"Path":"b"},{"Path":"a"}"#, #""a" is listed twice: records 0 and 2"#, "/Files/2/Path"
            ),
            (
                #"{"Path":"a/b/c","New":{"Kind":"file"}},{"Path":"a-b"},{"Path":"a","New":{"Kind":"file"}}"#,
                #""a" is a file afterwards, but "a/b/c" is inside it"#, "/Files/0/New"
            ),
            (
                #"{"Path":"a","Old":{"Kind":"link","Target":"x"}},{"Path":"a/b","Old":{"Kind":"file"}}"#,
                #""a" is a link before, but "a/b" is inside it"#, "/Files/1/Old"
            ),
            (
                #"{"Path":"a","Old":{"Kind":"directory"}},{"Path":"a/b","New":{"Kind":"file"}}"#,
                #""a" does not exist afterwards, but "a/b" is inside it"#, "/Files/1/New"
            ),
            (
                #"{"Path":"a","New":{"Kind":"directory"}},{"Path":"a/b","Old":{"Kind":"file"}}"#,
                #""a" does not exist before, but "a/b" is inside it"#, "/Files/1/Old"
            ),
        ] as [(String, String, String)])
    func whatRecordsMayNotSay(files: String, message: String, place: String) {
        let error = #expect(throws: OverlayError.self) { try Self.read(files) }
        #expect(error?.message.hasPrefix(message) == true, "\(error?.message ?? "")")
        #expect(error?.source?.description == place)
    }

    @Test(
        arguments: [
            (Array("user.x".utf8), 65_537, "has more than 65536 bytes"), ([], 0, "is not a name"),
            ([1, 0], 0, "contains a NUL byte"),
            (Array("com.apple.quarantine".utf8), 0, "can only be set by the system"),
            (Array(repeating: 0x61, count: 1_024), 0, "is longer than 1023 bytes"),
        ] as [([UInt8], Int, String)])
    func whatAttributesMayNotBe(name: [UInt8], size: Int, message: String) throws {
        let attribute = ExtendedAttribute(name: name, value: Array(repeating: 0, count: size))
        let record = FileRecord(
            path: try relativePath("a"), old: nil, new: FileState(kind: .directory, attributes: [attribute]))
        let error = #expect(throws: OverlayError.self) { try FileRecordSet([record]) }
        #expect(error?.message.hasSuffix(message) == true)
        #expect(error?.source?.description == "/Files/0/New/Attributes")
    }

    @Test func attributesAreToldApartAndBounded() throws {
        func check(_ attributes: [ExtendedAttribute]) throws {
            let state = FileState(kind: .directory, attributes: attributes)
            _ = try FileRecordSet([FileRecord(path: try relativePath("a"), old: nil, new: state)])
        }
        let (a, b) = (ExtendedAttribute(name: [0x61], value: []), ExtendedAttribute(name: [0x62], value: []))
        try check([a, b])
        #expect(throws: OverlayError.self) { try check([a, a]) }
        #expect(throws: OverlayError.self) { try check([b, a]) }
        let long = (1...2).map { ExtendedAttribute(name: [$0], value: Array(repeating: 0, count: 60_000)) }
        #expect(throws: OverlayError.self) { try check(long) }
    }

    /// Bytes that XML text can't hold are data, also in a document that was written as XML.
    @Test(arguments: SeededGenerator.seeds)
    func recordsComeBack(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<150 {
            let old = try random.tree()
            let records = try FileRecordSet(turning: old.side, into: try random.changed(old).side)
            let shuffled = records.records.shuffled(using: &random)
            let overlay = Overlay(targets: [], files: records.records)
            #expect(try FileRecordSet(shuffled) == records)
            let document = Overlay(targets: [], files: shuffled).document
            #expect(try Overlay(document, format: .xml) == overlay, "seed \(seed)")
            for format in [PlistFormat.xml, .binary] {
                let bytes = try PlistWriter.write(document, as: format)
                #expect(try Overlay(reading: bytes) == overlay, "seed \(seed)")
            }
            for record in records.records { #expect(records[record.path] == record) }
            #expect(records[try relativePath("nowhere")] == nil)
        }
    }

    /// One record for each directory level: neither the depth nor the number makes reading slow.
    @Test func deepRecordsAreRead() throws {
        var records: [FileRecord] = []
        for number in 0..<2_000 {
            let path = try RelativePath(validating: Array((String(repeating: "d/", count: number % 1_000) + "\(number)").utf8))
            records.append(FileRecord(path: path, old: nil, new: FileState(kind: .directory)))
        }
        #expect(try FileRecordSet(records).records.count == 2_000)
    }

    @Test(arguments: [(0, 0, "0.000000000"), (-1, 5, "-1.000000005"), (Int64.max, 999_999_999, "9223372036854775807.999999999")])
    func timesInDecimal(seconds: Int64, nanoseconds: UInt32, text: String) {
        #expect(Timestamp(seconds: seconds, nanoseconds: nanoseconds)?.decimal == text)
        #expect(Timestamp(decimal: text) == Timestamp(seconds: seconds, nanoseconds: nanoseconds))
    }
}
