import CapsuleCore

/// Writes a page's parts, each in a file of its own.
struct HTMLPageWriter {
    let diff: ContainerDiff
    let summary: ReportSummary
    let cut: ValueCut
    /// What an expectation finds, and where; nil without one.
    let judged: PageFindings?
    /// The marks of the entry that is being written.
    var spots: [PageFindings.Spot: [PageFindings.Mark]]?
    /// The findings whose links have their place: two changes that are alike have the same marks.
    var linked: Set<Int> = []
    var out = HTMLBuffer()
    /// Values of the page that were cut.
    var cutValues = 0
    /// Bytes of pictures that may still go into the page.
    var pictureBudget: Int

    init(_ diff: ContainerDiff, isFull: Bool, _ judgement: PageJudgement? = nil) {
        var shown = diff
        judged = judgement.map { PageFindings($0, in: &shown) }
        self.diff = shown
        summary = ReportSummary(shown, counts: diff.counts)
        cut = ValueCut(isFull: isFull)
        pictureBudget = isFull ? .max : 64 << 20
    }

    /// The whole page.
    mutating func page(version: String, command: [UInt8]) {
        head(version: version)
        out.raw("<body>\n")
        masthead(version: version, command: command)
        // Between the head and the filters is the place for what an expectation says of all this.
        bar()
        keys()
        out.raw("<main id=\"main\">\n")
        tree()
        out.raw("</main>\n")
        foot()
        out.raw("</body>\n</html>\n")
    }

    /// `1 change`, `2 changes`, for counts of ours.
    func counted(_ count: Int, _ one: String, _ many: String) -> String {
        Quantity.counted(UInt64(max(0, count)), one, many)
    }
}
