import CapsulePropertyList
import Testing

@testable import CapsuleCore
@testable import CapsuleMerge
@testable import CapsuleOverlay

@Suite struct TextMergeTests {
    struct Case: CustomTestStringConvertible, Sendable {
        let name: String
        let base: String?
        let ours: String
        let theirs: String
        /// The merged text, with ours in open conflicts.
        let result: String
        var conflicts: [Range<Int>] = []
        /// The values of the first conflict.
        var values: [String?] = []
        var marked: String?
        var testDescription: String { name }
    }

    static func content(_ text: String) throws -> TextContent { try TextContent(Array(text.utf8)) }

    private static let cases: [Case] = [
        Case(name: "theirs alone", base: "a\nb\n", ours: "a\nb\n", theirs: "a\nc\n", result: "a\nc\n"),
        Case(name: "ours alone", base: "a\nb\n", ours: "a\nc\n", theirs: "a\nb\n", result: "a\nc\n"),
        Case(name: "both the same", base: "a\nb\n", ours: "a\nc\n", theirs: "a\nc\n", result: "a\nc\n"),
        Case(name: "apart", base: "a\nb\nc\n", ours: "A\nb\nc\n", theirs: "a\nb\nC\n", result: "A\nb\nC\n"),
        Case(
            name: "touching", base: "a\nb\n", ours: "A\nb\n", theirs: "a\nB\n", result: "A\nb\n", conflicts: [0..<2],
            values: ["a\nb\n", "A\nb\n", "a\nB\n"], marked: "<<<<<<< O\nA\nb\n=======\na\nB\n>>>>>>> T\n"),
        Case(
            name: "one gap", base: "a\nb\n", ours: "a\n1\nb\n", theirs: "a\n2\nb\n", result: "a\n1\nb\n", conflicts: [1..<1],
            values: ["", "1\n", "2\n"], marked: "a\n<<<<<<< O\n1\n=======\n2\n>>>>>>> T\nb\n"),
        Case(
            name: "deleted and changed", base: "a\nb\nc\n", ours: "a\nc\n", theirs: "a\nB\nc\n", result: "a\nc\n",
            conflicts: [1..<2], values: ["b\n", "", "B\n"], marked: "a\n<<<<<<< O\n=======\nB\n>>>>>>> T\nc\n"),
        Case(
            name: "two", base: "a\nb\nc\n", ours: "1\nb\n2\n", theirs: "3\nb\n4\n", result: "1\nb\n2\n",
            conflicts: [0..<1, 2..<3], values: ["a\n", "1\n", "3\n"],
            marked: "<<<<<<< O\n1\n=======\n3\n>>>>>>> T\nb\n<<<<<<< O\n2\n=======\n4\n>>>>>>> T\n"),
        Case(name: "carriage returns on one side", base: "a\nb\n", ours: "a\r\nb\r\n", theirs: "a\nb\n", result: "a\r\nb\r\n"),
        Case(
            name: "carriage returns against an edit", base: "a\n", ours: "a\r\n", theirs: "b\n", result: "a\r\n",
            conflicts: [0..<1], values: ["a\n", "a\r\n", "b\n"], marked: "<<<<<<< O\na\r\n=======\nb\n>>>>>>> T\n"),
        Case(
            name: "carriage returns throughout", base: "a\r\nb\r\n", ours: "a\r\n1\r\n", theirs: "a\r\n2\r\n",
            result: "a\r\n1\r\n", conflicts: [1..<2], values: ["b\r\n", "1\r\n", "2\r\n"],
            marked: "a\r\n<<<<<<< O\r\n1\r\n=======\r\n2\r\n>>>>>>> T\r\n"),
        Case(
            name: "carriage returns, both added", base: nil, ours: "1\r\n", theirs: "2\r\n", result: "1\r\n",
            conflicts: [0..<0], values: [nil, "1\r\n", "2\r\n"],
            marked: "<<<<<<< O\r\n1\r\n=======\r\n2\r\n>>>>>>> T\r\n"),
        Case(name: "newline taken away", base: "a\nb\nc\n", ours: "a\nb\nc", theirs: "A\nb\nc\n", result: "A\nb\nc"),
        Case(name: "newline added", base: "a\nb\nc", ours: "a\nb\nc\n", theirs: "A\nb\nc", result: "A\nb\nc\n"),
        Case(
            name: "no newline and more lines", base: "a\nb", ours: "a\nb\nc", theirs: "a\nB", result: "a\nb\nc",
            conflicts: [1..<2], values: ["b", "b\nc", "B"], marked: "a\n<<<<<<< O\nb\nc\n=======\nB\n>>>>>>> T\n"),
        Case(name: "all deleted", base: "a\n", ours: "", theirs: "a\n", result: ""),
        Case(name: "from nothing", base: "", ours: "a\n", theirs: "", result: "a\n"),
        Case(
            name: "both added, common ends", base: nil, ours: "a\n1\nz\n", theirs: "a\n2\nz\n", result: "a\n1\nz\n",
            conflicts: [0..<0], values: [nil, "1\n", "2\n"], marked: "a\n<<<<<<< O\n1\n=======\n2\n>>>>>>> T\nz\n"),
        Case(
            name: "both added, one within the other", base: nil, ours: "a\na\n", theirs: "a\na\na\n", result: "a\na\n",
            conflicts: [0..<0], values: [nil, "", "a\n"], marked: "a\na\n<<<<<<< O\n=======\na\n>>>>>>> T\n"),
        Case(name: "both added the same", base: nil, ours: "a\nb", theirs: "a\nb", result: "a\nb"),
        Case(
            name: "both added, one empty", base: nil, ours: "", theirs: "a", result: "", conflicts: [0..<0],
            values: [nil, "", "a"],
            marked: "<<<<<<< O\n=======\na\n>>>>>>> T\n"),
    ]

