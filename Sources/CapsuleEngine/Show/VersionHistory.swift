import CapsuleArchive
import CapsuleContainers
package import CapsuleCore
import CapsulePropertyList
package import CapsuleRules
import CapsuleSystem

/// The changes from version to version of a capsule: everywhere, at a path, or at a value, a table or a row in a file.
package struct VersionHistory: Sendable {
    package struct Change: Sendable {
        package let version: UInt32
        /// The labels that name the version, the one that was given last first.
        package let labels: [VersionLabel]
        package let captured: Timestamp
        /// The difference from the version before, or from nothing. For a place in a file, it has only the details at this place.
        package fileprivate(set) var diff: ContainerDiff
    }

    /// The path of the entry; nil for the whole container.
    package let path: RelativePath?
    /// The place in the file: a pointer, a table, or `TABLE[KEY]`.
    package let place: String?
    /// The versions in which something changed, newest first.
    package private(set) var changes: [Change] = []
    /// The problems that hide versions or changes.
    package private(set) var failures: [CapsuleError] = []

    private let capsule: CapsuleReader
    private let options: DiffOptions

    /// - Parameters:
    ///   - name: `PATH` or `PATH:PLACE`, as ``ContentViewer/show(_:)`` takes it; nil for the whole container.
    ///   - options: with ``DiffOptions/Depth/entries``, every version is listed, also one in which nothing changed.
    ///   - newest: the number of versions to compare, the newest ones; the first of them is not compared with the one before. Nil for
    ///     all, with the first compared with nothing.
    package init(
        _ file: HostPath, of name: [UInt8]?, _ options: DiffOptions, newest: Int? = nil, showsSecrets: Bool
    ) throws(CapsuleError) {
        capsule = try VersionLog.open(file)
        var (footers, failure) = capsule.readableFooters()
        if let newest { footers = Array(footers.prefix(newest)) }
        let labels = Dictionary(grouping: capsule.readableLabels().labels, by: \.version).mapValues { $0.map(\.label) }
        var options = options
        if let name {
            let found = try Self.find(name, in: capsule, footers)
            (path, place) = found
            options.paths = [found.path.bytes]
            if place != nil { (options.rows, options.isFull) = (nil, true) }
        } else {
            (path, place) = (nil, nil)
        }
        self.options = options
        failures = [failure?.hinting("the versions listed can still be read")].compactMap { $0 }
        var (last, missing): (VersionPart?, CapsuleError?)
        for footer in footers.reversed() {
            try CapsuleError.checkInterruption()
            do throws(CapsuleError) {
                let (manifest, root) = try capsule.head(of: footer)
                let blocks = blocks(of: root)
                if let last, path != nil, last.blocks == blocks { continue }
                var part = VersionPart(blocks: blocks, footer: footer)
                if newest != nil, last == nil {
                    part.side = try ComparedSide(try opened(part, manifest, root), options)
                    last = part
                    continue
                }
                let diff = try diff(from: last, to: &part, manifest, root, &missing)
                if !diff.entries.isEmpty || path == nil && options.depth == .entries {
                    let shown = showsSecrets ? diff : diff.hidingSecrets()
                    changes.append(
                        Change(
                            version: footer.version, labels: labels[footer.version] ?? [], captured: manifest.captured,
                            diff: shown))
                }
                last = part
            } catch {
                if error.code == .interrupted { throw error }
                failures.append(CapsuleError(error.code, "version \(footer.version): \(error.message)", path: error.path))
            }
        }
        changes.reverse()
        if changes.isEmpty, newest == nil, let error = failures.last ?? missing { throw error }
    }

    /// Returns the history with the entries that changed, but without the changes in them. Noise stays noise.
    func withoutContents() -> VersionHistory {
        var history = self
        for change in history.changes.indices {
            for index in history.changes[change].diff.entries.indices {
                var entry = history.changes[change].diff.entries[index]
                if entry.isNoise { entry.noise = entry.noise ?? entry.details.lazy.compactMap(\.noise).first }
                entry.details = []
                history.changes[change].diff.entries[index] = entry
            }
        }
        return history
    }

    /// Finds the path and the place in the newest version that has the path.
    private static func find(
        _ name: [UInt8], in capsule: CapsuleReader, _ footers: [Footer]
    ) throws(CapsuleError) -> (path: RelativePath, place: String?) {
        var missing: CapsuleError?
        for footer in footers {
            do throws(CapsuleError) {
                var opened = try StoredVersion(capsule, footer).opened
                opened.argument = capsule.file.path.bytes
                let (number, place) = try opened.place(named: name)
                return (opened.entries[number].path, place)
            } catch {
                guard error.code == .notFound || error.code == .damaged else { throw error }
                missing = missing ?? error
            }
        }
        throw missing ?? CapsuleError(.notFound, "is not in the capsule", path: HostPath(name))
    }
}

