extension Guide {
    /// `capsule help format`
    static let format = Guide(
        topic: "format", summary: "what a capsule file contains",
        otherWords: ["archive", "capsule", "file", "footer", "index", "manifest", "members"],
        sections: formatSections)

    /// All of capsule(5).
    static let formatSections: [ReferencePage.Section] = [
        ReferencePage.Section(title: "DESCRIPTION", blocks: formatOverview + members + index + digests),
        manifest,
        ReferencePage.Section(
            title: "OVERLAY CAPSULES",
            blocks: [
                .text(
                    """
                    An overlay of two containers that stores bytes, as `capsule diff --overlay` writes it, is a capsule of one \
                    version that is marked in its footer. Its tar stream contains the new files that are stored whole, at \
                    their paths. After the zeros follow old files, and the changed blocks of other files. In the index these \
                    have the root 255, and the digits of their digests as paths. The manifest has the overlay itself under \
                    `Overlay`, and can be a binary property list. An overlay capsule is not a container: apply it with \
                    `capsule-apply`(1).
                    """)
            ]),
        ReferencePage.Section(
            title: "LIMITS",
            blocks: [
                .text(
                    """
                    A path has at most 4,096 bytes, a component 1,023, a link target 4,096, an extended attribute 65,536. A \
                    version has at most 10 million entries, an index of 2 GiB, a manifest of 64 MiB.
                    """)
            ]),
        ReferencePage.Section(
            title: "SECURITY",
            blocks: [
                .text(
                    """
                    A capsule is not encrypted: anyone who has the file can read the app's data. It is not signed: the digests \
                    show that it is intact, not who made it.
                    """)
            ]),
        ReferencePage.Section(
            title: "EXAMPLES",
            blocks: [
                .example(meaning: "List the files that stock tools see:", command: "tar -tzf fixtures.capsule"),
                .example(meaning: "Check every byte:", command: "capsule verify --strict fixtures.capsule"),
                .example(
                    meaning: "Print the digest of a stored file:",
                    command: "capsule cat fixtures.capsule Documents/cat.gif | sha256sum"),
            ]),
        ReferencePage.Section(
            title: "SEE ALSO",
            blocks: [
                .text(
                    """
                    `capsule`(1), `capsule-info`(1), `capsule-pack`(1), `capsule-verify`(1), `capsule-diff`(5), \
                    `capsule-overlay`(5), `tar`(1)
                    """),
                .text("RFC 1951 (deflate), RFC 1952 (gzip), RFC 8878 (zstd)"),
            ]),
    ]

    private static let formatOverview: [ReferencePage.Block] = [
        .text(
            """
            A capsule contains one or more *versions* of a directory tree, most often of an app's data container, in a single \
            file. The file is also an archive that stock tools open: with the codec `gzip` a valid `.tar.gz`, with `zstd` a \
            valid `.tar.zst`. `tar`(1) sees the complete first version, and none of the others.
            """),
        .text(
            """
            This page is an overview. The file *docs/format.md* in the source specifies the format in full, for readers and \
            writers. *docs/json.md* describes the output of `--json`.
            """),
    ]

    private static let members: [ReferencePage.Block] = [
        .subheading("Members"),
        .text(
            """
            A capsule is a chain of *members* without gaps. Each is one gzip member or one zstd frame, and has one of five \
            kinds:
            """),
        .term(
            "`D`, data",
            """
            A part of the tar stream, or in later versions of the bytes of files; at most 1 MiB decompressed.
            """),
        .term("`B`, index block", "A run of the version's entries."),
        .term(
            "`I`, index root", "The table of the version's blocks, with the tree digest and the content digest."),
        .term("`M`, manifest", "A property list that describes the version; see below."),
        .term(
            "`F`, footer",
            """
            The places of the index root and the manifest, with the SHA-256 digests of both and of the previous footer. It \
            ends a version.
            """),
        .text(
            """
            Only data members have decompressed content. The payload of the others is in the extra field of a gzip member \
            (subfield `CP`, in pieces of at most 65,000 bytes) or in a zstd skippable frame (magic number 0x184D2A5C). A \
            footer member is 271 bytes long, or 255 with zstd. It is the last member of an intact file.
            """),
        .text(
            """
            The first version's data members are a tar archive under *NAME*`.xcappdata/` or *NAME*`/`, its two zero blocks, \
            and 262,144 more zeros, which protect tools that decode ahead from a damaged tail. The data members of a later \
            version contain only new data; its files can use any earlier data member.
            """),
    ]

    private static let index: [ReferencePage.Block] = [
        .subheading("Index"),
        .text(
            """
            The index lists every entry of a version: kind (directory, file, symbolic link, identity), root, path, mode, time \
            to the nanosecond, size, SHA-256, link target, extended attributes, and the place of the bytes. It is sorted by \
            root, then by the bytes of the path. Root 0 is the tree, 1 the wrapper (the files of a bundle around a container, \
            or the top directory), and 2 to 254 the app groups.
            """),
        .text(
            """
            Names are raw bytes, without case folding or normalization. Owner and group are not stored. Aligned blocks of 64 \
            KiB of zeros are not stored and are restored as holes. The container manager's own property list \
            (`.com.apple.mobile_container_manager.metadata.plist`) is stored as the *identity*, but is not part of any tree \
            digest.
            """),
    ]

    private static let digests: [ReferencePage.Block] = [
        .subheading("Digests"),
        .text(
            """
            The digest of a file is its SHA-256, as `sha256sum`(1) prints it. The *tree digest* covers names, kinds, modes, \
            content, link targets and attributes of the tree and the groups, but not times. The *content digest* also leaves \
            out modes and attributes, so it stays the same for a tree that went through a zip file.
            """),
    ]

    private static let manifest = ReferencePage.Section(
        title: "MANIFEST",
        blocks: [
            .text("The manifest is an XML property list; `capsule info --plist` prints it. Its keys:"),
            .term("`FormatVersion`", "1."),
            .term(
                "`Version`",
                """
                The number of the version. Numbers increase, and have gaps after `capsule-compact`(1) removed versions.
                """),
            .term("`Name`", "The container's name in the tar stream."),
            .term("`Label`", "The version's label, if any."),
            .term("`Note`", "The version's note, if any."),
            .term("`Captured`", "The time of capture."),
            .term(
                "`Source`",
                """
                A dictionary. `Kind` is `bundle`, `container`, `device-hub`, `simulator`, `mac-data` or `directory`; \
                `BundleIdentifier` and `Archive` (such as `tar.gz`) are included if they are known. No host, user or path is \
                ever recorded.
                """),
            .term("`Layout`", "`container` for an app's data, `directory` for any other directory."),
            .term("`Groups`", "The identifiers of the app groups, if any."),
            .term("`Overlays`", "Overlays stored with the version, if any; see `capsule-overlay`(5)."),
            .term("`Overlay`", "The document of an overlay capsule; see below."),
            .term("`Parents`", "Reserved."),
            .term(
                "`TreeDigest`, `ContentDigest`, `IndexDigest`",
                "64 hexadecimal digits each. IndexDigest binds the manifest to its index."),
            .term(
                "`Entries`, `Bytes`",
                """
                The number of entries in the index, and the total size of all files, including wrapper and identity.
                """),
            .term(
                "`Omitted`",
                """
                An array of dictionaries with `Path` and `Reason`: everything that was left out, or stored in a different form.
                """),
            .text(
                """
                A name that an XML string can't represent is data instead of a string. Unknown keys are kept and ignored.
                """),
        ])
}