    @Test(arguments: cases)
    func merges(_ expected: Case) throws {
        let path = try RelativePath(validating: Array("a.txt".utf8))
        var merge = TextMerge(
            base: try expected.base.map { try Self.content($0) }, ours: try Self.content(expected.ours),
            theirs: try Self.content(expected.theirs), path: path)
        var decisions = MergeDecisions()
        let bytes = merge.merge(&decisions)
        #expect(String(decoding: bytes, as: UTF8.self) == expected.result)
        #expect(merge.isClean == expected.conflicts.isEmpty)
        #expect(decisions.conflicts.map(\.range) == expected.conflicts)
        #expect(decisions.openCount == expected.conflicts.count)
        let marked = merge.marked(ours: "O", base: nil, theirs: "T")
        #expect(String(decoding: marked, as: UTF8.self) == expected.marked ?? expected.result)
        if let first = decisions.conflicts.first {
            #expect(first.kind == .text)
            #expect(first.path == path)
            #expect(first.reason == (expected.base == nil ? "both added" : "edits overlap"))
            #expect([first.base, first.ours, first.theirs].map { $0?.string?.string } == expected.values)
        }
    }

    // MARK: Decisions

    struct Decision: CustomTestStringConvertible, Sendable {
        let resolution: Resolution
        let result: String
        var isOpen = false
        var testDescription: String { "\(resolution) gives \(result)" }
    }

    @Test(arguments: [
        Decision(resolution: .ours, result: "a\nours\nz\n"),
        Decision(resolution: .theirs, result: "a\ntheirs\nz\n"),
        Decision(resolution: .base, result: "a\nbase\nz\n"),
        Decision(resolution: .absent, result: "a\nz\n"),
        Decision(resolution: .value("mine\nand yours\n"), result: "a\nmine\nand yours\nz\n"),
        Decision(resolution: .value("no newline"), result: "a\nno newline\nz\n"),
        Decision(resolution: .value(""), result: "a\nz\n"),
        Decision(resolution: .value(3), result: "a\nours\nz\n", isOpen: true),
        Decision(resolution: .value(["mine"]), result: "a\nours\nz\n", isOpen: true),
    ])
    func takes(_ decision: Decision) throws {
        for newline in ["\n", "\r\n"] {
            func text(_ text: String) -> String {
                text.split(separator: "\n", omittingEmptySubsequences: false).joined(separator: newline)
            }
            var merge = TextMerge(
                base: try Self.content(text("a\nbase\nz\n")), ours: try Self.content(text("a\nours\nz\n")),
                theirs: try Self.content(text("a\ntheirs\nz\n")))
            var resolution = decision.resolution
            if case .value(.string(let value)) = resolution { resolution = .value(.string(PlistString(text(value.string)))) }
            var decisions = MergeDecisions(resolutions: ["1": resolution])
            let bytes = merge.merge(&decisions)
            #expect(String(decoding: bytes, as: UTF8.self).utf8.elementsEqual(text(decision.result).utf8))
            #expect(merge.isClean == !decision.isOpen)
            #expect(decisions.openCount == (decision.isOpen ? 1 : 0))
            #expect(decisions.unfitNumbers == (decision.isOpen ? ["1"] : []))
            let marked = merge.marked(ours: "O", base: nil, theirs: "T")
            #expect((marked == bytes) == !decision.isOpen)
        }
    }

