extension Guide {
    /// `capsule help overlays`
    static let overlays = Guide(
        topic: "overlays", summary: "what apply takes: partial property lists, patches, documents",
        otherWords: ["identities", "merge-patch", "operations", "patch", "patches", "pointers"],
        sections: overlaySections)

    /// All of capsule-overlay(5).
    static let overlaySections: [ReferencePage.Section] = [
        ReferencePage.Section(
            title: "DESCRIPTION",
            blocks: overlayKinds + deepMerge + overlayDocument + overlayFiles + overlayOperations + overlayPointers
                + overlayConditions + overlayExpansion + overlayRepeats),
        ReferencePage.Section(title: "EXAMPLES", blocks: overlayExamples),
        ReferencePage.Section(
            title: "SECURITY",
            blocks: [
                .text(
                    """
                    An overlay contains the values that it writes. An overlay from `capsule diff` contains the old values too. \
                    Both can include passwords and tokens.
                    """)
            ]),
        ReferencePage.Section(
            title: "SEE ALSO",
            blocks: [
                .text(
                    """
                    `capsule-apply`(1), `capsule-diff`(1), `capsule-overlay`(1), `capsule-pack`(1), `capsule-recover`(1), \
                    `capsule-restore`(1), `capsule-unpack`(1), `capsule`(5), `capsule-diff`(5)
                    """),
                .text(
                    """
                    The file *docs/overlay.md* in the source describes overlays in more detail, and *Samples/overlays* has \
                    overlays for common tasks.
                    """),
            ]),
    ]

    private static let overlayKinds: [ReferencePage.Block] = [
        .text(
            """
            An overlay turns one property list into another, or one container into another. `capsule-apply`(1) applies it, \
            `capsule-diff`(1) writes one, `capsule-overlay`(1) checks, shows, composes and inverts them, and `capsule-pack`(1) \
            can store them in a capsule. An overlay is one of:
            """),
        .term(
            "a partial property list",
            """
            in XML, binary or OpenStep, which is deep-merged. Only the root key `CapsuleOverlay` has a special meaning;
            """),
        .term(
            "a JSON object",
            """
            which is a JSON Merge Patch (RFC 7396), or, with `--deep`, a partial property list in which null removes a key; in \
            a merge patch null removes a key too, and arrays and values of different types are replaced;
            """),
        .term("a JSON array", "which is a JSON Patch (RFC 6902);"),
        .term("a document", "a dictionary with `CapsuleOverlay` = 1, in any encoding."),
        .text("The format is detected from the content, never from the file name."),
        .text(
            """
            OpenStep has no scalars except strings. A string of an OpenStep overlay takes the type of the value that it replaces: \
            where that is a boolean or a number, `YES`, `NO` and numbers are parsed, and any other string is an error.
            """),
        .text(
            """
            Capsule writes an overlay as JSON if the name ends in `.json`, otherwise as XML, or as binary if XML can't represent it.
            """),
    ]

    private static let deepMerge: [ReferencePage.Block] = [
        .subheading("Deep merge"),
        .text(
            """
            Dictionaries merge key by key. A scalar replaces a scalar, with a warning if the type changes. A dictionary or an \
            array can't replace, or be replaced by, any other type: that is an error. A keyed archive is one value: only an \
            equal value can be merged with it. Arrays merge by identity:
            """),
        .term(
            "`keyed(`*KEY*`)`",
            """
            Elements with the same *KEY* are the same element and are deep-merged. An element with a new *KEY* is appended. \
            Elements without *KEY* pair if there is exactly one on each side, else that is an error.
            """),
        .term(
            "`keyed(`*KEY*`?)`",
            "The same, but an element without *KEY* is appended unless an equal element exists."),
        .term("`keyed(`*KEY*`), nocase`", "The same, ignoring case."),
        .term("`set`", "New elements are appended."),
        .term("`ordered`", "Elements pair by index; extra elements are appended."),
        .term(
            "`replace`",
            """
            The overlay's array replaces the other array. This is also the default if no identity is known, with a warning.
            """),
        .text(
            """
            Identities come from `--arrays`, from the document's `Arrays`, and from a built-in table that `capsule overlay \
            identities` prints. If several patterns match, the one with the most literal steps wins; a tie between different \
            identities is an error. A *KEY* that occurs twice in the overlay is an error, and so is one that occurs twice in the \
            other array if the overlay names it.
            """),
    ]

