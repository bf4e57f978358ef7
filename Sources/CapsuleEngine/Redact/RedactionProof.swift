import CapsuleArchive
import CapsuleContainers
import CapsuleCore
import CapsuleDatabases
import CapsuleHashing
import CapsulePropertyList
import CapsuleSystem

/// Proves that no known secret is left in a container: not in its names, nor in the bytes of a file, nor in what its format makes of them.
struct RedactionProof {
    let secrets: SecretMatcher
    let opened: OpenedContainer

    /// The number of archives around the container.
    var depth = 0

    private var search: DecodedSearch { DecodedSearch(secrets: secrets, archives: depth) }
    private static let windowLength = 1 << 20
    static let deepest = 2

    /// - Returns: the digests of the files of a live container as they were searched, by number.
    /// - Throws: an error with the place of a secret.
    @discardableResult
    func run(
        isKept: @escaping @Sendable (TreeEntry) -> Bool, jobs: Int
    ) throws(CapsuleError) -> [(number: Int, digest: ContentDigest)] {
        for omission in opened.omitted where secrets.isIn(omission.path) || secrets.isIn(Array(omission.reason.utf8)) {
            throw error(in: omission.path, "the list of what was left out")
        }
        for overlay in opened.overlays where search.isIn(overlay) { throw error(in: Array("overlay".utf8), "a value") }
        for name in [opened.name, Array((opened.source.bundleIdentifier?.string ?? "").utf8)] + opened.groups
        where secrets.isIn(name) {
            throw CapsuleError(
                "the identifier of the app or of a group has a text that was removed elsewhere; nothing was written",
                hint: "an identifier can't be replaced: find another text")
        }
        let numbers = opened.entries.indices.filter { !isKept(opened.entries[$0]) }
        let digests = try ContentWalk(opened: opened).each(of: numbers, jobs: jobs) { (number) throws(CapsuleError) in
            try check(number)
        }
        return zip(numbers, digests).compactMap { number, digest in digest.map { (number, $0) } }
    }

    private func check(_ number: Int) throws(CapsuleError) -> ContentDigest? {
        let entry = opened.entries[number]
        let path = entry.path.bytes
        if secrets.isIn(path) { throw error(in: path, "its path") }
        if secrets.isIn(entry.target) { throw error(in: path, "what the link leads to") }
        for attribute in try opened.attributes(of: number) {
            if secrets.isIn(attribute.name) || search.isIn(attribute.value) { throw error(in: path, "an extended attribute") }
        }
        guard entry.kind == .file else { return nil }
        let window = ContentWindow(try opened.open(number), length: entry.size, capacity: Self.windowLength)
        var hasher = SHA256Hasher()
        let isLive = opened.contents.isLive
        let isFound = try window.contains({ secrets.isIn($0) }, longest: secrets.longest) { if isLive { hasher.update($0) } }
        if isFound { throw error(in: path, "its bytes") }
        if try !checkArchive(number) {
            let visitor = ProofVisitor(search)
            do throws(CapsuleError) {
                try ContentWalk(opened: opened).walk(number, visitor)
            } catch {
                // What no format can read has no other content than its bytes.
                if error.code == .interrupted { throw error }
            }
            if let place = visitor.place { throw error(in: path, place) }
        }
        return isLive ? hasher.finish() : nil
    }

    /// Searches an archive in the container, such as a zip of logs.
    /// - Returns: false for any other file, and for an archive that can't be opened.
    private func checkArchive(_ number: Int) throws(CapsuleError) -> Bool {
        let entry = opened.entries[number]
        guard depth < Self.deepest, InputKind.isArchive(try opened.open(number).start(InputKind.headLength)) else {
            return false
        }
        let directory = try ScratchDirectory()
        let file = try directory.createFile(Array("archive".utf8))
        try opened.makeReader().forEachPiece(of: entry, number: number, in: 0..<entry.size) {
            (offset, _, bytes) throws(CapsuleError) in
            if let bytes { try file.write(bytes, at: offset) }
        }
        try file.setLength(entry.size)
        let inner: OpenedContainer
        do throws(CapsuleError) {
            inner = try Container(file.path.bytes).openLeniently()
        } catch {
            if error.code == .interrupted { throw error }
            return false
        }
        do throws(CapsuleError) {
            try RedactionProof(secrets: secrets, opened: inner, depth: depth + 1).run(isKept: { _ in false }, jobs: 1)
        } catch {
            throw error.code == .interrupted ? error : self.error(in: entry.path.bytes, "a file of the archive")
        }
        return true
    }

    private func error(in path: [UInt8], _ place: String) -> CapsuleError { Self.error(in: path, place) }

    static func error(in path: [UInt8], _ place: String) -> CapsuleError {
        CapsuleError(
            "still has a secret that was removed elsewhere, in \(place); nothing was written", path: HostPath(path),
            hint: "'--exclude PATTERN' leaves the file out, '--keep PATH' keeps it as it is")
    }
}

/// Takes what a file holds, and keeps the first place that has a secret.
private final class ProofVisitor: ContentVisitor {
    private(set) var place: String?
    private let search: DecodedSearch

    init(_ search: DecodedSearch) { self.search = search }

    /// Only rows with a secret are told.
    var wanted: RowFilter? {
        RowFilter(text: { [search] in search.isIn(Array($0)) }, data: { [search] in search.isIn(Array($0)) })
    }
    var limit: Truncation? { nil }

    func wants(textOf bytes: UnsafeRawBufferPointer) -> Bool { true }
    func needsRows(of names: [String]?) -> Bool { true }
    func classified(_ detail: ChangeDetail) -> ChangeDetail { detail }
    func countRow(_ operation: ChangeOperation) {}

    func take(_ detail: ChangeDetail, isKept: Bool) {
        switch detail.content {
        case .value(let change): check(change.new)
        case .row(let row): place = "table \(row.table)"
        case .schema(let change): if search.isIn(Array((change.new ?? "").utf8)) { place = "the schema: \(change.name)" }
        case .cookie(let change): for field in change.fields { check(field.new?.whole) }
        case .text, .bytes, .image, .metadata, .encoding, .fallback, .limit: break
        }
    }

    private func check(_ value: PlistValue?) { if let value, search.isIn(value) { place = "a value" } }

    func visit(_ text: TextContent) { if search.isIn(text.utf8) { place = "its text" } }
    func visit(_ value: PlistContents.Value) { check(value.value) }

    /// Takes what is inside compressed data, too, which the search of the file's own bytes doesn't see.
    func visit(bytesOf content: ComparedContent) throws(CapsuleError) {
        guard let bytes = try content.all() else { return }
        if search.isIn(bytes) { place = "its content" }
    }
}
