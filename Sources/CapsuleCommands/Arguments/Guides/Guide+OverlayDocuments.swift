// Overlays with a format of their own: documents, and records of files.

extension Guide {
    static let overlayDocument: [ReferencePage.Block] = [
        .subheading("The document"),
        .term("`CapsuleOverlay`", "1"),
        .term("`Name`, `Note`", "Shown in reports."),
        .term("`When`", "Conditions; if one is false, the overlay is skipped."),
        .term(
            "`Arrays`",
            """
            A dictionary from patterns to identities. In a pattern `*` is one key or index and `**` any number; a leading `/` \
            anchors it at the root.
            """),
        .term("`Targets`", "An array of targets. Without it, the document itself is the only target."),
        .term("`Files`", "Changes to whole files, directories and links of a container; see below."),
        .text("A target has:"),
        .term(
            "`Path`, `Root`",
            """
            A path or a pattern in a container, relative to `AppData`, `AppBundle` or `AppGroup:`*ID*. `AppData` is the default. \
            In a pattern `*` is within a name and `**` across directories. Without `Path`, the target is the property list that \
            the overlay is applied to. There a target with a `Path` is an error unless `--target` selects it.
            """),
        .term("`When`", "Conditions for this target."),
        .term("`Create`", "`xml` or `binary`: creates the property list and its directories if they do not exist."),
        .term("`Remove`", "Pointers to values to remove; a missing value is not an error."),
        .term("`Merge`", "A partial property list."),
        .term(
            "`Operations`",
            "Dictionaries with `op`, `path` and, depending on the operation, `value`, `from` and `when`."),
        .term("`Encode`", "`xml` or `binary`, the encoding of the result."),
        .text(
            """
            `Remove`, `Merge` and `Operations` are applied in this order, all or nothing. Unknown keys and operations are \
            errors.
            """),
    ]

    static let overlayFiles: [ReferencePage.Block] = [
        .subheading("Files"),
        .text(
            """
            The changes between two containers are records under `Files`, one for each path that changes. A record has:
            """),
        .term(
            "`Path`",
            """
            The path in the container; no two records have the same path. Paths of app groups begin with `AppGroups/`*ID*`/`.
            """),
        .term("`Old`", "The required old state; without it, the path must not exist."),
        .term("`New`", "The new state; without it, the path is deleted."),
        .text("`Old` and `New` have:"),
        .term("`Kind`", "`file`, `directory` or `link`."),
        .term("`Mode`", "Octal digits, such as `0600`; links have none."),
        .term(
            "`Time`", "The modification time, in seconds since 1970 with nine decimals. It is never compared."),
        .term(
            "`Attributes`",
            """
            All extended attributes, a dictionary from names to data. If a name is not valid text, an array of `Name` and \
            `Value`.
            """),
        .term("`Target`", "The target of a link."),
        .term("`Size`, `Digest`", "The length of a file in bytes and its SHA-256 digest."),
        .term(
            "`Chunks`",
            """
            How to assemble the bytes: `Pieces` are ranges of the other state's bytes, [*OFFSET*, *LENGTH*], and of stored \
            bytes, [*LENGTH*]. All stored bytes together have the digest `Carried`.
            """),
        .text(
            """
            Keys that are missing are neither compared nor changed. The order of records doesn't matter: every `Old` describes \
            the old container, every `New` the new one. A path that already matches `New` is left alone. If a path matches \
            neither `Old` nor `New`, nothing is written, except with `capsule apply --force`. A record whose `Old` and `New` \
            are the same, or that has neither, is a precondition. `Path`, `Target` and names of attributes are data if XML \
            can't represent them as strings.
            """),
        .text(
            """
            The bytes are in an overlay capsule, which has the document in its manifest. `capsule-diff`(1) writes one when it \
            compares two containers.
            """),
    ]

    static let overlayExamples: [ReferencePage.Block] = [
        .text("A partial property list that gives a test build its own scene delegate:"),
        .file(
            """
            <plist version="1.0">
            <dict>
              <key>UIApplicationSceneManifest</key>
              <dict>
                <key>UISceneConfigurations</key>
                <dict>
                  <key>UIWindowSceneSessionRoleApplication</key>
                  <array>
                    <dict>
                      <key>UISceneDelegateClassName</key>
                      <string>TestingSceneDelegate</string>
                    </dict>
                  </array>
                </dict>
              </dict>
            </dict>
            </plist>
            """),
        .text("A document in JSON, for debug builds only:"),
        .file(
            """
            {
              "CapsuleOverlay": 1,
              "When": {"CONFIGURATION": "Debug"},
              "Remove": ["/UIRequiresFullScreen"],
              "Merge": {"CFBundleDisplayName": "$(PRODUCT_NAME) Test"},
              "Operations": [
                {"op": "union", "path": "/UIBackgroundModes", "value": ["fetch"]}
              ]
            }
            """),
    ]
}
