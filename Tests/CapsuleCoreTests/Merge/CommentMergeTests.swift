import CapsulePropertyList
import TestSupport
import Testing

@testable import CapsuleCore
@testable import CapsuleMerge

/// Merges of texts with comments and with numbers of many digits (docs/merge.md, section 2).
@Suite struct CommentMergeTests {
    /// The ways to write entries, each with its comment before it.
    enum Form: CaseIterable, Sendable {
        case strings, spacedStrings, openStep, xml, json
    }

    struct Entry: Equatable {
        var value: String
        var comment: String?
    }

    typealias Entries = [(key: String, entry: Entry)]

    static func text(_ entries: Entries, _ form: Form) -> String {
        func lines(_ comment: (String) -> String, _ entry: (String, String) -> String, after: String = "") -> String {
            entries.map { ($0.entry.comment.map { comment($0) + "\n" } ?? "") + entry($0.key, $0.entry.value) + "\n" + after }
                .joined()
        }
        switch form {
        case .strings: return lines({ "/* \($0) */" }, { "\"\($0)\" = \"\($1)\";" })
        case .spacedStrings: return lines({ "/* \($0) */" }, { "\"\($0)\" = \"\($1)\";" }, after: "\n")
        case .openStep: return "{\n" + lines({ "\t// \($0)" }, { "\t\($0) = \"\($1)\";" }) + "}\n"
        case .xml:
            return PlistDocumentMergeTests.xml(
                String(lines({ "\t<!-- \($0) -->" }, { "\t<key>\($0)</key>\n\t<string>\($1)</string>" }).dropLast()))
        case .json:
            return "{\n" + entries.map { "  \"\($0.key)\": 0.1234567890123456789\($0.entry.value)" }.joined(separator: ",\n")
                + "\n}\n"
        }
    }

    /// Reads the comments and values by lines, without the reader of property lists.
    private static func entries(_ text: String) -> [String: Entry] {
        var entries: [String: Entry] = [:]
        var (comment, key): (String?, String?) = (nil, nil)
        for line in text.split(separator: "\n") {
            if let found = line.firstMatch(of: /^\s*(?:\/\*|\/\/|<!--) (.*?)(?: \*\/| -->)?$/) {
                comment = [comment, String(found.1)].compactMap { $0 }.joined(separator: " + ")
            } else if let found = line.firstMatch(of: /^\s*<key>(.*)<\/key>$/) {
                key = String(found.1)
            } else if let name = key, let found = line.firstMatch(of: /^\s*<string>(.*)<\/string>$/) {
                entries[name] = Entry(value: String(found.1), comment: comment)
                (comment, key) = (nil, nil)
            } else if let found = line.firstMatch(of: /^\s*"?(\w+)"? = "?(.*?)"?;$/) {
                entries[String(found.1)] = Entry(value: String(found.2), comment: comment)
                comment = nil
            } else if let found = line.firstMatch(of: /^\s*"(\w+)": 0.1234567890123456789(\d*),?$/) {
                entries[String(found.1)] = Entry(value: String(found.2), comment: nil)
            }
        }
        if let comment { entries["(end)"] = Entry(value: "", comment: comment) }
        return entries
    }

    private static func changed(_ base: Entries, _ side: String, _ form: Form, _ generator: inout SeededGenerator) -> Entries {
        func word(_ key: String) -> String { form == .json ? "\(generator.number(1...3))" : "\(side) \(key)" }
        var entries: Entries = []
        for (key, old) in base {
            if generator.isLucky(oneIn: 10) {
                let key = "\(side)\(key)"
                entries.append((key, Entry(value: word(key), comment: generator.isLucky(oneIn: 4) ? nil : "new \(key)")))
            }
            if generator.isLucky(oneIn: 12) { continue }
            var entry = old
            if generator.isLucky(oneIn: 6) { entry.value = word(key) }
            if generator.isLucky(oneIn: 6) { entry.comment = generator.isLucky(oneIn: 4) ? nil : "\(side) changed \(key)" }
            entries.append((key, entry))
        }
        if generator.isLucky(oneIn: 2) { entries.append(("\(side)z", Entry(value: word("z"), comment: "at the end"))) }
        return entries
    }

