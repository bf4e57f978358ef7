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

    private static let windowLength = 1 << 20
    private static let deepest = 2

    /// - Returns: the digests of the files of a live container as they were searched, by number.
    /// - Throws: an error with the place of a secret.
    @discardableResult
    func run(
        isKept: @escaping @Sendable (TreeEntry) -> Bool, jobs: Int
    ) throws(CapsuleError) -> [(number: Int, digest: ContentDigest)] {
        for omission in opened.omitted where secrets.isIn(omission.path) || secrets.isIn(Array(omission.reason.utf8)) {
            throw error(in: omission.path, "the list of what was left out")
        }
        for overlay in opened.overlays { try check(overlay, of: Array("an overlay".utf8)) }
        for name in [opened.name, Array((opened.source.bundleIdentifier?.string ?? "").utf8)] + opened.groups
        where secrets.isIn(name) {
            throw CapsuleError(
                "the identifier '\(QuotedBytes(name).text)' of the app or a group has a text that was removed elsewhere; nothing was written",
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
            let values = [attribute.name, attribute.value] + [CompressedData.opened(attribute.value)].compactMap { $0 }
            if values.contains(where: { secrets.isIn($0) }) { throw error(in: path, "an extended attribute") }
        }
        guard entry.kind == .file else { return nil }
        let window = ContentWindow(try opened.open(number), length: entry.size, capacity: Self.windowLength)
        var hasher = SHA256Hasher()
        let isLive = opened.contents.isLive
        let isFound = try window.contains({ secrets.isIn($0) }, longest: secrets.longest) { if isLive { hasher.update($0) } }
        if isFound { throw error(in: path, "its bytes") }
        let visitor = ProofVisitor(secrets)
        do throws(CapsuleError) {
            try ContentWalk(opened: opened).walk(number, visitor)
        } catch {
            // What no format can read has no other content than its bytes.
            if error.code == .interrupted { throw error }
        }
        if let place = visitor.place { throw error(in: path, place) }
        try checkArchive(number)
        return isLive ? hasher.finish() : nil
    }

    /// Searches an archive in the container, such as a zip of logs. Of one that can't be opened, only the bytes are searched.
    private func checkArchive(_ number: Int) throws(CapsuleError) {
        let entry = opened.entries[number]
        guard depth < Self.deepest, InputKind.isArchive(try opened.open(number).start(InputKind.headLength)) else { return }
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
            return
        }
        do throws(CapsuleError) {
            try RedactionProof(secrets: secrets, opened: inner, depth: depth + 1).run(isKept: { _ in false }, jobs: 1)
        } catch {
            throw error.code == .interrupted ? error : self.error(in: entry.path.bytes, "a file of the archive")
        }
    }

    private func check(_ value: PlistValue, of path: [UInt8]) throws(CapsuleError) {
        let visitor = ProofVisitor(secrets)
        visitor.check(value)
        if let place = visitor.place { throw error(in: path, place) }
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
    private let secrets: SecretMatcher

    init(_ secrets: SecretMatcher) { self.secrets = secrets }

    var wanted: RowFilter? {
        RowFilter(
            text: { [secrets] in secrets.isIn($0) || $0.contains(UInt8(ascii: "%")) || $0.contains(UInt8(ascii: "\\")) },
            data: { [secrets] in
                let isCompressed = $0.starts(with: [0x1F, 0x8B]) || $0.first == 0x78
                return isCompressed || secrets.isIn($0) || PlistFormat.sniff($0) != nil
            })
    }
    var limit: Truncation? { nil }

    func wants(textOf bytes: UnsafeRawBufferPointer) -> Bool { true }
    func needsRows(of names: [String]?) -> Bool { true }
    func classified(_ detail: ChangeDetail) -> ChangeDetail { detail }
    func countRow(_ operation: ChangeOperation) {}

    func take(_ detail: ChangeDetail, isKept: Bool) {
        switch detail.content {
        case .value(let change): check(change.new)
        case .row(let row):
            for value in row.key.map(\.value) + row.columns.compactMap(\.new) { check(value.whole) }
        case .schema(let change): if secrets.isIn(Array((change.new ?? "").utf8)) { place = "the schema: \(change.name)" }
        case .cookie(let change): for field in change.fields { check(field.new?.whole) }
        case .text, .bytes, .image, .metadata, .encoding, .fallback, .limit: break
        }
    }

    func check(_ value: PlistValue?) {
        guard let value else { return }
        PlistLeaves.forEachPlace(in: value) { pointer, key, leaf, _ in
            if let key, secrets.isIn(Array(key.utf8)) { place = "a key" }
            switch leaf {
            case .string(let text)?: if isIn(Array(text.utf8)) { place = "a value" }
            case .data(let bytes)?:
                if secrets.isIn(bytes) || CompressedData.opened(bytes).map(isIn) ?? false { place = "a value" }
            default: break
            }
        }
    }

    /// Returns true if a text has a secret, also in spellings that have no single form.
    private func isIn(_ text: [UInt8]) -> Bool {
        secrets.isIn(text) || SecretSpelling.decodings(of: text).contains { secrets.isIn($0) }
    }

    func visit(_ text: TextContent) { if isIn(text.utf8) { place = "its text" } }
    func visit(_ value: PlistContents.Value) { check(value.value) }

    /// Takes what is inside compressed data, too, which the search of the file's own bytes doesn't see.
    func visit(bytesOf content: ComparedContent) throws(CapsuleError) {
        let window = content.window(capacity: 1 << 20)
        if try window.contains({ secrets.isIn($0) }, longest: secrets.longest) { place = "its content" }
    }
}
