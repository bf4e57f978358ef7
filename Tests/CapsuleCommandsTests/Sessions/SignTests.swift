import Testing

/// `capsule sign` and `verify --signers`: who signed which version, and what is wrong with a signature.
@Suite struct SignTests {
    private let session: Session

    /// A capsule of two versions, the keys of Ann, who may sign, and of Bob, who may not. Ann signed version 1.
    init() throws {
        session = try Session(
            ["t/Documents/a.txt": "1", "u/Documents/a.txt": "2"], variables: ["SOURCE_DATE_EPOCH": "1700000000"])
        for name in ["ann", "bob"] {
            #expect(try session.run("ssh-keygen -q -t ed25519 -N '' -C \(name) -f \(name)").status == 0)
        }
        try list("ann@example.com", "ann")
        for line in ["pack -q t -o c.capsule", "sign -q c.capsule --key ann", "pack -q u -o c.capsule --append"] {
            let outcome = try session.run("capsule \(line)")
            #expect((outcome.status, outcome.errors) == (0, ""), "\(line)")
        }
    }

    /// Lists one signer.
    private func list(_ start: String, _ key: String) throws {
        try session.write("\(start) \(session.text("\(key).pub"))", to: "signers")
    }

    private func verify(_ flags: String = "", _ name: String = "c.capsule@1") throws -> Session.Outcome {
        try session.run("capsule verify \(name) --signers signers \(flags)")
    }

    /// Expects that version 1 is not good for a reason.
    private func expectRefusal(_ reason: String, _ flags: String = "") throws {
        let outcome = try verify(flags)
        #expect(outcome.status == 2)
        #expect(outcome.errors == "capsule: error: c.capsule: no good signature of version 1\n")
        let start = "c.capsule: version 1: the signature c.capsule.1.sig is not good: "
        #expect(outcome.text.hasPrefix(start) && outcome.text.contains(reason), "\(outcome.text)")
        #expect(outcome.text.utf8.allSatisfy { $0 >= 0x20 || $0 == UInt8(ascii: "\n") })
    }

