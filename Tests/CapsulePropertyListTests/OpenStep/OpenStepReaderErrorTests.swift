import CapsulePropertyList
import Testing

@Suite struct OpenStepReaderErrorTests {
    @Test(arguments: [
        ErrorCase("{ a = b }", .syntax, 1, 8), ErrorCase("{ a = b; ", .syntax, 1, 10), ErrorCase("{ a b; }", .syntax, 1, 4, "/a"),
        ErrorCase("{ a = ; }", .syntax, 1, 7, "/a"), ErrorCase("{ = b; }", .syntax, 1, 3),
        ErrorCase("{ (a) = b; }", .syntax, 1, 3),
        ErrorCase("{ <00> = b; }", .syntax, 1, 3), ErrorCase("{ a = b; ; }", .syntax, 1, 10),
        ErrorCase("{ a = b; )", .syntax, 1, 10),
        ErrorCase("{", .syntax, 1, 2), ErrorCase("{ a", .syntax, 1, 4, "/a"), ErrorCase("{ a =", .syntax, 1, 6, "/a"),
        ErrorCase("{ a = b; c }", .syntax, 1, 11, "/c"), ErrorCase("{ a : b; }", .syntax, 1, 4, "/a"),
        ErrorCase("( a b )", .syntax, 1, 4, "/1"), ErrorCase("( , )", .syntax, 1, 3, "/0"),
        ErrorCase("( a, , b )", .syntax, 1, 6, "/1"),
        ErrorCase("( a", .syntax, 1, 4, "/1"), ErrorCase("(", .syntax, 1, 2, "/0"), ErrorCase("( a; )", .syntax, 1, 4, "/1"),
        ErrorCase("( a }", .syntax, 1, 4, "/1"), ErrorCase("(a) b", .syntax, 1, 5), ErrorCase("{ a = b; } c", .syntax, 1, 12),
        ErrorCase("{ a = b; };", .syntax, 1, 11), ErrorCase("<00> a", .syntax, 1, 6), ErrorCase("a b", .syntax, 1, 3),
        ErrorCase("a = b", .syntax, 1, 6), ErrorCase("a = b\nc = d;", .syntax, 1, 6), ErrorCase("a = b; c", .syntax, 1, 9, "/c"),
        ErrorCase("a = b; c d;", .syntax, 1, 9, "/c"), ErrorCase("a = b; }", .syntax, 1, 8),
        ErrorCase("a = ;", .syntax, 1, 5, "/a"),
        ErrorCase("a = b; = c;", .syntax, 1, 8), ErrorCase("}", .syntax, 1, 1), ErrorCase("=", .syntax, 1, 1),
        ErrorCase("\"abc", .syntax, 1, 1), ErrorCase("{\n a = \"x; }", .syntax, 2, 6, "/a"), ErrorCase("'a\"", .syntax, 1, 1),
        ErrorCase("\"\\", .syntax, 1, 1), ErrorCase("\"\\\"", .syntax, 1, 1), ErrorCase("/* a", .syntax, 1, 1),
        ErrorCase("/*/", .syntax, 1, 1),
        ErrorCase("(a /* b)", .syntax, 1, 4, "/1"), ErrorCase("{ a = <0f1>; }", .invalidScalar, 1, 10, "/a"),
        ErrorCase("<0g>", .invalidScalar, 1, 2), ErrorCase("<g0>", .invalidScalar, 1, 2),
        ErrorCase("<00 /* */ 00>", .invalidScalar, 1, 5),
        ErrorCase("<0 0>", .invalidScalar, 1, 2), ErrorCase("<0f", .syntax, 1, 4), ErrorCase("(<", .syntax, 1, 3, "/0"),
        ErrorCase("(<*I5>)", .unsupported, 1, 2, "/0"),
        ErrorCase("{ a = <*D2001-01-01 00:00:00 +0000>; }", .unsupported, 1, 7, "/a"),
        ErrorCase("<[YQ==]>", .unsupported, 1, 1), ErrorCase(#"("a\400")"#, .syntax, 1, 4, "/0"),
        ErrorCase(#""\376""#, .syntax, 1, 2),
        ErrorCase(#""\377""#, .syntax, 1, 2), ErrorCase(#""\U""#, .syntax, 1, 2), ErrorCase(#""\Ux""#, .syntax, 1, 2),
        ErrorCase(#""\UD800""#, .syntax, 1, 2), ErrorCase(#""\UDE00""#, .syntax, 1, 2),
        ErrorCase(#""\UD83D\U0041""#, .syntax, 1, 2),
        ErrorCase(#""\UD83D\U""#, .syntax, 1, 2), ErrorCase(#""\UD83Dx""#, .syntax, 1, 2),
        ErrorCase("{ a = b+c; }", .syntax, 1, 8),
        ErrorCase("{ a = @x; }", .syntax, 1, 7, "/a"), ErrorCase("{ a+b = x; }", .syntax, 1, 4, "/a"),
        ErrorCase("{ é = x; }", .syntax, 1, 3),
        ErrorCase("[a]", .syntax, 1, 1), ErrorCase("# a", .syntax, 1, 1), ErrorCase("\0", .syntax, 1, 1),
        ErrorCase("{ \"a/b\" = ( x, { c = ?; } ); }", .syntax, 1, 22, "/a~1b/1/c"),
    ])
    func namesThePlace(_ expected: ErrorCase) {
        expected.check(failure { () throws(PlistError) in try readOpenStep(expected.document) })
    }

    @Test(arguments: [
        ("{ a = b+c; }", "quote strings with characters other than letters, digits and _ $ / : . -"),
        ("{ a = é; }", "quote strings with characters other than letters, digits and _ $ / : . -"),
        ("{ a = [b]; }", "write an array as (a, b)"),
        ("{ a = <*I5>; }", "OpenStep property lists have strings and data only; write a string, or save the file as XML"),
        ("{ a = \"\\401\"; }", "write \\U and four hexadecimal digits"), ("{ a = b }", nil),
    ])
    func knowsWhatWasMeant(_ document: String, _ hint: String?) {
        #expect(failure { () throws(PlistError) in try readOpenStep(document) }?.hint == hint)
    }

    @Test(arguments: ["(\"X\")", "(/*X*/)", "(//X\n)", "('X')", "(X)"])
    func invalidTextIsAnErrorAtItsPlace(_ document: String) {
        let bytes = document.utf8.flatMap { $0 == UInt8(ascii: "X") ? [0xC3, 0xA9, 0xC0] : [$0] }
        let error = failure { () throws(PlistError) in try PlistReader.read(bytes, accepting: [.openStep]) }
        let isString = document == "(X)"
        #expect(error?.code == (isString ? .syntax : .encoding))
        let column = document.prefix { $0 != "X" }.utf8.count + (isString ? 1 : 2)
        #expect(error?.location == .text(line: 1, column: column))
    }

    /// If the second byte is NUL, the same text would be detected as UTF-16.
    @Test(arguments: [("(a, \"\0\")", 6), ("(a /* \0 */)", 7), ("(a) // \0", 8)])
    func aNULIsAnError(_ document: String, _ column: Int) throws {
        let error = readingError(Array(document.utf8), accepting: [.openStep])
        #expect(error?.code == .syntax)
        #expect(error?.location == .text(line: 1, column: column))
        #expect(try readOpenStep("(\"\\000\", \"\\U0000\")") == ["\0", "\0"])
    }

    @Test func aKeyThatComesTwiceIsAnErrorWithBothPlaces() {
        let error = readingError(Array("{ x = { a = 1;\n  \"\\141\" = 2; }; }".utf8))
        #expect(error?.code == .duplicateKey)
        #expect(error?.location == .text(line: 2, column: 3))
        #expect(error?.related == .text(line: 1, column: 9))
        #expect(error?.pointer == "/x/a")
    }

    @Test(arguments: [513, 100_000, 3_000_000], ["(", "{a="])
    func deepNestingIsAnErrorInBoundedTime(_ depth: Int, _ bracket: String) {
        let bytes = Array(String(repeating: bracket, count: depth).utf8)
        let error = failure { () throws(PlistError) in try PlistReader.read(bytes, accepting: [.openStep]) }
        #expect(error?.code == .limitExceeded)
        #expect(error?.location == .text(line: 1, column: 512 * bracket.utf8.count + 1))
        #expect(readingError(bytes) != nil)
    }
}
