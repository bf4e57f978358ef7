import CapsuleArchive
package import CapsuleContainers
package import CapsuleCore
import CapsuleDatabases
import CapsulePropertyList
import CapsuleSQLite
import CapsuleSystem

/// Places of a container where a text occurs.
package struct ContainerSearch: Sendable {
    package struct Hit: Sendable {
        package let path: RelativePath
        /// The place in the file as `show` takes it, such as `/launches` or `ZGIF[7]`; the number of a line of a text; nil if the
        /// name of the entry itself has the text.
        package let place: String?
        /// The content at the place, with secrets hidden.
        package let detail: ChangeDetail.Content?
        /// The line of a text, or a note on bytes.
        package let line: String?
    }

    package struct Outcome: Sendable {
        package let hits: [Hit]
        /// The files that could not be searched.
        package let failures: [CapsuleError]
    }

    private let opened: OpenedContainer
    private let text: SearchText
    private let showsSecrets: Bool

    package init(_ opened: OpenedContainer, for text: SearchText, showsSecrets: Bool = false) {
        self.opened = opened
        self.text = text
        self.showsSecrets = showsSecrets
    }

    /// Contents that were searched before, so that those of several versions are searched once.
    package struct Seen: Sendable {
        private struct Content: Hashable {
            let place: EntryPath
            let digests: [ContentDigest]
        }

        private var contents: Set<Content> = []

        package init() {}

        /// Adds a file with the logs beside it.
        /// - Returns: false if it was added before.
        fileprivate mutating func add(_ entry: TreeEntry, in opened: OpenedContainer) -> Bool {
            let logs = DatabaseUnit.companionSuffixes.compactMap { suffix in
                (try? RelativePath(validating: entry.path.bytes + suffix))
                    .flatMap { opened.entries.index(of: $0, in: entry.root) }.map { opened.entries[$0].digest }
            }
            return contents.insert(Content(place: entry.place, digests: [entry.digest] + logs)).inserted
        }
    }

    /// - Parameters:
    ///   - paths: the paths or patterns to search, with everything below them; empty for everything.
    ///   - seen: the contents of other versions, which are not searched again; nil for none.
    package func run(in paths: [[UInt8]], jobs: Int, besides seen: inout Seen?) throws(CapsuleError) -> Outcome {
        let places = try paths.isEmpty ? nil : NamedPaths(paths, in: opened)
        var numbers = opened.entries.indices.filter { places?.covers(opened.entries[$0]) ?? opened.entries[$0].isListed }
        if seen != nil { numbers = numbers.filter { seen?.add(opened.entries[$0], in: opened) ?? true } }
        let found = try ContentWalk(opened: opened).each(of: numbers, jobs: jobs) { (number) throws(CapsuleError) in
            try search(number)
        }
        return Outcome(hits: found.flatMap(\.hits), failures: found.flatMap(\.failures))
    }

    /// Returns the number of versions of a capsule, if the argument names none of them; nil for any other container.
    package static func unnamedVersions(of container: Container) -> Int? {
        guard !container.argument.suffix(latest.count).elementsEqual(latest),
            case .capsule(let capsule, .latest)? = try? container.resolve()
        else { return nil }
        return try? capsule.footers().count
    }

    private static let latest = Array("@latest".utf8)

    private func search(_ number: Int) throws(CapsuleError) -> Outcome {
        let entry = opened.entries[number]
        var hits: [Hit] = []
        if text.isIn(entry.path.name) { hits.append(Hit(path: entry.path, place: nil, detail: nil, line: nil)) }
        let sink = SearchSink(for: text, in: entry.path, showsSecrets: showsSecrets)
        do throws(CapsuleError) {
            try ContentWalk(opened: opened).walk(number, sink)
            return Outcome(hits: hits + sink.hits, failures: [])
        } catch {
            if error.code == .interrupted { throw error }
            return Outcome(hits: hits + sink.hits, failures: [error])
        }
    }
}

/// Takes what a file holds, and keeps what has the text.
private final class SearchSink: ContentVisitor {
    private(set) var hits: [ContainerSearch.Hit] = []
    /// The limit that ended the list of what a file holds; nil if there was none.
    private(set) var limit: Truncation?
    private let text: SearchText
    private let path: RelativePath
    private let showsSecrets: Bool

    init(for text: SearchText, in path: RelativePath, showsSecrets: Bool) {
        self.text = text
        self.path = path
        self.showsSecrets = showsSecrets
    }

    private static let windowLength = 1 << 20

    var wanted: RowFilter? { text.isInNumbers ? nil : RowFilter(text: text.mayBeIn, data: text.mayBeInData) }

