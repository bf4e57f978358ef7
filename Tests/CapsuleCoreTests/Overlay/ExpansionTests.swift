import CapsulePropertyList
import TestSupport
import Testing

@testable import CapsuleCore
@testable import CapsuleOverlay

@Suite struct ExpansionTests {
    private static let expansion = Expansion(values: [
        "NAME": "Gif View", "EMPTY": "", "FRAMEWORK": "/tmp/Products/Anything.framework",
        "FILE": "Some File.txt", "WORD": "This", "ABSOLUTE": "//foo/./bar/", "RELATIVE": "foo/../bar/./baz/", "YES_": "YES",
        "X": "X", "Y": "Y", "Z": "Z", "XYZ": "(xyz)", "A_X": "ax", "CONFIGURATION": "Debug",
        "SETTING_YES": "true", "SETTING_NO": "false", "MODULE": "$(NAME:c99extidentifier)", "DELEGATE": "$(MODULE).SceneDelegate",
        "ID": "com.x.$(NAME:rfc1034identifier)", "MONEY": "$$5",
        "ROOT": "/", "HIDDEN": "/a/.profile", "UMLAUT": "ÜTF-8",
        "DIGITS": "12 3", "NFD": "U\u{308} 2", "SHARP": "Straße",
        "BRACE": "a}b", "PAREN": "a)b", "OPTIONAL": "${EMPTY:default=${WORD}}",
    ])

    /// The tests of swift-build and, if there is no test, the lines of its source.
    private static let tests = "MacroEvaluationTests.swift"
    private static let parsing = "MacroExpressionParsing.swift"
    private static let program = "MacroEvaluationProgram.swift"
    private static let ours = "docs/overlay.md, section 5"

    /// Names that no reference can have: using one in a definition or a condition is an error.
    @Test(
        arguments: [
            ("CONFIGURATION ", " Debug", "without spaces"), (" A", nil, "without spaces"), ("A B", "", "without spaces"),
            ("A\u{A0}", "x", "without spaces"), ("CONFIGURATION", "=Debug", "'CONFIGURATION=Debug'"), ("A", "==", "'A='"),
            ("A:upper", "x", "letters"), ("$(A)", "x", "letters"), ("A}", nil, "letters"), ("", "x", "NAME"),
        ] as [(String, String?, String)])
    func aNameThatNoReferenceCanHaveIsRefused(_ name: String, _ value: String?, _ hint: String) {
        let error = #expect(throws: OverlayError.self) { try SettingName.check(name, value: value) }
        #expect(error?.code == .invalid && error?.hint?.contains(hint) == true, "\(error?.hint ?? "")")
    }

    @Test(arguments: ["CONFIGURATION", "_x1", "com.example.app", "A-B", "ÄÖ"])
    func aNameThatAReferenceCanHaveIsTaken(_ name: String) throws {
        try SettingName.check(name, value: "a=b")
        let condition = try Condition(argument: name + "=a=b")
        #expect(condition == Condition(name, .isAny(["a=b"])))
    }