    private static let overlayOperations: [ReferencePage.Block] = [
        .subheading("Operations"),
        .term(
            "`add`, `remove`, `replace`, `move`, `copy`, `test`",
            """
            As in RFC 6902; `test` treats integers, reals and booleans as different. `add` at `[`*KEY*`=`*VALUE*`]` inserts before \
            that element.
            """),
        .term(
            "`insert`",
            """
            As `add`, but never replaces a value: it fails if the key has a different value, and does nothing if the key has \
            an equal value. In a keyed array, the same applies to an element with the same KEY. In a set, an existing element \
            is not added again. An index, `-` or a selector is a place in an array, and fails in a dictionary.
            """),
        .term("`merge`", "Deep-merges a value, and creates missing dictionaries."),
        .term("`union`", "Adds elements that an array doesn't have. A missing array is created."),
        .term("`subtract`", "Removes elements from an array. Elements that it doesn't have are not an error."),
    ]

    private static let overlayPointers: [ReferencePage.Block] = [
        .subheading("Pointers"),
        .text(
            """
            A pointer is a JSON Pointer (RFC 6901), such as `/a/b/0`. In a key, `~1` is a slash and `~0` a tilde. In an array, \
            a step is an index, `-` for the end, `[`*KEY*`=`*VALUE*`]` for the one element whose *KEY* is *VALUE*, or \
            `[=`*VALUE*`]` for the one element that is *VALUE*. It is an error if no element or several match. An integer and a string with the same text are equal here. In \
            data, a step is `<plist>`, `<json>`, `<zlib>` or `<archive>` and leads into the content of the data. The content \
            of a keyed archive is read-only.
            """),
    ]

    private static let overlayConditions: [ReferencePage.Block] = [
        .subheading("Conditions"),
        .text(
            """
            A dictionary from names in the environment, or of `--define`, to their required values: `true` (set, and not the \
            empty string, NO, 0 or false), `false`, a string, or an array of strings, one of which must match. All of them must \
            be met. A name that is not set counts as the empty string. `--define` takes precedence over the environment, and \
            `--when` adds a condition to all overlays.
            """),
    ]

    private static let overlayExpansion: [ReferencePage.Block] = [
        .subheading("Expansion"),
        .text(
            """
            With `--expand` `$(`*NAME*`)` and `${`*NAME*`}` in values and in `Path` are expanded, with some of Xcode's operators. They \
            follow a colon and can be chained, as in `$(PRODUCT_NAME:rfc1034identifier:lower)`. `$$` is a dollar sign. A name \
            without a value is an error. Names in keys are not expanded, with a warning. The operators are:
            """),
        .term("`upper`, `lower`", "Changes the case."),
        .term("`identifier`, `c99extidentifier`", "Makes an identifier of C. `c99extidentifier` needs an ASCII value."),
        .term("`rfc1034identifier`", "Replaces every character except letters, digits and dashes with a dash."),
        .term(
            "`dir`, `file`, `base`, `suffix`",
            "The directory with its slash, the file's name, the name without its suffix, the suffix."),
        .term("`standardizepath`", "Removes `.`, `..` and double slashes."),
        .term("`default=`*TEXT*", "*TEXT* if the name is not set or empty."),
    ]

    private static let overlayRepeats: [ReferencePage.Block] = [
        .subheading("Applying twice"),
        .text(
            """
            These do nothing the second time: a partial property list, `Remove`, `Merge`, `merge`, `union`, `subtract`, and \
            `insert` of a key, in a set, and of an element with a KEY. `capsule overlay check --on` tries it on a property \
            list.
            """),
    ]
}

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
