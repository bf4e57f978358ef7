import Testing

/// The statuses and messages of failures, which leave no file behind.
@Suite struct FailureTests {
    private let session: Session

    init() throws {
        session = try Session(["t/f": "x\n"])
        #expect(try session.run("capsule pack t -q").status == 0)
    }

    @Test func aFailureLeavesNoFile() throws {
        try session.expect(
            rows: """
                2 | pack t | t.capsule: already exists | 'capsule pack --append' adds a version to it; or choose another name, or replace it with '--force'
                2 | ls t.capsule@2 | t.capsule: has no version 2: it has 1 version | 'capsule log t.capsule' lists them
                2 | ls missing | missing: cannot open: no such file or directory
                2 | cat t.capsule missing | missing: is not in the container | 'capsule ls t.capsule' lists its paths
                2 | verify t | t: is a directory, not a capsule | 'capsule pack' turns a container into a capsule
                2 | verify t/f | t/f: is not a capsule | 'capsule pack' turns a container into a capsule
                2 | pack missing -o no.capsule | missing: cannot open: no such file or directory
                2 | pack t -o missing/no.capsule | missing: the directory does not exist | 'mkdir -p missing' creates it
                64 | pack t -o t/no.capsule | t/no.capsule: is inside the container t, which this command reads | choose another place with '--output'
                2 | unpack t.capsule -o t | t: already exists | '--force' replaces it
                2 | unpack t.capsule missing -C made/for/it | missing: is not in the container | 'capsule ls t.capsule' lists its paths
                64 | verify t.capsule@1 | t.capsule@1: must be a file, not one version of it | 'capsule verify t.capsule' checks all versions of the file
                64 | cat t.capsule /f | /f: is not a path in a container: the path is absolute | write it as 'capsule ls' does: no leading '/', no '..'
                64 | unpack t.capsule --as xcappdata -C no | t.capsule: is a plain directory, so it can't be unpacked as a container | use '--as directory', or an archive format
                """)
        try session.expect(
            """
            $ capsule pack t --force -q
            $ printf x | dd of=t.capsule bs=1 seek=70 conv=notrunc 2> /dev/null
            [2] $ capsule verify t.capsule
            t.capsule: version 1: f: the compressed data that starts at byte 0 is damaged
            > capsule: error: t.capsule: damaged: 1 file of version 1
            > capsule: hint: 'capsule unpack t.capsule PATH' extracts a file that is not damaged; 'capsule pack --append' stores again what the container still has
            [2] $ capsule unpack t.capsule -C made
            > capsule: error: t.capsule: the compressed data that starts at byte 0 is damaged
            > capsule: hint: 'capsule verify t.capsule' shows what is intact
            $ ls -A . t
            .:
            t
            t.capsule

            t:
            f
            """)
    }

    @Test func whatIsLeftOutIsAWarningThatQuietLetsThrough() throws {
        try session.expect(
            """
            $ mkfifo t/pipe
            [2] $ capsule pack t --strict -o no.capsule
            > capsule: error: pipe: can't be stored: pipe
            > capsule: hint: without '--strict' it is skipped and recorded
            $ capsule pack t --force --quiet
            > capsule: warning: 1 entry was left out or altered
            > capsule: hint: 'capsule info t.capsule' shows the list
            $ XCODE_VERSION_ACTUAL=2700 capsule pack t --force --quiet
            > warning: 1 entry was left out or altered
            > note: 'capsule info t.capsule' shows the list
            [2] $ XCODE_VERSION_ACTUAL=2700 capsule pack t
            > error: t.capsule: already exists
            > note: 'capsule pack --append' adds a version to it; or choose another name, or replace it with '--force'
            [64] $ XCODE_VERSION_ACTUAL=2700 capsule pakc
            > error: unknown verb 'pakc'
            > note: did you mean 'pack'?
            $ ls
            t
            t.capsule
            """)
    }

    @Test(arguments: [("", false), ("NO_COLOR=1", false), ("", true), ("NO_COLOR=1", true)])
    func colorIsShownOnATerminalOrWhereItIsAskedFor(variable: String, isAlways: Bool) throws {
        let report = try session.run("\(variable) capsule verify \(isAlways ? "--color always" : "") t.capsule").text
        #expect(report.contains("\u{1B}[") == isAlways)
        #expect(!(try session.run("\(variable) capsule verify --color never t.capsule").text.contains("\u{1B}[")))
    }

    @Test func theVersionNamesTheLibraries() throws {
        let version = try session.run("capsule --version").text
        #expect(version.wholeMatch(of: /capsule [0-9]+\.[0-9]+\.[0-9]+\n/) != nil)
        let lines = try session.run("capsule --version -v").text.split(separator: "\n").dropFirst()
        for library in ["libarchive", "libdeflate", "zlib", "zstd", "liblzma", "bzip2", "SQLite"] {
            #expect(lines.contains { $0.contains(/\ [0-9]+\.[0-9.]+$/) && $0.hasPrefix("\(library) ") }, "\(library)")
        }
    }
}
