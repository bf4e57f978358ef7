import CapsulePropertyList
import Testing

/// One case for each rule. If one fails, an edit changes lines that it should leave unchanged.
@Suite struct XMLEditTests {
    // MARK: Scalars

    @Test(arguments: [
        EditCase("a string's text", "<plist><string>old</string></plist>\n", "new", "<plist><string>new</string></plist>\n"),
        EditCase(
            "text is escaped", "<plist><string>a</string></plist>", "<&>\r", "<plist><string>&lt;&amp;&gt;&#13;</string></plist>"),
        EditCase("an attribute stays", "<string a='b>' >old</string >", "new", "<string a='b>' >new</string >"),
        EditCase("one tag becomes two", "<string/>", "new", "<string>new</string>"),
        EditCase("one tag with space and attribute", "<string a=\"/\" />", "new", "<string a=\"/\">new</string>"),
        EditCase("an emptied string keeps its tags", "<string>a</string>", "", "<string></string>"),
        EditCase(
            "entities, CDATA and comments go with the text", "<string>a&#x41;<![CDATA[<]]><!-- c --></string>", "b",
            "<string>b</string>"),
        EditCase("an integer", "<integer>0x10</integer>", 17, "<integer>17</integer>"),
        EditCase("a real", "<real>1e0</real>", 1.5, "<real>1.5</real>"),
        EditCase("a date", "<date>2001-01-01T00:00:00Z</date>", .date(1), "<date>2001-01-01T00:00:01Z</date>"),
        EditCase("a boolean", "<true/>", false, "<false/>"),
        EditCase("a boolean of two tags", "<true></true>", false, "<false/>"),
        EditCase("another type replaces the element", "<string a='b'>1</string>", 1, "<integer>1</integer>"),
        EditCase(
            "a UID's number", "<dict> <key>CF$UID</key><!-- c --><integer>1</integer> </dict>", .uid(2),
            "<dict> <key>CF$UID</key><!-- c --><integer>2</integer> </dict>"),
        EditCase(
            "a UID becomes a scalar", "<array><dict><key>CF$UID</key><integer>1</integer></dict></array>", [1],
            "<array><integer>1</integer></array>"),
        EditCase(
            "a UID becomes a dictionary", "<dict><key>CF$UID</key><integer>1</integer></dict>", ["a": 1],
            "<dict><key>a</key><integer>1</integer></dict>"),
        EditCase(
            "a container becomes a scalar",
            "<plist>\n<array>\n\t<dict>\n\t\t<key>a</key>\n\t\t<true/>\n\t</dict>\n</array>\n</plist>", [1],
            "<plist>\n<array>\n\t<integer>1</integer>\n</array>\n</plist>"),
        EditCase(
            "a scalar becomes a container", "<plist>\n<dict>\n  <key>a</key>\n  <true/>\n</dict>\n</plist>",
            ["a": ["b": [1, []]]],
            """
            <plist>
            <dict>
              <key>a</key>
              <dict>
                <key>b</key>
                <array>
                  <integer>1</integer>
                  <array/>
                </array>
              </dict>
            </dict>
            </plist>
            """),
        EditCase(
            "a container becomes one of the other kind", "<dict>\n\t<key>a</key>\n\t<array>\n\t\t<true/>\n\t</array>\n</dict>",
            ["a": ["b": true]],
            "<dict>\n\t<key>a</key>\n\t<dict>\n\t\t<key>b</key>\n\t\t<true/>\n\t</dict>\n</dict>"),
        EditCase(
            "the root becomes another container", "<plist>\n<array/>\n</plist>\n", ["a": true],
            "<plist>\n<dict>\n\t<key>a</key>\n\t<true/>\n</dict>\n</plist>\n"),
    ])
    func scalars(_ editCase: EditCase) throws {
        try editCase.check()
    }

    static let text = "VGhlIHF1aWNrIGJyb3duIGZveCBqdW1wcyBvdmVyIHRoZSBsYXp5IGRvZyBhbmQgc2xlZXBz"