    /// `$(NAME)` in a key stays as it is, with a note.
    @Test func aNameInAKeyIsTold() throws {
        let overlay = Overlay(
            form: .plain, targets: [Overlay.Target(merge: ["a": [["$(KEY)": "$(X)"]], "${B}": 1, "$C": 2])])
        let result = try overlay.applied(to: [:], in: OverlayContext(values: ["X": "x"], expands: true))
        #expect(result.value == ["a": [["$(KEY)": "x"]], "${B}": 1, "$C": 2])
        #expect(
            result.notes.filter { $0.message.contains("is not expanded") }.map { $0.target?.description }
                == ["/${B}", "/a/0/$(KEY)"])
        #expect(try overlay.applied(to: [:]).notes.allSatisfy { !$0.message.contains("is not expanded") })
    }

    @Test(
        arguments: [
            ("$(NAME)", "Gif View", tests), ("${NAME}", "Gif View", parsing), ("a $(X)$(Y) b", "a XY b", tests),
            ("$(EMPTY)", "", tests), ("$($(X)$(Y)$(Z))", "(xyz)", tests), ("$(A_$(X))", "ax", tests),
            ("${A_$(X)}", "ax", parsing),
            ("$(A_${X})", "ax", parsing), ("$(DELEGATE)", "Gif_View.SceneDelegate", tests), ("$(ID)", "com.x.Gif-View", tests),
            ("$(FILE:identifier)", "Some_File_txt", tests), ("$(FILE:rfc1034identifier)", "Some-File-txt", tests),
            ("$(DIGITS:identifier)", "_2_3", "Foundation+Additions"),
            ("$(DIGITS:rfc1034identifier)", "-2-3", "asIdentifierOfType"),
            ("$(NFD:rfc1034identifier)", "--2", "asIdentifierOfType"),
            ("$(DIGITS:c99extidentifier)", "_2_3", tests), ("$(EMPTY:c99extidentifier)", "", tests),
            ("$(FRAMEWORK:dir)", "/tmp/Products/", tests), ("$(WORD:dir)", "./", tests), ("$(ROOT:dir)", "/", program),
            ("$(FRAMEWORK:file)", "Anything.framework", tests), ("$(FRAMEWORK:base)", "Anything", tests),
            ("$(FRAMEWORK:suffix)", ".framework", tests), ("$(WORD:suffix)", "", program), ("$(HIDDEN:base)", "", "Path.swift"),
            ("$(HIDDEN:suffix)", ".profile", "Path.swift"), ("$(ABSOLUTE:standardizepath)", "/foo/bar", tests),
            ("$(RELATIVE:standardizepath)", "foo/../bar/baz", tests), ("$(ROOT:standardizepath)", "/", "Path.swift"),
            ("$(WORD:upper)", "THIS", tests), ("$(WORD:lower)", "this", tests),
            ("$(SHARP:upper)", "STRASSE", "String.uppercased"),
            ("macos$(UNSET:default=10.15)", "macos10.15", tests), ("$(EMPTY:default=10.15)", "10.15", tests),
            ("$(WORD:default=10.15)", "This", tests), ("$(UNSET:default=$(EMPTY:default=10.10))", "10.10", tests),
            ("$(SETTING_$(UNSET:default=NO))", "false", tests), ("$(SETTING_$(YES_:default=NO))", "true", tests),
            ("$(UNSET:default=)", "", program), ("$(UNSET:upper:default=a)", "a", "applyToEmptyResult"),
            ("$(UNSET:default=a:upper)", "A", program), ("$(OPTIONAL)", "This", program),
            ("$(NAME:base:lower:rfc1034identifier)", "gif-view", "codeworkshop.net, build setting transformations"),
            ("$$(NAME)", "$(NAME)", parsing), ("$$$(X)", "$X", parsing), ("$$", "$", parsing), ("$$$$", "$$", parsing),
            ("$(MONEY)", "$5", parsing), ("$(UNSET:default=$$1)", "$1", parsing), ("a$", "a$", "trailingDollarSign"),
            ("$ 5", "$ 5", parsing), ("$(UNSET:default=$)", "$", parsing), ("$(BRACE)", "a}b", parsing),
            ("${PAREN}", "a)b", parsing),
            ("$(UNSET:default=a}b)", "a}b", parsing), ("${UNSET:default=a)b}", "a)b", parsing),
            ("$(UNSET:default=(a)", "(a", parsing),
            ("$(UNSET:default=a=b)", "a=b", parsing), ("$NAME", "$NAME", ours), ("$[NAME]", "$[NAME]", ours),
            ("$-1", "$-1", parsing),
            ("$(WORD:default=$(UNSET))", "This", ours), ("日本 $(WORD) é", "日本 This é", parsing),
            ("Library/Preferences/com.x.$(CONFIGURATION:lower).plist", "Library/Preferences/com.x.debug.plist", ours),
        ] as [(String, String, String)])
    func expands(text: String, expected: String, source: String) throws {
        let expanded = try Self.expansion.expand(text)
        #expect(Array(expanded.utf8) == Array(expected.utf8), "\(text): \(expanded), not \(expected) (\(source))")
    }

    /// Otherwise a misspelled name would become an empty string in an Info.plist.
    @Test(
        arguments: [
            ("$(UNSET)", "'UNSET' has no value"), ("a$(UNSET:lower)b", "'UNSET' has no value"),
            ("$(A_$(Y))", "'A_Y' has no value"), ("$(EMPTY:default=$(UNSET))", "'UNSET' has no value"),
            ("$(VIA)", "'MISSING' has no value (used by the value of 'VIA')"),
            ("$(inherited)", "'inherited' has no value"), ("$( WORD)", "' WORD' has no value"),
            ("$(word)", "'word' has no value"),
            ("$($(EMPTY))", "the name in '$($(EMPTY))' is empty"),
        ] as [(String, String)])
    func namesWithoutAValue(text: String, message: String) throws {
        let place = try PlistPointer("/CFBundleName")
        var values = Self.expansion.values
        values["VIA"] = "$(MISSING)"
        let error = try #require(throws: OverlayError.self) { try Expansion(values: values).expand(text, at: place) }
        #expect(error.code == .undefined)
        #expect(error.message == message)
        #expect(error.target == place)
    }

    @Test(
        arguments: [
            ("$(", "'$(' is not closed in '$('"), ("a $(NAME b", "'$(' is not closed in '$(NAME b'"),
            ("${NAME)", "'${' is not closed in '${NAME)'"), ("$(NAME:", "'$(' is not closed in '$(NAME:'"),
            ("$(NAME:lower", "'$(' is not closed in '$(NAME:lower'"),
            ("$(NAME:default=x", "'$(' is not closed in '$(NAME:default=x'"),
            ("$(A_$(X)", "'$(' is not closed in '$(A_$(X)'"), ("$()", "no name in '$()'"),
            ("$(:lower)", "no name in '$(:'"), ("$(NAME:)", "unknown operator '' in '$(NAME:'"),
            ("$(NAME:rot13)", "unknown operator 'rot13' in '$(NAME:rot13'"),
            ("$(NAME:Lower)", "unknown operator 'Lower' in '$(NAME:Lower'"),
            ("$(NAME:abs)", "unknown operator 'abs' in '$(NAME:abs'"),
            ("$(NAME:lower=x)", "the operator 'lower' in '$(NAME:lower' takes no argument"),
            ("$(NAME:default)", "the operator 'default' in '$(NAME:default' needs an argument: 'default=…'"),
            ("$(UNSET:default=http://x)", "unknown operator '//x' in '$(UNSET:default=http://x'"),
            ("$(ONE)", "the value of 'ONE' refers to itself: 'ONE', 'TWO', 'ONE'"),
            ("$(SELF:default=x)", "the value of 'SELF' refers to itself: 'SELF', 'SELF'"),
            ("$(NAME:dir=x)", "the operator 'dir' in '$(NAME:dir' takes no argument"),
            ("$(NAME:quote)", "unknown operator 'quote' in '$(NAME:quote'"),
            ("$(UMLAUT:c99extidentifier)", "'c99extidentifier' needs an ASCII value, not 'ÜTF-8'"),
            ("$(BROKEN)", "in the value of 'BROKEN': '$(' is not closed in '$(NAME'"),
        ] as [(String, String)])
    func isMisspelled(text: String, message: String) throws {
        let place = try PlistPointer("/A/0")
        var values = Self.expansion.values
        values["ONE"] = "1$(TWO)"
        values["TWO"] = "2${ONE}"
        values["SELF"] = "$(SELF)"
        values["BROKEN"] = "$(NAME"
        let error = try #require(throws: OverlayError.self) { try Expansion(values: values).expand(text, at: place) }
        #expect(error.code == .invalid)
        #expect(error.message == message)
        #expect(error.target == place)
    }

    @Test func valuesThatDoubleEnd() throws {
        var values = ["V0": ""]
        for number in 1...64 { values["V\(number)"] = "$(V\(number - 1))$(V\(number - 1))" }
        let error = try #require(throws: OverlayError.self) { try Expansion(values: values).expand("$(V64)") }
        #expect(error.code == .limit)
    }

    @Test func depthIsBounded() throws {
        let nested = { (depth: Int) in
            String(repeating: "$(U:default=", count: depth) + "x" + String(repeating: ")", count: depth)
        }
        #expect(try Self.expansion.expand(nested(90)) == "x")
        for depth in [102, 100_000] {
            let error = try #require(throws: OverlayError.self) { try Self.expansion.expand(nested(depth)) }
            #expect(error.code == .limit)
        }
        var chain = ["V0": "x"]
        for number in 1...1_000 { chain["V\(number)"] = "$(V\(number - 1))" }
        let expansion = Expansion(values: chain)
        #expect(try expansion.expand("$(V90)") == "x")
        let error = try #require(throws: OverlayError.self) { try expansion.expand("$(V1000)") }
        #expect(error.code == .limit)
    }

    @Test(arguments: SeededGenerator.seeds)
    func textWithoutNamesStays(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<500 {
            let pieces = ["a", "(", ")", "{", "}", ":", "=", "default=", "é", "e\u{301}", "\0", " ", "\\", "日本", "😀"]
            let text = (0..<random.number(0...12)).map { _ in random.pick(pieces) }.joined()
            #expect(Array(try Self.expansion.expand(text).utf8) == Array(text.utf8))
        }
    }

    /// Any text with `$` gives an error or a text and never traps, and an escaped text expands to itself.
    @Test(arguments: SeededGenerator.seeds)
    func anyTextEnds(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<5_000 {
            let pieces = ["$", "$(", "${", ")", "}", ":", "=", "NAME", "EMPTY", "U", "default", "lower", "dir", "suffix", "é"]
            let text = (0..<random.number(0...12)).map { _ in random.pick(pieces) }.joined()
            _ = try? Self.expansion.expand(text)
            let escaped = text.split(separator: "$", omittingEmptySubsequences: false).joined(separator: "$$")
            #expect(try Self.expansion.expand(escaped) == text)
        }
    }
}
