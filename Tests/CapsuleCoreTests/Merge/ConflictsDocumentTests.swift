import CapsulePropertyList
import TestSupport
import Testing

@testable import CapsuleCore
@testable import CapsuleMerge
@testable import CapsuleRules

@Suite struct ConflictsDocumentTests {
    private static let inputs: PlistValue = ["Source": "a.plist", "Digest": "00ff"]

    private static func document(_ items: [PlistValue]) -> PlistValue {
        ["CapsuleConflicts": 1, "Base": inputs, "Ours": inputs, "Theirs": inputs, "Conflicts": .array(items)]
    }

    /// The examples of the grammar.
    private static let example = """
        {"CapsuleConflicts":1,"Base":{"Source":"base.capsule@1","Digest":"01"},"Ours":{"Source":"o","Digest":"02"},
         "Theirs":{"Source":{"$data":"/w=="},"Digest":"03"},"Conflicts":[
        {"Id":"1","Kind":"value","Path":"Info.plist","Pointer":"/CFBundleVersion","Base":"1","Ours":"2","Theirs":"3","Reason":"both changed","Take":"value","Value":"4"},
        {"Id":"2","Kind":"sequence","Path":"Info.plist","Pointer":"/Steps","At":[1,1],"Base":["B"],"Ours":["C","D"],"Theirs":["E"],"Reason":"edits overlap"},
        {"Id":"3","Kind":"row","Path":"Library/Model.sqlite","Table":"ZNOTE","Row":{"Z_PK":12},"Column":"ZTITLE","Base":"a","Ours":"b","Theirs":"c","Reason":"both changed","Take":"theirs","By":"theirs"},
        {"Id":"4","Kind":"modify/delete","Path":"a.gif","Base":{"type":"file"},"Theirs":{"type":"file"},"Reason":"ours deleted it","Take":"absent"},
        {"Id":"5","Kind":"value","Pointer":"","Base":{"$date":"2001-01-01T00:00:00.5Z"},"Ours":{"$data":"AAEC"},"Theirs":{"$int":"9007199254740993"},"Reason":"both changed","Take":"value","Value":{"$dict":[["$a",null]]}}
        ]}
        """

