/// A change inside an entry, with where it is: what a text is made of where one is wanted.
struct ChangePlace {
    let path: RelativePath
    let detail: ChangeDetail
    /// The SQL name of the column that is meant, of a row that was modified.
    var column: String?

    init(_ path: RelativePath, _ detail: ChangeDetail, column: String? = nil) {
        self.path = path
        self.detail = detail
        self.column = column
    }

    /// Where the change is and what it is, on one line.
    var text: String { detail.description(at: path, column: column) }

    /// Where the change is and what it is, in parts.
    var summary: ChangeSummary { detail.summary(at: path, column: column) }
}
