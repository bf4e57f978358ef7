import CapsuleArchive
package import CapsuleContainers
package import CapsuleCore
import CapsuleDatabases
import CapsulePropertyList
import CapsuleSQLite
import CapsuleSystem

/// Replaces the secrets of a container by others that tell nothing, and proves that they are gone.
package struct Redactor: Sendable {
    package struct Outcome: Sendable {
        package let scan: SecretScan.Outcome
        /// The number of different values that were replaced.
        package let values: Int
        /// Finds the replaced values in the note and the overlays that a packer adds.
        let secrets: SecretMatcher
    }

    private let rules: SecretScan.Rules
    /// True if a file that no format reads is an error.
    private let isStrict: Bool
    private let jobs: Int
    private let progress: (any ProgressObserver)?
    /// The passes over the files: searching, replacing, the proof, and packing.
    static let passes: UInt64 = 4

    package init(_ rules: SecretScan.Rules, isStrict: Bool, jobs: Int, progress: (any ProgressObserver)? = nil) {
        self.progress = progress
        self.rules = rules
        self.isStrict = isStrict
        self.jobs = jobs
    }

    /// Replaces what is found. The files of the container itself are only read.
    /// - Throws: ``CapsuleError``, also if a secret is still in the result.
    package func redact(_ opened: inout OpenedContainer) throws(CapsuleError) -> Outcome {
        let scan = try SecretScan(opened, rules).run(in: [], jobs: jobs, progress: pass(0))
        if isStrict { try refuse(scan) }
        let secrets = opened.entries.indices.compactMap { scan.secrets[$0] } + scan.overlays
        let redaction = Redaction(rules.texts, secrets, compression: Self.compression)
        let kept = try KeptPlaces(rules.kept, in: opened)
        let redactor = EntryRedactor(opened, redaction, scan.secrets, kept, store: try CheckpointStore())
        let numbers = Array(opened.entries.indices)
        let changes = try ContentWalk(opened: opened).each(of: numbers, jobs: jobs, progress: pass(1)) {
            (number) throws(CapsuleError) in
            try redactor.redacted(number)
        }
        var keptPlaces: Set<EntryPath> = []
        for (number, change) in zip(numbers, changes) where redactor.isKept(number) {
            keptPlaces.insert(change?.place ?? opened.entries[number].place)
        }
        opened = try Self.applying(changes, to: opened, redaction, scan.overlays)
        var proof = RedactionProof(secrets: redaction.secrets, opened: opened)
        for case .replaced(let place, let item)? in changes { proof.names[item.entry.path.bytes] = place.path.bytes }
        let digests = try proof.run(isKept: { [keptPlaces] in keptPlaces.contains($0.place) }, jobs: jobs, progress: pass(2))
        // What is packed must be what was searched, even if an app writes to it.
        for (number, digest) in digests { opened.entries[number].digest = digest }
        opened.isFixed = true
        return Outcome(scan: scan, values: redaction.count, secrets: redaction.secrets)
    }

    private func pass(_ number: UInt64) -> (any ProgressObserver)? { ProgressPass(progress, number: number, of: Self.passes) }

    private static let compression = Redaction.Compression(
        inflate: { CompressedData.opened($0) }, deflate: { CompressedData.deflate($0, like: $1) })

    private func refuse(_ scan: SecretScan.Outcome) throws(CapsuleError) {
        let paths =
            scan.opaque + scan.failures.compactMap { failure in failure.path.flatMap { try? RelativePath(validating: $0.bytes) } }
        guard let first = paths.first else { return }
        var error = CapsuleError(
            "has no format that can be searched for secrets", path: HostPath(first.bytes),
            hint: "'--keep PATH' keeps it, '--exclude PATTERN' leaves it out, and without '--strict' it is kept")
        if paths.count > 1 {
            error = CapsuleError("\(paths.count) files have no format that can be searched for secrets", hint: error.hint)
            error.details = paths.map { "\(HostPath($0.bytes))" }
        }
        throw error
    }

    private static func applying(
        _ changes: [EntryRedactor.Change?], to opened: OpenedContainer, _ redaction: Redaction, _ overlays: [FileSecrets]
    ) throws(CapsuleError) -> OpenedContainer {
        var base = opened
        base.contents.keepNames(of: opened.entries)
        var edits = ContainerEdits(base)
        for case .removed(let place)? in changes { edits[place] = nil }
        for case .replaced(let place, let item)? in changes {
            if item.entry.place != place {
                edits[place] = nil
                guard edits[item.entry.place] == nil else {
                    let path = HostPath(place.path.bytes)
                    throw CapsuleError(
                        "two entries would have the same path without secrets", path: path, hint: RedactionProof.hint(for: path))
                }
            }
            edits[item.entry.place] = item
        }
        var result = edits.finished()
        result.omitted = opened.omitted.map { omission in
            let path = redaction.text(omission.path) ?? omission.path
            return Omission(path: SecretCover.hidden(path: path), reason: omission.reason)
        }
        result.name = redaction.text(opened.name) ?? opened.name
        result.overlays = try zip(opened.overlays, overlays).map { (overlay, secrets) throws(CapsuleError) in
            try redaction.value(overlay, secrets) ?? overlay
        }
        return result
    }
}

