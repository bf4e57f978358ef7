import CapsuleArguments
import CapsuleContainers
import CapsuleCore
import CapsuleEngine
import CapsulePropertyList
import CapsuleRules

/// Formats the results of the use cases, for people or for machines.
protocol Reporter: Sendable {
    func packed(_ outcome: Packer.Outcome) -> [UInt8]
    func described(_ description: ContainerDescription, as argument: [UInt8]) -> [UInt8]
    func listingStart(as argument: [UInt8]) -> [UInt8]
    /// Returns the lines of entries. Any thread may call it.
    func listed(_ entries: ArraySlice<TreeEntry>, of listing: ContainerListing, isLong: Bool, isReadable: Bool) -> [UInt8]
    func measured(_ usage: SpaceUsage, by choice: UsageChoice, as argument: [UInt8]) -> [UInt8]
    func listingEnd(entries: UInt64) -> [UInt8]
    func unpacked(_ outcome: UnpackOutcome) -> [UInt8]
    /// - Parameters:
    ///   - output: the file with the result, if the change was not made in place.
    func applied(
        _ outcome: PlistApplier.Outcome, to argument: [UInt8], output: [UInt8]?, showing changes: PlistDiff?
    ) -> [UInt8]
    func applied(_ outcome: ApplyOutcome, to argument: [UInt8], _ style: DiffStyle) -> [UInt8]
    func compared(_ diff: ContainerDiff, _ style: DiffStyle, _ result: ExpectationResult?) -> [UInt8]
    func showStart(as argument: [UInt8]) -> [UInt8]
    func shown(_ file: ShownFile, isFull: Bool) -> [UInt8]
    func searchStart(as argument: [UInt8]) -> [UInt8]
    func found(_ hits: [ContainerSearch.Hit], in version: UInt32?, isFull: Bool) -> [UInt8]
    /// - Parameter files: paths, each with the number of places if that is wanted.
    func found(_ files: [(path: RelativePath, count: Int?)], in version: UInt32?) -> [UInt8]
    /// - Parameter written: the capsule without the secrets; nil if there is none.
    func scanned(_ outcome: SecretScan.Outcome, of argument: [UInt8], written: Packer.Outcome?) -> [UInt8]
    func overviewed(_ overview: ContainerOverview, as argument: [UInt8]) -> [UInt8]
    func merged(_ outcome: MergeOutcome, isListed: Bool, hasSummary: Bool) -> [UInt8]
    /// Returns the report of `overlay check`.
    /// - Parameters:
    ///   - repetition: what applying it twice does, if a target was given.
    func checked(
        _ overlay: OverlayInspection, _ carried: OverlayInspection.Payload, _ repetition: PlistApplier.Repetition?,
        as argument: [UInt8]
    ) -> [UInt8]
    func shown(_ overlay: OverlayInspection, as argument: [UInt8], isFull: Bool) -> [UInt8]
    func identities(_ table: [ArrayIdentities.BuiltIn]) -> [UInt8]
    /// - Parameter error: the reason why the file is not valid, if `file` is nil.
    func linted(_ file: PlistFile?, as argument: [UInt8], _ error: CapsuleError?) -> [UInt8]
    /// - Parameter printsPathOnly: true if one identifier was given, so that only its path is printed.
    func located(_ containers: [LocatedContainer], in devices: HostPath, printsPathOnly: Bool) -> [UInt8]
    /// - Parameter isChange: true for a command that installs or uninstalls it.
    func git(_ states: [GitIntegration.State], isChange: Bool) -> [UInt8]
    func value(_ value: PlistValue) throws(CapsuleError) -> [UInt8]
    func edited(_ argument: [UInt8], output: [UInt8]?, isChanged: Bool, isWritten: Bool, notes: [OverlayNote]) -> [UInt8]
    func pushed(_ outcome: Pusher.Outcome) -> [UInt8]
    func pulled(_ outcome: Puller.Outcome, from argument: [UInt8]) -> [UInt8]
    func tagged(_ tags: [String], at argument: [UInt8]) -> [UInt8]
    func labeled(_ outcome: Labeler.Outcome, as argument: [UInt8]) -> [UInt8]
    func settled(_ diff: ContainerDiff, at time: Timestamp, _ style: DiffStyle) -> [UInt8]
    func logged(_ log: VersionLog, as argument: [UInt8]) -> [UInt8]
    func changed(_ history: VersionHistory, as argument: [UInt8], _ style: DiffStyle, isPatch: Bool) -> [UInt8]
    func repaired(_ outcome: RepairOutcome, as argument: [UInt8]) -> [UInt8]
    func recovered(_ outcome: RecoveryOutcome, as argument: [UInt8]) -> [UInt8]
    func compacted(_ outcome: Compactor.Outcome, as argument: [UInt8]) -> [UInt8]
    func verified(_ outcome: Verifier.Outcome, as argument: [UInt8]) -> [UInt8]
    func signed(_ outcome: VersionSigner.Outcome) -> [UInt8]
}

