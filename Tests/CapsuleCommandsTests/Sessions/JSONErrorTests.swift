import Testing

/// With `--json`, an error is the last line of standard output, and a message for people on standard error.
@Suite struct JSONErrorTests {
    private func session() throws -> Session {
        let session = try Session(["a/x": "x\n"])
        #expect(try session.run("capsule pack -q a").status == 0)
        return session
    }

    @Test func whatFails() throws {
        let session = try session()
        try session.write("{\"CapsuleExpectation\": 1,\n \"Musst\": []}", to: "run.json")
        try session.expect(
            #"""
            [2] $ capsule info missing.capsule --json
            {"kind":"error","schema":"capsule.error","version":1,"status":2,"code":"notFound","message":"cannot open: no such file or directory","path":"missing.capsule"}
            > capsule: error: missing.capsule: cannot open: no such file or directory
            [2] $ capsule ls --json a.capsule@7
            {"kind":"error","schema":"capsule.error","version":1,"status":2,"code":"notFound","message":"has no version 7: it has 1 version","path":"a.capsule","hint":"'capsule log a.capsule' lists them"}
            > capsule: error: a.capsule: has no version 7: it has 1 version
            > capsule: hint: 'capsule log a.capsule' lists them
            [2] $ capsule diff --json a.capsule b.capsule
            {"kind":"error","schema":"capsule.error","version":1,"status":2,"code":"notFound","message":"cannot open: no such file or directory","path":"b.capsule","hint":"did you mean 'a.capsule'?"}
            > capsule: error: b.capsule: cannot open: no such file or directory
            > capsule: hint: did you mean 'a.capsule'?
            [2] $ capsule diff a a.capsule --expect run.json --json
            {"kind":"error","schema":"capsule.error","version":1,"status":2,"code":"failure","message":"unknown key \"Musst\" (at /Musst)","path":"run.json","place":"2:2","hint":"did you mean 'Must'?"}
            > run.json:2:2: error: unknown key "Musst" (at /Musst)
            > capsule: hint: did you mean 'Must'?
            [2] $ capsule pack a -o a.capsule --json
            {"kind":"error","schema":"capsule.error","version":1,"status":2,"code":"exists","message":"already exists","path":"a.capsule","hint":"'capsule pack --append' adds a version to it; or choose another name, or replace it with '--force'"}
            > capsule: error: a.capsule: already exists
            > capsule: hint: 'capsule pack --append' adds a version to it; or choose another name, or replace it with '--force'
            [2] $ capsule diff a a.capsule --json --rules a/x
            {"kind":"error","schema":"capsule.error","version":1,"status":2,"code":"failure","message":"not a property list","path":"a/x","hint":"the encodings that are read here are XML, binary, JSON, OpenStep"}
            > capsule: error: a/x: not a property list
            > capsule: hint: the encodings that are read here are XML, binary, JSON, OpenStep
            [2] $ capsule plist print missing --json
            {"kind":"error","schema":"capsule.error","version":1,"status":2,"code":"notFound","message":"cannot open: no such file or directory","path":"missing"}
            > capsule: error: missing: cannot open: no such file or directory
            """#)
    }

    @Test func wrongCommandLines() throws {
        try session().expect(
            """
            [64] $ capsule --json pack
            {"kind":"error","schema":"capsule.error","version":1,"status":64,"code":"usage","message":"'pack' needs CONTAINER","hint":"usage: capsule pack CONTAINER [FLAG]..."}
            > capsule: error: 'pack' needs CONTAINER
            > capsule: hint: usage: capsule pack CONTAINER [FLAG]...
            [64] $ capsule diff a b c d --rows many --json
            {"kind":"error","schema":"capsule.error","version":1,"status":64,"code":"usage","message":"invalid value 'many' for '--rows': expected a whole number from 0 to 1000000000"}
            > capsule: error: invalid value 'many' for '--rows': expected a whole number from 0 to 1000000000
            [64] $ capsule pakc a --json
            {"kind":"error","schema":"capsule.error","version":1,"status":64,"code":"usage","message":"unknown verb 'pakc'","hint":"did you mean 'pack'?"}
            > capsule: error: unknown verb 'pakc'
            > capsule: hint: did you mean 'pack'?
            [64] $ capsule diff --jsno --json
            {"kind":"error","schema":"capsule.error","version":1,"status":64,"code":"usage","message":"unknown flag '--jsno' for 'diff'","hint":"did you mean '--json'?"}
            > capsule: error: unknown flag '--jsno' for 'diff'
            > capsule: hint: did you mean '--json'?
            [64] $ capsule plist --json
            {"kind":"error","schema":"capsule.error","version":1,"status":64,"code":"usage","message":"'plist' needs lint, get, set, add, append, remove, convert or print","hint":"'capsule plist -h' shows the usage"}
            > capsule: error: 'plist' needs lint, get, set, add, append, remove, convert or print
            > capsule: hint: 'capsule plist -h' shows the usage
            [64] $ capsule verify - --json
            {"kind":"error","schema":"capsule.error","version":1,"status":64,"code":"usage","message":"verify reads a file, not standard input"}
            > capsule: error: verify reads a file, not standard input
            [64] $ capsule info a extra --json
            {"kind":"error","schema":"capsule.error","version":1,"status":64,"code":"usage","message":"unexpected argument 'extra' for 'info'","hint":"usage: capsule info CONTAINER [FLAG]..."}
            > capsule: error: unexpected argument 'extra' for 'info'
            > capsule: hint: usage: capsule info CONTAINER [FLAG]...
            [64] $ capsule pack
            > capsule: error: 'pack' needs CONTAINER
            > capsule: hint: usage: capsule pack CONTAINER [FLAG]...
            [64] $ capsule info a b -- --json
            > capsule: error: unexpected argument 'b' for 'info'
            > capsule: hint: usage: capsule info CONTAINER [FLAG]...
            [64] $ capsule log a b -- --json
            > capsule: error: unexpected argument 'b' for 'log'
            > capsule: hint: usage: capsule log FILE [FLAG]...
            """)
        let outcome = try session().run("capsule --json")
        #expect(outcome.status == 64)
        #expect(
            outcome.text.hasPrefix(
                #"{"kind":"error","schema":"capsule.error","version":1,"status":64,"code":"usage","message":"a verb is missing","#
            ))
    }

    @Test func noneWhereTheOutputIsData() throws {
        try session().expect(
            """
            [2] $ capsule cat a.capsule nothing --json
            > capsule: error: nothing: is not in the container
            > capsule: hint: 'capsule ls a.capsule' lists its paths
            [64] $ capsule cat a.capsule --json
            > capsule: error: a.capsule: 'cat' needs PATH, the file in the container
            > capsule: hint: usage: capsule cat CONTAINER PATH, or capsule cat CONTAINER:PATH
            [64] $ capsule generate completions tcsh --json
            > capsule: error: invalid value 'tcsh' for 'bash|zsh|fish': expected bash, zsh or fish
            [2] $ capsule git textconv missing --json
            > capsule: error: missing: cannot open: no such file or directory
            """)
    }

    @Test func aReportThatSaysWhatFailedStaysAlone() throws {
        try session().expect(
            """
            [2] $ capsule plist lint a/x missing --json
            {"schema":"capsule.plist-lint","version":1,"file":"a/x","sound":false,"message":"not a property list","hint":"the encodings that are read here are XML, binary, JSON, OpenStep"}
            {"schema":"capsule.plist-lint","version":1,"file":"missing","sound":false,"message":"cannot open: no such file or directory"}
            > capsule: error: a/x: not a property list
            > capsule: hint: the encodings that are read here are XML, binary, JSON, OpenStep
            > capsule: error: missing: cannot open: no such file or directory
            [2] $ capsule verify a/x --json
            {"schema":"capsule.verify","version":1,"file":"a/x","whole":false,"streamCompared":false,"versions":0,"entries":0,"bytes":0,"warnings":[],"findings":[{"message":"is not a capsule"}]}
            > capsule: error: a/x: is not a capsule
            > capsule: hint: 'capsule pack' turns a container into a capsule
            """)
    }

    @Test func aNameThatIsNotUTF8IsInBase64() throws {
        let name = Array("missing".utf8) + [0xFF] + Array(".capsule".utf8)
        let outcome = try session().run([Array("info".utf8), name, Array("--json".utf8)])
        #expect(outcome.status == 2)
        #expect(outcome.text.contains(#""code":"notFound""#) && outcome.text.contains(#""path64":"bWlzc2luZ/8uY2Fwc3VsZQ==""#))
        #expect(outcome.errors.hasPrefix("capsule: error: missing\\xFF.capsule: "))
    }
}