    /// Returns the entries that a merge must have, or nil if it must have a conflict.
    private static func expected(_ base: Entries, _ ours: Entries, _ theirs: Entries, _ form: Form) -> [String: Entry]? {
        let sides = [base, ours, theirs].map { Dictionary(uniqueKeysWithValues: $0.map { ($0.key, $0.entry) }) }
        var result: [String: Entry] = [:]
        for key in Set(sides.flatMap(\.keys)) {
            let (old, own, other) = (sides[0][key], sides[1][key], sides[2][key])
            if own == old || other == old || own == other {
                result[key] = own == old ? other : own
            } else if let old, let kept = own ?? other, own == nil || other == nil, kept == Entry(value: old.value) {
                // One side deleted the key, the other one its comment.
                continue
            } else if let own, let other,
                case .value(let value) = ModeMerge(base: old?.value, ours: own.value, theirs: other.value),
                case .value(let comment) = ModeMerge(base: old.map(\.comment), ours: own.comment, theirs: other.comment)
            {
                result[key] = Entry(value: value, comment: comment)
            } else {
                return nil
            }
        }
        return result
    }

    /// A clean merge has every comment that a side added or kept before its key, and a merge that can't have it is a conflict.
    @Test(arguments: Form.allCases, [1, 2, 3] as [UInt64])
    func keepsComments(_ form: Form, _ seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        var clean = 0
        for number in 0..<100 {
            let base: Entries = (0..<generator.number(0...7)).map { place in
                let comment = form == .json || generator.isLucky(oneIn: 2) ? nil : "about k\(place)"
                return ("k\(place)", Entry(value: form == .json ? "" : "base", comment: comment))
            }
            let sides = ["o", "t"].map { side in
                Self.changed(base, side, form, &generator).map { form == .json ? ($0.key, Entry(value: $0.entry.value)) : $0 }
            }
            let texts = ([base] + sides).map { Self.text($0, form) }
            let formats: Set<PlistFormat> = [form == .xml ? .xml : form == .json ? .json : .openStep]
            let documents = try texts.map { try PlistDocument.read(Array($0.utf8), accepting: formats) }
            var decisions = MergeDecisions()
            let outcome = try PlistDocumentMerge().merge(
                base: documents[0], ours: documents[1], theirs: documents[2], &decisions)
            let expected = Self.expected(base, sides[0], sides[1], form)
            let result = String(decoding: outcome.bytes, as: UTF8.self)
            let failure: Comment = "seed \(seed), number \(number):\n\(texts.joined(separator: "---\n"))===\n\(result)"
            #expect(decisions.conflicts.isEmpty == (expected != nil), failure)
            guard let expected, decisions.conflicts.isEmpty else { continue }
            clean += 1
            #expect(Self.entries(result) == expected, failure)
            #expect(try PlistReader.read(outcome.bytes, accepting: formats).value == outcome.value, failure)
        }
        #expect(clean > 20)
    }

    // MARK: Places

    struct PlaceCase: CustomTestStringConvertible, Sendable {
        let name: String
        let texts: [String]
        /// The result; nil for one conflict.
        let result: String?
        var testDescription: String { name }
    }

    private static let placeCases = [
        PlaceCase(
            name: "both append to a file with a heading",
            texts: [
                "/* Heading */\n\n\"a\" = \"A\";\n", "/* Heading */\n\n\"a\" = \"A\"; // ours\n/* o */\n\"o\" = \"O\";\n",
                "/* Other heading */\n\n/* a */\n\"a\" = \"A\";\n/* t */\n\"t\" = \"T\";\n/* end */\n",
            ],
            result:
                "/* Other heading */\n\n/* a */\n\"a\" = \"A\"; // ours\n/* o */\n\"o\" = \"O\";\n/* t */\n\"t\" = \"T\";\n/* end */\n"
        ),
        PlaceCase(
            name: "lines of one comment",
            texts: [
                "{ a = 1; b = 2;\n\t// 1\n\t// 2\n\tc = 3;\n}\n", "{ a = 5; b = 2;\n\t// 0\n\t// 1\n\t// 2\n\tc = 3;\n}\n",
                "{ a = 1; b = 6;\n\t// 1\n\t// 2\n\t// 3\n\tc = 3;\n}\n",
            ],
            result: "{ a = 5; b = 6;\n\t// 0\n\t// 1\n\t// 2\n\t// 3\n\tc = 3;\n}\n"),
        PlaceCase(
            name: "in an array, between key and value, in the prolog",
            texts: [
                "// file\n{ a = (\n\tx,\n\ty\n); b = 1; }\n", "// file\n{ a = (\n\tx, // X\n\ty\n); b = 2; }\n",
                "// other\n{ a /* A */ = (\n\tw,\n\tx,\n\t// Y\n\ty\n); b = 1; }\n",
            ],
            result: "// other\n{ a /* A */ = (\n\tw,\n\tx, // X\n\t// Y\n\ty\n); b = 2; }\n"),
        PlaceCase(
            name: "only comments, on the same line",
            texts: ["/* a */\n\"a\" = \"A\";\n", "/* o */\n\"a\" = \"A\";\n", "/* t */\n\"a\" = \"A\";\n"], result: nil),
        PlaceCase(
            name: "of a deleted key",
            texts: [
                "/* a */\n\"a\" = \"A\";\n\"b\" = \"B\";\n", "\"b\" = \"B\";\n", "/* t */\n\"a\" = \"A\";\n\"b\" = \"B\";\n",
            ],
            result: nil),
        PlaceCase(
            name: "converted by theirs",
            texts: ["a = 1;\n", "// ours\na = 1;\n", PlistDocumentMergeTests.xml("<key>a</key><string>1</string>")],
            result: nil),
        PlaceCase(
            name: "digits of one side",
            texts: ["{\"a\": 0.5, \"b\": 1}", "{\"a\": 0.5, \"b\": 2}", "{\"a\": 0.98765432109876543210, \"b\": 1}"],
            result: "{\"a\": 0.98765432109876543210, \"b\": 2}"),
        PlaceCase(
            name: "digits beyond a double",
            texts: ["{\"a\": 0.98765432109876543210}", "{\"a\": 0.98765432109876543211}", "{\"a\": 0.98765432109876543212}"],
            result: nil),
        PlaceCase(
            name: "digits and another number",
            texts: ["[0.98765432109876543210]", "[0.98765432109876543211]", "[0.5]"], result: nil),
        PlaceCase(
            name: "spelling of a number",
            texts: ["{\"a\": 1.5, \"b\": 1}", "{\"a\": 1.50, \"b\": 1}", "{\"a\": 2.50, \"b\": 2}"],
            result: "{\"a\": 2.50, \"b\": 2}"),
    ]

