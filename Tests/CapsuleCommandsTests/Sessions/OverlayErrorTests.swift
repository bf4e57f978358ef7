import Testing

/// Overlays that are wrong or do not fit: the place and what to write are told, and nothing is written.
@Suite struct OverlayErrorTests {
    private static let base = """
        <?xml version="1.0" encoding="UTF-8"?>
        <plist version="1.0">
        <dict>
        	<key>UIApplicationSceneManifest</key>
        	<dict>
        		<key>UISceneConfigurations</key>
        		<dict>
        			<key>Role</key>
        			<array>
        				<dict>
        					<key>UISceneConfigurationName</key>
        					<string>A</string>
        				</dict>
        				<dict>
        					<key>UISceneConfigurationName</key>
        					<string>A</string>
        				</dict>
        			</array>
        		</dict>
        	</dict>
        	<key>UIBackgroundModes</key>
        	<array>
        		<string>audio</string>
        	</array>
        	<key>N</key>
        	<integer>1</integer>
        </dict>
        </plist>

        """

    private let session: Session

    init() throws { session = try Session(["base.plist": Self.base]) }

    /// The overlay, the flags, the error and the hint.
    @Test func errors() throws {
        let table = #"""
            {"UIApplicationSceneManifest":{"UISceneConfigurations":{"Role":[{"UISceneConfigurationName":"A","x":1}]}}} | --deep | base.plist:8:4: error: elements 0 and 1 of the base's array all have "UISceneConfigurationName" = "A" (at /UIApplicationSceneManifest/UISceneConfigurations/Role) | choose one by its index, with an operation at '…/0'
            {"UIApplicationSceneManifest":{"UISceneConfigurations":{"Role":[{"x":1}]}}} | --deep | base.plist:8:4: error: element 0 of the overlay's array has no "UISceneConfigurationName", and the base has 2 elements (at /UIApplicationSceneManifest/UISceneConfigurations/Role) | write UISceneConfigurationName to choose an element
            {"CapsuleOverlay":1,"Operations":[{"op":"remove","path":"/UIApplicationSceneManifest/UISceneConfigurations/Role/[UISceneConfigurationName=A]"}]} | -q | base.plist:8:4: error: 2 elements of the array have "UISceneConfigurationName" = "A": 0, 1 (at /UIApplicationSceneManifest/UISceneConfigurations/Role/[UISceneConfigurationName=A]), required by /Operations/0 in o.json:1:35 | choose one by its index
            {"CapsuleOverlay":1,"Mrege":{}} | -q | o.json:1:21: error: unknown key "Mrege" (at /Mrege of the overlay) | did you mean 'Merge'?
            {"CapsuleOverlay":1,"Operations":[{"op":"replce","path":"/N","value":1}]} | -q | o.json:1:36: error: op: "replce" is not an operation (at /Operations/0/op of the overlay) | did you mean 'replace'?
            {"CapsuleOverlay":1,"Operations":[{"op":"replace","path":"/N","vlue":1}]} | -q | o.json:1:63: error: unknown key "vlue" (at /Operations/0/vlue of the overlay) | did you mean 'value'?
            {"N":{"a":1}} | --deep | base.plist:25:2: error: the overlay has a dictionary, but the base has an integer (at /N) | use 'replace' in an overlay document
            {"UIBackgroundModes":"x"} | --deep | base.plist:21:2: error: the overlay has a string, but the base has an array (at /UIBackgroundModes) | use 'replace' in an overlay document
            {"CapsuleOverlay":1,"Arrays":{"UIBackgroundModes":"keyed(X"}} | -q | o.json:1:31: error: "keyed(X" is not an array identity (at /Arrays/UIBackgroundModes of the overlay) | write 'keyed(KEY)', 'keyed(KEY?)', 'keyed(KEY), nocase', 'set', 'ordered' or 'replace'
            {"CapsuleOverlay":1,"Operations":[{"op":"test","path":"/N","value":1.0}]} | -q | base.plist:25:2: error: the value is 1, but the overlay expects 1.0 (a real, not an integer) (at /N), required by /Operations/0 in o.json:1:35 | the property list has changed since the overlay was made; its 'test' operations say what it expects
            [{"op":"test","path":"/N","value":2}] | -q | base.plist:25:2: error: the value is 1, but the overlay expects 2 (at /N), required by /0 in o.json:1:2 | the property list has changed since the overlay was made; its 'test' operations say what it expects
            {"CapsuleOverlay":1,"Operations":[{"op":"remove","path":"/n"}]} | -q | base.plist:3:1: error: no key "n" (at /n), required by /Operations/0 in o.json:1:35 | did you mean 'N'?
            {"CapsuleOverlay":1,"Merge":{"a":{"b":"$(NOPE)"}}} | --expand | o.json:1:35: error: 'NOPE' has no value (at /a/b) | set it with '--define NOPE=…', or write '$(NOPE:default=…)'
            {"a":"$(N:lowr)"} | --expand --deep --define N=1 | o.json:1:2: error: unknown operator 'lowr' in '$(N:lowr' (at /a) | use upper, lower, identifier, rfc1034identifier, c99extidentifier, dir, file, base, suffix, standardizepath; an argument after '=' ends at ':'
            {"CapsuleOverlay":1,"Path":"x","Merge":{}} | -q | o.json: the target has the Path "x", but the input is a single property list | '--target x' applies only this target
            {"CapsuleOverlay":1,"When":{"A":5}} | -q | o.json:1:29: error: "A" of When is not a condition (at /When/A of the overlay) | write true, false, a string or an array of strings
            5 | -q | o.json: an overlay must be a dictionary, not an integer | write an array of operations as JSON, or under 'Operations' in a document
            """#
        let before = try session.run("stat -c '%i %y %z' base.plist").text
        var found: [String] = []
        for row in table.split(separator: "\n") {
            let cells = row.split(separator: " | ").map(String.init)
            try session.write(cells[0], to: "o.json")
            let outcome = try session.run("capsule apply \(cells[1]) o.json base.plist")
            #expect(outcome.status == 2 && outcome.text.isEmpty, "\(cells[0])")
            let lines = outcome.errors.split(separator: "\n").map {
                String($0).replacing(#/^capsule: (?:error|hint): /#, with: "")
            }
            found.append((cells.prefix(2) + lines).joined(separator: " | "))
        }
        #expect(found.joined(separator: "\n") == table)
        #expect(try session.run("stat -c '%i %y %z' base.plist").text == before)
    }

    /// To replace a whole array is not an error, but few users mean it.
    @Test func aNoteAndTheWordsOfXcode() throws {
        try session.write(#"{"UIBackgroundModes":["fetch"]}"#, to: "o.json")
        try session.write(#"{"CapsuleOverlay":1,"Mrege":{}}"#, to: "bad.json")
        try session.expect(
            """
            $ capsule apply o.json base.plist -o out.plist -q
            > capsule: warning: o.json: the merge patch replaces the whole array, although its identity is set (at /UIBackgroundModes)
            > capsule: hint: '--deep' reads the file as a plain overlay, where null removes a key
            [2] $ XCODE_VERSION_ACTUAL=2600 capsule apply bad.json base.plist
            > bad.json:1:21: error: unknown key "Mrege" (at /Mrege of the overlay)
            > note: did you mean 'Merge'?
            """)
        #expect(try session.text("base.plist") == Self.base)
    }
}