/// A version, as far as it is known what it has at the path.
private struct VersionPart {
    let blocks: [IndexRoot.Block]
    let footer: Footer
    var side: ComparedSide?
    /// The content at the place; nil if there is none.
    var shown: ShownFile?
}

extension VersionHistory {
    /// The beginnings of the paths of the entry, of what is below it, and of what belongs to it as a database; empty for the whole
    /// container.
    private var prefixes: [RelativePath] {
        guard let path, !path.isRoot else { return [] }
        return [path, DatabaseUnit.support(of: path)].compactMap { $0 }
    }

    /// Returns the blocks of an index that may have such paths.
    private func blocks(of root: IndexRoot) -> [IndexRoot.Block] {
        guard !prefixes.isEmpty else { return root.blocks }
        return root.blocks.indices.filter { number in
            let block = root.blocks[number]
            let next = number + 1 < root.blocks.count ? root.blocks[number + 1] : nil
            let end = next?.firstRoot == block.firstRoot ? next?.firstPath.bytes : nil
            return prefixes.contains { prefix in
                let startsBefore = block.firstPath <= prefix || block.firstPath.bytes.starts(with: prefix.bytes)
                return startsBefore && end.map { prefix.bytes.lexicographicallyPrecedes($0) } ?? true
            }
        }.map { root.blocks[$0] }
    }

    private func opened(_ part: VersionPart, _ manifest: Manifest, _ root: IndexRoot) throws(CapsuleError) -> OpenedContainer {
        var root = root
        root.blocks = part.blocks
        let index = BoundedIndexReader(capsule, root)
        try capsule.file.fetch(part.blocks.map(\.range))
        var entries: [TreeEntry] = []
        var extents = ExtentTable(entries: part.blocks.reduce(0) { $0 + Int($1.entries) })
        for number in 0..<index.count {
            let block = try index.block(number)
            entries += block.entries
            extents.append(block)
        }
        let opened = OpenedContainer(
            name: manifest.name, layout: manifest.layout, source: manifest.source, groups: manifest.groups, entries: entries,
            isDigested: true, contents: EntryContents(VersionContent(capsule, extents), count: entries.count), omitted: [],
            wantedOmissions: 0, evidence: [])
        guard !prefixes.isEmpty else { return opened }
        let prefixes = prefixes
        return opened.selecting(
            entries.indices.filter { number in prefixes.contains { entries[number].path.bytes.starts(with: $0.bytes) } })
    }

    private func diff(
        from old: VersionPart?, to new: inout VersionPart, _ manifest: Manifest, _ root: IndexRoot, _ missing: inout CapsuleError?
    ) throws(CapsuleError) -> ContainerDiff {
        let differ = ContainerDiffer(options)
        if path == nil, options.depth == .entries, let old {
            let sides = try IndexDiffer(capsule, old.footer, new.footer, options).sides()
            return try differ.compare(sides.old, sides.new, named: names(old, new))
        }
        let opened = try opened(new, manifest, root)
        let side = try ComparedSide(opened, options)
        new.side = side
        let before = if let side = old?.side { side } else { try ComparedSide(opened.selecting([]), options) }
        missing = side.unmatched.first?.error ?? missing
        guard place != nil else { return try differ.compare(before, side, named: names(old, new)) }
        var entry: EntryChange?
        if before.contentDigests == side.contentDigests {
            new.shown = old?.shown
        } else {
            new.shown = try side.tree.entries.isEmpty ? nil : shown(in: opened, &missing)
            let details = try details(from: old?.shown, before, to: new.shown, side)
            if !details.isEmpty, let shown = new.shown ?? old?.shown {
                entry = EntryChange(
                    .modified, at: shown.entry.path, old: old?.shown?.entry, new: new.shown?.entry, handler: shown.format,
                    details: details)
            }
        }
        let names = names(old, new)
        return ContainerDiff(
            old: ContainerDiff.Side(source: names.old), new: ContainerDiff.Side(source: names.new),
            entries: [entry].compactMap { $0 }, isComplete: true)
    }