    @Test(arguments: placeCases)
    func places(_ expected: PlaceCase) throws {
        let documents = try expected.texts.map { try PlistDocument.read(Array($0.utf8)) }
        func merged(_ resolution: Resolution?) throws -> (text: String, conflicts: [Conflict]) {
            var decisions = MergeDecisions(resolutions: resolution.map { ["1": $0] } ?? [:])
            let outcome = try PlistDocumentMerge().merge(
                base: documents[0], ours: documents[1], theirs: documents[2], &decisions)
            #expect(try PlistReader.read(outcome.bytes, accepting: [outcome.format]).value == outcome.value)
            return (String(decoding: outcome.bytes, as: UTF8.self), decisions.conflicts)
        }
        let (text, conflicts) = try merged(nil)
        var swapped = MergeDecisions()
        _ = try PlistDocumentMerge().merge(base: documents[0], ours: documents[2], theirs: documents[1], &swapped)
        #expect(swapped.conflicts == conflicts.map(\.swapped))
        if let result = expected.result {
            #expect(conflicts.isEmpty)
            #expect(text == result)
        } else {
            #expect(conflicts.count == 1)
            #expect(try merged(.ours).text == expected.texts[1])
            // The key that ours deleted is added again.
            let theirs = expected.name == "of a deleted key" ? "\"b\" = \"B\";\n/* t */\n\"a\" = \"A\";\n" : expected.texts[2]
            #expect(try merged(.theirs).text == theirs)
        }
    }

    /// Blocks of marks, as in git, have the comments of each side.
    @Test func marks() throws {
        let texts = ["/* a */\n\"a\" = \"A\";\n", "/* o */\n\"a\" = \"A\";\n", "/* t */\n\"a\" = \"A\";\n\n\"t\" = \"T\";\n"]
        let documents = try texts.map { try PlistDocument.read(Array($0.utf8)) }
        let marked = try PlistDocumentMerge().marked(
            base: documents[0], ours: documents[1], theirs: documents[2], labels: MergeLabels(ours: "ours", theirs: "theirs"))
        #expect(
            String(decoding: marked, as: UTF8.self)
                == "<<<<<<< ours\n/* o */\n=======\n/* t */\n>>>>>>> theirs\n\"a\" = \"A\";\n\n\"t\" = \"T\";\n")
    }

    /// Property lists in data merge if their changes don't conflict; else the data is a conflict.
    @Test(arguments: [PlistFormat.xml, .binary])
    func nested(_ format: PlistFormat) throws {
        func value(_ entries: PlistDictionary, depth: Int = 2) throws -> PlistValue {
            if depth == 0 { return .dictionary(entries) }
            return ["n": .data(try PlistWriter.write(value(entries, depth: depth - 1), as: format))]
        }
        let base = try value(["a": 1, "b": 1])
        let merged = try MergeRun(base, try value(["a": 2, "b": 1]), try value(["a": 1, "b": 3]))
        #expect(merged.conflicts.isEmpty)
        #expect(merged.value == (try value(["a": 2, "b": 3])))
        let open = try MergeRun(base, try value(["a": 2, "b": 1]), try value(["a": 3, "b": 3]))
        #expect(open.conflicts.map(\.pointer?.description) == ["/n"])
    }
}
