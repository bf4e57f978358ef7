extension CommandDefinition {
    static let locate = CommandDefinition(
        verb: "locate",
        summary: "find the containers of apps on simulators",
        otherWords: ["path", "simulators", "where"],
        forms: [CommandForm(.locate, .identifier)],
        flags: FlagDefinition.list(.device, .devices, .kind, .set),
        constraints: [
            .conflict(Constraint.Use(.devices), Constraint.Use(.set), reason: "both set the directory to search")
        ],
        description: [
            """
            Print the path of the container of the app *BUNDLE-ID* on a simulator. Capsule reads the simulators' directories \
            itself and doesn't need Xcode. If several simulators have the app, that is an error that lists them, and `--json` \
            prints them all; use `--device` to select one.
            """,
            """
            Without *BUNDLE-ID*, list the apps of each simulator, each with its data container, or with its bundle if it has \
            none. `--kind` lists all containers of one kind instead.
            """,
            """
            With `--kind group`, find the app groups whose identifier has *BUNDLE-ID* between dots, as in \
            `group.com.example.app` and `TEAM.com.example.app.shared`. An app's groups can have any name, and the entitlements \
            that list them are not read here. To find a group with a different name, give its own identifier.
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
        environment: Meaning.commonEnvironment.filter { $0.term != "TMPDIR" && $0.term != "CAPSULE_JOBS" } + [
            Meaning("HOME", "The home directory, in which Xcode keeps simulators.")
        ],
        related: ["diff", "info", "pack"])

    static let info = CommandDefinition(
        verb: "info",
        summary: "show the origin of a container and what was left out",
        otherWords: ["about", "describe", "manifest"],
        forms: [CommandForm(.info, .container)],
        flags: FlagDefinition.list(.identity, .plist),
        constraints: [
            .conflict(Constraint.Use(.plist), Constraint.Use(.json), reason: "both print the manifest")
        ],
        description: [
            """
            Show what is known about *CONTAINER*: its app, its app groups, the number of entries and bytes, and everything \
            that was left out, with the reason. For a capsule, this comes from the manifest, and the number, label, note, \
            time and digests of the version are shown too. A directory or an archive has none of these.
            """,
            """
            Digests show whether two containers are the same, and whether a capsule is intact. They don't show who made it: \
            a capsule is not signed.
            """,
        ],
        explainsContainers: true,
        examples: [
            Example(meaning: "Show the newest version of a capsule:", command: "capsule info fixtures.capsule"),
            Example(meaning: "Show the version with the label before:", command: "capsule info fixtures.capsule@before"),
            Example(
                meaning: "Print one value of the manifest in a script:",
                command: "capsule info --plist run.capsule | capsule plist get - /TreeDigest"),
        ],
        statuses: Meaning.statuses(done: "Success."),
        environment: Meaning.commonEnvironment,
        related: ["ls", "pack", "verify"])

    static let ls = CommandDefinition(
        verb: "ls",
        summary: "list the files of a container",
        otherWords: ["dir", "entries", "find", "list", "tree"],
        forms: [CommandForm(.ls, .container, .paths)],
        flags: FlagDefinition.list(
            .identity, .longListing,
            .full.worded(
                summary: "with -l: show all digits of each digest",
                details: "With `--long`: show all 64 digits of each digest."),
            .humanReadable),
        constraints: [
            .requirement(Constraint.Use(.longListing), of: Constraint.Use(.full), reason: "it sets how digests are shown"),
            .requirement(
                Constraint.Use(.longListing), of: Constraint.Use(.humanReadable), reason: "it sets how sizes are shown"),
        ],
        description: [
            """
            List the whole tree of *CONTAINER*, one path per line: first the container's paths, then those of its app \
            groups, each sorted by bytes. With one or more *PATH*, list only these entries and everything below them. Files \
            of a bundle outside the container, such as AppDataInfo.plist, are listed if *PATH* names them.
            """,
            """
            *PATH* can be a pattern: `*` matches within a name and `**` across directories. Without a `/`, as in `'*.plist'`, it \
            matches names in every directory, and after `./` only at the top. Put a pattern in quotes, so that the shell does not expand it.
            """,
            """
            On a terminal, control characters in names are escaped. In a file or a pipe, names are printed unchanged.
            """,
        ],
        explainsContainers: true,
        examples: [
            Example(meaning: "List a capsule:", command: "capsule ls fixtures.capsule"),
            Example(
                meaning: "List the preferences of its first version with sizes and digests:",
                command: "capsule ls -l fixtures.capsule@first Library/Preferences"),
            Example(
                meaning: "List a downloaded bundle as JSON:",
                command: "capsule ls --json 'com.example.gifs 2026-03-01 10:20.30.400.xcappdata'"),
        ],
        statuses: Meaning.statuses(
            done: "Success.",
            failed: "Failure, or *PATH* was not found in the container; a message on standard error says why."),
        environment: Meaning.commonEnvironment,
        related: ["cat", "du", "info", "unpack"])

    static let cat = CommandDefinition(
        verb: "cat",
        summary: "print one file of a container, or a table of a database",
        otherWords: ["print", "read"],
        forms: [CommandForm(.cat, .container, .path)],
        flags: FlagDefinition.list(.identity),
        description: [
            """
            Print the bytes of the file *PATH* in *CONTAINER* on standard output, unchanged. `CONTAINER:PATH` as one argument \
            is the same. From a capsule, only the members with this file are read, and the file's digest is checked.
            """,
            """
            *PATH* can be a pattern: `*` matches within a name and `**` across directories. Without a `/`, as in `'*.plist'`, it \
            matches names in every directory, and after `./` only at the top. Put a pattern in quotes, so that the shell does not expand it. The pattern must match one file.
            """,
            """
            A SQLite database with a write-ahead log or a rollback journal is printed with its WAL checkpointed, or its \
            journal rolled back, as if the app had closed it, and a note says so. Without its log the database could lack \
            the latest changes.
            """,
            """
            A file that is not text is not printed on a terminal: redirect it to a file or a pipe.
            """,
            """
            *PATH*`:`*TABLE* prints all rows of a table or a Core Data entity as CSV, with secrets: a line with the columns, then one for \
            each row. NULL is empty and data is in Base64. `capsule show --csv` hides secrets.
            """,
        ],
        explainsContainers: true,
        examples: [
            Example(
                meaning: "Print a text file as it was before a test:",
                command: "capsule cat run.capsule@before Documents/Notes/list.txt"),
            Example(
                meaning: "Print the same file from the latest version:",
                command: "capsule cat run.capsule:Documents/Notes/list.txt"),
            Example(
                meaning: "Copy one file out of a bundle in an archive:",
                command: "capsule cat container.zip Documents/cat.gif > cat.gif"),
            Example(
                meaning: "Export a table:",
                command: "capsule cat run.capsule Model.sqlite:Gif > gifs.csv"),
        ],
        statuses: Meaning.statuses(
            done: "Success.",
            failed: "Failure: the container has no such file, or its digest does not match; a message says which."),
        environment: Meaning.commonEnvironment,
        related: ["ls", "show", "unpack"])

    static let log = CommandDefinition(
        verb: "log",
        summary: "list the versions of a capsule, or those that changed a path",
        otherWords: ["annotate", "blame", "history", "list-versions", "versions"],
        forms: [CommandForm(.log, .file, .path)],
        flags: FlagDefinition.list(
            .stat.worded(
                summary: "count the entries that differ in each version",
                details: "Count the entries that each version added, deleted and modified since the one before."),
            .patch, .full, .identity, .showSecrets),
        constraints: [
            .conflict(Constraint.Use(.stat), Constraint.Use(.patch), reason: "'--stat' shows no values")
        ],
        description: [
            """
            List the versions of the capsule *FILE*, newest first, one per line: number and labels, for use as \
            `FILE@VERSION`; capture time; number of entries; bytes that it added to the file; origin; and note.
            """,
            """
            With *PATH*, list only the versions that changed the entry, or anything below it, and say what changed since the \
            version before; in the first version, everything was added. *PATH*`:`*POINTER* is the history of one value of a \
            property list, *PATH*`:`*TABLE*`[`*KEY*`]` of one row of a database, and *PATH*`:`*TABLE* of a table, all as for \
            `capsule show`. The name of a file is enough if no other file has it. Noise counts, too.
            """,
            """
            Without *PATH*, only footers and manifests are read, not the content; with it, only what may differ there. A \
            version with a damaged manifest is marked. Missing numbers are versions that were removed. Secrets are hidden, as \
            in `diff`.
            """,
        ],
        examples: [
            Example(meaning: "List the versions of a capsule:", command: "capsule log fixtures.capsule"),
            Example(
                meaning: "Find the version that changed a setting:",
                command: "capsule log run.capsule com.example.gifs.plist:/launches"),
            Example(
                meaning: "Show what each version changed in one row:",
                command: "capsule log -p run.capsule 'Model.sqlite:ZGIF[2]'"),
            Example(
                meaning: "Print the label of each version in a script:",
                command: "capsule log --json fixtures.capsule | jq -r '.versions[].label'"),
        ],
        statuses: [
            Meaning("0", "Success. A torn tail is a warning."),
            Meaning("2", "The file is not a capsule, one of its versions can't be read, or no version has *PATH*."),
        ] + Meaning.always,
        environment: Meaning.commonEnvironment.filter { $0.term != "TMPDIR" },
        related: ["diff", "info", "label", "repair", "show", "verify"])
}

extension Flag<String?> {
    package static var device: Self {
        Self(
            "device", value: "DEVICE", .device, in: .input,
            summary: "select a simulator: its UDID, its name, or booted",
            details: """
                Search only the simulator with this UDID or name, or with `booted`, all booted simulators. Case doesn't \
                matter, unless a name matches exactly.
                """)
    }
}

extension Flag<[UInt8]?> {
    package static var devices: Self {
        Self(
            "devices", value: "DIR", .directory(.input), in: .input,
            summary: "search DIR, which has a directory per simulator",
            details: """
                Search *DIR*, which has a directory for each simulator, such as a copy of one of Xcode's sets. Not with \
                `--set`.
                """)
    }
}

extension Flag<KindChoice?> {
    package static var kind: Self {
        Self(
            "kind", value: "KIND", .words, in: .input,
            summary: "find data (the default), bundle or group",
            details: """
                Find this kind of container: `data`, the app's data container, is the default with *BUNDLE-ID*; `bundle` \
                is the app itself, `NAME.app`; `group` is the containers of app groups. With `group`, *BUNDLE-ID* can be \
                the identifier of a group.
                """)
    }
}

extension Flag<SetChoice> {
    package static var set: Self {
        Self(
            "set", value: "SET", .words, default: .default, in: .input,
            summary: "search the set default, previews or xctest",
            details: """
                Search one of Xcode's sets of simulators: `default`, which Xcode lists, in \
                `~/Library/Developer/CoreSimulator/Devices`; `previews`, of SwiftUI previews, in \
                `~/Library/Developer/Xcode/UserData/Previews/Simulator Devices`; or `xctest`, the clones for parallel \
                tests, in `~/Library/Developer/XCTestDevices`.
                """)
    }
}

extension Flag<Bool> {
    package static var plist: Self {
        Self(
            "plist", in: .output,
            summary: "print the manifest as an XML property list",
            details: "Print the manifest of a capsule's version as an XML property list.")
    }

    package static var patch: Self {
        Self(
            "patch", "p", in: .output,
            summary: "show the changes of each version",
            details: "Show the changes of each version since the one before, as `diff` does.")
    }

    package static var longListing: Self {
        Self(
            "long", "l", in: .output,
            summary: "show mode, size, time and digest",
            details: """
                Show the mode, size, time and digest of each entry too, and the target of a symbolic link. The digest is \
                the first 12 of the 64 digits that `sha256sum` prints; `--full` and `--json` show all of them. The first column \
                begins with the kind: `-` for a file, `d` for a directory, `l` for a symbolic link, and `i` for the property \
                list that identifies the container. The permissions follow, as in `ls -l`.
                """)
    }
}

extension Flag<Bool> {
    package static var humanReadable: Self {
        Self(
            "human-readable", in: .output,
            summary: "with -l, as in -lh: show sizes for people",
            details: "With `--long`: show sizes as in `1.2 MB`. After `-l`, `-h` is this flag; without `-l`, it prints help.")
    }
}

extension Positional<String?> {
    package static var identifier: Self { Self(optional: "BUNDLE-ID", .bundleID) }
}

extension Positional<[UInt8]?> {
    /// nil if CONTAINER contains the path already.
    package static var path: Self { Self(optional: "PATH", .path) }
}
