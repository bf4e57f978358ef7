import CapsuleArguments
import CapsuleCore
import CapsuleRules

/// The differences between two containers as one self-contained HTML page: it needs no other file, no network and no script.
///
/// The page folds with `<details>` and filters with CSS only. Its script adds a filter by words, a choice of handler and related features. The same differences produce the same bytes.
struct HTMLReport {
    let diff: ContainerDiff
    let isFull: Bool
    let judgement: PageVerdict?
    let command: CommandResult?
    let version: String

    init(
        _ diff: ContainerDiff, isFull: Bool = false, judgement: PageVerdict? = nil, command: CommandResult? = nil,
        version: String = CapsuleVersion.text
    ) {
        self.diff = diff
        self.isFull = isFull
        self.judgement = judgement
        self.command = command
        self.version = version
    }

    func bytes() -> [UInt8] {
        var writer = HTMLPageWriter(diff, isFull: isFull, judgement, command)
        writer.page(version: version)
        return writer.out.bytes
    }
}

/// Writes the parts of a page. Each part is in a file of its own.
struct HTMLPageWriter {
    let diff: ContainerDiff
    let summary: ReportSummary
    let cut: DisplayLimits
    let judged: PageFindings?
    let command: CommandResult?
    var locations: [PageFindings.ChangeLocation: [PageFindings.Mark]]?
    /// The findings whose links have a target already: two equal changes have the same marks.
    var linked: Set<Int> = []
    private(set) var out: HTML = ""
    var cutValues = 0
    var pictureBudget: Int
    /// True while the content of one state is written, whose rows have no signs.
    var isState = false
    /// The prefix of the entries' anchors. A page may show an entry several times.
    var anchors: HTML = ""

    init(_ diff: ContainerDiff, isFull: Bool, _ judgement: PageVerdict? = nil, _ command: CommandResult? = nil) {
        self.command = command
        var shown = diff
        judged = judgement.map { PageFindings($0, in: &shown) }
        self.diff = shown
        summary = ReportSummary(shown, counts: diff.counts)
        cut = DisplayLimits(isFull: isFull)
        pictureBudget = isFull ? .max : 64 << 20
    }

    mutating func page(version: String) {
        head(
            "\(title(of: diff.old)) → \(title(of: diff.new)) · capsule diff", version: version,
            PageStyle.parts + (judged == nil && command == nil ? [] : [FindingsStyle.text]), PageScript.parts)
        write("<body>\n")
        masthead(version: version)
        bar()
        write(#"<main id="main">\#n"#)
        tree()
        write("</main>\n")
        foot("diff --html", PageScript.parts)
        write("</body>\n</html>\n")
    }

    mutating func write(_ html: HTML) { out.append(html) }

    /// Returns what is written meanwhile, in place of adding it to the page.
    mutating func apart(_ write: (inout HTMLPageWriter) -> Void) -> HTML {
        let page = out
        out = ""
        write(&self)
        defer { out = page }
        return out
    }

    /// Returns `1 change`, `2 changes`.
    func counted(_ count: Int, _ one: String, _ many: String) -> String {
        Quantity.counted(UInt64(max(0, count)), one, many)
    }

    /// Returns `1,234`.
    func grouped(_ count: Int) -> String { Quantity.grouped(UInt64(max(0, count))) }
}

/// The counts of a page.
struct ReportSummary {
    /// The number of entries of each class that are not noise.
    private(set) var signal = [Int](repeating: 0, count: EntryClass.allCases.count)
    /// The number of entries of each class that are entirely noise.
    private(set) var noise = [Int](repeating: 0, count: EntryClass.allCases.count)
    private(set) var handlers: [(name: String, entries: Int)] = []
    /// The entries that were compared less precisely, or that are not fully shown: their indices, each with its first note.
    private(set) var noted: [(entry: Int, detail: ChangeDetail)] = []
    private(set) var notes = 0
    let counts: ContainerDiff.Counts

    init(_ diff: ContainerDiff, counts: ContainerDiff.Counts) {
        self.counts = counts
        var byName: [String: Int] = [:]
        for (index, entry) in diff.entries.enumerated() {
            let place = EntryClass(entry).rawValue
            if entry.isNoise { noise[place] += 1 } else { signal[place] += 1 }
            if let handler = entry.handler { byName[handler, default: 0] += 1 }
            let notes = entry.details.count { !$0.isChange }
            if notes > 0, let first = entry.details.first(where: { !$0.isChange }) { noted.append((index, first)) }
            self.notes += notes
        }
        notes += diff.notes.count
        handlers = byName.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }.map { ($0.key, $0.value) }
    }

    var signalEntries: Int { signal.reduce(0, +) }
    func has(_ entryClass: EntryClass) -> Bool { signal[entryClass.rawValue] + noise[entryClass.rawValue] > 0 }
}

/// The limits for one value on a page.
struct DisplayLimits {
    /// The maximum number of Unicode scalars of a string, or bytes of data.
    let length: Int?
    let values: Int
    /// The maximum number of Unicode scalars in a line of text, an SQL statement or a message.
    let line: Int

    /// Even a full page has some, since a small file may contain a value that expands to any size.
    init(isFull: Bool) {
        length = isFull ? nil : 240
        values = isFull ? 100_000 : 50
        line = isFull ? 1 << 20 : 1_000
    }
}
