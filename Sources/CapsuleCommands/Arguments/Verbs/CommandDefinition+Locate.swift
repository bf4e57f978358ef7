extension CommandDefinition {
    /// `capsule locate`
    static let locate = CommandDefinition(
        verb: "locate",
        summary: "find the containers of apps on simulators",
        otherWords: ["path", "simulators", "where"],
        forms: [CommandForm(.locate, [Positional(.identifier, "BUNDLE-ID", .text, .optional)])],
        flags: [
            Flag(
                .device, "device", value: Flag.Value("DEVICE", .text), in: .input,
                summary: "select a simulator: its UDID, its name, or booted",
                details: """
                    Search only the simulator with this UDID or name, or with `booted`, all booted simulators. Case doesn't \
                    matter, unless a name matches exactly.
                    """),
            Flag(
                .devices, "devices", value: Flag.Value("DIR", .directory(.input)), in: .input,
                summary: "search DIR, which has a directory per simulator",
                details: """
                    Search *DIR*, which has a directory for each simulator, such as a copy of one of Xcode's sets. Not with \
                    `--set`.
                    """),
            Flag(
                .kind, "kind", value: Flag.Value("KIND", .words(KindChoice.self)), in: .input,
                summary: "find data (the default), bundle or group",
                details: """
                    Find this kind of container: `data`, the app's data container, is the default with *BUNDLE-ID*; `bundle` \
                    is the app itself, `NAME.app`; `group` is the containers of app groups. With `group`, *BUNDLE-ID* can be \
                    the identifier of a group.
                    """),
            Flag(
                .set, "set", value: Flag.Value("SET", .words(SetChoice.self)), in: .input,
                summary: "search the set default, previews or xctest",
                details: """
                    Search one of Xcode's sets of simulators: `default`, which Xcode lists, in \
                    `~/Library/Developer/CoreSimulator/Devices`; `previews`, of SwiftUI previews, in \
                    `~/Library/Developer/Xcode/UserData/Previews/Simulator Devices`; or `xctest`, the clones for parallel \
                    tests, in `~/Library/Developer/XCTestDevices`.
                    """),
        ] + Flag.common,
        constraints: [
            .conflict(Constraint.Use(.devices), Constraint.Use(.set), reason: "both set the directory to search")
        ] + Constraint.common,
        description: [
            """
            Print the path of the container of the app *BUNDLE-ID* on a simulator. Capsule reads the simulators' directories \
            itself and doesn't need Xcode. If several simulators have the app, that is an error that lists them; use \
            `--device` to select one.
            """,
            """
            Without *BUNDLE-ID*, list the apps of each simulator, each with its data container, or with its bundle if it has \
            none. `--kind` lists all containers of one kind instead.
            """,
            """
            With `--kind group`, find the app groups whose identifier has *BUNDLE-ID* between dots, as in \
            `group.com.example.app` and `TEAM.com.example.app.shared`. An app's groups can have any name, and the signature \
            that lists them is not read. To find a group with a different name, give its own identifier.
            """,
            """
            A directory that can't be read is skipped, with a warning if it might contain the container. Links below the \
            simulators' directory are not followed. Other verbs accept `sim:`*BUNDLE-ID* as the data container of an app.
            """,
        ],
        examples: [
            Example(meaning: "List the apps on all simulators:", command: "capsule locate"),
            Example(
                meaning: "Change to an app's data on the booted simulator:",
                command: "cd \"$(capsule locate com.example.gifs --device booted)\""),
            Example(
                meaning: "Find the app bundle on the simulator iPhone 16:",
                command: "capsule locate com.example.gifs --kind bundle --device 'iPhone 16'"),
            Example(
                meaning: "Print the path of each app group:",
                command: "capsule locate --kind group --json | jq -r '.path // empty'"),
        ],
        statuses: Meaning.statuses(
            done: "Success: found or listed.",
            failed: "Nothing found, several simulators have the app, or failure; a message on standard error says why."),
        environment: sorted(
            Meaning.commonEnvironment.filter { $0.term != "TMPDIR" && $0.term != "CAPSULE_JOBS" } + [
                Meaning("HOME", "The home directory, in which Xcode keeps simulators.")
            ]),
        related: ["diff", "info", "pack"])
}
