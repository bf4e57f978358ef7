import CapsuleContainers

extension CommandDefinition {
    static let sign = CommandDefinition(
        verb: "sign",
        summary: "sign a version of a capsule with an SSH key",
        otherWords: ["attest", "notarize", "signature"],
        forms: [CommandForm(.sign, .file)],
        flags: FlagDefinition.list(
            .force.replacing(summary: "replace the signature that is there", details: "Replace the signature that is there."),
            .signingKey),
        constraints: [.choice([Constraint.Use(.signingKey)], for: .sign, reason: "it is the file of an SSH key")],
        description: [
            """
            Sign the newest version of the capsule *FILE*, or *VERSION* of `FILE@VERSION`, and write the signature to `FILE.N.sig`, *N* \
            being the number of the version. The program `ssh-keygen` signs, and asks for a passphrase or for a touch of the key if it \
            needs that.
            """,
            """
            The signature is of the version's number, digests and manifest: its files, overlays, note and origin. It stays good when \
            versions are appended, dropped or labeled. `capsule verify --signers` checks it. Whoever signs says what the version is, not \
            that it is harmless. Encrypted files are not signed: sign first, then encrypt.
            """,
        ],
        examples: [
            Example(
                meaning: "Sign the newest version:", command: "capsule sign run.capsule --key ~/.ssh/id_ed25519"),
            Example(
                meaning: "Sign another one with a key in ssh-agent:",
                command: "capsule sign run.capsule@before --key ~/.ssh/id_ed25519.pub"),
        ],
        statuses: Meaning.statuses(
            done: "Success.", failed: "Failure; a message on standard error says why. No signature is written."),
        environment: Meaning.commonEnvironment.filter { ["NO_COLOR", "TMPDIR", "XCODE_VERSION_ACTUAL"].contains($0.term) } + [
            Meaning("SSH_AUTH_SOCK", "The socket of ssh-agent, for `ssh-keygen`.")
        ],
        related: ["push", "verify"])
}

extension Flag<[UInt8]?> {
    package static var signingKey: Self {
        Self(
            "key", value: "KEY", .file(.input), in: .input,
            summary: "sign with the SSH key in KEY",
            details: "Sign with the private SSH key in *KEY*. If *KEY* is a public key, its private one is in ssh-agent.")
    }

    package static var signers: Self {
        Self(
            "signers", value: "FILE", .file(.input), in: .input,
            summary: "check signatures with the keys in FILE",
            details: """
                Check the signatures of the versions. *FILE* lists who may sign with which key, one on a line: a name such as an e-mail \
                address, then the public SSH key, as `ALLOWED SIGNERS` in ssh-keygen(1) says.
                """)
    }

    package static var revokedKeys: Self {
        Self(
            "revoked", value: "FILE", .file(.input), in: .input,
            summary: "with --signers: accept no key in FILE",
            details:
                "Accept no signature by a key in *FILE*: public keys, one on a line, or a revocation list (KRL) of `ssh-keygen`.")
    }
}

extension Flag<Bool> {
    package static var requireSignature: Self {
        Self(
            "require-signature", in: .input,
            summary: "with --signers: fail without a signature",
            details: "Fail if a version has no signature. To accept a file, use it: anyone can leave a signature out.")
    }
}