    @Test func theGrammarsExamplesAreRead() throws {
        let value = try PlistReader.read(Array(Self.example.utf8), accepting: [.json], json: .typed).value
        let document = try ConflictsDocument(value)
        #expect(document.base == ConflictsDocument.Input(source: Array("base.capsule@1".utf8), digest: "01"))
        #expect(document.theirs.source == [0xFF])
        #expect(
            document.resolutions
                == ["1": .value("4"), "3": .theirs, "4": .absent, "5": .value(["$a": .null])])
        #expect(document.conflicts.map(\.kind) == [.value, .sequence, .row, .modifyDelete, .value])
        #expect(document.conflicts.map(\.range) == [nil, 1..<2, nil, nil, nil])
        #expect(document.conflicts[2].row == ["Z_PK": 12])
        #expect(document.conflicts[2].column == "ZTITLE")
        #expect(document.conflicts[2].decidedBy == "theirs")
        #expect(document.conflicts[3].ours == nil)
        #expect(document.conflicts[4].pointer == .root)
        #expect(document.conflicts[4].path == nil)
        #expect(document.conflicts[4].base == .date(0.5))
        #expect(document.conflicts[4].ours == .data([0, 1, 2]))
        #expect(document.conflicts[4].theirs == 9_007_199_254_740_993)
        #expect(document.document == value)
    }

    private static func wrong(_ changes: PlistValue) -> PlistValue {
        var item: PlistDictionary = [
            "Id": "1", "Kind": "value", "Pointer": "/a", "Base": 1, "Ours": 2, "Theirs": 3, "Reason": "r",
        ]
        for (key, value) in changes.dictionary ?? [:] { item[key] = value.string == "-" ? nil : value }
        return document([.dictionary(item)])
    }

    @Test(
        arguments: [
            (["Conflicts": []], "", "\"CapsuleConflicts\" is missing"),
            ("x", "", "the document must be a dictionary, not a string"),
            (["CapsuleConflicts": 2], "/CapsuleConflicts", "CapsuleConflicts is 2, but only version 1 is supported"),
            (["CapsuleConflicts": 1], "", "\"Base\" is missing"),
            (["CapsuleConflicts": 1, "Conflict": []], "/Conflict", "unknown key \"Conflict\""),
            (["CapsuleConflicts": 1, "Base": ["Digest": "1"]], "/Base", "\"Source\" is missing"),
            (["CapsuleConflicts": 1, "Base": ["Source": "1"]], "/Base", "\"Digest\" is missing"),
            (["CapsuleConflicts": 1, "Base": ["Size": 1]], "/Base/Size", "unknown key \"Size\""),
            (["CapsuleConflicts": 1, "Base": inputs, "Ours": inputs, "Theirs": inputs], "", "\"Conflicts\" is missing"),
            (document(["x"]), "/Conflicts/0", "element 0 of Conflicts must be a dictionary"),
            (wrong(["Id": "-"]), "/Conflicts/0", "\"Id\" is missing"),
            (wrong(["Id": 1]), "/Conflicts/0/Id", "Id: must be a string, not an integer"),
            (wrong(["Id": ""]), "/Conflicts/0", "\"Id\" is missing"),
            (wrong(["Kind": "-"]), "/Conflicts/0", "\"Kind\" is missing"),
            (wrong(["Kind": "values"]), "/Conflicts/0/Kind", "Kind: \"values\" is not a kind of conflict"),
            (wrong(["Pointer": "a"]), "/Conflicts/0/Pointer", "\"a\" is not a pointer"),
            (wrong(["Path": "../a"]), "/Conflicts/0/Path", ""), (wrong(["Path": 1]), "/Conflicts/0/Path", ""),
            (wrong(["Take": "our"]), "/Conflicts/0/Take", "Take: \"our\" is not a valid choice"),
            (wrong(["Take": "value"]), "/Conflicts/0", "\"Value\" is missing"),
            (wrong(["Take": "ours", "Value": 1]), "/Conflicts/0/Value", "Value: is only valid with 'Take' = value"),
            (wrong(["Value": 1]), "/Conflicts/0/Value", "Value: is only valid with 'Take' = value"),
            (wrong(["By": "ours"]), "/Conflicts/0/By", "By: needs a 'Take'"),
            (wrong(["Taken": "ours"]), "/Conflicts/0/Taken", "unknown key \"Taken\""),
            (wrong(["At": [1]]), "/Conflicts/0/At", "At: must be a start and a count"),
            (wrong(["At": [1, -1]]), "/Conflicts/0/At", "At: must be a start and a count"),
            (wrong(["At": [9_223_372_036_854_775_807, 1]]), "/Conflicts/0/At", "At: must be a start and a count"),
            (wrong(["At": ["1", "1"]]), "/Conflicts/0/At", "At: must be a start and a count"),
            (wrong(["Row": []]), "/Conflicts/0/Row", "Row: must be a dictionary, not an array"),
            (
                document([["Id": "1", "Kind": "text"], ["Id": "1", "Kind": "text"]]), "/Conflicts/1/Id",
                "Id: \"1\" is already the Id of element 0"
            ),
        ] as [(PlistValue, String, String)])
    func whatIsWrongIsTold(document: PlistValue, place: String, message: String) throws {
        let error = #expect(throws: OverlayError.self) { try ConflictsDocument(document) }
        #expect(error?.source?.description == place)
        #expect(error?.code == (message.contains("version") ? .unsupported : .invalid))
        if !message.isEmpty { #expect(error?.message == message) }
    }

    /// All kinds with all parts that an element can have, in every encoding that can hold them.
    @Test func whatIsWrittenIsRead() throws {
        var conflicts: [Conflict] = []
        for (number, kind) in Conflict.Kind.allCases.enumerated() {
            var conflict = Conflict(
                kind, path: number == 0 ? nil : try RelativePath(validating: [0x61, 0xFF]),
                pointer: try PlistPointer("/a~1b/[k=/]/~0"),
                base: .data([1]), ours: number == 2 ? nil : .integer(PlistInteger(number)), theirs: ["$x": [.date(5), .real(1)]],
                reason: "both changed")
            conflict.id = String(number + 1)
            conflict.range = number == 1 ? 0..<0 : 2..<5
            conflict.table = number == 3 ? "ZNOTE" : nil
            conflict.row = number == 3 ? ["Z_PK": 12, "b": .data([7])] : nil
            conflict.column = number == 3 ? "ZTITLE" : nil
            conflict.resolution = [nil, .base, .ours, .theirs, .absent, .value([1, "a"])][number % 6]
            if number % 6 == 2 { conflict.decidedBy = "ours={\"Path\":\"**\"}" }
            conflicts.append(conflict)
        }
        let input = ConflictsDocument.Input(source: Array("sim:booted/com.x".utf8), digest: "3fa1")
        let document = ConflictsDocument(
            base: input, ours: ConflictsDocument.Input(source: [0xC3, 0x28], digest: ""), theirs: input, conflicts: conflicts)
        #expect(try ConflictsDocument(document.document) == document)
        let json = try JSONPlistWriter.write(document.document, options: .typed)
        #expect(try ConflictsDocument(PlistReader.read(json, accepting: [.json], json: .typed).value) == document)
        for format in [PlistFormat.xml, .binary] {
            let bytes = try PlistWriter.write(document.document, as: format)
            #expect(try ConflictsDocument(PlistReader.read(bytes).value) == document)
        }
        #expect(document.resolutions.count == conflicts.count { $0.resolution != nil })
    }

    /// After its conflicts are resolved by hand, a merge is clean.
    @Test(arguments: SeededGenerator.seeds)
    func resolutionsFeedTheNextMerge(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let input = ConflictsDocument.Input(source: [0x61], digest: "0")
        for _ in 0..<100 {
            let base = random.propertyList()
            let (ours, theirs) = (random.changed(base, 3), random.changed(base, 3))
            let open = try MergeRun(base, ours, theirs)
            var document = ConflictsDocument(base: input, ours: input, theirs: input, conflicts: open.conflicts)
            for place in document.conflicts.indices {
                document.conflicts[place].resolution = random.pick([.ours, .theirs])
            }
            let text = try JSONPlistWriter.write(document.document, options: .typed)
            let read = try ConflictsDocument(PlistReader.read(text, accepting: [.json], json: .typed).value)
            #expect(read == document, "seed \(seed)")
            let run = try MergeRun(base, ours, theirs, resolutions: read.resolutions)
            #expect(run.openCount == 0)
            #expect(run.conflicts == document.conflicts)
        }
    }
}
