import Testing

/// `diff --markdown`, and the summary of a step in GitHub Actions.
@Suite struct MarkdownTests {
    private let session: Session

    init() throws {
        session = try Session([
            "a/list.txt": "one\ntwo\n", "b/list.txt": "one\n\n```\n", "b/new.json": #"{"token": "f3a9c1"}"#,
            "expect.json": #"{"CapsuleExpectation": 1, "Must": [{"Path": "list.txt"}, {"Path": "gone|*"}]}"#,
        ])
    }

    @Test func reports() throws {
        try session.expect(
            """
            [1] $ capsule diff a b --markdown -
            <!-- capsule diff -->
            ### `a` → `b`

            **2 changes** in 2 entries

            | Entry | Changes |
            |---|---|
            | `list.txt` | `text, 1 change, +2 -1 lines, 8 bytes → 9 bytes` |
            | `new.json` | `added, 19 bytes` |

            <details><summary><code>list.txt</code></summary>

            ````diff
            @@ -1,2 +1,3 @@
             one
            -two
            +
            +```
            ````

            </details>
            [1] $ capsule diff a b list.txt --markdown part.md --name-only
            list.txt
            $ grep -c new.json part.md || :
            0
            [1] $ capsule diff a b --expect expect.json --markdown report.md
            ! missing: gone|*
                no path matches 'gone|*' on either side
            ! not allowed: new.json (added)
            expect.json: failed: 2 findings
            $ sed -n 3,11p report.md

            **Failed** `expect.json`: 2 findings

            - `missing: gone|*`
              - `no path matches 'gone|*' on either side`
            - `not allowed: new.json (added)`

            **2 changes** in 2 entries

            """)
        try session.expect(
            rows: """
                64 | diff a b --markdown - --stat | '--markdown -' and '--stat' cannot be used together | both would write to standard output
                64 | diff a b --markdown - --html - | -: is the same place as -, given with '--html' | choose another place with '--markdown'
                64 | diff a b --markdown | flag '--markdown' needs a value: a file name | 'capsule diff --help' lists its flags
                """)
    }

    /// The report of a step is added to its summary, unless the summary would become too long to be shown.
    @Test func summaryOfAStep() throws {
        try session.write("# Mine\n", to: "summary")
        try session.expect(
            """
            [1] $ GITHUB_STEP_SUMMARY=summary capsule diff -q a b
            $ cat summary
            # Mine
            [1] $ GITHUB_STEP_SUMMARY=summary capsule diff -q a b --expect expect.json --markdown -
            <!-- capsule diff -->
            ### `a` → `b`

            **Failed** `expect.json`: 2 findings

            - `missing: gone|*`
              - `no path matches 'gone|*' on either side`
            - `not allowed: new.json (added)`

            **2 changes** in 2 entries

            | Entry | Changes |
            |---|---|
            | `list.txt` | `text, 1 change, +2 -1 lines, 8 bytes → 9 bytes` |
            | `new.json` | `added, 19 bytes` |

            <details><summary><code>list.txt</code></summary>

            ````diff
            @@ -1,2 +1,3 @@
             one
            -two
            +
            +```
            ````

            </details>
            $ head -n 5 summary
            # Mine

            <!-- capsule diff -->
            ### `a` → `b`

            $ head -c 1048200 /dev/zero > full
            [1] $ GITHUB_STEP_SUMMARY=full capsule diff -q a b --expect expect.json
            ! missing: gone|*
                no path matches 'gone|*' on either side
            ! not allowed: new.json (added)
            expect.json: failed: 2 findings
            > capsule: warning: full: nothing was added: it would be longer than 1,048,576 bytes
            $ wc -c < full
            1048200
            [1] $ GITHUB_STEP_SUMMARY=a capsule diff a b --expect expect.json --markdown - -q --exclude '*'
            <!-- capsule diff -->
            ### `a` → `b`

            **Failed** `expect.json`: 2 findings

            - `missing: list.txt`
            - `missing: gone|*`
              - `no path matches 'gone|*' on either side`

            **Nothing differs**
            > capsule: warning: a: cannot open: is a directory
            """)
    }

    @Test func ofARun() throws {
        try session.expect(
            """
            $ GITHUB_STEP_SUMMARY=run.md capsule run -q a -- true
            $ cat run.md

            <!-- capsule diff -->
            ### `a (before)` → `a (after)`

            **Passed** `true`

            **Nothing differs**
            """)
    }

    /// The log of a job is not a list of commands.
    @Test func inALog() throws {
        try session.write("::error::x\n", to: "b/list.txt")
        let text = try session.run("GITHUB_ACTIONS=true capsule diff a b list.txt --markdown - --context 0").text
        #expect(text.contains("\n+::error::x\n"))
        try session.write("one\n::error::x\ntwo\n", to: "a/list.txt")
        try session.write("one\n::error::x\n", to: "b/list.txt")
        let other = try session.run("GITHUB_ACTIONS=true capsule diff a b list.txt --markdown -").text
        #expect(other.contains("\n \\x3A:error::x\n-two\n"))
    }
}
