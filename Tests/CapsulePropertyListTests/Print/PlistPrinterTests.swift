import CapsulePropertyList
import Foundation
import Testing

@Suite struct PlistPrinterTests {
    private func text(_ value: PlistValue, unarchives: Bool = false, limits: PlistLimits = .standard) throws(PlistError) -> String
    {
        String(decoding: try PlistPrinter.text(of: value, unarchives: unarchives, limits: limits), as: UTF8.self)
    }

    @Test(
        arguments: [
            ("a", #"string "a""#), ("", #"string """#), ("é日本😀", #"string "é日本😀""#),
            ("tab\tline\nquote\"back\\slash\r", #"string "tab\tline\nquote\"back\\slash\r""#),
            (
                "\u{1B}[31m\u{0}\u{7F}\u{85}\u{202E}\u{2028}\u{FEFF}",
                #"string "\u{1B}[31m\u{0}\u{7F}\u{85}\u{202E}\u{2028}\u{FEFF}""#
            ),
            ("👩\u{200D}👧", "string \"👩\u{200D}👧\""), (0, "integer 0"), (-5, "integer -5"),
            (.integer(PlistInteger(UInt64.max)), "integer 18446744073709551615"), (1.0, "real 1"), (0.1, "real 0.1"),
            (.real(-0.0), "real -0.0"), (.real(.nan), "real nan"), (true, "boolean true"), (false, "boolean false"),
            (.date(0), "date 2001-01-01T00:00:00Z"), (.date(-0.5), "date 2000-12-31T23:59:59.5Z"),
            (.date(737_632_800.25), "date 2024-05-17T10:00:00.25Z"), (.date(0.001), "date 2001-01-01T00:00:00.001Z"),
            (.date(0.9999999), "date 2001-01-01T00:00:00.9999999Z"), (.date(1e300), "date 1e+300 seconds after 2001"),
            (.date(0.000001), "date 1e-06 seconds after 2001"), (.date(-0.0), "date -0.0 seconds after 2001"),
            (.date(.nan), "date nan seconds after 2001"), (.data([]), "empty data"), (.data([1]), "data of 1 byte, AQ=="),
            (.data([UInt8](0..<24)), "data of 24 bytes, AAECAwQFBgcICQoLDA0ODxAREhMUFRYX"),
            (.data([UInt8](0..<25)), "data of 25 bytes, AAECAwQFBgcICQoLDA0ODxAREhMUFRYX…"), (.uid(7), "uid 7"), (.null, "null"),
            ([], "empty array"), ([:], "empty dictionary"),
        ] as [(PlistValue, String)])
    func printsScalars(_ value: PlistValue, _ line: String) throws {
        #expect(try text(value) == line + "\n")
        #expect(try text([value]) == "array of 1\n  0: \(line)\n")
    }

    @Test func showsAsMuchDataAsIsAskedFor() throws {
        let value: PlistValue = ["a": .data([1, 2, 3]), "b": .data([])]
        func lines(_ dataBytes: Int) throws -> [Substring] {
            String(decoding: try PlistPrinter.text(of: value, dataBytes: dataBytes), as: UTF8.self).split(separator: "\n")
        }
        #expect(try lines(3) == ["dictionary of 2", "  a: data of 3 bytes, AQID", "  b: empty data"])
        #expect(try lines(.max) == lines(3))
        #expect(try lines(2)[1] == "  a: data of 3 bytes, AQI=…")
        #expect(try lines(0)[1] == "  a: data of 3 bytes, …")
        #expect(try lines(-1) == lines(0))
    }

    @Test func printsContainers() throws {
        let value: PlistValue = [
            "Name": "Demo", "Rows": [1, ["x": 1.5, "y": []], [[true]]], "Empty": [:], "": 1, "two words": 2, " edge": 3,
            "a:b": 4, "new\nline": 5, "quo\"te": 6, "é": 7, "$class": "not archived", "$ref": "1",
        ]
        let lines = #"""
            dictionary of 12
              Name: string "Demo"
              Rows: array of 3
                0: integer 1
                1: dictionary of 2
                  x: real 1.5
                  y: empty array
                2: array of 1
                  0: array of 1
                    0: boolean true
              Empty: empty dictionary
              "": integer 1
              two words: integer 2
              " edge": integer 3
              "a:b": integer 4
              "new\nline": integer 5
              "quo\"te": integer 6
              é: integer 7
              $class: string "not archived"
              $ref: string "1"

            """#
        #expect(try text(value) == lines)
        #expect(try text(value, unarchives: true) == lines)
    }

    @Test func printsArchivedObjects() throws {
        let archive = try read(foundationArchive(KeyedArchiveOracleTests.friends()))
        let name = ArchivedPerson.archivedName.string
        let expected = #"""
            keyed archive
              root: \#(name)
                $$odd: real 1.5
                $0: string "unkeyed"
                data: data of 3 bytes, AQID
                flag: boolean true
                friend: \#(name)
                  $$odd: real 1.5
                  $0: string "unkeyed"
                  data: data of 3 bytes, AQID
                  flag: boolean true
                  friend: the same as /root
                  name: string "Bob"
                  tags: NSSet of 3
                    0: integer 2
                    1: string "x"
                    2: string "y"
                  things: empty array
                name: string "Ann"
                tags: NSSet of 3
                  0: integer 2
                  1: string "x"
                  2: string "y"
                things: array of 3
                  0: the same as /root
                  1: array of 1
                    0: the same as /root/friend
                  2: integer 7

            """#
        #expect(try text(archive, unarchives: true) == expected)
        #expect(try text(archive).hasPrefix("dictionary of 4\n"))
    }

    @Test func printsArchivesInData() throws {
        let url = try #require(NSURL(string: "https://example.com/"))
        let inner = foundationArchive(NSArray(array: [url, NSSet(), NSDictionary(object: NSNull(), forKey: NSNumber(value: 3))]))
        let damaged = Array(inner.dropLast())
        let value: PlistValue = ["state": .data(inner), "damaged": .data(damaged), "plist": .data(try XMLPlistWriter.write(1))]
        func head(_ bytes: [UInt8]) throws -> Substring {
            try text(.data(bytes)).dropLast()
        }
        let expected = """
            dictionary of 3
              state: \(try head(inner)), a keyed archive
                root: array of 3
                  0: NSURL "https://example.com/"
                  1: NSSet of 0
                  2: NSDictionary of 1
                    0: dictionary of 2
                      key: integer 3
                      value: NSNull
              damaged: \(try head(damaged))
              plist: \(try head(try XMLPlistWriter.write(1)))

            """
        #expect(try text(value, unarchives: true) == expected)
    }

    @Test func namesTheKeysOfArchivedDictionaries() throws {
        let archive = try read(foundationArchive(NSDictionary(dictionary: ["$ref": NSString("1"), "$class": NSString("x")])))
        let expected = """
            keyed archive
              root: dictionary of 2
                $class: string "x"
                $ref: string "1"

            """
        #expect(try text(archive, unarchives: true) == expected)
    }

    @Test func printsAnObjectInEachOfItsPlaces() throws {
        var fixture = ArchiveFixture()
        let className = fixture.addClass("Pair")
        let inner = fixture.add(ArchiveFixture.object(className, ["x": 1]))
        let outer = fixture.add(ArchiveFixture.object(className, ["a": inner, "b": inner]))
        let expected = """
            keyed archive
              root: Pair
                a: Pair
                  x: integer 1
                b: Pair
                  x: integer 1

            """
        #expect(try text(fixture.archive(outer), unarchives: true) == expected)
    }

    /// Text from a document must not reach a terminal unescaped, not even in a pointer.
    @Test func escapesPointersAndClasses() throws {
        var fixture = ArchiveFixture()
        let className = fixture.addClass("Own\u{1B}[1m")
        let itself = fixture.reserve()
        fixture.set(itself, to: ArchiveFixture.object(className, ["k\u{7}": ["x": itself], "y": .data([])]))
        let top: PlistValue = [
            "$archiver": "NSKeyedArchiver", "$objects": .array(fixture.objects), "$top": ["r\u{1B}": itself],
        ]
        let expected = #"""
            keyed archive
              "r\u{1B}": "Own\u{1B}[1m"
                "k\u{7}": dictionary of 1
                  x: the same as "/r\u{1B}"
                y: empty data

            """#
        #expect(try text(top, unarchives: true) == expected)
    }

    @Test func limits() throws {
        let value: PlistValue = [[1, 2], "x"]
        let size = try text(value).utf8.count
        #expect(try text(value, limits: PlistLimits(outputBytes: size)).utf8.count == size)
        func error(_ value: PlistValue, _ limits: PlistLimits) -> PlistError? {
            do throws(PlistError) {
                _ = try text(value, limits: limits)
                return nil
            } catch {
                return error
            }
        }
        #expect(error(value, PlistLimits(outputBytes: size - 1))?.message == "the text would be larger than \(size - 1) bytes")
        #expect(error(value, PlistLimits(depth: 2)) == nil)
        #expect(error(value, PlistLimits(depth: 1))?.code == .limitExceeded)
        #expect(error(value, PlistLimits(depth: 1))?.pointer == "/0")
        #expect(error(nestedArrays(512), .standard) == nil)
        #expect(error(nestedArrays(513), .standard) == nil)
        #expect(error([nestedArrays(513)], .standard)?.pointer == String(repeating: "/0", count: 512))
    }

    @Test func namesWhatIsWrongWithAnArchive() {
        let archive = ArchiveFixture.archive(["$null"], root: .uid(1))
        #expect(throws: PlistError.self) { try text(archive, unarchives: true) }
        #expect(throws: Never.self) { try text(archive) }
    }
}
