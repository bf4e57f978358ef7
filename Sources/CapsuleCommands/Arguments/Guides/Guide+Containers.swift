extension Guide {
    /// `capsule help containers`
    static let containers = Guide(
        topic: "containers", summary: "what a CONTAINER argument can be",
        otherWords: ["container", "directory", "sim", "simulator", "version", "versions", "xcappdata"],
        sections: [
            ReferencePage.Section(title: "CONTAINERS", blocks: containerForms),
            ReferencePage.Section(
                title: "EXAMPLES",
                blocks: [
                    .example(
                        meaning: "The data of an app on the booted simulator:",
                        command: "capsule pack sim:booted/com.example.gifs"),
                    .example(
                        meaning: "The version before the latest, and the version with the label login:",
                        command: "capsule diff fixtures.capsule@~1 fixtures.capsule@login"),
                    .example(
                        meaning: "An archive on standard input:",
                        command: "capsule ls - < container.tar.xz"),
                ]),
            ReferencePage.Section(title: "SEE ALSO", blocks: [.text("`capsule`(1), `capsule-locate`(1), `capsule-pack`(1)")]),
        ])

    /// Each form of a CONTAINER with its meaning.
    static let containerForms: [ReferencePage.Block] = [
        .text("A *CONTAINER* is one of:"),
        .term("*X*`.xcappdata`", "A bundle that Xcode downloaded from a device."),
        .term(
            "*DIRECTORY*",
            """
            The data directory of an app: downloaded by Device Hub, in a simulator \
            (`.../data/Containers/Data/Application/UUID`), or of a sandboxed macOS app (`~/Library/Containers/ID/Data`). Any \
            other directory is packed and compared as plain files.
            """),
        .term(
            "*FILE*`.capsule`[`@`*VERSION*]",
            """
            A version of a capsule. *VERSION* is a number, a label, `latest`, `first`, or `~1` for the version before the \
            latest. The default is `latest`. If a file has exactly this name, with the `@`, it is read instead.
            """),
        .term(
            "*ARCHIVE*",
            "A `.tar`, `.tar.gz`, `.tar.zst`, `.tar.xz`, `.tar.bz2`, `.zip` or `.ipa` file that contains any of these."),
        .term(
            "`sim:`[*DEVICE*`/`]*BUNDLE-ID*",
            """
            The data of an app on a simulator. *DEVICE* is the UDID or the name of the simulator, or `booted`. It is required \
            if several simulators have the app. `capsule locate` lists simulators and apps.
            """),
        .term("`-`", "A capsule or an archive on standard input."),
    ]

    /// The same in one sentence.
    static let containerFormsInShort = """
        A *CONTAINER* is a bundle (`.xcappdata`), an app's data directory, a version of a capsule (`FILE.capsule` or \
        `FILE.capsule@VERSION`), an archive of one of these, an app on a simulator (`sim:BUNDLE-ID`), or `-` for standard \
        input. `capsule help containers` describes each of them.
        """
}
