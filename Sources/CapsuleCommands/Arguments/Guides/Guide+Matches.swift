// What rules and expectations have in common: how they select changes.

extension Guide {
    static let whatRulesAre = "Noise rules say which changes are noise."
    static let whatExpectationsAre = "An expectation says which changes a run must, may and must not make."
    static let unknownWords = "Unknown keys and words are errors that name the place."

    /// The definition of a change, and the grammar of matches.
    static let matching: [ReferencePage.Block] = changes + matches + forms

    private static let changes: [ReferencePage.Block] = [
        .subheading("Changes"),
        .text(
            """
            A change is one line of the comparison. It is either about the content of an entry, such as a place of a property \
            list or a row of a table, or about the entry itself: added, deleted, renamed, of a different type, or modified \
            without further detail. If lines about its content follow, the line of a modified entry is not a change itself. \
            The line of a renamed entry always is. Lines that begin with `!` are notes, not changes.
            """),
    ]

    private static let matches: [ReferencePage.Block] = [
        .subheading("Matches"),
        .text("A match is a dictionary with at least one key. It fits a change if all its keys fit."),
        .term(
            "`Path`",
            """
            A pattern for the whole path of the entry: `*` within a name, `**` across `/`, `?`, `[a-z]`, `[!a-z]`; `\\` escapes \
            the next character. The path of a database also covers its logs and external blobs. Paths of an app group begin \
            with `AppGroups/`*ID*`/`. A renamed entry fits with either of its paths.
            """),
        .term(
            "`Pointer`",
            """
            A place in a property list or in JSON: a pointer as in `capsule-overlay`(5), such as `/a/b/0`, in which `*` is one \
            step or a part of one, and `**` any number of steps. A leading `/` anchors it at the root; without it, the pointer \
            fits anywhere. The empty pointer is the root itself. For the value of a column, the root is that value. The steps \
            `<plist>` and `<archive>` lead into a property list or a keyed archive in data.
            """),
        .term(
            "`Table`",
            """
            The name of a table, of a Core Data entity, or of the virtual table that the table belongs to. `*` is any number \
            of characters.
            """),
        .term("`Column`", "The name of a column or of a Core Data attribute, in the same way."),
        .term(
            "`Row`",
            """
            A dictionary from columns or attributes to forms. For a modified row, only the key and the changed columns are \
            known, with their new values.
            """),
        .term(
            "`Kind`",
            """
            One or an array of `added`, `deleted`, `modified`, `renamed`, `type`, `order`, which say what happened, and \
            `value`, `row`, `schema`, `text`, `bytes`, `image`, `cookie`, `metadata`, `encoding`, which say what the line is \
            about. One of them has to fit. Lines of the kinds text, bytes, image, metadata and encoding are `modified` too.
            """),
        .term("`From`, `To`", "Forms of the old and the new value. `Value` is short for `To`."),
        .text(
            """
            A match without `Pointer`, `Table`, `Column`, `Row`, `From` and `To` fits the lines of an entry's content and the \
            line of the entry itself. Any other match fits only lines of the content. For a modified row, each column is \
            checked by itself, and the line fits if one column does. For an added or deleted row, a match with `Column`, \
            `From` or `To` also needs `Kind`, because the row is more than its columns. A match with `Table` fits the line of \
            the table itself only if its kinds include `schema`.
            """),
    ]

    private static let forms: [ReferencePage.Block] = [
        .subheading("Forms"),
        .text(
            """
            A string, number, boolean, date, data or array fits an equal value of the same type. A dictionary has one or more \
            of these keys, and all must fit:
            """),
        .term(
            "`Is`",
            """
            `date`, `uuid`, `container-path` (a string with a path into a container on a device or a simulator), `string`, \
            `integer`, `real`, `boolean`, `data`, `null` (SQL's NULL and JSON's null) or `absent` (no value on that side).
            """),
        .term("`Like`", "A pattern for a string, in which `*` also matches `/`."),
        .term("`Min`, `Max`", "Numbers or dates."),
        .term("`Equals`", "The value itself, which can be a dictionary."),
        .text("If a value is hidden or cut, only `Is` can fit it."),
    ]
}
