package import CapsuleContainers
package import CapsuleCore
import CapsuleDatabases
package import CapsulePropertyList
package import CapsuleRules
import CapsuleSQLite
import CapsuleSystem

/// The contents of a file, as the difference from nothing.
package struct ShownFile: Sendable {
    package let entry: TreeEntry
    /// The word for the file's format, such as `plist` or `gzip/json`.
    package var format: String
    /// Every value, row, line or cookie, as an addition.
    package var details: [ChangeDetail] = []
    /// The tables of a database, or the one whose rows are in ``details``.
    package var tables: [TableSummary] = []
    /// The value that a pointer names.
    package var value: PlistValue?
    /// The first bytes of a file that nothing else is known of.
    package var head: [UInt8] = []
    /// The bytes of an image, for a page.
    package fileprivate(set) var picture: EntryChange.Picture?
    package fileprivate(set) var hiddenSecrets = 0
}

/// Shows files of a container: all of a file, or a value, a table or a row in it.
package struct ContentViewer: Sendable {
    /// The most rows of a table that are shown; nil for all.
    package var rows: UInt64? = 100
    /// True to show long values in full.
    package var isFull = false
    package var showsSecrets = false
    private let opened: OpenedContainer

    package static let headLength = 256
    private static let databaseTime = Duration.seconds(60)

    package init(_ opened: OpenedContainer) { self.opened = opened }

    /// - Parameter name: `PATH`, or `PATH:PLACE` with a pointer, a table, an entity, or a row as `TABLE[KEY]`. A file's name alone
    ///   is enough if no other file has it.
    package func show(_ name: [UInt8]) throws(CapsuleError) -> ShownFile {
        let (number, place) = try opened.place(named: name)
        let entry = opened.entries[number]
        guard entry.kind.hasContent else {
            throw CapsuleError(
                "is a \(entry.kind.word)", path: HostPath(name),
                hint: entry.kind == .directory ? "'capsule ls' lists its entries" : nil)
        }
        try opened.contents.fetch([number])
        let file = try opened.isDatabase(number) ? database(number, place, name) : content(number, place, name)
        return hidingSecrets(in: file)
    }

    private func hidingSecrets(in shown: ShownFile) -> ShownFile {
        guard !showsSecrets else { return shown }
        var (file, cover) = (shown, SecretCover())
        cover.enter(file.entry.path)
        for index in file.details.indices { cover.hide(&file.details[index].content) }
        file.hiddenSecrets = cover.count
        // The details have the value without its secrets.
        if cover.count > 0 { file.value = nil }
        return file
    }

    private func content(_ number: Int, _ place: String?, _ name: [UInt8]) throws(CapsuleError) -> ShownFile {
        let entry = opened.entries[number]
        let content = ComparedContent(try opened.open(number), size: entry.size)
        if let place {
            let pointer = try Self.pointer(place, name)
            guard let bytes = try content.all() else {
                throw CapsuleError("is larger than \(ComparedContent.longest >> 20) MiB", path: HostPath(name))
            }
            try content.compare()
            return try Self.value(at: pointer, in: bytes, entry, name)
        }
        let list = ChangeList()
        let format = try ContentFormats.list(content, list)
        try content.compare()
        var file = ShownFile(entry: entry, format: format ?? "bytes", details: list.details)
        if format == nil { file.head = Array(try content.head().prefix(Self.headLength)) }
        return file
    }

    static func pointer(_ place: String, _ name: [UInt8]) throws(CapsuleError) -> PlistPointer {
        do throws(PlistError) {
            return try PlistPointer(place.hasPrefix("/") ? place : "/" + place)
        } catch {
            throw CapsuleError(.usage, "'\(place)' is not a pointer: \(error.message)", path: HostPath(name))
        }
    }

    private static func value(
        at pointer: PlistPointer, in bytes: [UInt8], _ entry: TreeEntry, _ name: [UInt8]
    ) throws(CapsuleError) -> ShownFile {
        do throws(PlistError) {
            let document = try PlistDocument.read(bytes, isLenient: true)
            do throws(PlistError) {
                var file = ShownFile(entry: entry, format: document.format == .json ? "json" : "plist")
                let value = try document.value.value(at: pointer, nested: .compressing)
                file.value = value
                let outer = try? document.value.value(at: PlistPointer(steps: pointer.steps.dropLast()), nested: .compressing)
                let naming = outer?.dictionary.map { Secrets.naming(in: $0) } ?? []
                PlistLeaves.forEachPlace(in: value) { leaf, _, value, inner in
                    guard let value else { return }
                    let place = PlistPointer(steps: pointer.steps + leaf.steps)
                    let change = PlistChange(.added(value), at: place, naming: naming.union(inner))
                    file.details.append(ChangeDetail(.value(change)))
                }
                return file
            } catch {
                throw error.suggestingKeys(of: document.value, nested: .compressing)
            }
        } catch {
            let problem = CapsuleError(error, in: HostPath(name))
            guard error.code == .missing || error.code == .mismatch else { throw problem }
            throw CapsuleError(.notFound, problem.message, path: problem.path, hint: problem.hint)
        }
    }

    private func database(_ number: Int, _ place: String?, _ name: [UInt8]) throws(CapsuleError) -> ShownFile {
        var file = ShownFile(entry: opened.entries[number], format: "sqlite")
        let database: Database
        let limits = WorkLimits(time: Self.databaseTime)
        do throws(CapsuleError) {
            let unit = UnitReader(opened.contents, opened.entries, database: number)
            try opened.contents.fetch(unit.numbers)
            database = try unit.copy().open(limits: limits)
            guard let place else {
                file.tables = try database.tableSummaries(limits: limits)
                return file
            }
            // The name of a table may end in brackets, too.
            let (table, key) = database.table(named: place) == nil ? Self.row(place) : (place, nil)
            let found = try database.existingTable(named: table)
            file.tables = try [database.tableSummary(of: found)]
            var options = DatabaseDiffOptions(rows: key == nil ? self.rows : nil, work: limits)
            if isFull { (options.dataBytes, options.textBytes) = (nil, nil) }
            if key != nil || self.rows == nil { options.detailBytes = .max }
            file.details = try rows(of: found, key, in: database, file.entry, options)
            if let key, file.details.isEmpty {
                throw CapsuleError(.notFound, "has no row with the key '\(key)' in table \(found.text)")
            }
            return file
        } catch {
            throw CapsuleError(error.code, error.message, path: error.path ?? HostPath(name), hint: error.hint)
        }
    }

    /// Returns the rows of a table, or the one with a key, as the difference from nothing.
    private func rows(
        of table: SQLName, _ key: String?, in database: Database, _ entry: TreeEntry, _ options: DatabaseDiffOptions
    ) throws(CapsuleError) -> [ChangeDetail] {
        let rows = RowList(key: key, knowsDigests: opened.isDigested)
        var options = options
        options.tables = [table]
        let outcome = try DatabaseDiff(
            DatabaseCopy().open(), database, options: options, external: external(of: entry), sink: rows)
        if let damage = outcome.damage.first { throw CapsuleError(.damaged, damage.message) }
        return rows.details
    }

    /// Finds files of Core Data's external blobs. Their contents are not read.
    private func external(of database: TreeEntry) -> ExternalLookup {
        { [opened] _, name in
            guard let directory = DatabaseUnit.externalData(of: database.path),
                let path = try? directory.appending(Array(name.utf8)),
                let number = opened.entries.index(of: path, in: database.root)
            else { return nil }
            return ExternalFile(size: opened.entries[number].size, digest: opened.entries[number].digest)
        }
    }

    /// Splits `TABLE[KEY]`.
    static func row(_ place: String) -> (table: String, key: String?) {
        guard place.hasSuffix("]"), let open = place.firstIndex(of: "["), open > place.startIndex else { return (place, nil) }
        return (String(place[..<open]), String(place[place.index(after: open)...].dropLast()))
    }
}

