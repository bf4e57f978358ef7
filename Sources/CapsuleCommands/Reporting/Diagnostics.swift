import CapsuleArguments
import CapsuleContainers
import CapsuleCore
import CapsuleEngine

/// Messages on standard error: `capsule: error: …`, then `capsule: hint: …`.
struct Diagnostics {
    private let style: MessageStyle
    private let isQuiet: Bool
    private let process: HostProcess

    init(_ process: HostProcess, isQuiet: Bool = false) {
        style = .of(process)
        self.isQuiet = isQuiet
        self.process = process
    }

    func error(_ text: String, hint: String? = nil) {
        write("error", text)
        if let hint { write("hint", hint) }
    }

    func error(_ error: CapsuleError) {
        let hint = error.shownHint
        if let place = error.place, let path = error.path {
            // The format of compilers, so that editors and Xcode find the place.
            write("error", error.message, path, place)
        } else {
            self.error(Self.text(of: error))
        }
        for detail in error.details { write("note", detail) }
        if let hint { write("hint", hint) }
    }

    func warning(_ error: CapsuleError) {
        guard let place = error.place, let path = error.path else { return warning(Self.text(of: error), hint: error.hint) }
        write("warning", error.message, path, place)
        if let hint = error.hint { write("hint", hint) }
    }

    func warning(_ text: String, hint: String? = nil) {
        write("warning", text)
        if let hint { write("hint", hint) }
    }

    func hint(_ text: String) { write("hint", text) }

    func note(_ text: String) {
        if !isQuiet { write("note", text) }
    }

    /// Prints a note even with `--quiet`. Otherwise the user would not learn that nothing was done.
    func noteAlways(_ text: String) { write("note", text) }

    static func text(of error: CapsuleError) -> String {
        guard let path = error.path, !path.bytes.isEmpty else { return error.message }
        return "\(QuotedBytes(path.bytes).text): \(error.message)"
    }

    private func write(_ kind: String, _ text: String) {
        // Messages quote the content of files, which must not control the terminal.
        let text = QuotedBytes(text).text
        process.writeError(style.line(kind, text))
    }

    private func write(_ kind: String, _ text: String, _ path: HostPath, _ place: String) {
        let text = QuotedBytes(text).text
        process.writeError(style.line(kind, text, file: QuotedBytes(path.bytes).text, place: place))
    }

    /// Prints a finding as an annotation, if the CI system shows annotations apart from the report.
    func finding(_ text: String, title: String) {
        let line = style.finding(QuotedBytes(text).text, title: QuotedBytes(title).text)
        if let line { process.writeError(line) }
    }
}

extension CapsuleError {
    /// The hint to print: a suggestion for a misspelled word, or else the error's own hint, or else the name of a file.
    var shownHint: String? {
        misspelt.flatMap { Suggestions(for: $0.typed, among: $0.known).hint } ?? hint ?? FileProbe.suggestion(for: self)
    }
}

/// The form of messages: for a terminal, for Xcode, or for GitHub's CI.
private enum MessageStyle {
    /// `capsule: error: …`
    case terminal
    /// `error: …`: Xcode's log parser would read `capsule` as a file name.
    case xcode
    /// `::error file=…::…`, which GitHub shows beside the file. (GitHub Actions, "Workflow commands")
    case github

    static func of(_ process: HostProcess) -> MessageStyle {
        if process.environment("XCODE_VERSION_ACTUAL") != nil { return .xcode }
        return ReportEscapes.isOnGitHub(process) ? .github : .terminal
    }

    /// Returns the line for a message without a place in a file.
    /// - Parameter text: without control characters.
    func line(_ kind: String, _ text: String) -> String {
        switch self {
        case .terminal: "capsule: \(kind): \(text)\n"
        case .xcode: "\(kind == "hint" ? "note" : kind): \(text)\n"
        case .github:
            Self.command(for: kind).map { "::\($0)::\(Self.escaped(text))\n" } ?? Self.plain("capsule: \(kind): \(text)\n")
        }
    }

    /// Returns the line for a message about a place in a file.
    /// - Parameter place: `LINE:COLUMN`, or another place.
    func line(_ kind: String, _ text: String, file: String, place: String) -> String {
        let plain = "\(file):\(place): \(kind): \(text)\n"
        guard self == .github else { return plain }
        guard let command = Self.command(for: kind) else { return Self.plain(plain) }
        var properties = ["file=\(Self.escapedProperty(file))"]
        for (name, number) in zip(["line", "col"], place.split(separator: ":")) where Int(number) != nil {
            properties.append("\(name)=\(number)")
        }
        return "::\(command) \(properties.joined(separator: ","))::\(Self.escaped(text))\n"
    }

    func finding(_ text: String, title: String) -> String? {
        self == .github ? "::error title=\(Self.escapedProperty(title))::\(Self.escaped(text))\n" : nil
    }

    private static func command(for kind: String) -> String? {
        ["error", "warning"].contains(kind) ? kind : nil
    }

