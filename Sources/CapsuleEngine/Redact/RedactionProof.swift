import CapsuleArchive
import CapsuleContainers
import CapsuleCore
import CapsuleDatabases
import CapsuleHashing
import CapsulePropertyList
import CapsuleSystem

/// Proves that no known secret is left in a container: not in its names, nor in the bytes of a file, nor in what its format makes of them.
struct RedactionProof {
    private var search: DecodedSearch
    private let opened: OpenedContainer
    /// The paths that entries had before, which flags accept, by their paths.
    var names: [[UInt8]: [UInt8]] = [:]

    /// - Parameter depth: the number of archives around the container.
    init(secrets: SecretMatcher, opened: OpenedContainer, depth: Int = 0) {
        search = DecodedSearch(secrets, archives: depth)
        self.opened = opened
    }

    private var secrets: SecretMatcher { search.secrets }
    private static let windowLength = 1 << 20
    private static let headLength = 512

    /// - Returns: the digests of the files of a live container as they were searched, by number.
    /// - Throws: an error with each place of a secret.
    @discardableResult
    func run(
        isKept: @escaping @Sendable (TreeEntry) -> Bool, jobs: Int, progress: (any ProgressObserver)? = nil
    ) throws(CapsuleError) -> [(number: Int, digest: ContentDigest)] {
        for omission in opened.omitted where secrets.isIn(omission.path) || secrets.isIn(Array(omission.reason.utf8)) {
            throw error(in: [(omission.path, "in the list of what was left out")])
        }
        for overlay in opened.overlays where search.isIn(overlay) { throw error(in: [(Array("overlay".utf8), "in a value")]) }
        for name in [opened.name, Array((opened.source.bundleIdentifier?.string ?? "").utf8)] + opened.groups
        where secrets.isIn(name) {
            throw CapsuleError(
                "the identifier of the app or of a group has a text that was removed elsewhere; nothing was written",
                hint: "an identifier can't be replaced: find another text")
        }
        let numbers = opened.entries.indices.filter { !isKept(opened.entries[$0]) }
        let checked = try ContentWalk(opened: opened).each(of: numbers, jobs: jobs, progress: progress) {
            (number) throws(CapsuleError) in
            var proof = self
            proof.search.limits = SearchLimits()
            var checked = try proof.check(number)
            if checked.place != nil, proof.search.limits.isReached { checked.place = Self.unsearched }
            return checked
        }
        let leaks = zip(numbers, checked).compactMap { number, checked in
            checked.place.map { (opened.entries[number].path.bytes, $0) }
        }
        if !leaks.isEmpty { throw error(in: leaks) }
        return zip(numbers, checked).compactMap { number, checked in checked.digest.map { (number, $0) } }
    }

    private struct Checked: Sendable {
        var digest: ContentDigest?
        /// The place of a secret in the entry, such as `in its path`; nil if it has none.
        var place: String?
    }

    private static let unsearched = "too long or too deep to be searched"

    private func check(_ number: Int) throws(CapsuleError) -> Checked {
        let entry = opened.entries[number]
        if search.isInPath(entry.path.bytes) { return Checked(place: "in its path") }
        if search.isInPath(entry.target) { return Checked(place: "in what the link leads to") }
        for attribute in try opened.attributes(of: number) {
            if search.isIn(attribute.name) || search.isIn(attribute.value) { return Checked(place: "in an extended attribute") }
        }
        guard entry.kind.hasContent else { return Checked() }
        let window = ContentWindow(try opened.open(number), length: entry.size, capacity: Self.windowLength)
        var hasher = SHA256Hasher()
        let isLive = opened.contents.isLive
        // A small picture is searched at once, so that it is read only once.
        var isInPicture: Bool?
        let isFound = try window.contains({ secrets.isIn($0) }, longest: secrets.longest) { part in
            if isLive { hasher.update(part) }
            if !secrets.isEmpty, part.count == entry.size, ImageHeader(Array(part.prefix(Self.headLength))) != nil {
                isInPicture = search.isInPart(of: part)
            }
        }
        if isFound { return Checked(place: "in its bytes") }
        let digest = isLive ? hasher.finish() : nil
        if secrets.isEmpty { return Checked(digest: digest) }
        if let isInPicture { return Checked(digest: digest, place: isInPicture ? "in its content" : nil) }
        return Checked(digest: digest, place: try placeInFormat(of: number))
    }

    /// Returns where a file has a secret by its format.
    private func placeInFormat(of number: Int) throws(CapsuleError) -> String? {
        if let isFound = try isInArchive(number) { return isFound ? "in a file of the archive" : nil }
        let visitor = ProofVisitor(search)
        do throws(CapsuleError) {
            try ContentWalk(opened: opened).walk(number, visitor)
        } catch {
            // What no format can read has no other content than its bytes.
            if error.code == .interrupted || error.code == .time { throw error }
        }
        if visitor.place != nil || opened.isDatabase(number) || visitor.isVisited && !visitor.isOpenStep { return visitor.place }
        // A picture, for instance, of which parts may be compressed.
        let bytes = try ComparedContent(try opened.open(number), size: opened.entries[number].size).all()
        return bytes.map { search.isInside($0) } ?? false ? "in its content" : nil
    }

