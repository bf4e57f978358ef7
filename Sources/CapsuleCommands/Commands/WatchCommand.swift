import CapsuleArguments
import CapsuleCore
import CapsuleEngine
import CapsuleRules

struct WatchCommand {
    let context: CommandContext

    /// The counts so far.
    private struct Tally {
        var changes = 0
        var noise = 0
        var isMet = false
    }

    func run() throws(CapsuleError) -> ExitStatus {
        let command = context.command
        let expectation = try command[.until].map { (clause) throws(CapsuleError) in try DiffDocuments.expectation(of: clause) }
        let watch = try ContainerWatch(context.container(command[.live]), try options(expectation))
        let name = QuotedBytes(command[.live]).text
        if command[.json] { try context.list(JSONReporter().watchStart(as: command[.live])) }
        context.diagnostics.note("watching \(name)\(command[.until] == nil && command[.timeout] == nil ? "; ^C ends it" : "")")
        var tally = Tally()
        do throws(CapsuleError) {
            while !tally.isMet, let diff = try watch.next(before: command[.timeout].map { .seconds($0) }) {
                try show(diff)
                let counts = diff.counts
                tally.changes += counts.changes
                tally.noise += counts.noiseChanges
                tally.isMet = expectation.map { isMet($0, by: diff) } ?? false
            }
        } catch {
            // ^C is how a watch ends, unless it waits for something.
            guard error.code == .interrupted, HostProcess.interruption == Self.interrupt, expectation == nil else { throw error }
        }
        try summarize(tally, waits: expectation != nil)
        return expectation == nil || tally.isMet ? .success : .different
    }

    /// SIGINT
    private static let interrupt: Int32 = 2

    private func show(_ diff: ContainerDiff) throws(CapsuleError) {
        let command = context.command
        guard context.isReported else { return }
        let shown = command[.showSecrets] ? diff : diff.hidingSecrets(countsNoise: command[.all])
        let style = DiffStyle(isFull: command[.full], showsNoise: command[.all])
        try context.list(context.reporter.settled(shown, at: HostProcess.now, style))
    }

    private func isMet(_ expectation: Expectation, by diff: ContainerDiff) -> Bool {
        let clauses = expectation.evaluate(diff).must
        return clauses.allSatisfy { $0.isThere && ($0.clause.count == nil || $0.undecided == nil) }
    }

    private func summarize(_ tally: Tally, waits: Bool) throws(CapsuleError) {
        if context.command[.json] {
            try context.list(
                JSONReporter().watchEnd(isMet: waits ? tally.isMet : nil, changes: tally.changes, noise: tally.noise))
        }
        let noise = context.command[.all] || tally.noise == 0 ? "" : ", \(Quantity.grouped(UInt64(tally.noise))) hidden as noise"
        let changes = Quantity.changes(tally.changes, isExact: true)
        let timeout = waits && !tally.isMet ? "no change met the clause in time: " : ""
        context.diagnostics.note("\(timeout)\(changes)\(noise)")
    }

    private func options(_ expectation: Expectation?) throws(CapsuleError) -> DiffOptions {
        let command = context.command
        let rules = try command[.rules].map { (file) throws(CapsuleError) in try DiffDocuments.rules(HostPath(file)) }
        var options = DiffOptions()
        options.judging = Judging(rules: rules ?? NoiseRules(), expectation: expectation)
        options.context = command[.context] ?? options.context
        options.isFull = command[.full]
        options.rows = command[.full] ? nil : command[.rows] ?? options.rows
        options.lines = command[.full] ? nil : command[.lines] ?? options.lines
        if command[.full] { options.databaseTime = nil }
        options.usesCache = context.usesCache
        options.jobs = try context.jobs()
        return options
    }
}
