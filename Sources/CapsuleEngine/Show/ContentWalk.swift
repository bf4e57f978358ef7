import CapsuleContainers
import CapsuleCore
import CapsuleDatabases
import CapsuleSQLite
import CapsuleSystem
import Synchronization

/// Takes everything that a file holds: its rows, cookies and other parts as additions, or its text, its value or its bytes as a whole.
protocol ContentVisitor: ChangeSink {
    /// The rows that are wanted; nil for all.
    var wanted: RowFilter? { get }
    /// Returns false for a text that needs no visit.
    func wants(textOf bytes: UnsafeRawBufferPointer) -> Bool
    func visit(_ text: TextContent)
    func visit(_ value: PlistContents.Value)
    /// Takes a file of no known format.
    func visit(bytesOf content: ComparedContent) throws(CapsuleError)
    /// The limit that ended the list of what the file holds; nil if there was none.
    var limit: Truncation? { get }
}

/// Leads visitors through the files of a container.
struct ContentWalk: Sendable {
    private static let deepest = 3
    private static let databaseTime = Duration.seconds(60)

    let opened: OpenedContainer

    /// Visits a file. The log of a database is visited with the database.
    /// - Throws: an error that says what could not be visited, with the file's path.
    func walk(_ number: Int, _ visitor: some ContentVisitor) throws(CapsuleError) {
        let entry = opened.entries[number]
        guard entry.kind.hasContent, !isPartOfDatabase(entry) else { return }
        do throws(CapsuleError) {
            if opened.isDatabase(number) { return try walkRows(of: number, visitor) }
            let content = ComparedContent(try opened.open(number), size: entry.size)
            try walk(content, visitor)
            try content.compare()
            if let limit = visitor.limit {
                throw CapsuleError(.limit, "only the first \(limit.shown ?? 0) \(limit.what) were searched")
            }
        } catch {
            if error.code == .interrupted { throw error }
            throw CapsuleError(
                error.code, error.code == .limit ? error.message : "can't be searched: \(error.message)",
                path: HostPath(entry.path.bytes))
        }
    }

    /// Returns true for the logs of a database, whose rows are visited with it.
    private func isPartOfDatabase(_ entry: TreeEntry) -> Bool {
        DatabaseUnit.databases(ofMember: entry.path).contains { candidate in
            !candidate.isStem && opened.entries.index(of: candidate.path, in: entry.root).map(opened.isDatabase) ?? false
        }
    }

    private func walkRows(of number: Int, _ visitor: some ContentVisitor) throws(CapsuleError) {
        let limits = WorkLimits(time: Self.databaseTime)
        let database = try UnitReader(opened.contents, opened.entries, database: number).copy().open(limits: limits)
        var options = DatabaseDiffOptions(rows: nil, dataBytes: nil, textBytes: nil, detailBytes: .max, work: limits)
        options.nestedBytes = 0
        let outcome = try DatabaseDiff(
            DatabaseCopy().open(), database, options: options, wanted: visitor.wanted, sink: visitor)
        if let damage = outcome.damage.first { throw CapsuleError(.damaged, damage.message) }
        if let gap = outcome.gap { throw CapsuleError(.time, gap.reason) }
    }

    private func walk(_ content: ComparedContent, _ visitor: some ContentVisitor, depth: Int = 0) throws(CapsuleError) {
        let formats = try ContentFormats.candidates(content)
        if formats.first is TextContents, let bytes = try content.all() {
            if !bytes.withUnsafeBytes(visitor.wants(textOf:)) { return }
            if let text = try? TextContent(bytes) { return visitor.visit(text) }
        }
        if let wrapped = formats.first as? WrappedContents, depth < Self.deepest, let inner = try? wrapped.read(content, .b) {
            return try walk(ComparedContent(inner), visitor, depth: depth + 1)
        }
        if let plist = formats.first as? PlistContents {
            if let value = try? plist.read(content, .b) { return visitor.visit(value) }
            // What only begins like JSON or XML is a text.
            if let bytes = try content.all(), let text = try? TextContent(bytes) { return visitor.visit(text) }
        }
        if try ContentFormats.list(content, visitor) == nil { try visitor.visit(bytesOf: content) }
    }
}

extension ContentWalk {
    /// Runs work on some entries in parallel, the large ones first, so that the others are done beside them. These keep their order, in which
    /// a capsule has them.
    /// - Returns: the outcomes in the order of the entries' numbers.
    func each<Outcome: Sendable>(
        of numbers: [Int], jobs: Int, progress: (any ProgressObserver)? = nil,
        _ body: @escaping @Sendable (Int) throws(CapsuleError) -> Outcome
    ) throws(CapsuleError) -> [Outcome] {
        try opened.contents.fetch(numbers.filter { opened.entries[$0].kind.hasContent })
        let large = numbers.filter { opened.entries[$0].size >= Self.largeLength }
        let order =
            large.sorted { opened.entries[$0].size > opened.entries[$1].size }
            + numbers.filter { opened.entries[$0].size < Self.largeLength }
        let report = Mutex(
            ProgressReport(totalFiles: UInt64(order.count), totalBytes: order.reduce(0) { $0 + opened.entries[$1].size }))
        let outcomes = try ParallelMap.run(order.count, threads: jobs, itemsPerThread: 4) {
            (index) throws(CapsuleError) -> Outcome in
            try CapsuleError.checkInterruption()
            let outcome = try body(order[index])
            if let progress {
                report.withLock { report in
                    report.files += 1
                    report.bytes += opened.entries[order[index]].size
                    progress.advanced(to: report)
                }
            }
            return outcome
        }
        return zip(order, outcomes).sorted { $0.0 < $1.0 }.map(\.1)
    }

    private static let largeLength: UInt64 = 1 << 20
}