/// Reports for people.
struct TextReporter: Reporter {
    /// True to escape names for a terminal; names are written unchanged to a pipe.
    let escapesNames: Bool
    let isStyled: Bool
    /// The columns of the terminal at which long lines are wrapped; nil for a pipe, where lines are not wrapped.
    var width: Int?
    var showsFullDigests = false

    func packed(_ outcome: Packer.Outcome) -> [UInt8] {
        let manifest = outcome.manifest
        return name(outcome.path.bytes)
            + text(
                ": version \(manifest.version), \(Quantity.counted(manifest.entries, "entry", "entries")), "
                    + "\(Quantity.bytes(manifest.bytes)) stored in \(Quantity.bytes(outcome.added))"
                    + (outcome.added < outcome.length ? "; the file has \(Quantity.bytes(outcome.length))\n" : "\n"))
    }

    func unpacked(_ outcome: UnpackOutcome) -> [UInt8] {
        name(outcome.path.bytes)
            + text(": \(Quantity.counted(outcome.entries, "entry", "entries")), \(Quantity.bytes(outcome.bytes))\n")
    }

    func verified(_ outcome: Verifier.Outcome, as argument: [UInt8]) -> [UInt8] {
        var report: [UInt8] = []
        for group in outcome.groups { report += found(group, as: argument) }
        for signature in outcome.signatures where signature.problem == nil {
            report += name(argument) + text(": version \(signature.version): ")
            report += signature.signer.map { text("signed by ") + text(QuotedBytes($0).text) } ?? text("not signed")
            report += text("\n")
        }
        guard outcome.isWhole else { return report }
        report += name(argument) + text(": ")
        report += text(
            styled("OK", 32)
                + ": \(Quantity.counted(UInt64(outcome.versions), "version", "versions")), "
                + "\(Quantity.counted(outcome.entries, "entry", "entries")), \(Quantity.bytes(outcome.bytes))"
                + (outcome.isStreamCompared ? "\n" : "; the tar stream was not compared, use '--strict' for that\n"))
        return report
    }

    /// Returns one line for the findings in one place, however many files and versions they affect.
    private func found(_ group: Verifier.Group, as argument: [UInt8]) -> [UInt8] {
        var line = name(argument) + text(": ")
        if !group.versions.isEmpty { line += text("\(VersionNumbers(group.versions)): ") }
        if group.paths.count == 1 { line += name(group.paths[0]) + text(": ") }
        line += text(group.message)
        if group.paths.count > 1 {
            line += text(": \(Quantity.counted(UInt64(group.paths.count), "file", "files")): ")
            for (number, path) in group.paths.prefix(Self.mostNames).enumerated() {
                line += text(number > 0 ? ", " : "") + name(path)
            }
            if group.paths.count > Self.mostNames {
                line += text(" and \(group.paths.count - Self.mostNames) more (--json lists them)")
            }
        }
        return line + text("\n")
    }

    private static let mostNames = 3

    func listingStart(as argument: [UInt8]) -> [UInt8] { [] }

    func listed(_ entries: ArraySlice<TreeEntry>, of listing: ContainerListing, isLong: Bool, isReadable: Bool) -> [UInt8] {
        var report: [UInt8] = []
        report.reserveCapacity(entries.count * (isLong ? 128 : 64))
        var line = isLong ? LongListingLine(for: listing, isFull: showsFullDigests, isReadable: isReadable) : nil
        for entry in entries {
            line?.append(entry, to: &report)
            if escapesNames { report += name(entry.path.bytes) } else { report += entry.path.bytes }
            if isLong, entry.kind == .link { report += text(" -> ") + name(entry.target) }
            report.append(UInt8(ascii: "\n"))
        }
        return report
    }

    func listingEnd(entries: UInt64) -> [UInt8] { [] }

    func applied(
        _ outcome: PlistApplier.Outcome, to argument: [UInt8], output: [UInt8]?, showing changes: PlistDiff?
    ) -> [UInt8] {
        lines(of: changes, isFull: false)
            + edited(argument, output: output, isChanged: outcome.isChanged, isWritten: outcome.isWritten, notes: [])
    }

    /// The notes are not in the report: they are warnings on standard error.
    func edited(
        _ argument: [UInt8], output: [UInt8]?, isChanged: Bool, isWritten: Bool, notes: [OverlayNote]
    ) -> [UInt8] {
        if let output { return name(output) + text(": written\(isChanged ? "" : ", nothing to change")\n") }
        return name(argument) + text(": \(state(isChanged: isChanged, isWritten: isWritten))\n")
    }

