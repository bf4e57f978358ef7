import CapsulePropertyList
import TestSupport
import Testing

@testable import CapsuleCore

@Suite struct SecretMatcherTests {
    private func matches(_ values: [SecretMatcher.Value], in text: String) -> [String] {
        let bytes = Array(text.utf8)
        let found = bytes.withUnsafeBytes { SecretMatcher(values).matches(in: $0) }
        return found.map { "\($0.value):" + String(decoding: bytes[$0.range], as: UTF8.self) }
    }

    private func text(_ value: String, ignoresCase: Bool = false) -> SecretMatcher.Value {
        SecretMatcher.Value(Array(value.utf8), isText: true, ignoresCase: ignoresCase)
    }

    @Test func overlapsAreOneMatch() {
        let values = [text("abcdefgh"), text("efghijklmnop"), text("abcdefghijkl")]
        #expect(matches(values, in: "xabcdefghijklmnopx abcdefgh") == ["2:abcdefghijklmnop", "0:abcdefgh"])
        #expect(matches(values, in: "abcdefg efghijklmno") == [])
        #expect(matches([], in: "abcdefgh") == [])
    }

    @Test func caseMattersUnlessItIsIgnored() {
        #expect(matches([text("Abcdefgh")], in: "ABCDEFGH Abcdefgh") == ["0:Abcdefgh"])
        #expect(matches([text("Abcdefgh", ignoresCase: true)], in: "ABCDEFGH abcdefgH") == ["0:ABCDEFGH", "0:abcdefgH"])
        let variants = Redaction.values(for: Array("Grüße-Øtter".utf8))
        #expect(matches(variants, in: "GRÜßE-ØTTER grüße-øtter Grüße-Øtter").count == 2)
    }

    @Test func shortTextsAreFoundOnlyAsTheyAre() {
        #expect(matches([text("otter", ignoresCase: true)], in: "Otter b3R0ZXI= 6f74746572 o%74ter") == ["0:Otter"])
        #expect(matches([text("ab")], in: "ab") == ["0:ab"])
        #expect(matches([text("ab"), text("abcdefgh")], in: "abcdefgh") == ["1:abcdefgh"])
    }

    /// A number of JSON stays a number. Other digits, such as an identifier on each line of a long list, are replaced as texts are.
    @Test func numbersOfJSON() {
        func redacted(_ text: String) -> String? {
            Redaction([Array("8374625199".utf8)], []).text(Array(text.utf8)).map { String(decoding: $0, as: UTF8.self) }
        }
        #expect(redacted("{\"a\": 8374625199 , \"b\":[-8374625199.25,18374625199]}") == "{\"a\": 0 , \"b\":[-0.25,11]}")
        #expect(redacted("{\"a\": \"8374625199\"} tel 8374625199") == "{\"a\": \"redacted-1\"} tel redacted-1")
        let blanks = String(repeating: " ", count: 1_000)
        #expect(redacted("[\(blanks)8374625199]") == "[\(blanks)redacted-1]")
        let lines = redacted(String(repeating: "8374625199\n", count: 4_000))
        #expect(lines == String(repeating: "redacted-1\n", count: 4_000))
    }

    /// The search agrees with a naive one, whatever the values share.
    @Test func itFindsWhatANaiveSearchFinds() {
        var generator = SeededGenerator(seed: 7)
        for round in 0..<200 {
            let letters = Array((round % 2 == 0 ? "ab" : "abcdefgh").utf8)
            func word(_ range: ClosedRange<Int>) -> [UInt8] {
                (0..<Int.random(in: range, using: &generator)).map { _ in letters.randomElement(using: &generator) ?? 0 }
            }
            let values = (0..<20).map { _ in word(8...12) }
            let haystack = word(0...300) + (values.randomElement(using: &generator) ?? [])
            let matcher = SecretMatcher(values.map { SecretMatcher.Value($0, isText: false) })
            let covered = haystack.withUnsafeBytes { Set(matcher.matches(in: $0).flatMap { Array($0.range) }) }
            var expected: Set<Int> = []
            for value in values {
                for place in haystack.indices where haystack[place...].starts(with: value) {
                    expected.formUnion(place..<place + value.count)
                }
            }
            #expect(covered == expected, "round \(round)")
        }
    }