    /// A decided conflict has no marks beside an open one. Each is on lines of its own.
    @Test func takesOneOfTwo() throws {
        var merge = TextMerge(
            base: try Self.content("a\nb\nc\n"), ours: try Self.content("1\nb\n2\n"), theirs: try Self.content("3\nb\n4\n"))
        var decisions = MergeDecisions(resolutions: ["2": .value("last")])
        #expect(String(decoding: merge.merge(&decisions), as: UTF8.self) == "1\nb\nlast")
        #expect(!merge.isClean)
        #expect(
            String(decoding: merge.marked(ours: "O", base: "B", theirs: "T"), as: UTF8.self)
                == "<<<<<<< O\n1\n||||||| B\na\n=======\n3\n>>>>>>> T\nb\nlast")
        var first = MergeDecisions(resolutions: ["1": .value("first")])
        #expect(String(decoding: merge.merge(&first), as: UTF8.self) == "first\nb\n2\n")
        #expect(
            String(decoding: merge.marked(size: 3, ours: "", base: nil, theirs: "T\nX"), as: UTF8.self)
                == "first\nb\n<<<\n2\n===\n4\n>>> T\n")
    }

    @Test func prefers() throws {
        var merge = TextMerge(base: try Self.content("a"), ours: try Self.content("b"), theirs: try Self.content("c"))
        var decisions = MergeDecisions(preferences: [MergePreference(.theirs, text: "theirs")])
        #expect(merge.merge(&decisions) == Array("c".utf8))
        #expect(merge.isClean)
        #expect(decisions.conflicts.map(\.decidedBy) == ["theirs"])
    }

    @Test(arguments: [(-3, 1), (0, 1), (1, 1), (7, 7), (30, 30), (4096, 4096), (.max, 4096)])
    func sizes(_ size: Int, _ written: Int) throws {
        let merge = TextMerge(base: try Self.content("a"), ours: try Self.content("b"), theirs: try Self.content("c"))
        func mark(_ character: Character) -> String { String(repeating: character, count: written) }
        #expect(
            String(decoding: merge.marked(size: size, ours: "O", base: "", theirs: "T"), as: UTF8.self)
                == "\(mark("<")) O\nb\n\(mark("|"))\na\n\(mark("="))\nc\n\(mark(">")) T\n")
    }

    // MARK: Encodings

    struct EncodingCase: CustomTestStringConvertible, Sendable {
        let base: String?
        let ours: String
        let theirs: String
        /// The names in a conflict; nil if the result is clean and has the encoding `result`.
        var names: [String?]?
        let result: String
        var resolution: Resolution?
        var testDescription: String { "\(base ?? "-") \(ours) \(theirs) \(resolution.map { "\($0)" } ?? "")" }
    }

    private static func bytes(_ text: String, _ encoding: String) -> [UInt8] {
        let text = (encoding.hasSuffix("-bom") ? "\u{FEFF}" : "") + text
        if encoding.hasPrefix("utf-8") { return Array(text.utf8) }
        return text.utf16.flatMap { unit -> [UInt8] in
            let (upper, lower) = (UInt8(unit >> 8), UInt8(unit & 0xFF))
            return encoding.hasPrefix("utf-16be") ? [upper, lower] : [lower, upper]
        }
    }

    private static let encodingCases: [EncodingCase] = [
        EncodingCase(base: "utf-8", ours: "utf-8", theirs: "utf-16le-bom", result: "utf-16le-bom"),
        EncodingCase(base: "utf-8", ours: "utf-8-bom", theirs: "utf-8", result: "utf-8-bom"),
        EncodingCase(base: "utf-16le", ours: "utf-8", theirs: "utf-8", result: "utf-8"),
        EncodingCase(base: "utf-16be", ours: "utf-16be", theirs: "utf-16be", result: "utf-16be"),
        EncodingCase(
            base: "utf-8", ours: "utf-8-bom", theirs: "utf-16le", names: ["utf-8", "utf-8-bom", "utf-16le"], result: "utf-8-bom"),
        EncodingCase(
            base: "utf-8", ours: "utf-16be-bom", theirs: "utf-16le", names: ["utf-8", "utf-16be", "utf-16le"],
            result: "utf-16le", resolution: .theirs),
        EncodingCase(
            base: "utf-8", ours: "utf-16be-bom", theirs: "utf-16be", names: ["utf-8", "utf-16be-bom", "utf-16be"],
            result: "utf-8", resolution: .base),
        EncodingCase(
            base: "utf-8", ours: "utf-16be-bom", theirs: "utf-16be", names: ["utf-8", "utf-16be-bom", "utf-16be"],
            result: "utf-16be", resolution: .value("utf-16be")),
        EncodingCase(base: nil, ours: "utf-8", theirs: "utf-8-bom", names: [nil, "utf-8", "utf-8-bom"], result: "utf-8"),
    ]

    @Test(arguments: encodingCases)
    func encodings(_ expected: EncodingCase) throws {
        let (base, ours, theirs) = ("line one é\nb\nc🙂\n", "line ONE é\nb\nc🙂\n", "line one é\nb\nC🙂\n")
        let merged = expected.base == nil ? ours : "line ONE é\nb\nC🙂\n"
        var merge = TextMerge(
            base: try expected.base.map { try TextContent(Self.bytes(base, $0)) },
            ours: try TextContent(Self.bytes(ours, expected.ours)),
            theirs: try TextContent(Self.bytes(expected.base == nil ? ours : theirs, expected.theirs)))
        var decisions = MergeDecisions(resolutions: expected.resolution.map { ["1": $0] } ?? [:])
        #expect(merge.merge(&decisions) == Self.bytes(merged, expected.result))
        #expect(merge.marked(ours: "O", base: nil, theirs: "T") == Self.bytes(merged, expected.result))
        #expect(merge.isClean == (expected.names == nil || expected.resolution != nil))
        #expect(decisions.conflicts.count == (expected.names == nil ? 0 : 1))
        if let conflict = decisions.conflicts.first {
            #expect(conflict.kind == .encoding)
            #expect([conflict.base, conflict.ours, conflict.theirs].map { $0?.string?.string } == expected.names)
        }
    }

    @Test(arguments: [Resolution.absent, .base, .value("latin-1"), .value(8)])
    func unfitEncodings(_ resolution: Resolution) throws {
        var merge = TextMerge(
            base: nil, ours: try TextContent(Self.bytes("a\n", "utf-8")), theirs: try TextContent(Self.bytes("a\n", "utf-8-bom")))
        var decisions = MergeDecisions(resolutions: ["1": resolution])
        #expect(merge.merge(&decisions) == Self.bytes("a\n", "utf-8"))
        #expect(!merge.isClean)
        #expect(decisions.unfitNumbers == ["1"])
        #expect(decisions.openCount == 1)
    }

    /// Marks have the encoding of the text.
    @Test func marksInUTF16() throws {
        let texts = ["a\n1é\n", "a\n2é\n", "a\n3é\n"].map { Self.bytes($0, "utf-16be-bom") }
        let merge = TextMerge(base: try TextContent(texts[0]), ours: try TextContent(texts[1]), theirs: try TextContent(texts[2]))
        #expect(
            merge.marked(ours: "ä", base: "b", theirs: "c")
                == Self.bytes("a\n<<<<<<< ä\n2é\n||||||| b\n1é\n=======\n3é\n>>>>>>> c\n", "utf-16be-bom"))
    }
}
