import Testing

/// Merges where both sides put something in place of another kind of value: different results are a conflict.
@Suite struct MergeKindsTests {
    private static let base = #"{"a": "s"}"#
    private static let ours = #"{"a": {"x": 1}}"#
    private static let theirs = #"{"a": {"y": 2}}"#

    private func session(base: String = base, theirs: String = theirs) throws -> Session {
        try Session(["base/v.json": base, "ours/v.json": Self.ours, "theirs/v.json": theirs])
    }

    @Test func differentResultsAreConflicts() throws {
        let session = try session()
        try session.expect(
            """
            $ echo 'plain text' > base/t.json
            $ ln -s elsewhere base/l.json
            $ for side in ours theirs; do for name in t l; do cp $side/v.json $side/$name.json; done; done
            [1] $ capsule merge base ours theirs -o merged
            conflict 1: contents l.json: both replaced a link with a file: base: link to "elsewhere"; ours: file, mode 0644, 15 bytes, d2d8b9e8f8ab; theirs: file, mode 0644, 15 bytes, f0f2305bd661
            conflict 2: contents t.json: both changed it, and the base is not a property list: base: file, mode 0644, 11 bytes, c30a92f9ef88; ours: file, mode 0644, 15 bytes, d2d8b9e8f8ab; theirs: file, mode 0644, 15 bytes, f0f2305bd661
            conflict 3: value v.json /a: both changed: base "s", ours {"x": 1}, theirs {"y": 2}
            3 open conflicts: the result was not written
            > capsule: hint: '--prefer' takes one side; '--conflicts FILE' lists the conflicts for '--resolve FILE'
            [1] $ capsule merge base/v.json ours/v.json theirs/v.json -o merged.json
            conflict 1: value /a: both changed: base "s", ours {"x": 1}, theirs {"y": 2}
            1 open conflict: the result was not written
            > capsule: hint: '--prefer' takes one side; '--conflicts FILE' lists the conflicts for '--resolve FILE'
            $ cp ours/v.json v.json
            [1] $ capsule git merge-driver base/v.json v.json theirs/v.json 7 v.json
            > capsule: note: v.json: conflict: /a: both changed
            $ cat v.json
            <<<<<<< ours
            {"a": {"x": 1}}
            =======
            {"a": {"y": 2}}
            >>>>>>> theirs
            $ capsule plist convert binary base/v.json -o base.plist -q
            $ capsule plist convert binary ours/v.json -o ours.plist -q
            $ capsule plist convert binary theirs/v.json -o theirs.plist -q
            [1] $ capsule merge base.plist ours.plist theirs.plist -o merged.plist
            conflict 1: value /a: both changed: base "s", ours {"x": 1}, theirs {"y": 2}
            1 open conflict: the result was not written
            > capsule: hint: '--prefer' takes one side; '--conflicts FILE' lists the conflicts for '--resolve FILE'
            $ ls
            base
            base.plist
            ours
            ours.plist
            theirs
            theirs.plist
            v.json
            """)
    }

    @Test func anOverlayAndWhatBecameOfTheTargetConflict() throws {
        try session().expect(
            """
            $ capsule diff base theirs -q --exit-zero --overlay theirs.overlay
            $ cp -R ours target
            [2] $ capsule apply theirs.overlay target --three-way
            > capsule: error: the overlay can't be merged with the target; nothing was changed
            > capsule: note: v.json: value at /a was changed both by the overlay and in the target
            > capsule: hint: '--force' writes the overlay's files anyway; to decide each conflict, merge the containers with 'capsule merge'
            $ diff -r ours target
            """)
    }

    @Test func theSameResultIsNone() throws {
        try session(theirs: Self.ours).expect(
            rows: """
                0 | merge base/v.json ours/v.json theirs/v.json -o merged.json | merged.json: merged
                0 | $ cmp merged.json ours/v.json
                """)
    }

    @Test func noneWhereNothingWasBefore() throws {
        try session(base: "{}").expect(
            rows: """
                0 | merge base/v.json ours/v.json theirs/v.json -o union.json | union.json: merged
                0 | $ cat union.json | {"a": {"x": 1, "y": 2}}[no line break]
                """)
    }
}
