extension ReferencePage {
    /// Each form of a CONTAINER with its meaning.
    static let containerForms: [Block] = [
        .paragraph(MarkedText("A *CONTAINER* is one of:")),
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
            "*FILE*`.age`[`@`*VERSION*]",
            """
            A capsule or an archive that the program `age` encrypted. `--identity` or CAPSULE_IDENTITY names the file with the \
            key; for a passphrase, age asks on the terminal.
            """),
        .term(
            "`sim:`[*DEVICE*`/`]*BUNDLE-ID*",
            """
            The data of an app on a simulator. *DEVICE* is the UDID or the name of the simulator, or `booted`. Without it, this \
            is the simulator that the variable `SIMULATOR_UDID` names, as in a test, or else the only one that has the app, or the only \
            booted one of several. `capsule locate` lists simulators and apps. A *DEVICE* that the default set does not have is looked up in the set of \
            parallel tests, then in that of previews; `sim:xctest/`*DEVICE*`/`*BUNDLE-ID* and `sim:previews/`... name the set. `pack`, `diff`, `run`, `restore`, \
            `apply`, `undo` and `merge` include the app groups that the app's entitlements name, unless with `--no-groups`; \
            if the executable has no entitlements, those named after the app. For `restore`, `apply` and `drop`, `sim:all/`*BUNDLE-ID* is \
            the app on every simulator of the default set that has it, each changed by itself.
            """),
        .term("`-`", "A capsule or an archive on standard input."),
        .term(
            "*ADDRESS*[`@`*VERSION*]",
            "A capsule on a server: `oci://HOST/NAME:TAG`, `https://HOST/FILE`. `capsule help remote` tells more."),
    ]

    /// The same in one sentence.
    static let containerFormsInShort = """
        A *CONTAINER* is a bundle (`.xcappdata`), an app's data directory, a version of a capsule (`FILE.capsule` or \
        `FILE.capsule@VERSION`), an archive of one of these, an app on a simulator (`sim:BUNDLE-ID`), a capsule on a \
        server (`oci://HOST/NAME:TAG`), or `-` for standard input. `capsule help containers` describes each of them.
        """
}

extension ReferencePage.Block {
    fileprivate static func term(_ term: String, _ text: String) -> Self {
        .entry(term: MarkedText(term), text: MarkedText(text))
    }
}
