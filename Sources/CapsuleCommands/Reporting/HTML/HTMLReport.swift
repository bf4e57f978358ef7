import CapsuleCore

/// The differences between two containers as one self-contained HTML page: it needs no other file, no network and no script.
///
/// The page folds with `<details>` and filters with CSS only. Its script adds a search, keyboard shortcuts, a choice of handler and related
/// features. The same differences produce the same bytes.
struct HTMLReport {
    let diff: ContainerDiff
    /// True to show long values in full.
    let isFull: Bool
    /// The verdict of an expectation, if the diff was checked against one.
    let judgement: PageVerdict?
    /// The command that made the page, for its head; empty to show none.
    let command: [UInt8]
    /// The version of the program, for the page's head.
    let version: String

    init(
        _ diff: ContainerDiff, isFull: Bool = false, judgement: PageVerdict? = nil, command: [UInt8] = [],
        version: String = CapsuleVersion.text
    ) {
        self.diff = diff
        self.isFull = isFull
        self.command = command
        self.judgement = judgement
        self.version = version
    }

    /// Returns the page in UTF-8.
    func bytes() -> [UInt8] {
        var writer = HTMLPageWriter(diff, isFull: isFull, judgement)
        writer.page(version: version, command: command)
        return writer.out.bytes
    }
}

/// Writes the parts of a page. Each part is in a file of its own.
struct HTMLPageWriter {
    let diff: ContainerDiff
    let summary: ReportSummary
    let cut: DisplayLimits
    /// The findings of an expectation, with their places; nil without one.
    let judged: PageFindings?
    /// The marks of the entry that is being written.
    var locations: [PageFindings.ChangeLocation: [PageFindings.Mark]]?
    /// The findings whose links have a target already: two equal changes have the same marks.
    var linked: Set<Int> = []
    private(set) var out: HTML = ""
    /// The number of values that were shortened.
    var cutValues = 0
    /// The number of bytes of pictures that still fit in the page.
    var pictureBudget: Int

    init(_ diff: ContainerDiff, isFull: Bool, _ judgement: PageVerdict? = nil) {
        var shown = diff
        judged = judgement.map { PageFindings($0, in: &shown) }
        self.diff = shown
        summary = ReportSummary(shown, counts: diff.counts)
        cut = DisplayLimits(isFull: isFull)
        pictureBudget = isFull ? .max : 64 << 20
    }

    /// Writes the whole page.
    mutating func page(version: String, command: [UInt8]) {
        head(version: version)
        write("<body>\n")
        masthead(version: version, command: command)
        bar()
        keys()
        write(#"<main id="main">\#n"#)
        tree()
        write("</main>\n")
        foot()
        write("</body>\n</html>\n")
    }

    mutating func write(_ html: HTML) { out.append(html) }

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
    /// The number of entries that each handler compared, with its name.
    private(set) var handlers: [(name: String, entries: Int)] = []
    /// The entries that were compared less precisely, or that are not fully shown: their indices, each with its first note.
    private(set) var noted: [(entry: Int, detail: ChangeDetail)] = []
    /// The number of notes.
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
    /// The maximum number of values in an array or a dictionary.
    let values: Int
    /// The maximum number of Unicode scalars in a line of text, an SQL statement or a message.
    let line: Int

    /// Creates the limits. Even a full page has some, since a small file may contain a value that expands to any size.
    init(isFull: Bool) {
        length = isFull ? nil : 240
        values = isFull ? 100_000 : 50
        line = isFull ? 1 << 20 : 1_000
    }
}

/// The command that made a report, as one line for a shell.
///
/// It contains everything that the report's content depends on, including the arguments of a program that was run. Files outside the
/// containers are shown by name only, so that a report does not reveal the directories of the person who made it.
struct ReportCommandLine {
    /// The command line, with bytes as they were typed.
    let text: [UInt8]

    private static let shownFlags = Set(
        FlagDefinition.list(
            .all, .arrays, .groups, .times, .rules, .expect, .expectUpdate, .context, .full, .lines, .noCache, .output, .rows,
            .showSecrets
        ).map(\.id))

    init(_ command: ParsedCommand) {
        var words = command.definition.invocation.split(separator: " ").map { Array($0.utf8) }
        for flag in command.definition.flags where Self.shownFlags.contains(flag.id) {
            for value in command.arguments[flag.id] ?? [] {
                words.append(Array(flag.longSpelling.utf8))
                words += Self.word(value, flag.value?.form)
            }
        }
        for positional in command.form.positionals {
            let values = (command.arguments[positional.id] ?? []).flatMap { Self.word($0, positional.form) }
            words += positional.arity == .program ? [Array("--".utf8)] + ProgramArguments(values).shown : values
        }
        text = Array(words.map(Self.quoted).joined(separator: [UInt8(ascii: " ")]))
    }

    /// Returns the value as words; none for a switch.
    private static func word(_ value: ArgumentValue, _ form: ValueForm?) -> [[UInt8]] {
        let isFile = form?.use != nil
        switch value {
        case .on: return []
        // A program's argument may be a file. An absolute path is shown by name; `./test.sh` is kept, so that the call works.
        case .bytes(let bytes): return [isFile || form == .program && bytes.first == slash ? name(of: bytes) : bytes]
        case .text(let text): return [Array(text.utf8)]
        case .integer(let number): return [Array(String(number).utf8)]
        case .seconds(let seconds): return [Array(String(seconds).utf8)]
        case .named(let named): return [named.name + [UInt8(ascii: "=")] + (isFile ? name(of: named.value) : named.value)]
        }
    }

    private static let slash = UInt8(ascii: "/")

    /// Returns the last component of a path; the name of a simulator's container is kept as it is.
    private static func name(of path: [UInt8]) -> [UInt8] {
        path.starts(with: "sim:".utf8) ? path : Array(HTMLPageWriter.name(of: path))
    }

    /// Returns the word quoted for a shell (POSIX.1-2017, XCU 2.2.2).
    private static func quoted(_ word: [UInt8]) -> [UInt8] {
        let plain = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./:@%+,=-".utf8)
        if !word.isEmpty, word.allSatisfy(plain.contains) { return word }
        let quote = UInt8(ascii: "'")
        return [quote] + word.flatMap { $0 == quote ? Array("'\\''".utf8) : [$0] } + [quote]
    }
}

/// The arguments of a program as a report shows them: values whose names suggest a secret are hidden.
///
/// Only names can be checked, so a secret without a name is shown. Secrets should be passed to a program in the environment or in a file.
private struct ProgramArguments {
    /// The arguments, with an ellipsis in place of each secret.
    let shown: [[UInt8]]

    /// The words by which arguments name secrets in short, besides the names that are hidden everywhere.
    private static let secretWords = ["auth", "bearer", "cookie", "key", "pass"]
    private static let hidden = "…"

    init(_ words: [[UInt8]]) {
        var isNextHidden = false
        shown = words.map { word in
            // A word may be a command line itself, as after 'sh -c'.
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
        Secrets.isName(String(name)) || secretWords.contains { name.lowercased().contains($0) }
    }
}