    @Test(arguments: [
        EditCase(
            "data on one line", "<plist>\n<data>AAEC</data>\n</plist>", .data([0, 1]), "<plist>\n<data>AAE=</data>\n</plist>"),
        EditCase("data with space around it", "<data> AAEC\n</data>", .data([0, 1]), "<data> AAE=\n</data>"),
        EditCase(
            "Apple's layout", "<dict>\n\t<key>a</key>\n\t<data>\n\tAAEC\n\t</data>\n</dict>", ["a": .data([0, 1])],
            "<dict>\n\t<key>a</key>\n\t<data>\n\tAAE=\n\t</data>\n</dict>"),
        EditCase(
            "lines of a length", "<plist>\n<data>\n    AAEC\n    AAEC\n  </data></plist>", .data([0, 1, 2, 3, 4]),
            "<plist>\n<data>\n    AAEC\n    AwQ=\n  </data></plist>"),
        EditCase("a first line behind the tag", "<data>AAEC\nAAEC</data>", .data([0, 1, 2, 3, 4]), "<data>AAEC\nAwQ=</data>"),
        EditCase(
            "no data before", "<plist>\n <data></data>\n</plist>", .data([0]), "<plist>\n <data>\n AA==\n </data>\n</plist>"),
        EditCase(
            "no data after", "<plist>\n <data>\n AA==\n </data>\n</plist>", .data([]), "<plist>\n <data>\n </data>\n</plist>"),
        EditCase("more than text", "<data>AA<!-- c -->==</data>", .data([1]), "<data>AQ==</data>"),
        EditCase(
            "one line in one line", "<array><true/></array>", [true, .data([1])], "<array><true/><data>AQ==</data></array>"),
    ])
    func data(_ editCase: EditCase) throws {
        try editCase.check()
    }

    // MARK: Dictionaries

