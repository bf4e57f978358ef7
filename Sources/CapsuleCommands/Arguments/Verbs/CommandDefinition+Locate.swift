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
                summary: "look on one simulator: its UDID, its name, or booted",
                details: """
                    Look only on the simulator with this UDID or this name, or with `booted` on those that are booted. Upper \
                    and lower case make no difference, unless one simulator is called just so.
                    """),
            Flag(
                .devices, "devices", value: Flag.Value("DIR", .directory(.input)), in: .input,
                summary: "look into DIR, which has a directory for each simulator",
                details: """
                    Look into *DIR*, which has a directory for each simulator, as a copy of one of Xcode's sets has. Not with \
                    `--set`.
                    """),
            Flag(
                .kind, "kind", value: Flag.Value("KIND", .words(KindChoice.self)), in: .input,
                summary: "look for data (the default), bundle or group",
                details: """
                    What to look for: `data`, the app's data container, which is the default with *BUNDLE-ID*; `bundle`, the \
                    app itself, `NAME.app`; or `group`, the containers of app groups. With `group`, *BUNDLE-ID* may be a \
                    group's identifier.
                    """),
            Flag(
                .set, "set", value: Flag.Value("SET", .words(SetChoice.self)), in: .input,
                summary: "look into the set default, previews or xctest",
                details: """
                    Which of Xcode's sets of simulators to look into: `default`, those that Xcode lists, in \
                    `~/Library/Developer/CoreSimulator/Devices`; `previews`, those of SwiftUI previews, in \
                    `~/Library/Developer/Xcode/UserData/Previews/Simulator Devices`; or `xctest`, the clones on which tests run \
                    beside each other, in `~/Library/Developer/XCTestDevices`.
                    """),
        ] + Flag.common,
        constraints: [
            .conflict(Constraint.Use(.devices), Constraint.Use(.set), reason: "both say where to look")
        ] + Constraint.common,
        description: [
            """
            Prints the path of the container of the app *BUNDLE-ID* on a simulator. It reads the simulators' directories \
            itself: Xcode need not be there. Several simulators that have the app are an error, which lists them; \
            `--device` says which one is meant.
            """,
            """
            Without *BUNDLE-ID* it lists for each simulator its apps, each with its data container, or with its bundle if it \
            has none; `--kind` lists all containers of a kind instead.
            """,
            """
            With `--kind group` the groups that go by the app are found: those in whose identifier *BUNDLE-ID* stands between \
            dots, as in `group.com.example.app` and `TEAM.com.example.app.shared`. Which groups an app has stands in its \
            signature, which is not read, and a group may have any name; one that is named itself is found by it.
            """,
            """
            A directory that cannot be understood is passed over, with a warning if it might have been meant. No link below the \
            simulators' directory is followed. Other verbs take `sim:`*BUNDLE-ID* for the data container of an app.
            """,
        ],
        examples: [
            Example(meaning: "List the apps on all simulators:", command: "capsule locate"),
            Example(
                meaning: "Go to an app's data on the simulator that is booted:",
                command: "cd \"$(capsule locate com.example.gifs --device booted)\""),
            Example(
                meaning: "Find the app itself on a simulator by its name:",
                command: "capsule locate com.example.gifs --kind bundle --device 'iPhone 16'"),
            Example(
                meaning: "Print the path of each app group:",
                command: "capsule locate --kind group --json | jq -r '.path // empty'"),
        ],
        statuses: Meaning.statuses(
            done: "Found or listed.",
            failed: "Nothing found, several simulators have the app, or failure; a message on standard error says why."),
        environment: sorted(
            Meaning.commonEnvironment.filter { $0.term != "TMPDIR" && $0.term != "CAPSULE_JOBS" } + [
                Meaning("HOME", "The directory below which Xcode keeps simulators.")
            ]),
        related: ["diff", "info", "pack"])
}