    /// Searches an archive in the container, such as a zip of logs.
    /// - Returns: nil for any other file, and for an archive that can't be opened.
    private func isInArchive(_ number: Int) throws(CapsuleError) -> Bool? {
        let entry = opened.entries[number]
        guard InputKind.isArchive(try opened.open(number).start(InputKind.headLength)) else { return nil }
        let directory = try ScratchDirectory()
        let file = try directory.createFile(Array("archive".utf8))
        try opened.makeReader().forEachPiece(of: entry, number: number, in: 0..<entry.size) {
            (offset, _, bytes) throws(CapsuleError) in
            if let bytes { try file.write(bytes, at: offset) }
        }
        try file.setLength(entry.size)
        return try search.find(in: file)
    }

    private func error(in leaks: [(path: [UInt8], place: String)]) -> CapsuleError {
        let paths = leaks.map { HostPath(names[$0.path] ?? $0.path) }
        guard leaks.count > 1 else {
            if leaks[0].place == Self.unsearched {
                return CapsuleError(
                    .limit, "what is in it is too long or too deep to be searched for secrets; nothing was written",
                    path: paths[0],
                    hint: Self.hint(for: paths[0]))
            }
            return CapsuleError(
                "still has a secret that was removed elsewhere, \(leaks[0].place); nothing was written", path: paths[0],
                hint: Self.hint(for: paths[0]))
        }
        let unsearched = leaks.count { $0.place == Self.unsearched }
        let other = unsearched == 0 ? "" : ", or can't be searched for one"
        var error = CapsuleError(
            unsearched == leaks.count ? .limit : .failure,
            "\(leaks.count) files still have a secret that was removed elsewhere\(other); nothing was written",
            hint: "'--exclude PATH' leaves a file out, '--keep PATH' keeps it as it is")
        error.details = zip(paths, leaks).map { "\($0): \($1.place)" }
        return error
    }

    static func hint(for path: HostPath) -> String {
        // A pattern for the path itself, whose characters may mean something in patterns.
        let pattern = HostPath(path.bytes.map { "*?[]{}\\".utf8.contains($0) ? UInt8(ascii: "?") : $0 })
        return "'--exclude \(pattern.shellWord)' leaves it out, '--keep \(path.shellWord)' keeps it as it is"
    }
}

/// Takes what a file holds, and keeps the first place that has a secret.
private final class ProofVisitor: ContentVisitor {
    private(set) var place: String?
    /// False if nothing of the file was searched yet.
    private(set) var isVisited = false
    /// True for a property list in OpenStep's form, whose text may have escapes that are none in that form.
    private(set) var isOpenStep = false
    private let search: DecodedSearch

    init(_ search: DecodedSearch) { self.search = search }

    /// Only rows with a secret are told.
    var wanted: RowFilter? {
        RowFilter(
            text: { [search] in search.isIn($0) }, data: { [search] in search.isIn($0) },
            integer: { [search] in search.secrets.isSecret(PlistInteger($0)) })
    }
    var limit: Truncation? { nil }

    func wants(textOf bytes: UnsafeRawBufferPointer) -> Bool { true }
    func needsRows(of names: [String]?) -> Bool { true }
    func classified(_ detail: ChangeDetail) -> ChangeDetail { detail }
    func countRow(_ operation: ChangeOperation) {}

    func take(_ detail: ChangeDetail, isKept: Bool) {
        switch detail.content {
        case .value(let change): check(change.new)
        case .row(let row): place = "in table \(row.table)"
        case .schema(let change): if search.isIn(Array((change.new ?? "").utf8)) { place = "in the schema: \(change.name)" }
        case .cookie(let change): for field in change.fields { check(field.new?.whole) }
        case .text, .bytes, .image, .metadata, .encoding, .fallback, .limit: break
        }
    }

    private func check(_ value: PlistValue?) {
        isVisited = true
        if let value, search.isIn(value) { place = "in a value" }
    }

    func visit(_ text: TextContent) {
        isVisited = true
        if search.isIn(text.utf8) { place = "in its text" }
    }
    func visit(_ value: PlistContents.Value) {
        isOpenStep = value.format == .openStep
        check(value.value)
    }

    func visit(bytesOf content: ComparedContent) throws(CapsuleError) {
        let isFound =
            if let bytes = try content.all() {
                search.isIn(bytes)
            } else {
                try content.window(capacity: Self.windowLength).contains(
                    { search.isIn($0) }, longest: search.secrets.longest)
            }
        isVisited = true
        if isFound { place = "in its content" }
    }

    private static let windowLength = 1 << 22
}
