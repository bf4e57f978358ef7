import Testing

/// `capsule diff FILE`: two versions of one capsule.
@Suite struct DiffVersionsTests {
    private func session() throws -> Session {
        let session = try Session(["box/": ""])
        for number in 1...3 {
            try session.write("\(number)\n", to: "box/n")
            #expect(try session.run("capsule pack -q box --append -o c.capsule --label v\(number)").status == 0)
        }
        return session
    }

    @Test func twoVersionsOfACapsule() throws {
        try session().expect(
            """
            [1] $ capsule diff c.capsule
            ~ n (text)
                @@ -1 +1 @@
                -2
                +3
            [1] $ capsule diff c.capsule@1..2
            ~ n (text)
                @@ -1 +1 @@
                -1
                +2
            [1] $ capsule diff c.capsule@v1..v3
            ~ n (text)
                @@ -1 +1 @@
                -1
                +3
            [1] $ capsule diff c.capsule@first..
            ~ n (text)
                @@ -1 +1 @@
                -1
                +3
            [1] $ capsule diff c.capsule@3..1
            ~ n (text)
                @@ -1 +1 @@
                -3
                +1
            $ capsule diff c.capsule@~1..2
            [1] $ capsule diff --json c.capsule
            {"kind":"header","schema":"capsule.diff","version":1,"a":{"source":"c.capsule@~1","tree":"9b264e991da882105f6ec5bb029587c520a890504d52ce10f0eaed879579ddf5"},"b":{"source":"c.capsule@latest","tree":"ef6dcee06c312fee6bc4591fb8a122dea268e8782cc0350211fdd0c2dc9b7301"},"all":false}
            {"kind":"modified","path":"n","handler":"text","details":1,"old":{"type":"file","mode":"0644","size":2,"digest":"53c234e5e8472b6ac51c1ae1cab3fe06fad053beb8ebfd8977b010655bfdd3c3"},"new":{"type":"file","mode":"0644","size":2,"digest":"1121cfccd5913f0a63fec40a6ffd44ea64f9dc135c66634ba001d10bcf4302a2"}}
            {"kind":"text","path":"n","encoding":"utf-8","hunks":1,"added":1,"deleted":1,"at":[{"old":[1,1],"new":[1,1],"lines":["-2","+3"]}]}
            {"kind":"end","status":1,"changes":1,"noise":0,"complete":true,"exact":true,"shown":1}
            $ cp c.capsule d@1..2
            [1] $ capsule diff d@1..2
            ~ n (text)
                @@ -1 +1 @@
                -2
                +3
            """)
    }

    @Test func theCapsuleIsAnInputThatNoReportReplaces() throws {
        try session().expect(
            rows: """
                0 | $ cp c.capsule before
                64 | diff c.capsule --html c.capsule --force | c.capsule: would replace c.capsule, which this command reads | choose another place with '--html'
                64 | diff c.capsule@1..2 --html c.capsule --force | c.capsule: would replace c.capsule@1..2, which this command reads | choose another place with '--html'
                0 | $ cmp before c.capsule
                """)
    }

    @Test func oneThingAloneIsNotCompared() throws {
        try session().expect(
            rows: """
                0 | pack -q box -o one.capsule
                2 | diff one.capsule | one.capsule: has no version ~1: it has 1 version | 'capsule log one.capsule' lists them
                2 | diff c.capsule@1..9 | c.capsule: has no version 9: it has 3 versions | 'capsule log c.capsule' lists them
                2 | diff missing | missing: cannot open: no such file or directory
                64 | diff @1..2 | no '.capsule.plist' here or above, and '@VERSION' and 'app:' need one | 'capsule init com.example.app' makes one for an app on a simulator, 'capsule init DIRECTORY' for a directory
                64 | diff box | box: 'diff' takes two containers or files, and this is one | 'capsule diff FILE.capsule' compares its last two versions, 'FILE.capsule@1..2' any two
                64 | diff box/n | box/n: 'diff' takes two containers or files, and this is one | 'capsule diff FILE.capsule' compares its last two versions, 'FILE.capsule@1..2' any two
                64 | diff c.capsule@1 | c.capsule@1: 'diff' takes two containers or files, and this is one | 'capsule diff FILE.capsule' compares its last two versions, 'FILE.capsule@1..2' any two
                """)
    }
}
