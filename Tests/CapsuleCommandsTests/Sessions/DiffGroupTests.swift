import Testing

/// App groups are compared where both sides have them, and said to be left out where one can't.
@Suite struct DiffGroupTests {
    private static let made = Result {
        let session = try Session(["group/Library/shared.txt": "shared\n", "other/first": "x\n"])
        try session.expect(
            rows: """
                0 | $ python3 $TOOLS/make_container.py A.xcappdata --scale small > /dev/null
                0 | pack A.xcappdata -o A.capsule -q --group group.com.example=group
                0 | $ cp -R group changed && echo changed > changed/Library/shared.txt
                0 | pack A.xcappdata -o B.capsule -q --group group.com.example=changed --group group.a=other
                """)
        return session
    }

    private let session: Session

    init() throws { session = try Self.made.get() }

    @Test func compared() throws {
        try session.expect(
            rows: """
                0 | diff A.capsule A.xcappdata | capsule: note: the app group group.com.example is not compared: name the other side's directory with '--group'
                0 | diff A.xcappdata A.capsule -q
                0 | diff A.capsule A.xcappdata --group group.com.example=group
                1 | diff A.capsule A.xcappdata --group group.com.example=changed | ~ AppGroups/group.com.example/Library/shared.txt (text) |     @@ -1 +1 @@ |     -shared |     +changed
                1 | diff A.capsule B.capsule --name-status | A	AppGroups/group.a/first | M	AppGroups/group.com.example/Library/shared.txt
                64 | diff A.capsule A.xcappdata --group a=group --group a=other | a: the app group is given twice
                """)
    }

    /// A group that is not compared may hold whatever is forbidden.
    @Test(arguments: [
        #"{"Path": "AppGroups/**"}"#, #"{"Path": "**/shared.txt"}"#, #"{"Path": "AppGroups/group.[a-d]*/Library/*"}"#,
        #"{"Pointer": "/x"}"#,
    ])
    func aGuardThatMayMatchInAGroup(clause: String) throws {
        let unknown = try session.judge(#""MustNot": [\#(clause)]"#, "A.capsule A.xcappdata")
        #expect(unknown.status == 1)
        #expect(unknown.text.contains(/! can't be judged: .*: the app group group\.com\.example is not compared\n/))
        #expect(unknown.errors.hasSuffix("hint: name the other side's directory with '--group'\n"))
        #expect(
            try session.judge(#""MustNot": [\#(clause)]"#, "A.capsule A.xcappdata --group group.com.example=group").status == 0)
    }

    @Test(arguments: [
        (#""MustNot": [{"Path": "AppGroups/**"}]"#, 1 as Int32), (#""May": [{"Path": "AppGroups/**", "Count": 0}]"#, 1),
        (#""MustNot": [{"Path": "AppGroups/group.other/**"}]"#, 0), (#""MustNot": [{"Path": "AppGroups/*"}]"#, 0),
        (#""MustNot": [{"Path": "Library/**", "Pointer": "/x"}]"#, 0), (#""May": [{"Path": "AppGroups/**"}]"#, 0),
    ])
    func otherClauses(clauses: String, status: Int32) throws {
        for sides in ["A.capsule A.xcappdata", "A.xcappdata A.capsule"] {
            #expect(try session.judge(clauses, sides).status == status)
        }
    }
}
