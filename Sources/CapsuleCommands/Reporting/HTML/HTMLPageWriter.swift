import CapsuleCore

/// Writes a page's parts, each in a file of its own.
struct HTMLPageWriter {
    let diff: ContainerDiff
    let summary: ReportSummary
    let cut: ValueCut
    var out = HTMLBuffer()
    /// Values of the page that were cut.
    var cutValues = 0
    /// Bytes of pictures that may still go into the page.
    var pictureBudget: Int

    init(_ diff: ContainerDiff, isFull: Bool) {
        self.diff = diff
        summary = ReportSummary(diff)
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