/// The content of a file for a page: all of it at once, but within bounds.
extension ContentViewer {
    /// The size of a database, or of another file, up to which a page has its content.
    private static let longestOnPage: (database: UInt64, other: UInt64) = (64 << 20, 4 << 20)
    private static let timeOnPage = Duration.seconds(2)
    private static let tablesOnPage = 100

    /// Returns the content of a file: the first rows of every table of a database, and an image with its bytes.
    /// - Parameter number: the number of an entry that is a file.
    func page(of number: Int) throws(CapsuleError) -> ShownFile {
        let entry = opened.entries[number]
        let path = entry.path.bytes
        try opened.contents.fetch([number])
        let isDatabase = opened.isDatabase(number)
        guard entry.size <= (isDatabase ? Self.longestOnPage.database : Self.longestOnPage.other) else {
            throw CapsuleError(.limit, "is too large for the page", path: HostPath(path))
        }
        if isDatabase { return hidingSecrets(in: try tables(of: number)) }
        var file = try content(number, nil, path)
        if case .image? = file.details.first?.content {
            let content = ComparedContent(try opened.open(number), size: entry.size)
            if let bytes = try content.all(), let header = ImageHeader(bytes) {
                file.picture = EntryChange.Picture(type: header.mediaType, bytes: bytes)
            }
        }
        return hidingSecrets(in: file)
    }

    private func tables(of number: Int) throws(CapsuleError) -> ShownFile {
        var file = ShownFile(entry: opened.entries[number], format: "sqlite")
        let limits = WorkLimits(time: Self.timeOnPage)
        let unit = UnitReader(opened.contents, opened.entries, database: number)
        try opened.contents.fetch(unit.numbers)
        let database = try unit.copy().open(limits: limits)
        file.tables = try database.tableSummaries(limits: limits)
        for table in file.tables.prefix(Self.tablesOnPage) where table.rows > 0 {
            var options = DatabaseDiffOptions(rows: self.rows, work: limits)
            options.pictureBytes = Self.pictureInRow
            file.details += try rows(of: SQLName(table.table), nil, in: database, file.entry, options)
        }
        return file
    }

    private static let pictureInRow = 64 << 10
}

/// Collects the rows of a table, or the one with a key.
private final class RowList: ChangeSink {
    private(set) var details: [ChangeDetail] = []
    private let key: String?
    private let knowsDigests: Bool

    init(key: String?, knowsDigests: Bool) {
        self.key = key
        self.knowsDigests = knowsDigests
    }

    func needsRows(of names: [String]?) -> Bool { false }
    func classified(_ detail: ChangeDetail) -> ChangeDetail { detail }
    func countRow(_ operation: ChangeOperation) {}

    func take(_ detail: ChangeDetail, isKept: Bool) {
        guard isKept else { return }
        // The whole table is new against an empty database.
        if case .schema = detail.content { return }
        guard case .row(var row) = detail.content else {
            if key == nil { details.append(detail) }
            return
        }
        guard key == nil || row.keyText == key else { return }
        if !knowsDigests {
            for index in row.columns.indices {
                guard case .external(let name, let size, _)? = row.columns[index].new else { continue }
                row.columns[index].new = .external(name: name, size: size, digest: nil)
            }
        }
        details.append(ChangeDetail(.row(row)))
    }
}

extension RowChange {
    /// The values of the key as a user types them: `7`, or `de,greeting` for a key of two columns.
    package var keyText: String {
        key.map { part in
            guard case .value(let value) = part.value else { return "hidden" }
            return value.string?.string ?? value.line()
        }.joined(separator: ",")
    }
}
