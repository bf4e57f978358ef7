extension CommandDefinition {
    /// `capsule info`
    static let info = CommandDefinition(
        verb: "info",
        summary: "show where a container comes from and what was left out",
        otherWords: ["about", "describe", "inspect", "manifest", "show"],
        forms: [CommandForm(.info, [Positional(.container, "CONTAINER", .container(.input))])],
        flags: [
            Flag(
                .plist, "plist", in: .output,
                summary: "print the manifest as an XML property list",
                details: "Print the manifest of a capsule's version as it is: an XML property list.")
        ] + Flag.common,
        constraints: [
            .conflict(Constraint.Use(.plist), Constraint.Use(.json), reason: "each is a form of the same manifest")
        ] + Constraint.common,
        description: [
            """
            Prints what is known about *CONTAINER*: the app it comes from, its app groups, how many entries and bytes it \
            has, and everything that was left out, with the reason. Of a capsule it is what the manifest says, and number, \
            label, note, time and digests of the version as well; a directory or an archive has none of these.
            """,
            """
            The digests tell that two containers are the same, and that a capsule is whole. They do not tell who made it: a \
            capsule is neither encrypted nor signed.
            """,
        ],
        explainsContainers: true,
        examples: [
            Example(meaning: "Show the newest version of a capsule:", command: "capsule info fixtures.capsule"),
            Example(meaning: "Show the version that is labeled before:", command: "capsule info fixtures.capsule@before"),
            Example(
                meaning: "Take one value from the manifest in a script:",
                command: "capsule info --plist run.capsule | capsule plist get - /TreeDigest"),
        ],
        statuses: Meaning.statuses(done: "Done. If the reader of a pipe goes away, that is no failure."),
        environment: Meaning.commonEnvironment,
        related: ["ls", "pack", "verify"])
}