/// Removes the secrets of one entry after another.
struct EntryRedactor: Sendable {
    enum Change: Sendable {
        case removed(EntryPath)
        case replaced(EntryPath, ContainerEdits.Item)

        /// The place of the entry after the change.
        var place: EntryPath? { if case .replaced(_, let item) = self { item.entry.place } else { nil } }
    }

    private let opened: OpenedContainer
    private let redaction: Redaction
    private let secrets: [Int: FileSecrets]
    /// The names of files that are secrets of databases as a whole.
    private let files: Set<String>
    private let kept: KeptPlaces
    private let store: CheckpointStore

    init(
        _ opened: OpenedContainer, _ redaction: Redaction, _ secrets: [Int: FileSecrets], _ kept: KeptPlaces,
        store: CheckpointStore
    ) {
        self.opened = opened
        self.redaction = redaction
        self.secrets = secrets
        files = secrets.values.reduce(into: []) { $0.formUnion($1.files) }
        self.kept = kept
        self.store = store
    }

    /// Returns true for an entry that the user wants to keep, and for the log of a database that is kept.
    func isKept(_ number: Int) -> Bool {
        kept.isKept(opened.entries[number], at: nil)
            || databases(ofLog: opened.entries[number]).contains { kept.isKept(opened.entries[$0], at: nil) }
    }

    /// - Returns: nil for an entry that stays as it is. Of one that is kept, only the path may change, since directories around it may have
    ///   other names.
    func redacted(_ number: Int) throws(CapsuleError) -> Change? {
        let old = opened.entries[number]
        do throws(CapsuleError) {
            if isKept(number) {
                var entry = old
                entry.path = try redacted(old.path)
                return entry == old ? nil : .replaced(old.place, ContainerEdits.Item(entry: entry, origin: .own(number)))
            }
            if old.kind == .file, !databases(ofLog: old).isEmpty { return .removed(old.place) }
            var (entry, origin) = (old, EntryContents.Origin.own(number))
            entry.path = try redacted(old.path)
            entry.target = redaction.text(old.target) ?? old.target
            let attributes = try opened.attributes(of: number)
            let newAttributes = try redacted(attributes, in: secrets[number] ?? FileSecrets())
            if old.kind.hasContent, let content = try content(number) {
                (entry.attributes, entry.size, entry.digest) = (newAttributes ?? attributes, content.size, .zero)
                origin = .opened { [entry] in content.file(entry) }
            } else if let newAttributes {
                entry.attributes = newAttributes
                if old.kind.hasContent {
                    let file = try opened.open(number)
                    origin = .opened { WithoutAttributes(file) }
                }
            }
            if case .own = origin, entry == old { return nil }
            return .replaced(old.place, ContainerEdits.Item(entry: entry, origin: origin))
        } catch {
            if error.code == .interrupted || error.path != nil { throw error }
            let path = HostPath(old.path.bytes)
            throw CapsuleError(
                error.code, "can't be redacted: \(error.message)", path: path, hint: error.hint ?? RedactionProof.hint(for: path))
        }
    }