    @Test func signersAreNamed() throws {
        let outcome = try verify("", "c.capsule")
        #expect(outcome.status == 0)
        #expect(
            outcome.text.hasPrefix(
                "c.capsule: version 1: signed by ann@example.com\nc.capsule: version 2: not signed\nc.capsule: OK: 2 versions"))
        let json = try #require(try verify("--json", "c.capsule").jsonLines.first)
        #expect(json["whole"] as? Bool == true)
        let signatures = try #require(json["signatures"] as? [[String: Any]])
        #expect(signatures.map { $0["version"] as? Int } == [1, 2])
        #expect(signatures.map { $0["signer"] as? String } == ["ann@example.com", nil])
        #expect(signatures.map { $0["file"] as? String } == ["c.capsule.1.sig", nil])
        #expect(try session.run("capsule verify c.capsule --json").jsonLines.first?["signatures"] == nil)
    }

    @Test func signaturesCanBeRequired() throws {
        let outcome = try verify("--require-signature", "c.capsule")
        #expect(outcome.status == 2 && outcome.text.contains("c.capsule: version 2: no signature c.capsule.2.sig\n"))
        #expect(try verify("--require-signature").status == 0)
        let signed = try session.run("capsule sign c.capsule --key ann --json")
        #expect(
            signed.text == #"{"schema":"capsule.sign","version":1,"file":"c.capsule","number":2,"signature":"c.capsule.2.sig"}"#
                + "\n")
        #expect(try verify("--require-signature", "c.capsule").status == 0)
    }

    /// A signature names a version, whatever else is in the file.
    @Test(
        arguments: [
            "label c.capsule@1 x", "compact c.capsule --keep 1", "compact c.capsule --keep 1 --drop 2", "label c.capsule y",
        ])
    func otherChangesKeepIt(line: String) throws {
        #expect(try session.run("capsule label c.capsule@1 base").status == 0)
        _ = try session.run("capsule \(line)")
        #expect(try verify("--require-signature --strict").status == 0)
    }

    /// A signature covers the manifest, too.
    @Test(arguments: ["--note x", "--label x", "--overlay AppBundle:Info.plist=o.plist", "--drop tmp", ""])
    func otherManifestsAreOthers(flags: String) throws {
        try session.write(#"<plist version="1.0"><dict><key>a</key><true/></dict></plist>"#, to: "o.plist")
        let outcome = try session.run("capsule pack -q t -o c.capsule --force \(flags)")
        guard outcome.status == 0 else {
            // A capsule of several versions is not replaced.
            #expect(try session.run("rm c.capsule").status == 0)
            #expect(try session.run("capsule pack -q t -o c.capsule \(flags)").status == 0, "\(outcome.errors)")
            return try check(flags)
        }
        try check(flags)
    }

    private func check(_ flags: String) throws {
        if flags.hasPrefix("--note") || flags.hasPrefix("--overlay") {
            try expectRefusal("incorrect signature")
        } else {
            #expect(try verify().status == 0, "\(flags)")
        }
    }

    @Test func signaturesOfOthersAreRefused() throws {
        try list("bob@example.com", "bob")
        try expectRefusal("No principal matched")
        try list("ann@example.com valid-before=\"20200101\"", "ann")
        try expectRefusal("expired")
        try list("ann@example.com namespaces=\"git\"", "ann")
        try expectRefusal("not permitted")
        try list("ann@example.com", "ann")
        try expectRefusal("", "--revoked ann.pub")
        #expect(try verify("--revoked bob.pub").status == 0)
    }

    @Test func otherSignaturesAreRefused() throws {
        #expect(try session.run("capsule sign -q c.capsule@2 --key ann").status == 0)
        #expect(try session.run("cp c.capsule.2.sig c.capsule.1.sig").status == 0)
        try expectRefusal("incorrect signature")
        #expect(try session.run("echo x | ssh-keygen -q -Y sign -n file -f ann > c.capsule.1.sig").status == 0)
        try expectRefusal("namespace does not match")
        #expect(try session.run("echo x | ssh-keygen -q -Y sign -n capsule -f ann > c.capsule.1.sig").status == 0)
        try expectRefusal("incorrect signature")
    }

    @Test(arguments: ["", "junk", "-----BEGIN SSH SIGNATURE-----\n\u{1B}[2J\n-----END SSH SIGNATURE-----\n"])
    func damagedSignaturesAreRefused(text: String) throws {
        try session.write(text, to: "c.capsule.1.sig")
        try expectRefusal("")
    }

    /// One wrong byte is a bad signature, wherever it is.
    @Test func everyLineMatters() throws {
        let lines = try session.text("c.capsule.1.sig").split(separator: "\n").map(String.init)
        for number in lines.indices where !lines[number].isEmpty {
            var changed = lines
            changed[number] = (changed[number].first == "A" ? "B" : "A") + changed[number].dropFirst()
            try session.write(changed.joined(separator: "\n") + "\n", to: "c.capsule.1.sig")
            try expectRefusal("")
        }
    }

    @Test func otherKindsOfFilesAreRefused() throws {
        try session.write(String(repeating: "x", count: 65_537), to: "c.capsule.1.sig")
        try expectRefusal("too large")
        for command in ["mkfifo", "mkdir", "ln -s none"] {
            #expect(try session.run("rm -rf c.capsule.1.sig && \(command) c.capsule.1.sig").status == 0)
            try expectRefusal("")
        }
    }

    @Test func namesOfSignersAreQuoted() throws {
        try list("\"a\u{1B}[2J,ann@example.com\"", "ann")
        let outcome = try verify()
        #expect(!outcome.text.contains("\u{1B}") && outcome.status == 0)
    }

    @Test func signaturesAreNotReplaced() throws {
        let before = try session.text("c.capsule.1.sig")
        try session.expect(
            """
            [2] $ capsule sign c.capsule@1 --key bob
            > capsule: error: c.capsule.1.sig: already exists
            > capsule: hint: '--force' replaces it
            $ capsule sign c.capsule@1 --key ann --force
            c.capsule: version 1 signed: c.capsule.1.sig
            """)
        #expect(try session.text("c.capsule.1.sig") == before)
    }

    @Test func onlyCapsulesAreSigned() throws {
        try session.write("age-encryption.org/v1\n", to: "e.capsule.age")
        try session.expect(
            """
            [2] $ capsule sign t --key ann
            > capsule: error: t: is a directory, not a capsule
            > capsule: hint: 'capsule pack' turns a container into a capsule
            [2] $ capsule sign ann --key ann
            > capsule: error: ann: is not a capsule
            > capsule: hint: only a capsule can be signed: 'capsule pack' makes one
            [64] $ capsule sign e.capsule.age --key ann
            > capsule: error: e.capsule.age: is encrypted, and only a capsule can be signed
            > capsule: hint: decrypt it with age, and sign that
            [64] $ capsule sign oci:shared:main --key ann
            > capsule: error: oci:shared:main: is an address, and only a file or a directory on this machine can be used here
            > capsule: hint: 'capsule pull' downloads it
            [64] $ capsule verify oci:shared:main --signers signers
            > capsule: error: oci:shared:main: is an address, and only a file or a directory on this machine can be used here
            > capsule: hint: 'capsule pull' downloads it
            [64] $ capsule sign - --key ann
            > capsule: error: sign signs a file, not standard input
            [64] $ capsule sign c.capsule
            > capsule: error: 'sign' needs --key
            > capsule: hint: it is the file of an SSH key
            [64] $ capsule verify c.capsule --require-signature
            > capsule: error: '--require-signature' needs '--signers'
            > capsule: hint: it says whose are good
            [2] $ capsule verify c.capsule --signers none
            > capsule: error: none: cannot open: no such file or directory
            """)
        let outcome = try session.run("capsule sign c.capsule --key signers")
        #expect(outcome.status == 2 && outcome.errors.hasPrefix("capsule: error: signers: ssh-keygen can't sign with it: "))
        #expect(!session.exists("c.capsule.2.sig"))
    }

    @Test func logAndInfoNameSignatures() throws {
        let log = try session.run("capsule log c.capsule").text
        #expect(log.contains("signature c.capsule.1.sig, not checked\n") && !log.contains("c.capsule.2.sig"))
        #expect(try session.run("capsule info c.capsule@1").text.contains("\nsignature  c.capsule.1.sig, not checked\n"))
        #expect(try !session.run("capsule info c.capsule").text.contains("signature"))
        #expect(try session.run("capsule info c.capsule@1 --json").jsonLines.first?["signature"] as? String == "c.capsule.1.sig")
        let versions = try session.run("capsule log c.capsule --json").jsonLines.first?["versions"] as? [[String: Any]]
        #expect(versions?.map { $0["signature"] as? String } == [nil, "c.capsule.1.sig"])
    }
}

