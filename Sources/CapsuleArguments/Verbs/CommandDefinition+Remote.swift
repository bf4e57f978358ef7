import CapsuleCore

extension CommandDefinition {
    static let push = CommandDefinition(
        verb: "push",
        summary: "copy a capsule to a registry",
        otherWords: ["publish", "share", "upload"],
        forms: [CommandForm(.push, .file, .remoteTarget)],
        flags: FlagDefinition.list(
            .tags, .annotations, .asImage,
            .keychain.worded(
                summary: "push a capsule that has a device's keychain",
                details: """
                    Push a capsule with a version that has the keychain of a whole device. Everyone who may pull it gets it. Without \
                    this flag, such a push is refused.
                    """),
            .force.worded(
                summary: "replace what the tag names, even if its history is another one",
                details: """
                    Replace what the tag names, even if it has versions that *FILE* does not have. Without this flag, such a push is \
                    refused.
                    """)),
        description: [
            """
            Copy the capsule *FILE*, or its part up to *VERSION* of `FILE@VERSION`, to *ADDRESS*: `oci://HOST/NAME:TAG` in any OCI registry, \
            or `oci:DIRECTORY:TAG` in an OCI image layout on this machine. Only what the registry does not have is sent. The tag is \
            moved last, so a push that is stopped changes nothing that others see.
            """,
            """
            A push only adds versions, as `git push` does: if the tag has versions that *FILE* does not have, it is refused, and \
            `capsule pull` gets them. Registries have no locks: of two pushes at the same moment, one may be reached only by the \
            digest that it printed. Give each job of a CI a tag of its own.
            """,
            """
            The signatures of the pushed versions that `capsule sign` wrote beside *FILE* are copied, too.
            """,
            """
            Passwords are found where `docker login`, `podman login` and `oras login` store them. `capsule help remote` tells the details.
            """,
        ],
        examples: [
            Example(
                meaning: "Share a capsule with the team:",
                command: "capsule push gifs.capsule oci://reg.example.com/gifs:main"),
            Example(
                meaning: "Push a version to a directory, with a second tag:",
                command: "capsule push gifs.capsule@base oci:shared:base --tag old"),
        ],
        statuses: Meaning.statuses(
            done: "Pushed, or the registry has it already.",
            failed:
                "Failure; a message on standard error says why. The tag names what it named before, unless the message says otherwise."
        ),
        environment: Meaning.remoteEnvironment,
        related: ["log", "pull", "tags", "verify"])

    static let pull = CommandDefinition(
        verb: "pull",
        summary: "copy a capsule from a registry or a web server",
        otherWords: ["clone", "download", "fetch"],
        forms: [CommandForm(.pull, .remote)],
        flags: FlagDefinition.list(
            .lockTimeout,
            .output.worded(
                used: .target,
                summary: "write the capsule to FILE (default: the name in ADDRESS)",
                details: """
                    Write the capsule to *FILE*. Without this flag, the file is in the current directory, and its name is the last part of the \
                    name in *ADDRESS*, with `.capsule`.
                    """),
            .force.worded(
                summary: "replace FILE, even if it has versions of its own",
                details:
                    "Replace *FILE*, even if it has versions that *ADDRESS* does not have. Without this flag, that is an error.")),
        description: [
            """
            Copy the capsule at *ADDRESS* to a file: `oci://HOST/NAME:TAG`, `oci:DIRECTORY:TAG` or `https://HOST/FILE`. With `@VERSION` behind \
            the address, only the versions up to that one are copied. If the file is there and has the first versions of the capsule, only \
            the others are fetched and appended.
            """,
            """
            Every byte is compared with its digest before it gets into the file. If the command is stopped, the file is as it was, or \
            has some of the new versions. The signatures of the versions are written beside the file; `capsule verify --signers` checks \
            them.
            """,
        ],
        examples: [
            Example(
                meaning: "Get a capsule, or what is new in it:", command: "capsule pull oci://reg.example.com/gifs:main"
            ),
            Example(
                meaning: "Get one from a directory:",
                command: "capsule pull oci:shared:main -o copy.capsule"),
        ],
        statuses: Meaning.statuses(
            done: "Pulled, or the file has everything already.",
            failed: "Failure; a message on standard error says why."),
        environment: Meaning.remoteEnvironment,
        related: ["log", "push", "tags", "verify"])

    static let tags = CommandDefinition(
        verb: "tags",
        summary: "list the tags of a repository in a registry",
        forms: [CommandForm(.tags, .remote)],
        description: [
            """
            List the tags at *ADDRESS*, one on a line: `oci://HOST/NAME`, or `oci:DIRECTORY`. A tag may name something else than a capsule: \
            the list does not tell.
            """
        ],
        examples: [
            Example(meaning: "List the tags:", command: "capsule tags oci://reg.example.com/gifs"),
            Example(meaning: "List those in a directory:", command: "capsule tags oci:shared"),
        ],
        statuses: Meaning.statuses(done: "Success.", failed: "Failure; a message on standard error says why."),
        environment: Meaning.remoteEnvironment,
        related: ["log", "pull", "push"])
}

extension CommandDefinition.Meaning {
    static let remoteEnvironment =
        (commonEnvironment + [
            Self("CAPSULE_REGISTRY_HOST", "The registry that gets the next two."),
            Self("CAPSULE_REGISTRY_PASSWORD", "A password, for CI. It comes before all files."),
            Self("CAPSULE_REGISTRY_USERNAME", "The user whose password it is."),
            Self("CAPSULE_TRUST_REALM", "Hosts of token services that may get the password of a registry on another host."),
            Self("CURL_CA_BUNDLE", "Certificate authorities to trust instead of the system's; else `SSL_CERT_FILE`."),
            Self("REGISTRY_AUTH_FILE", "The only file that passwords are read from."),
            Self("https_proxy", "A proxy; `http_proxy`, `all_proxy` and `no_proxy` are used, too."),
        ]).sorted { $0.term < $1.term }
}

extension Positional<[UInt8]> {
    package static var remote: Self { Self("ADDRESS", .file(.input)) }
    package static var remoteTarget: Self { Self("ADDRESS", .file(.target)) }
}

extension Flag<[String]> {
    package static var tags: Self {
        Self(
            "tag", values: "TAG", .text, in: .output,
            summary: "give it another tag, too (repeatable)",
            details: "Let *TAG* name the same manifest, whatever it named before. Repeatable.")
    }
}

extension Flag<[NamedValue]> {
    package static var annotations: Self {
        Self(
            "annotation", values: "NAME=VALUE", .definition, in: .output,
            summary: "add an annotation to the manifest (repeatable)",
            details: """
                Add an annotation to the manifest. `org.opencontainers.image.source=URL` lets GitHub show the package in a repository. \
                Repeatable.
                """)
    }
}

extension Flag<Bool> {
    package static var asImage: Self {
        Self(
            "as-image", in: .output,
            summary: "write the manifest as that of an image",
            details: """
                Write the manifest in the form that looks most like the image of a container. Capsule chooses this form by itself if a \
                registry refuses the others.
                """)
    }
}