    /// Returns the numbers of the databases that a file may be the log of.
    private func databases(ofLog entry: TreeEntry) -> [Int] {
        DatabaseUnit.databases(ofMember: entry.path).compactMap { candidate in
            guard !candidate.isStem, let number = opened.entries.index(of: candidate.path, in: entry.root) else { return nil }
            return opened.isDatabase(number) ? number : nil
        }
    }

    private func redacted(_ path: RelativePath) throws(CapsuleError) -> RelativePath {
        let components = path.components.map { redaction.text(Array($0)) ?? Array($0) }
        guard !components.elementsEqual(path.components, by: { $0.elementsEqual($1) }) else { return path }
        do throws(PathError) {
            return try RelativePath(validating: Array(components.joined(separator: [RelativePath.slash])))
        } catch {
            throw CapsuleError("has no valid path without secrets: \(error.message)")
        }
    }

    private func redacted(
        _ attributes: [ExtendedAttribute], in file: FileSecrets
    ) throws(CapsuleError) -> [ExtendedAttribute]? {
        let redacted = try attributes.map { (attribute) throws(CapsuleError) in
            let value = try redaction.data(attribute.value, in: file, name: nil)
            return ExtendedAttribute(name: redaction.text(attribute.name) ?? attribute.name, value: value ?? attribute.value)
        }
        return redacted == attributes ? nil : redacted
    }

    /// The new content of a file.
    private struct Content {
        let size: UInt64
        let file: @Sendable (TreeEntry) -> any OpenContent
    }

    private func content(_ number: Int) throws(CapsuleError) -> Content? {
        let file = secrets[number] ?? FileSecrets()
        let location: CheckpointStore.Location
        let size: UInt64
        if opened.isDatabase(number) {
            let copy = try UnitReader(opened.contents, opened.entries, database: number).copy()
            let database = try DatabaseRedactor(redaction, file).run(
                copy, limits: WorkLimits(time: .seconds(60 + Int64(opened.entries[number].size >> 20))))
            size = database.length
            location = try store.add(database).place
        } else if files.contains(String(decoding: opened.entries[number].path.name, as: UTF8.self)) {
            size = opened.entries[number].size
            guard size <= ComparedContent.longest else {
                throw CapsuleError("has secrets, and is larger than \(ComparedContent.longest >> 20) MiB")
            }
            location = try store.add([UInt8](repeating: 0, count: Int(size)))
        } else {
            let content = ComparedContent(try opened.open(number), size: opened.entries[number].size)
            let bytes = try ContentRedactor(redaction: redaction, secrets: file).redacted(content)
            try content.compare()
            guard let bytes else { return nil }
            size = UInt64(bytes.count)
            location = try store.add(bytes)
        }
        return Content(size: size) { [store] entry in
            let facts = ContentStatus(size: size, mode: entry.mode, modified: entry.modified, live: nil)
            return CheckpointedFile(store, at: location, facts, attributes: nil)
        }
    }
}

/// A file whose attributes its entry has.
private final class WithoutAttributes: OpenContent {
    private let file: any OpenContent

    init(_ file: any OpenContent) { self.file = file }

    func status() throws(CapsuleError) -> ContentStatus { try file.status() }
    func read(at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer) throws(CapsuleError) -> Int {
        try file.read(at: offset, into: buffer)
    }
    func nextData(from offset: UInt64) -> UInt64 { file.nextData(from: offset) }
    func holes() -> [Range<UInt64>]? { file.holes() }
    func compare() throws(CapsuleError) { try file.compare() }
}