/// Signatures go with a capsule into a layout and back.
@Suite struct PushedSignaturesTests {
    @Test func theyGoWithTheCapsule() throws {
        let session = try Session(["t/a.txt": "1", "u/a.txt": "2", "none/": ""])
        #expect(try session.run("ssh-keygen -q -t ed25519 -N '' -f key").status == 0)
        for line in [
            "pack -q t -o c.capsule", "sign -q c.capsule --key key", "push -q c.capsule oci:shared:main",
            "pull -q oci:shared -o none/c.capsule", "pack -q u -o c.capsule --append", "sign -q c.capsule --key key",
            "push -q c.capsule oci:shared:main", "push -q c.capsule oci:shared:main", "pull -q oci:shared:main -o d.capsule",
        ] {
            let outcome = try session.run("capsule \(line)")
            #expect((outcome.status, outcome.errors) == (0, ""), "\(line)")
        }
        #expect(try session.text("none/c.capsule.1.sig") == session.text("c.capsule.1.sig"))
        #expect(!session.exists("none/c.capsule.2.sig"))
        for number in 1...2 { #expect(try session.text("d.capsule.\(number).sig") == session.text("c.capsule.\(number).sig")) }
        #expect(try session.run("capsule tags oci:shared").text == "main\n")
        try session.write("text", to: "c.capsule.1.sig")
        let refused = try session.run("capsule push c.capsule oci:shared:main")
        #expect(refused.errors.hasPrefix("capsule: error: c.capsule.1.sig: is not an SSH signature, so it is not pushed\n"))
    }
}
