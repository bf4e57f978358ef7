import CapsuleCore

/// What differs between two containers as one HTML page that needs nothing else: no file, no network, no script.
///
/// The page folds by `<details>` and filters by style alone; its script adds a search, keys, a choice of handler and what goes
/// with them. The same difference makes the same bytes.
struct HTMLReport {
    let diff: ContainerDiff
    /// Whether long values are shown whole.
    let isFull: Bool
    /// What an expectation makes of it, if it was held against one.
    let judgement: PageJudgement?
    /// The command that made it, for the page's head; empty where none is to be shown.
    let command: [UInt8]
    /// The program's, for the page's head.
    let version: String

    init(
        _ diff: ContainerDiff, isFull: Bool = false, judgement: PageJudgement? = nil, command: [UInt8] = [],
        version: String = CapsuleVersion.text
    ) {
        self.diff = diff
        self.isFull = isFull
        self.command = command
        self.judgement = judgement
        self.version = version
    }

    /// The page, in UTF-8.
    func bytes() -> [UInt8] {
        var writer = HTMLPageWriter(diff, isFull: isFull, judgement)
        writer.page(version: version, command: command)
        return writer.out.bytes
    }
}

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

/// The numbers of a page.
struct ReportSummary {
    /// Entries of each class that are no noise.
    private(set) var signal = [Int](repeating: 0, count: EntryClass.allCases.count)
    /// Entries of each class that are noise as a whole.
    private(set) var noise = [Int](repeating: 0, count: EntryClass.allCases.count)
    /// How many entries each handler compared, by its name.
    private(set) var handlers: [(name: String, entries: Int)] = []
    /// What was compared by lesser means, or is not all told: the indices of entries, each with its first note.
    private(set) var noted: [(entry: Int, detail: ChangeDetail)] = []
    /// How many notes there are.
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

/// How much of one value a page shows.
struct ValueCut {
    /// Unicode scalars of a string, bytes of data.
    let length: Int?
    /// Values of an array or a dictionary.
    let values: Int
    /// Unicode scalars of a text's line, an SQL statement, a message.
    let line: Int

    /// Even a full page has its bounds: a small file may hold a value that expands to any size.
    init(isFull: Bool) {
        length = isFull ? nil : 240
        values = isFull ? 100_000 : 50
        line = isFull ? 1 << 20 : 1_000
    }
}

/// The command that made a report, as one line for a shell.
///
/// It has what the report's content depends on: that includes the arguments of a program that was run. Files outside the
/// containers go by their names alone: a report that is passed on says nothing of the directories of whoever made it.
struct ReportCommandLine {
    /// The line, in the bytes that were typed.
    let text: [UInt8]

    private static let shownFlags: Set<Flag.ID> = [
        .all, .arrays, .group, .times, .rules, .expect, .expectUpdate, .context, .full, .lines, .noCache, .output, .rows,
        .showSecrets,
    ]

    init(_ command: ParsedCommand, in table: CommandTable = .capsule) {
        var words = ["capsule", command.verb].map { Array($0.utf8) }
        let definition = table.verb(named: command.verb.utf8)
        let form = definition?.forms.first { $0.id == command.id }
        for flag in definition?.flags ?? [] where Self.shownFlags.contains(flag.id) {
            for value in command.arguments[.flag(flag.id)] ?? [] {
                words.append(Array(flag.longSpelling.utf8))
                words += Self.word(value, flag.value?.form)
            }
        }
        for positional in form?.positionals ?? [] {
            let values = (command.arguments[.positional(positional.id)] ?? []).flatMap { Self.word($0, positional.form) }
            words += positional.arity == .program ? [Array("--".utf8)] + ProgramArguments(values).shown : values
        }
        text = Array(words.map(Self.quoted).joined(separator: [UInt8(ascii: " ")]))
    }

    /// The value as a word; nothing for a switch.
    private static func word(_ value: ArgumentValue, _ form: ValueForm?) -> [[UInt8]] {
        let isFile = form?.use != nil
        switch value {
        case .on: return []
        // An argument of a program may be a file; `./test.sh` is a call that works.
        case .bytes(let bytes): return [isFile || form == .program && bytes.first == slash ? name(of: bytes) : bytes]
        case .text(let text): return [Array(text.utf8)]
        case .integer(let number): return [Array(String(number).utf8)]
        case .seconds(let seconds): return [Array(String(seconds).utf8)]
        case .named(let named): return [named.name + [UInt8(ascii: "=")] + (isFile ? name(of: named.value) : named.value)]
        }
    }

    private static let slash = UInt8(ascii: "/")

    /// The last component of a path; a simulator's container has none.
    private static func name(of path: [UInt8]) -> [UInt8] {
        path.starts(with: "sim:".utf8) ? path : Array(HTMLPageWriter.name(of: path))
    }

    /// The word as a shell takes it (POSIX.1-2017, XCU 2.2.2).
    private static func quoted(_ word: [UInt8]) -> [UInt8] {
        let plain = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./:@%+,=-".utf8)
        if !word.isEmpty, word.allSatisfy(plain.contains) { return word }
        let quote = UInt8(ascii: "'")
        return [quote] + word.flatMap { $0 == quote ? Array("'\\''".utf8) : [$0] } + [quote]
    }
}

/// The arguments of a program as a report shows them: without what their names call a secret.
///
/// Names are all that can be judged, so a secret without one is shown. Whoever runs a program hands it secrets in the
/// environment or in a file.
private struct ProgramArguments {
    /// With an ellipsis in place of each secret.
    let shown: [[UInt8]]

    private static let secretWords = ["auth", "bearer", "cookie", "credential", "key", "pass", "secret", "token"]
    private static let hidden = "…"

    init(_ words: [[UInt8]]) {
        var isNextHidden = false
        shown = words.map { word in
            // A word may be a command line itself, as behind 'sh -c'.
            guard let text = String(validating: word, as: UTF8.self) else { return word }
            let parts = text.split(separator: " ", omittingEmptySubsequences: false)
            return Array(parts.map { Self.shown($0, &isNextHidden) }.joined(separator: " ").utf8)
        }
    }

    private static func shown(_ part: Substring, _ isNextHidden: inout Bool) -> String {
        if part.isEmpty { return "" }
        // `Authorization: Bearer abc`
        let isScheme = ["basic", "bearer"].contains(part.lowercased())
        if isNextHidden || isScheme {
            isNextHidden = isScheme
            return isScheme ? String(part) : hidden
        }
        if let equals = part.firstIndex(of: "="), isSecret(part[..<equals]) { return "\(part[...equals])\(hidden)" }
        isNextHidden = (part.hasPrefix("-") || part.hasSuffix(":")) && isSecret(part) && !part.contains("=")
        return String(part)
    }

    private static func isSecret(_ name: Substring) -> Bool {
        let name = name.lowercased()
        return secretWords.contains { name.contains($0) }
    }
}
