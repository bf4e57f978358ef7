import Foundation
import Testing

/// With `--json`, an error is the last line of standard output, and a message for people on standard error.
@Suite struct JSONErrorTests {
    private let session: Session

    init() throws {
        session = try Session(["a/x": "x\n", "run.json": "{\"CapsuleExpectation\": 1,\n \"Musst\": []}"])
        #expect(try session.run("capsule pack -q a").status == 0)
    }

    /// The status, the code, the arguments, and the message with its hint. The line of JSON has the same in its members.
    @Test func anErrorIsTheLastLine() throws {
        let table = """
            2 | notFound | info missing.capsule --json | missing.capsule: cannot open: no such file or directory
            2 | notFound | ls --json a.capsule@7 | a.capsule: has no version 7: it has 1 version | 'capsule log a.capsule' lists them
            2 | notFound | diff --json a.capsule b.capsule | b.capsule: cannot open: no such file or directory | did you mean 'a.capsule'?
            2 | exists | pack a -o a.capsule --json | a.capsule: already exists | 'capsule pack --append' adds a version to it; or choose another name, or replace it with '--force'
            2 | failure | diff a a.capsule --json --rules a/x | a/x: not a property list | the encodings that are read here are XML, binary, JSON, OpenStep
            2 | notFound | plist print missing --json | missing: cannot open: no such file or directory
            64 | usage | --json pack | 'pack' needs CONTAINER | usage: capsule pack CONTAINER [FLAG]...
            64 | usage | diff a b c d --rows many --json | invalid value 'many' for '--rows': expected a whole number from 0 to 1000000000
            64 | usage | pakc a --json | unknown verb 'pakc' | did you mean 'pack'?
            64 | usage | diff --jsno --json | unknown flag '--jsno' for 'diff' | did you mean '--json'?
            64 | usage | plist --json | 'plist' needs lint, get, set, add, append, remove, convert or print | 'capsule plist -h' shows the usage
            64 | usage | verify - --json | verify reads a file, not standard input
            64 | usage | info a extra --json | unexpected argument 'extra' for 'info' | usage: capsule info CONTAINER [FLAG]...
            """
        var found: [String] = []
        for row in table.split(separator: "\n") {
            let line = row.split(separator: " | ")[2]
            let outcome = try session.run("capsule \(line)")
            let error = try #require(outcome.jsonLines.last)
            #expect(outcome.jsonLines.count(where: { $0["kind"] as? String == "error" }) == 1)
            #expect(error["schema"] as? String == "capsule.error" && error["version"] as? Int == 1)
            #expect(error["status"] as? Int32 == outcome.status)
            let message = [error["path"], error["message"]].compactMap { $0 as? String }.joined(separator: ": ")
            let cells = ["\(outcome.status)", error["code"] as? String, String(line), message, error["hint"] as? String]
            found.append(cells.compactMap(\.self).joined(separator: " | "))
            let hint = (error["hint"] as? String).map { "capsule: hint: \($0)\n" } ?? ""
            #expect(outcome.errors == "capsule: error: \(message)\n\(hint)")
        }
        #expect(found.joined(separator: "\n") == table)
    }

    @Test func withAPlaceAndWithoutAVerb() throws {
        try session.expect(
            #"""
            [2] $ capsule diff a a.capsule --expect run.json --json
            {"kind":"error","schema":"capsule.error","version":1,"status":2,"code":"failure","message":"unknown key \"Musst\" (at /Musst)","path":"run.json","place":"2:2","hint":"did you mean 'Must'?"}
            > run.json:2:2: error: unknown key "Musst" (at /Musst)
            > capsule: hint: did you mean 'Must'?
            """#)
        let outcome = try session.run("capsule --json")
        #expect(outcome.status == 64)
        #expect(outcome.jsonLines.first?["code"] as? String == "usage")
        #expect(outcome.jsonLines.first?["message"] as? String == "a verb is missing")
    }

    @Test func noneWhereTheOutputIsDataOrJSONIsNotAskedFor() throws {
        try session.expect(
            rows: """
                2 | cat a.capsule nothing --json | nothing: is not in the container | 'capsule ls a.capsule' lists its paths
                64 | cat a.capsule --json | a.capsule: 'cat' needs PATH, the file in the container | usage: capsule cat CONTAINER PATH, or capsule cat CONTAINER:PATH
                64 | generate completions tcsh --json | invalid value 'tcsh' for 'bash|zsh|fish': expected bash, zsh or fish
                2 | git textconv missing --json | missing: cannot open: no such file or directory
                64 | pack | 'pack' needs CONTAINER | usage: capsule pack CONTAINER [FLAG]...
                64 | info a b -- --json | unexpected argument 'b' for 'info' | usage: capsule info CONTAINER [FLAG]...
                64 | log a b c -- --json | unexpected argument 'c' for 'log' | usage: capsule log FILE [PATH] [FLAG]...
                """)
    }

    @Test func aReportThatSaysWhatFailedStaysAlone() throws {
        try session.expect(
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
        let outcome = try session.run([Array("info".utf8), name, Array("--json".utf8)])
        #expect(outcome.status == 2 && outcome.errors.hasPrefix("capsule: error: missing\\xFF.capsule: "))
        #expect(outcome.jsonLines.first?["code"] as? String == "notFound")
        #expect(outcome.jsonLines.first?["path64"] as? String == "bWlzc2luZ/8uY2Fwc3VsZQ==")
    }
}
