import CapsuleContainers

extension CommandDefinition {
    static let serve = CommandDefinition(
        verb: "serve",
        summary: "let UI tests reset and check the app while they run",
        otherWords: ["daemon", "listen", "server"],
        forms: [CommandForm(.serve, .servedProgram)],
        flags: FlagDefinition.list(
            .port, .portFile, .root,
            .force.replacing(
                summary: "replace the port file", details: "Replace an existing file with the name of the port file.")),
        description: [
            """
            Answer requests of tests on 127.0.0.1, in a project: `restore`, `pack` and `diff` of the app, and `expect`, which compares \
            the app with a version and judges the changes. A test in Swift uses the library *CapsuleUITesting*; others send JSON over \
            HTTP, which docs/serve.md describes. *COMMAND* runs the tests: `serve` ends with it, and has its exit status. \
            Without one, `^C` ends it.
            """,
            """
            Each request is carried out as the command of the project would be, with its flags, one at a time for each simulator. A \
            test sends the UDID of its simulator, so that clones of a simulator reset their own app.
            """,
            """
            A port file of mode 0600 has the port and a random token, which each request must carry. *COMMAND* finds it by the \
            environment variable `CAPSULE_PORT_FILE`, and a test that xcodebuild runs finds it by the same name, since \
            `TEST_RUNNER_CAPSULE_PORT_FILE` is set, too. Requests of browsers are refused. Requests name versions, labels and files of \
            the project, never a path outside of it.
            """,
        ],
        examples: [
            Example(
                meaning: "Run UI tests that reset the app themselves:",
                command: "capsule serve -- xcodebuild test -scheme Gifs"),
            Example(
                meaning: "Serve tests that are started from elsewhere, such as Xcode:",
                command: "capsule serve --port-file /tmp/capsule.json"),
        ],
        statuses: [
            Meaning("0", "*COMMAND* succeeded; without one, `^C` ended the server."),
            Meaning(
                "2", "Failure, for example because another program listens on the port; a message on standard error says why."),
            Meaning("126", "*COMMAND* can't be run."),
            Meaning("127", "*COMMAND* is not found."),
            Meaning("N", "The exit status of *COMMAND*, or 128 plus the number of the signal that ended it or `capsule`."),
        ] + Meaning.always,
        environment: Meaning.commonEnvironment + [.cacheHome],
        related: ["init", "restore", "run"])
}

extension Positional<[[UInt8]]> {
    package static var servedProgram: Self { Self("COMMAND", .program, .optionalProgram) }
}

extension Flag<Int?> {
    package static var port: Self {
        Self(
            "port", value: "N", .integer(0...65_535), in: .input,
            summary: "listen on this port (default: a free one)",
            details: "Listen on port *N* of 127.0.0.1. The default, 0, is a free one, which the port file names.")
    }
}

extension Flag<[UInt8]?> {
    package static var portFile: Self {
        Self(
            "port-file", value: "FILE", .file(.output(nil)), in: .output,
            summary: "write the port and the token to FILE",
            details: """
                Write the port and the token to *FILE*, for programs that are not started by `serve`. It is deleted at the end. The \
                default is a private temporary file.
                """)
    }

    package static var root: Self {
        Self(
            "root", value: "DIR", .path, in: .input,
            summary: "serve the project in DIR",
            details:
                "Serve the project in *DIR* or above it. *COMMAND* runs in the project's root. The default is the current directory."
        )
    }
}