    func state(isChanged: Bool, isWritten: Bool) -> String {
        if !isChanged { return "nothing to change" }
        return isWritten ? styled("changed", 32) : styled("would change", 33)
    }

    func lines(of diff: PlistDiff?, isFull: Bool) -> [UInt8] {
        guard let diff else { return [] }
        let change = PlistChangeText(reporter: self, isFull: isFull)
        return diff.changes.flatMap { text(wrapped(change.line($0), indent: 2) + "\n") }
    }

    func secrets(_ count: Int?) -> [UInt8] {
        guard let count, count > 0 else { return [] }
        let secrets = Quantity.counted(UInt64(count), "secret", "secrets")
        return text(styled("\(secrets) hidden; '--show-secrets' shows \(count == 1 ? "it" : "them")", 2) + "\n")
    }

    func name(_ bytes: [UInt8]) -> [UInt8] {
        escapesNames ? text(QuotedBytes(bytes).text) : bytes
    }

    func text(_ string: String) -> [UInt8] { Array(string.utf8) }

    /// Wraps a line to the width of the terminal; does nothing for a pipe.
    func wrapped(_ line: String, indent: Int) -> String {
        width.map { WrappedLine(line, width: $0, indent: indent).text } ?? line
    }

    func styled(_ string: String, _ color: Int) -> String { isStyled ? Self.code(color) + string + Self.code(0) : string }

    /// `line`, which may contain names of any bytes, in a color.
    func styled(_ line: [UInt8], _ color: Int) -> [UInt8] {
        isStyled ? text(Self.code(color)) + line + text(Self.code(0)) : line
    }

    private static func code(_ color: Int) -> String { "\u{1B}[\(color)m" }
}

extension QuotedBytes {
    init(_ text: String) {
        self.init(Array(text.utf8))
    }
}

extension String {
    func leftPadded(to width: Int) -> String { String(repeating: " ", count: max(0, width - count)) + self }
    func padded(to width: Int) -> String { self + String(repeating: " ", count: max(0, width - count)) }
    func paddedLeft(to width: Int) -> String { String(repeating: " ", count: max(0, width - count)) + self }
}

/// The part of a line of `ls -l` before the name: `-rw-r--r--        12 2023-11-14T22:13:20Z 0123456789ab `.
private struct LongListingLine {
    private let isDigested: Bool
    private let digits: Int
    /// The width of the size column, wide enough for the sum of all sizes.
    private let width: Int
    private let isReadable: Bool
    /// The last mode with its text: adjacent entries mostly have the same mode.
    private var mode: (kind: EntryKind, value: FileMode, text: [UInt8])?

    private static let space = UInt8(ascii: " ")
    /// Enough digits to distinguish files, and to find one by its digest.
    private static let shortDigits = 12
    private static let allDigits = 64

    init(for listing: ContainerListing, isFull: Bool, isReadable: Bool) {
        self.isReadable = isReadable
        isDigested = listing.isDigested
        digits = isFull ? Self.allDigits : Self.shortDigits
        width = isReadable ? "999 bytes".utf8.count : String(listing.bytes).utf8.count
    }

    mutating func append(_ entry: TreeEntry, to report: inout [UInt8]) {
        report += modeText(of: entry)
        appendSize(of: entry, to: &report)
        report.append(Self.space)
        entry.modified.appendISO8601(to: &report)
        report.append(Self.space)
        if entry.kind.hasContent, isDigested {
            entry.digest.appendHex(to: &report)
            report.removeLast(Self.allDigits - digits)
        } else {
            report.append(UInt8(ascii: "-"))
            for _ in 1..<digits { report.append(Self.space) }
        }
        report.append(Self.space)
    }

    private func appendSize(of entry: TreeEntry, to report: inout [UInt8]) {
        if entry.kind.hasContent, isReadable {
            report += Quantity.bytes(entry.size).paddedLeft(to: width + 1).utf8
        } else if entry.kind.hasContent {
            report.appendDecimal(entry.size, width: width + 1, filler: Self.space)
        } else {
            for _ in 0..<width { report.append(Self.space) }
            report.append(UInt8(ascii: "-"))
        }
    }

    private mutating func modeText(of entry: TreeEntry) -> [UInt8] {
        if let mode, mode.kind == entry.kind, mode.value == entry.mode { return mode.text }
        let text = ModeText.bytes(of: entry)
        mode = (entry.kind, entry.mode, text)
        return text
    }
}

/// Formats modes as `ls -l` does: `drwxr-xr-x`, with `i` for the identity plist.
enum ModeText {
    static func bytes(of entry: TreeEntry) -> [UInt8] {
        let mode = entry.mode.rawValue
        var letters: [UInt8] = [letter(of: entry.kind)]
        let all = Array("rwxrwxrwx".utf8)
        for place in 0..<9 { letters.append(mode >> (8 - UInt16(place)) & 1 == 1 ? all[place] : UInt8(ascii: "-")) }
        mark(0o4000, at: 3, "s", "S", mode, &letters)
        mark(0o2000, at: 6, "s", "S", mode, &letters)
        mark(0o1000, at: 9, "t", "T", mode, &letters)
        return letters
    }

