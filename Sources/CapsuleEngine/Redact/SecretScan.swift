package import CapsuleContainers
package import CapsuleCore
import CapsuleDatabases
import CapsulePropertyList
import CapsuleSystem

/// Finds the secrets in a container: what reports hide, and texts that the user names.
package struct SecretScan: Sendable {
    package struct Finding: Hashable, Sendable {
        package enum Reason: String, Sendable {
            case secret, cookie, keychain
            /// A text that the user named.
            case text
        }

        package let path: RelativePath
        /// The place in the file as `show` takes it, such as `/launches` or `ZGIF[7]`; the number of a line of a text; nil for the entry
        /// itself.
        package let place: String?
        package let reason: Reason
        package let count: Int
    }

    package struct Outcome: Sendable {
        /// In the order of the entries.
        package fileprivate(set) var findings: [Finding] = []
        /// The files of no known format, and the pictures.
        package fileprivate(set) var opaque: [RelativePath] = []
        /// The files that could not be searched.
        package fileprivate(set) var failures: [CapsuleError] = []
    }

    private let opened: OpenedContainer
    private let texts: [SearchText]

    /// - Parameter texts: those to find, too, in upper and lower case.
    package init(_ opened: OpenedContainer, texts: [String] = []) {
        self.opened = opened
        self.texts = texts.map { SearchText(Array($0.utf8), ignoresCase: true) }
    }

    /// - Parameter paths: the paths or patterns to search, with everything below them; empty for everything.
    package func run(in paths: [[UInt8]], jobs: Int) throws(CapsuleError) -> Outcome {
        let places = try paths.isEmpty ? nil : NamedPaths(paths, in: opened)
        let numbers = opened.entries.indices.filter { places?.covers(opened.entries[$0]) ?? opened.entries[$0].isListed }
        var outcome = Outcome()
        for found in try ContentWalk(opened: opened).each(of: numbers, jobs: jobs, search) {
            outcome.findings += found.findings
            outcome.opaque += found.opaque
            outcome.failures += found.failures
        }
        for text in texts {
            var seen: ContainerSearch.Seen?
            let found = try ContainerSearch(opened, for: text).run(in: paths, jobs: jobs, besides: &seen)
            outcome.findings += found.hits.map { Finding(path: $0.path, place: $0.place, reason: .text, count: 1) }
            // What can't be searched for a text can't be searched for secrets, either.
        }
        outcome.findings.sort { $0.path < $1.path }
        return outcome
    }

    private func search(_ number: Int) throws(CapsuleError) -> Outcome {
        let entry = opened.entries[number]
        let visitor = SecretVisitor(entry.path)
        visitor.visit(entry)
        var failures: [CapsuleError] = []
        do throws(CapsuleError) {
            try ContentWalk(opened: opened).walk(number, visitor)
        } catch {
            if error.code == .interrupted { throw error }
            failures = [error]
        }
        return Outcome(
            findings: visitor.findings, opaque: visitor.isOpaque ? [entry.path] : [], failures: failures)
    }
}

/// Takes what a file holds, and keeps where reports would hide something.
private final class SecretVisitor: ContentVisitor {
    private(set) var findings: [SecretScan.Finding] = []
    private(set) var isOpaque = false
    private(set) var limit: Truncation?
    private let path: RelativePath
    private var cover = SecretCover()

    init(_ path: RelativePath) {
        self.path = path
        cover.enter(path)
    }

    var wanted: RowFilter? { nil }

    func wants(textOf bytes: UnsafeRawBufferPointer) -> Bool { true }
    func needsRows(of names: [String]?) -> Bool { true }
    func classified(_ detail: ChangeDetail) -> ChangeDetail { detail }
    func countRow(_ operation: ChangeOperation) {}

    /// Takes what an entry has besides its content.
    func visit(_ entry: TreeEntry) {
        if entry.kind == .link {
            let before = cover.count
            _ = cover.hidden(String(decoding: entry.target, as: UTF8.self))
            add(.secret, at: nil, since: before)
        }
        for attribute in entry.attributes {
            take(.metadata(MetadataChange(.attribute(attribute.name), old: nil, new: .value(.data(attribute.value)))))
        }
    }

    func take(_ detail: ChangeDetail, isKept: Bool) {
        if case .limit(let reached) = detail.content { limit = reached } else { take(detail.content) }
    }

    private func take(_ content: ChangeDetail.Content) {
        let before = cover.count
        var hidden = content
        cover.hide(&hidden)
        switch hidden {
        case .value(let change): add(.secret, at: change.pointer.description, since: before)
        case .row(let row): add(row.isKeychain ? .keychain : .secret, at: "\(row.table)[\(row.keyText)]", since: before)
        case .cookie(let change): add(.cookie, at: change.cookie, since: before)
        case .schema(let change): add(.secret, at: change.name, since: before)
        case .metadata: add(.secret, at: nil, since: before)
        case .image: isOpaque = true
        case .text, .bytes, .encoding, .fallback, .limit: add(.secret, at: nil, since: before)
        }
    }

    func visit(_ value: PlistContents.Value) {
        limit = PlistContents.forEachPlace(in: value) { pointer, _, leaf, naming in
            if let leaf { take(.value(PlistChange(.added(leaf), at: pointer, naming: naming))) }
        }
    }

    func visit(_ text: TextContent) {
        let secret = text.secretLines
        for number in 0..<text.lineCount {
            let before = cover.count
            _ = cover.hidden(String(decoding: text.line(number), as: UTF8.self), isSecret: secret.contains(number))
            add(.secret, at: String(number + 1), since: before)
        }
    }

    func visit(bytesOf content: ComparedContent) { isOpaque = true }

    private func add(_ reason: SecretScan.Finding.Reason, at place: String?, since before: Int) {
        guard cover.count > before else { return }
        findings.append(SecretScan.Finding(path: path, place: place, reason: reason, count: cover.count - before))
    }
}