    @Test func tenThousandTokensThatBeginAlike() {
        let values = (0..<10_000).map { text("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.\($0)abcdefgh") }
        let found = matches(
            values,
            in: (0..<10_000).map { "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.\($0)abcdefgh" }.joined(separator: " "))
        #expect(found.count == 10_000)
    }
}

@Suite struct RedactionTests {
    private func redaction(_ texts: [String], _ found: [FoundSecret] = []) -> (Redaction, FileSecrets) {
        var file = FileSecrets()
        for secret in found { file.add(secret) }
        return (Redaction(texts.map { Array($0.utf8) }, [file]), file)
    }

    private func whole(_ text: String) -> FoundSecret { .text(Array(text.utf8), [0..<text.utf8.count]) }

    @Test func theSameTextHasTheSameNumber() throws {
        let (redaction, file) = redaction(["otter@example.com"], [whole("first-secret"), whole("second-secret"), whole("4711")])
        func text(_ text: String) -> String? { redaction.text(Array(text.utf8)).map { String(decoding: $0, as: UTF8.self) } }
        #expect(text("a first-secret b second-secret first-secret") == "a redacted-2 b redacted-3 redacted-2")
        #expect(text("mailto:OTTER%40example.com?x") == "mailto:redacted-1?x")
        #expect(text("nothing, not 4711 either") == nil)
        #expect(redaction.text(Array("4711".utf8), in: file, name: nil) == Array("redacted-4".utf8))
        #expect(redaction.count == 4)
    }

    @Test func dataKeepsItsLength() throws {
        let (redaction, _) = redaction(["otter@example.com"], [.data([1, 0, 2, 3, 4, 5, 6, 7], isWhole: true)])
        #expect(try redaction.data([9, 1, 0, 2, 3, 4, 5, 6, 7, 9]) == [9, 0, 0, 0, 0, 0, 0, 0, 2, 9])
        #expect(try redaction.data([9, 9, 9]) == nil)
        #expect(try redaction.data([0xFF, 0] + Array("otter@example.com".utf8)) == [0xFF] + [UInt8](repeating: 0, count: 18))
        #expect(try redaction.data(Array("otter@example.com!".utf8)) == Array("redacted-1!".utf8))
    }

    @Test func propertyListsInsideOfDataStayOnes() throws {
        let (redaction, file) = redaction(["otter@example.com"])
        let inner = try BinaryPlistWriter.write(["mail": "otter@example.com", "count": 3])
        let data = try #require(try redaction.data([1] + inner, file))
        #expect(data.first == 1)
        #expect(try PlistReader.read(Array(data.dropFirst())).value == ["mail": "redacted-1", "count": 3])
    }

    @Test func keysThatWouldBecomeEqualAreAnError() throws {
        let (redaction, file) = redaction(["otter@example.com"])
        let value: PlistValue = ["otter@example.com": 1, "OTTER@example.com": 2]
        #expect(failure { try redaction.value(value, file) }?.message == "two keys of a dictionary would become equal")
    }

    @Test func cookiesKeepTheirPlaces() throws {
        let (redaction, _) = redaction([], [whole("long-cookie-value"), whole("ab")])
        let bytes = CookieFile(
            pages: [
                [
                    CookieFile.Cookie(name: "a", value: Array("long-cookie-value".utf8)),
                    CookieFile.Cookie(name: "b", value: [97, 98]),
                ]
            ]
        ).bytes
        let replaced = try BinaryCookies.replacingValues(in: bytes) { redaction.text($0) ?? [] }
        #expect(replaced.count == bytes.count)
        #expect(try BinaryCookies(replaced).cookies.map { String(decoding: $0.value, as: UTF8.self) } == ["redacted-1", ""])
        #expect(failure { try BinaryCookies.replacingValues(in: Array(bytes.dropLast(40))) { $0 } } != nil)
    }
}