    private static func letter(of kind: EntryKind) -> UInt8 {
        switch kind {
        case .directory: UInt8(ascii: "d")
        case .file: UInt8(ascii: "-")
        case .link: UInt8(ascii: "l")
        case .identity: UInt8(ascii: "i")
        }
    }

    private static func mark(
        _ bit: UInt16, at place: Int, _ executable: Unicode.Scalar, _ plain: Unicode.Scalar, _ mode: UInt16,
        _ letters: inout [UInt8]
    ) {
        guard mode & bit != 0 else { return }
        letters[place] = UInt8(ascii: letters[place] == UInt8(ascii: "x") ? executable : plain)
    }
}

/// A line for a terminal, broken at spaces if it is too wide. All lines after the first are indented. Colors are preserved
/// (ECMA-48, SGR): each line starts with the current color and resets it at the end, since pagers don't keep colors across lines.
struct WrappedLine {
    private(set) var text = ""
    private let width: Int
    private let indent: Int
    private var output: [Character] = []
    private var column = 0
    private var color: [Character] = []
    /// The last space of the current line: its position in the output, the column after it, and the color there.
    private var space: (place: Int, column: Int, color: [Character])?

    /// The width below which lines are not broken.
    private static let narrowest = 30

    /// - Parameters:
    ///   - line: with its colors, without a newline.
    ///   - indent: the number of spaces before every line but the first; 8 if it is more than half of the width.
    init(_ line: String, width: Int, indent: Int) {
        self.width = width
        self.indent = indent <= width / 2 ? indent : 8
        guard width >= Self.narrowest, line.utf8.count > width else {
            text = line
            return
        }
        output.reserveCapacity(line.utf8.count * 5 / 4)
        var rest = line[...]
        while let character = rest.first {
            if character == "\u{1B}", let end = rest.firstIndex(of: "m") {
                append(color: rest[...end])
                rest = rest[rest.index(after: end)...]
                continue
            }
            append(character)
            rest = rest.dropFirst()
        }
        text = String(output)
        output = []
    }

    private mutating func append(color sequence: Substring) {
        output += sequence
        color = sequence == "\u{1B}[0m" ? [] : Array(sequence)
    }

    private mutating func append(_ character: Character) {
        let columns = Self.columns(of: character)
        if column + columns > width {
            // A space at the end of the line is replaced by the line break.
            if character == " " {
                output += lineBreak(color)
                column = indent
                space = nil
                return
            }
            if let space {
                output.replaceSubrange(space.place...space.place, with: lineBreak(space.color))
                column = indent + column - space.column
            } else {
                output += lineBreak(color)
                column = indent
            }
            self.space = nil
        }
        output.append(character)
        column += columns
        // The indentation of the first line is not broken.
        if character == " ", column > indent + 1 { space = (output.count - 1, column, color) }
    }

    private func lineBreak(_ color: [Character]) -> [Character] {
        let start = ["\n"] + [Character](repeating: " ", count: indent)
        return color.isEmpty ? start : Array("\u{1B}[0m") + start + color
    }

    static func columns(of text: String) -> Int {
        text.reduce(0) { $0 + columns(of: $1) }
    }

    /// Returns the columns of a character: two for East Asian characters and emoji, none for combining marks.
    private static func columns(of character: Character) -> Int {
        if character.isASCII { return 1 }
        return character.unicodeScalars.reduce(0) { max($0, columns(of: $1)) }
    }

    private static func columns(of scalar: Unicode.Scalar) -> Int {
        switch scalar.value {
        case 0x1100...0x115F, 0x2E80...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60,
            0xFFE0...0xFFE6, 0x1F300...0x1F64F, 0x1F680...0x1F6FF, 0x1F900...0x1FAFF, 0x20000...0x3FFFD:
            return 2
        default:
            let category = scalar.properties.generalCategory
            return category == .nonspacingMark || category == .enclosingMark || category == .format ? 0 : 1
        }
    }
}

/// The level of detail of a diff.
struct DiffStyle: Sendable {
    var isFull = false
    /// True to list noise line by line, instead of only counting it.
    var showsNoise = false
}

/// The use of color and bold type in output.
enum Styling {
    /// Returns true if output is styled: as `--color` says, and with `auto` on a terminal without NO_COLOR (no-color.org).
    static func isOn(_ choice: ColorChoice, _ process: HostProcess) -> Bool {
        switch choice {
        case .always: true
        case .never: false
        case .auto: process.output.isTerminal && (process.environment("NO_COLOR") ?? []).isEmpty
        }
    }
}
