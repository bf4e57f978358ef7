import CapsuleArchive
package import CapsuleCore
import CapsuleHashing
import CapsulePropertyList
import CapsuleSystem
import Synchronization

/// A file of a container that a path or a pattern names, with access to its bytes.
package struct FoundFile {
    package let entry: TreeEntry
    private let number: Int
    private let contents: EntryContents
    package let isDigested: Bool
    /// True if a file beside it is named like its log, as if it were a database.
    let hasLog: Bool
    package let livePath: HostPath?
    package let advice: SimulatorAdvice?
    /// The modes of the files that its bytes come from. A file made of these bytes must not be readable by anyone who can't read
    /// all of them.
    package let modes: [FileMode]
    private let container: Container
}

extension FoundFile {
    package init(_ name: ContainedName, warn: @escaping @Sendable (CapsuleError) -> Void = { _ in }) throws(CapsuleError) {
        guard InputKind(of: name.container) == .container else {
            throw CapsuleError(
                .usage, "is not a container, so it contains no '\(HostPath(name.path))'", path: HostPath(name.container),
                hint: "in CONTAINER:PATH, CONTAINER is a capsule, an archive or a directory")
        }
        try self.init(name.path, in: Container(name.container, warn: warn))
    }

    /// Finds the file at a path in the tree, in the wrapper or in an app group. If a capsule has an entry at the path, only a
    /// part of its index is read.
    /// - Parameter takesName: true if the name of a file is enough, if no other file has it.
    package init(_ path: [UInt8], in container: Container, takesName: Bool = false) throws(CapsuleError) {
        let relative = try PathSelection.parse(path)
        if case .capsule(let capsule, let selector) = try container.resolve(),
            let found = try Self.find(relative, in: capsule, selector, container)
        {
            self = found
        } else {
            let opened = try container.openLeniently()
            let number = takesName ? try opened.number(of: path) : try Self.number(of: path, in: opened)
            self.init(number: number, of: opened, container)
        }
        guard entry.kind.hasContent else { throw Self.noFile(entry, path) }
    }

    private init(number: Int, of opened: OpenedContainer, _ container: Container) {
        let entry = opened.entries[number]
        self.init(
            entry: entry, number: number, contents: opened.contents, isDigested: opened.isDigested,
            hasLog: Self.logs(of: entry.path).contains { opened.entries.index(of: $0, in: entry.root) != nil },
            livePath: opened.contents.livePath(of: entry, number: number),
            advice: opened.contents.live.flatMap { Self.advice(on: $0, opened) },
            modes: opened.inputModes + (entry.knownMode.map { [$0] } ?? []), container: container)
    }

    private static func advice(on content: LiveTreeContent, _ opened: OpenedContainer) -> SimulatorAdvice? {
        guard let directory = content.bases[.tree]?.directory else { return nil }
        return SimulatorAdvice(path: directory.path, bundleIdentifier: opened.source.bundleIdentifier?.string)
    }

    /// Returns the number of the entry that a path or pattern names. If a pattern matches several entries, exactly one must be a file.
    package static func number(of path: [UInt8], in opened: OpenedContainer) throws(CapsuleError) -> Int {
        let places = try NamedPaths.find(path, in: opened)
        var numbers = opened.entries.indices.filter { number in
            let entry = opened.entries[number]
            return places.contains { $0.path == entry.path && $0.roots.contains(entry.root) }
        }
        if numbers.count > 1, NamedPaths.isPattern(path) {
            let files = numbers.filter { opened.entries[$0].kind == .file }
            guard files.count == 1 else {
                let names = files.prefix(3).map { "\(opened.entries[$0].path)" }.joined(separator: ", ")
                throw CapsuleError(
                    .usage, "matches \(numbers.count) entries, but must match one file", path: HostPath(path),
                    hint: names.isEmpty ? nil : "some are: \(names)")
            }
            numbers = files
        }
        guard let number = numbers.first else { throw NamedPaths.missing(path, in: opened) }
        return number
    }