    /// Returns a line that the CI system does not read as a command.
    private static func plain(_ line: String) -> String {
        String(decoding: ReportEscapes(isJSON: false, isForGitHub: true).escaped(Array(line.utf8)), as: UTF8.self)
    }

    private static func escaped(_ text: String) -> String {
        text.replacing("%", with: "%25").replacing("\r", with: "%0D").replacing("\n", with: "%0A")
    }

    private static func escapedProperty(_ text: String) -> String {
        escaped(text).replacing(":", with: "%3A").replacing(",", with: "%2C")
    }
}

/// A line on the terminal that shows the progress of long work: bytes, files, rate, time left.
final class ProgressMeter: ProgressObserver, @unchecked Sendable {
    // Only one thread at a time reports progress.
    private let start = ContinuousClock.now
    private var shown = ContinuousClock.now
    private var isShown = false
    private let width: Int
    private let process: HostProcess

    /// The delay before the line is first shown, and the shortest time between updates.
    private static let interval = Duration.milliseconds(200)
    /// The time left is shown after this many seconds and this share of the work; before that, it would be a guess.
    private static let guessing = (time: 2.0, share: 0.02)

    /// - Returns: nil if standard error is not a terminal.
    init?(_ process: HostProcess) {
        guard process.errors.isTerminal else { return nil }
        width = process.errors.width ?? 80
        self.process = process
    }

    deinit {
        clear()
    }

    func advanced(to report: ProgressReport) {
        let now = ContinuousClock.now
        guard now - shown >= Self.interval else { return }
        shown = now
        isShown = true
        process.writeError("\r\u{1B}[K" + String(Self.line(report, elapsed: now - start).prefix(width - 1)))
    }

    func clear() {
        if isShown { process.writeError("\r\u{1B}[K") }
        isShown = false
    }

    /// `1.2 GB of 4.0 GB, 310 of 1,200 files, 96.0 MB/s, 29 s left`
    static func line(_ report: ProgressReport, elapsed: Duration) -> String {
        let seconds = Double(elapsed.components.seconds) + Double(elapsed.components.attoseconds) / 1e18
        let rate = seconds > 0 ? Double(report.bytes) / seconds : 0
        var line = "\(Quantity.bytes(report.bytes)) of \(Quantity.bytes(report.totalBytes))"
        if report.totalFiles > 0 {
            line += ", \(Quantity.grouped(report.files)) of \(Quantity.grouped(report.totalFiles)) files"
        }
        line += ", \(Quantity.bytes(UInt64(max(0, rate))))/s"
        let share = Double(report.bytes) / Double(max(1, report.totalBytes))
        if seconds >= guessing.time, share >= guessing.share, report.totalBytes >= report.bytes {
            line += ", \(Quantity.time(Double(report.totalBytes - report.bytes) / rate)) left"
        }
        return line
    }
}

/// An error, as the last line of a command's JSON (docs/json.md, "Errors").
struct JSONError {
    private let status: ExitStatus
    private let code: CapsuleError.Code
    private let message: String
    private let hint: String?
    private var path: HostPath?
    private var place: String?
    private var details: [String] = []

    init(_ error: CapsuleError, _ status: ExitStatus) {
        self.init(error.code, error.message, error.shownHint, status)
        path = error.path
        place = error.place
        details = error.details
    }

    init(_ error: UsageError) {
        self.init(.usage, error.message, error.hint, .usage)
    }

    private init(_ code: CapsuleError.Code, _ message: String, _ hint: String?, _ status: ExitStatus) {
        self.status = status
        self.code = code
        self.message = message
        self.hint = hint
    }

    static let noVerb = JSONError(.usage, "a verb is missing", "'capsule -h' lists the verbs", .usage)

    var line: [UInt8] {
        let path = path?.bytes ?? []
        let line: JSONObject = [
            "kind": "error", "schema": "capsule.error", "version": 1, "status": UInt64(max(0, status.code)), "code": code.word,
            "message": message, "path": path.isEmpty ? nil : JSONName(path), "place": place, "hint": hint,
            "details": details.isEmpty ? nil : details,
        ]
        return line.line
    }

    /// A failure is ignored, since standard output may be what failed.
    func write(to process: HostProcess) {
        try? process.output.write(ReportEscapes(isJSON: true, isForGitHub: ReportEscapes.isOnGitHub(process)).escaped(line))
    }
}

/// The exit status of a command.
struct ExitStatus: Equatable {
    let code: Int32

    /// Success, or no difference.
    static let success = ExitStatus(code: 0)
    /// A difference, conflicts, pending changes, or a failed expectation.
    static let different = ExitStatus(code: 1)
    static let failure = ExitStatus(code: 2)
    /// An error in the command line (sysexits.h, EX_USAGE).
    static let usage = ExitStatus(code: 64)

    static func interrupted(by signal: Int32) -> ExitStatus { ExitStatus(code: 128 + signal) }
}