    @Test(arguments: [
        EditCase(
            "a new key goes to the end, indented as the others", "<dict>\n    <key>a</key>\n    <true/>\n</dict>",
            ["b": 1, "a": true],
            "<dict>\n    <key>a</key>\n    <true/>\n    <key>b</key>\n    <integer>1</integer>\n</dict>"),
        EditCase(
            "key and value on one line", "<dict>\n\t<key>a</key> <true/>\n</dict>", ["a": true, "b": [1]],
            "<dict>\n\t<key>a</key> <true/>\n\t<key>b</key> <array>\n\t\t<integer>1</integer>\n\t</array>\n</dict>"),
        EditCase(
            "several new keys, in their order", "<dict>\n\t<key>a</key>\n\t<true/>\n</dict>", ["c": 1, "a": true, "b": 2],
            "<dict>\n\t<key>a</key>\n\t<true/>\n\t<key>c</key>\n\t<integer>1</integer>\n\t<key>b</key>\n\t<integer>2</integer>\n</dict>"
        ),
        EditCase(
            "behind a comment on the last line", "<dict>\n\t<key>a</key>\n\t<true/> <!-- yes -->\n\t<!-- end -->\n</dict>",
            ["a": true, "b": 1],
            "<dict>\n\t<key>a</key>\n\t<true/> <!-- yes -->\n\t<key>b</key>\n\t<integer>1</integer>\n\t<!-- end -->\n</dict>"),
        EditCase(
            "one line stays one line", "<plist><dict><key>a</key><true/></dict></plist>",
            ["a": true, "b": ["c": [1, .data([1])]]],
            "<plist><dict><key>a</key><true/><key>b</key><dict><key>c</key><array><integer>1</integer><data>AQ==</data></array></dict></dict></plist>"
        ),
        EditCase(
            "one line with spaces", "<dict> <key>a</key> <true/> </dict>", ["a": true, "b": 1, "c": 2],
            "<dict> <key>a</key> <true/> <key>b</key> <integer>1</integer> <key>c</key> <integer>2</integer> </dict>"),
        EditCase(
            "one entry on one line among lines", "<plist>\n<dict><key>a</key><true/></dict>\n</plist>", ["a": true, "b": []],
            "<plist>\n<dict><key>a</key><true/><key>b</key><array/></dict>\n</plist>"),
        EditCase(
            "<dict/> opens", "<dict>\n  <key>a</key>\n  <dict/>\n</dict>", ["a": ["b": true]],
            "<dict>\n  <key>a</key>\n  <dict>\n    <key>b</key>\n    <true/>\n  </dict>\n</dict>"),
        EditCase(
            "<dict/> opens with its attribute", "<plist>\n<dict a='b' />\n</plist>", ["b": true],
            "<plist>\n<dict a='b'>\n\t<key>b</key>\n\t<true/>\n</dict>\n</plist>"),
        EditCase(
            "<dict/> opens on one line", "<plist><dict/></plist>", ["b": true, "c": 1],
            "<plist><dict><key>b</key><true/><key>c</key><integer>1</integer></dict></plist>"),
        EditCase(
            "two tags open", "<array>\n \t<dict></dict>\n</array>", [["b": true]],
            "<array>\n \t<dict>\n \t \t<key>b</key>\n \t \t<true/>\n \t</dict>\n</array>"),
        EditCase(
            "two tags on two lines open", "<array>\n\t<dict>\n\t</dict>\n</array>", [["b": true]],
            "<array>\n\t<dict>\n\t\t<key>b</key>\n\t\t<true/>\n\t</dict>\n</array>"),
        EditCase(
            "a comment stays before the first key", "<plist>\n<dict>\n  <!-- nothing -->\n</dict>\n</plist>", ["b": true],
            "<plist>\n<dict>\n  <!-- nothing -->\n\t<key>b</key>\n\t<true/>\n</dict>\n</plist>"),
        EditCase(
            "no indentation anywhere", "<dict>\n<key>a</key>\n<dict>\n<key>b</key>\n<true/>\n</dict>\n</dict>",
            ["a": ["b": true], "c": [1]],
            "<dict>\n<key>a</key>\n<dict>\n<key>b</key>\n<true/>\n</dict>\n<key>c</key>\n<array>\n<integer>1</integer>\n</array>\n</dict>"
        ),
        EditCase(
            "a removed key goes with its lines",
            "<dict>\n\t<key>a</key>\n\t<true/>\n\t<key>b</key>\n\t<true/>\n\t<key>c</key>\n\t<true/>\n</dict>",
            ["a": true, "c": true], "<dict>\n\t<key>a</key>\n\t<true/>\n\t<key>c</key>\n\t<true/>\n</dict>"),
        EditCase(
            "comments on its lines go, others stay",
            "<dict>\n\t<!-- 1 -->\n\t<!-- 2 --> <key>a</key> <!-- 3 -->\n\t<true/> <!-- 4 -->\n\t<!-- 5 -->\n\t<key>b</key>\n\t<true/>\n</dict>",
            ["b": true], "<dict>\n\t<!-- 1 -->\n\t<!-- 5 -->\n\t<key>b</key>\n\t<true/>\n</dict>"),
        EditCase(
            "an emptied dictionary keeps its tags", "<dict a='b'>\n\t<key>a</key>\n\t<true/>\n</dict>", [:],
            "<dict a='b'>\n</dict>"),
        EditCase("an emptied dictionary on one line", "<dict><key>a</key><true/></dict>", [:], "<dict></dict>"),
        EditCase(
            "empty lines stay",
            "<dict>\n\t<key>a</key>\n\t<true/>\n\n\t<key>b</key>\n\t<true/>\n\n\t<key>c</key>\n\t<true/>\n</dict>",
            ["a": true, "c": true], "<dict>\n\t<key>a</key>\n\t<true/>\n\n\n\t<key>c</key>\n\t<true/>\n</dict>"),
        EditCase(
            "a comment on one line stays", "<dict><key>a</key><true/><!-- c --><key>b</key><true/></dict>", ["b": true],
            "<dict><!-- c --><key>b</key><true/></dict>"),
        EditCase(
            "the second on the line moves up", "<array>\n\t<true/>\n\t<false/> <integer>1</integer>\n</array>", [true, 1],
            "<array>\n\t<true/>\n\t<integer>1</integer>\n</array>"),
        EditCase(
            "the order of keys does not matter", "<dict><key>a</key><true/><key>b</key><true/></dict>", ["b": false, "a": true],
            "<dict><key>a</key><true/><key>b</key><false/></dict>"),
        EditCase(
            "comments of keys that are gone come before new ones",
            "<dict>\n\t<!-- 1 -->\n\t<key>a</key>\n\t<true/>\n\t<!-- 2 -->\n\t<key>b</key>\n\t<true/>\n\t<!-- 3 -->\n</dict>",
            ["c": true],
            "<dict>\n\t<!-- 1 -->\n\t<!-- 2 -->\n\t<!-- 3 -->\n\t<key>c</key>\n\t<true/>\n</dict>"),
        EditCase(
            "what is removed and what is new", "<dict>\n\t<key>a</key>\n\t<true/>\n\t<key>b</key>\n\t<true/>\n</dict>",
            ["c": true],
            "<dict>\n\t<key>c</key>\n\t<true/>\n</dict>"),
        EditCase(
            "deep down",
            "<plist>\n<dict>\n\t<key>a</key>\n\t<array>\n\t\t<dict>\n\t\t\t<key>b</key>\n\t\t\t<string>&#65;</string>\n\t\t\t<key>c</key>\n\t\t\t<string>&#65;</string>\n\t\t</dict>\n\t</array>\n</dict>\n</plist>\n",
            ["a": [["b": "A", "c": "B"]]],
            "<plist>\n<dict>\n\t<key>a</key>\n\t<array>\n\t\t<dict>\n\t\t\t<key>b</key>\n\t\t\t<string>&#65;</string>\n\t\t\t<key>c</key>\n\t\t\t<string>B</string>\n\t\t</dict>\n\t</array>\n</dict>\n</plist>\n"
        ),
        EditCase(
            "keys are escaped", "<dict><key>&#x41;</key><true/></dict>", ["A": true, "<é>": false],
            "<dict><key>&#x41;</key><true/><key>&lt;é&gt;</key><false/></dict>"),
        EditCase(
            "NFC and NFD are two keys", "<dict><key>\u{E9}</key><true/></dict>", ["e\u{301}": true],
            "<dict><key>e\u{301}</key><true/></dict>"),
    ])
    func dictionaries(_ editCase: EditCase) throws {
        try editCase.check()
    }

