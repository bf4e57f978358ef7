extension CommandDefinition {
    /// `capsule info`
    static let info = CommandDefinition(
        verb: "info",
        summary: "show the origin of a container and what was left out",
        otherWords: ["about", "describe", "inspect", "manifest", "show"],
        forms: [CommandForm(.info, [Positional(.container, "CONTAINER", .container(.input))])],
        flags: [
            Flag(
                .plist, "plist", in: .output,
                summary: "print the manifest as an XML property list",
                details: "Print the manifest of a capsule's version as an XML property list.")
        ] + Flag.common,
        constraints: [
            .conflict(Constraint.Use(.plist), Constraint.Use(.json), reason: "both print the manifest")
        ] + Constraint.common,
        description: [
            """
            Show what is known about *CONTAINER*: its app, its app groups, the number of entries and bytes, and everything \
            that was left out, with the reason. For a capsule, this comes from the manifest, and the number, label, note, \
            time and digests of the version are shown too. A directory or an archive has none of these.
            """,
            """
            Digests show whether two containers are the same, and whether a capsule is intact. They don't show who made it: \
            a capsule is neither encrypted nor signed.
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
}
