extension CommandDefinition {
    static let `init` = CommandDefinition(
        verb: "init",
        summary: "make a project file, for short commands",
        otherWords: ["config", "configure", "create", "new", "setup"],
        forms: [CommandForm(.`init`, .projectApp)],
        flags: FlagDefinition.list(
            .force.replacing(summary: "replace the project file", details: "Replace an existing `.capsule.plist`.")),
        description: [
            """
            Write `.capsule.plist` to the current directory, after finding the app. *APP* is the bundle identifier of an app on a \
            simulator, a `sim:` name, or a directory below the current one. From then on, here and in directories below, `app:` names \
            the app's live container, and `@`*VERSION* a version of the project's capsule, wherever a container or a version does; `@` \
            is the newest.
            """,
            """
            The verbs take what is missing from the project: `capsule pack --label clean` saves a version, `capsule restore @clean` \
            resets the app, `capsule diff @clean` shows what changed since, `capsule log` lists the versions, and `capsule run -- \
            ./test.sh` records a test. `restore`, `apply` and `drop` of `app:` keep what they replace: `capsule undo` brings it back, \
            once. `-v` prints the command in full, and a flag on the command line wins.
            """,
            """
            The file has *App* and *File*, the capsule, and may have *Drop* (classes for `pack` and `restore`), *Groups* (false for `--no-groups`), \
            *Keychain* (a boolean: `--keychain` for `pack`, `restore` and `undo`), *Rules* (for `diff` and \
            `run`), *Expectation* (for `run`), and *Simctl* (a boolean). It is found in the current directory or above, up to your home \
            directory, and only where nobody else can write. What it names is inside the project; *File* can also be an address, \
            which is only read.
            """,
        ],
        examples: [
            Example(meaning: "Make a project for an app on the simulator:", command: "capsule init com.example.gifs"),
            Example(meaning: "Choose a directory instead:", command: "capsule init Data --force"),
        ],
        statuses: Meaning.statuses(
            done: "Success.",
            failed: "Failure: the app was not found, or there is a project file; a message on standard error says why."),
        environment: Meaning.commonEnvironment + [
            .cacheHome, Meaning("HOME", "The home directory, where the search for a project file ends."),
        ],
        related: ["diff", "log", "pack", "restore", "run", "undo"])
}

extension Positional<[UInt8]> {
    package static var projectApp: Self { Self("APP", .file(.input)) }
}