    private static func find(
        _ relative: RelativePath, in capsule: CapsuleReader, _ selector: VersionSelector, _ container: Container
    ) throws(CapsuleError) -> FoundFile? {
        do throws(CapsuleError) {
            let footer = try capsule.footer(of: selector)
            let root = try capsule.root(of: footer)
            var parts = [TreeRoot.tree, .wrapper]
            if relative.bytes.starts(with: ContainerShape.appGroups) {
                parts += try capsule.manifest(of: footer).groups.indices.compactMap { TreeRoot.group($0) }
            }
            for part in parts {
                guard let (block, place, logs) = try capsule.find(relative, in: part, of: root, besides: logs(of: relative))
                else {
                    continue
                }
                var extents = ExtentTable(entries: block.entries.count)
                extents.append(block)
                let entry = block.entries[place]
                return FoundFile(
                    entry: entry, number: place,
                    contents: EntryContents(VersionContent(capsule, extents), count: block.entries.count), isDigested: true,
                    hasLog: !logs.isEmpty, livePath: nil, advice: nil,
                    modes: [capsule.file.path.inputMode, entry.mode].compactMap { $0 },
                    container: container)
            }
        } catch {
            throw StoredVersion.error(error, reading: selector, of: capsule)
        }
        return nil
    }

    private static func logs(of path: RelativePath) -> [RelativePath] {
        DatabaseUnit.logSuffixes.compactMap { try? RelativePath(validating: path.bytes + $0) }
    }

    private static func noFile(_ entry: TreeEntry, _ path: [UInt8]) -> CapsuleError {
        if entry.kind == .link {
            return CapsuleError("is a symbolic link to \(String(decoding: entry.target, as: UTF8.self))", path: HostPath(path))
        }
        return CapsuleError("is a \(entry.kind.word)", path: HostPath(path), hint: "'capsule ls' lists its entries")
    }

    /// Returns the database with the content of its log; nil for a file that is not a database, or that has an empty log.
    package func checkpointed() throws(CapsuleError) -> FoundFile? {
        guard hasLog, contents.isDatabase(entry, number: number) else { return nil }
        let opened = try container.openLeniently()
        guard let number = opened.entries.index(at: entry.place) else { return nil }
        var included = [Bool](repeating: false, count: opened.entries.count)
        included[number] = true
        for companion in try PathSelection.companions(of: included, in: opened) { included[companion] = true }
        var unit = opened.selecting(included.indices.filter { included[$0] })
        let outcome = try WALCheckpointer(jobs: 1, isStrict: false, allowsChanging: false).checkpoint(&unit)
        if let uncheckpointed = outcome.uncheckpointed.first {
            throw CapsuleError(
                "can't be checkpointed: \(uncheckpointed.reason)", path: HostPath(entry.path.bytes),
                hint: "'capsule unpack' writes the database and its log unchanged")
        }
        guard outcome.databases > 0, let number = unit.entries.index(at: entry.place) else { return nil }
        return FoundFile(
            entry: unit.entries[number], number: number, contents: unit.contents, isDigested: false,
            hasLog: false, livePath: nil, advice: nil, modes: modes, container: container)
    }

    /// Returns the first bytes of the file, without comparing them with the digest.
    package func head(_ count: Int) throws(CapsuleError) -> [UInt8] {
        try ContentReader(contents).bytes(of: entry, number: number, in: 0..<min(entry.size, UInt64(count)))
    }

    /// Returns all bytes of the file, after comparing them with the digest if the entry has one.
    package func bytes() throws(CapsuleError) -> [UInt8] {
        let bytes = try ContentReader(contents).bytes(of: entry, number: number, in: 0..<entry.size)
        guard !isDigested || SHA256Hasher.digest(of: bytes) == entry.digest else {
            throw CapsuleError.wrongDigest(at: entry.path.bytes)
        }
        return bytes
    }

    /// Nil means `length` zeros. The bytes are not compared with the digest.
    package func forEachPiece(_ body: PieceAction) throws(CapsuleError) {
        try ContentReader(contents).forEachPiece(of: entry, number: number, in: 0..<entry.size, body)
    }
}

/// A list of warnings about a container. Any thread can add to it.
package final class WarningLog: Sendable {
    private let list = Mutex<[CapsuleError]>([])

    package init() {}
    package var all: [CapsuleError] { list.withLock { $0 } }
    package func add(_ remark: CapsuleError) { list.withLock { $0.append(remark) } }
}