    // MARK: Arrays

    @Test(arguments: [
        EditCase(
            "an element is appended", "<array>\n  <true/>\n</array>", [true, [1]],
            "<array>\n  <true/>\n  <array>\n    <integer>1</integer>\n  </array>\n</array>"),
        EditCase(
            "an element is put first", "<array>\n  <true/>\n</array>", [1, true],
            "<array>\n  <integer>1</integer>\n  <true/>\n</array>"),
        EditCase(
            "an element is put between", "<array>\n<!-- t -->\n  <true/><!-- t -->\n\n<!-- f -->\n  <false/>\n</array>",
            [true, 1, false],
            "<array>\n<!-- t -->\n  <true/><!-- t -->\n  <integer>1</integer>\n\n<!-- f -->\n  <false/>\n</array>"),
        EditCase(
            "one line", "<array><true/></array>", [1, true, 2], "<array><integer>1</integer><true/><integer>2</integer></array>"),
        EditCase(
            "one line with spaces", "<array> <true/> <false/></array>", [1, true, 2, false, 3],
            "<array> <integer>1</integer> <true/> <integer>2</integer> <false/> <integer>3</integer></array>"),
        EditCase(
            "first behind the tag", "<array><true/>\n\t<false/>\n</array>", [1, true, false],
            "<array><integer>1</integer>\n\t<true/>\n\t<false/>\n</array>"),
        EditCase(
            "the first behind the tag goes", "<array><true/>\n\t<false/>\n</array>", [false], "<array>\n\t<false/>\n</array>"),
        EditCase(
            "a container next to one on one line", "<array>\n  <array><true/></array>\n</array>", [[true], ["a": 1]],
            "<array>\n  <array><true/></array>\n  <dict><key>a</key><integer>1</integer></dict>\n</array>"),
        EditCase(
            "a container next to one on several lines", "<array>\n  <array>\n    <true/>\n  </array>\n</array>",
            [[true], [false]],
            "<array>\n  <array>\n    <true/>\n  </array>\n  <array>\n    <false/>\n  </array>\n</array>"),
        EditCase(
            "<array/> opens", "<dict>\n <key>a</key><array/>\n</dict>", ["a": [1, 2]],
            "<dict>\n <key>a</key><array>\n  <integer>1</integer>\n  <integer>2</integer>\n </array>\n</dict>"),
        EditCase(
            "an element is removed",
            "<array>\n\t<string>a</string>\n\t<string>b</string> <!-- b -->\n\t<string>c</string>\n</array>", ["a", "c"],
            "<array>\n\t<string>a</string>\n\t<string>c</string>\n</array>"),
        EditCase(
            "elements move with the comments before them",
            """
            <array> <!-- letters -->
            \t<!-- about a -->
            \t<string>a</string> <!-- a -->

            \t<!-- about b -->
            \t<string>&#98;</string>
            \t<string>c</string>
            </array>
            """, ["b", "c", "a"],
            """
            <array> <!-- letters -->

            \t<!-- about b -->
            \t<string>&#98;</string>
            \t<string>c</string>
            \t<!-- about a -->
            \t<string>a</string> <!-- a -->
            </array>
            """),
        EditCase(
            "two change places on one line", "<array><string>&#97;</string><!-- b --><string>b</string></array>", ["b", "a"],
            "<array><!-- b --><string>b</string><string>&#97;</string></array>"),
        EditCase(
            "like dictionaries are edited inside",
            """
            <array>
            \t<dict>
            \t\t<key>id</key>
            \t\t<string>&#97;</string>
            \t\t<key>n</key>
            \t\t<integer>1</integer>
            \t</dict>
            \t<dict>
            \t\t<key>id</key>
            \t\t<string>&#98;</string>
            \t\t<key>n</key>
            \t\t<integer>0x2</integer>
            \t</dict>
            </array>
            """, [["id": "new", "n": 0], ["id": "b", "n": 3]],
            """
            <array>
            \t<dict>
            \t\t<key>id</key>
            \t\t<string>new</string>
            \t\t<key>n</key>
            \t\t<integer>0</integer>
            \t</dict>
            \t<dict>
            \t\t<key>id</key>
            \t\t<string>&#98;</string>
            \t\t<key>n</key>
            \t\t<integer>3</integer>
            \t</dict>
            </array>
            """),
        EditCase(
            "the like one is found among others",
            "<array>\n<dict><key>a</key><true/><key>b</key><!-- b --><integer>1</integer></dict>\n</array>",
            [["c": 1], ["a": true, "b": 2], "x"],
            "<array>\n<dict><key>c</key><integer>1</integer></dict>\n<dict><key>a</key><true/><key>b</key><!-- b --><integer>2</integer></dict>\n<string>x</string>\n</array>"
        ),
        EditCase(
            "equal elements", "<array><true/><true></true><true /></array>", [true, true], "<array><true/><true></true></array>"),
        EditCase(
            "an emptied array keeps its tags", "<array>\n\t<true/>\n\t<!-- c -->\n</array>", [], "<array>\n\t<!-- c -->\n</array>"
        ),
    ])
    func arrays(_ editCase: EditCase) throws {
        try editCase.check()
    }
}