    private func names(_ old: VersionPart?, _ new: VersionPart) -> (old: [UInt8], new: [UInt8]) {
        func name(_ part: VersionPart) -> [UInt8] { capsule.file.path.bytes + Array("@\(part.footer.version)".utf8) }
        return (old.map(name) ?? [], name(new))
    }
}

/// The history of a place in a file.
extension VersionHistory {
    /// Returns the key of the row that the place names; nil for a table, whose name may look like that of a row.
    private func key(of file: ShownFile) -> String? {
        guard let place, file.tables.first?.table.lowercased() != place.lowercased() else { return nil }
        return ContentViewer.row(place).key
    }

    /// Returns what the place has in a version; nil if the version has no such place.
    private func shown(in opened: OpenedContainer, _ missing: inout CapsuleError?) throws(CapsuleError) -> ShownFile? {
        guard let path, let place else { return nil }
        var viewer = ContentViewer(opened)
        (viewer.isFull, viewer.showsSecrets) = (true, true)
        if ContentViewer.row(place).key == nil { viewer.rows = 0 }
        do throws(CapsuleError) {
            return try viewer.show(path.bytes + [UInt8(ascii: ":")] + Array(place.utf8))
        } catch {
            guard error.code == .notFound else { throw error }
            missing = error
            return nil
        }
    }

    private func details(
        from old: ShownFile?, _ before: ComparedSide, to new: ShownFile?, _ after: ComparedSide
    ) throws(CapsuleError) -> [ChangeDetail] {
        switch (old, new) {
        case (nil, nil): return []
        case (nil, let new?): return try whole(new, .added)
        case (let old?, nil): return try whole(old, .deleted)
        case (let old?, let new?):
            if let before = old.value, let after = new.value { return try changes(from: before, to: after) }
            guard let table = new.tables.first, old.value == nil, new.value == nil else {
                return try whole(old, .deleted) + whole(new, .added)
            }
            let diff = try ContainerDiffer(options).compare(before, after, named: ([], []))
            let details = diff.entries.flatMap(\.details)
            guard details.allSatisfy(\.isChange) else {
                throw CapsuleError("is not fully compared", path: HostPath(new.entry.path.bytes))
            }
            let key = key(of: new)
            return details.filter { detail in
                switch detail.content {
                case .row(let row): row.table == table.table && (key == nil || row.keyText == key)
                case .schema(let change): key == nil && change.name == table.table
                default: false
                }
            }
        }
    }

    private func changes(from old: PlistValue, to new: PlistValue) throws(CapsuleError) -> [ChangeDetail] {
        let pointer = try pointer
        do throws(OverlayError) {
            return try PlistDiff(old, new).changes.map { change in
                let place = PlistPointer(steps: pointer.steps + change.pointer.steps)
                return ChangeDetail(
                    .value(
                        PlistChange(
                            change.kind, at: place, in: change.className, nestedGap: change.nestedGap, naming: change.naming)))
            }
        } catch {
            throw CapsuleError(error.message, path: path.map { HostPath($0.bytes) }, hint: error.hint)
        }
    }

    /// Returns the addition or deletion of everything that the place has.
    private func whole(_ file: ShownFile, _ operation: ChangeOperation) throws(CapsuleError) -> [ChangeDetail] {
        if let value = file.value {
            return [ChangeDetail(.value(PlistChange(operation == .added ? .added(value) : .deleted(value), at: try pointer)))]
        }
        guard key(of: file) != nil else {
            return file.tables.map { ChangeDetail(.schema(SchemaChange(operation, object: "table", name: $0.table))) }
        }
        return file.details.map { detail in
            guard operation == .deleted, case .row(var row) = detail.content else { return detail }
            row.operation = .deleted
            for index in row.columns.indices { (row.columns[index].old, row.columns[index].new) = (row.columns[index].new, nil) }
            return ChangeDetail(.row(row))
        }
    }

    private var pointer: PlistPointer {
        get throws(CapsuleError) { try ContentViewer.pointer(place ?? "", path?.bytes ?? []) }
    }
}

extension ComparedSide {
    /// The digests of the files by their places.
    fileprivate var contentDigests: [EntryPath: ContentDigest] {
        Dictionary(tree.entries.map { ($0.place, $0.digest) }, uniquingKeysWith: { first, _ in first })
    }
}