    func wants(textOf bytes: UnsafeRawBufferPointer) -> Bool { !text.isASCII || text.mayBeIn(bytes) }
    func needsRows(of names: [String]?) -> Bool { true }
    func classified(_ detail: ChangeDetail) -> ChangeDetail { detail }
    func countRow(_ operation: ChangeOperation) {}

    func take(_ detail: ChangeDetail, isKept: Bool) {
        switch detail.content {
        case .value(let change):
            if isIn(change.new) { add(detail.content, at: change.pointer.description) }
        case .row(let row): search(row)
        case .schema(let change):
            if text.isIn(change.new ?? "") { add(detail.content, at: change.name) }
        case .cookie(let change):
            let fields = [change.domain, change.path, change.cookie]
            guard fields.contains(where: text.isIn) || change.fields.contains(where: { isIn($0.new) }) else { return }
            add(detail.content, at: change.cookie)
        case .limit(let reached): limit = reached
        case .text, .bytes, .image, .metadata, .encoding, .fallback: break
        }
    }

    /// Searches the values of a property list or JSON, and their keys.
    func visit(_ content: PlistContents.Value) {
        limit = PlistContents.forEachPlace(in: content) { pointer, key, leaf, naming in
            guard key.map({ text.isIn($0.string) }) ?? false || isIn(leaf) else { return }
            // A key of a dictionary or an array is a place of its own.
            add(leaf.map { .value(PlistChange(.added($0), at: pointer, naming: naming)) }, at: pointer.description)
        }
    }

    private func search(_ row: RowChange) {
        // A row's number is a value of the row only if a column has it.
        let own = row.key.contains { $0.isColumn && isIn($0.value) }
        let columns = row.columns.filter { isIn($0.new) }
        guard own || !columns.isEmpty else { return }
        var shown = row
        shown.columns = columns
        add(.row(shown), at: "\(row.table)[\(row.keyText)]")
    }

    private func isIn(_ value: DisplayValue?) -> Bool {
        switch value {
        case .value(let value)?: isIn(value)
        case .textHead(let head, _, _)?: text.isIn(head.string)
        case .external(let name, _, _)?: text.isIn(name)
        default: false
        }
    }

    /// Returns true if a string in a value has the text, also in property lists and archives in data.
    private func isIn(_ value: PlistValue?) -> Bool {
        guard let value else { return false }
        switch value {
        case .string(let string): return text.isIn(string.string)
        case .data, .array, .dictionary:
            var isFound = false
            PlistLeaves.forEachPlace(in: value) { _, key, leaf, _ in
                if isFound { return }
                switch leaf {
                case .string(let string)?: isFound = text.isIn(string.string)
                case .data(let bytes)?: isFound = bytes.withUnsafeBytes { text.isIn($0) }
                default: break
                }
                if !isFound, let key { isFound = text.isIn(key.string) }
            }
            return isFound
        case .integer, .real, .date: return text.isInNumbers && text.isIn(value.line())
        default: return text.isIn(value.line())
        }
    }

    func visit(_ content: TextContent) {
        let secret = showsSecrets ? [] : content.secretLines
        for number in 0..<content.lineCount where text.isIn(content.line(number)) {
            let line = String(decoding: content.line(number), as: UTF8.self).trimmingNewline
            add(nil, at: String(number + 1), line: line, isSecret: secret.contains(number))
        }
    }

    func visit(bytesOf content: ComparedContent) throws(CapsuleError) {
        let window = content.window(capacity: Self.windowLength)
        var start: UInt64 = 0
        while start < content.size {
            let end = min(content.size, start + UInt64(Self.windowLength))
            if text.isIn(try window.bytes(in: start..<end)) {
                return hits.append(ContainerSearch.Hit(path: path, place: nil, detail: nil, line: "the bytes have it"))
            }
            if end == content.size { return }
            // A text may lie across two windows.
            start = end - min(UInt64(text.length), UInt64(Self.windowLength / 2))
        }
    }

    private func add(_ content: ChangeDetail.Content?, at place: String, line: String? = nil, isSecret: Bool = false) {
        var (content, place, line) = (content, place, line)
        if !showsSecrets {
            var cover = SecretCover()
            cover.enter(path)
            if var hidden = content {
                cover.hide(&hidden)
                content = hidden
                // A place may name an element or a row by a secret.
                switch hidden {
                case .value(let change): place = change.pointer.description
                case .row(let row): place = "\(row.table)[\(row.keyText)]"
                default: break
                }
            }
            line = line.map { cover.hidden($0, isSecret: isSecret) }
        }
        hits.append(ContainerSearch.Hit(path: path, place: place, detail: content, line: line))
    }
}

extension String {
    fileprivate var trimmingNewline: String { last?.isNewline == true ? String(dropLast()) : self }
}
