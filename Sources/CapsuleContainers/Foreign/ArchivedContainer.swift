import CapsuleArchive
import CapsuleCore
import CapsuleSystem

/// Opens a foreign archive. The archive is read once, its top level or its only top directory is judged like a live directory, and
/// its entries get their roots and paths.
struct ArchivedContainer {
    private let archive: ForeignArchive
    private let file: CapsuleFile
    private let stem: [UInt8]

    private static let suffixes = [
        "tar.gz", "tgz", "tar.zst", "tar.zstd", "tzst", "tar.xz", "txz", "tar.bz2", "tbz2", "tbz", "tar", "zip", "ipa",
    ].map { Array(".\($0)".utf8) }

    static func open(
        _ file: CapsuleFile, name: [UInt8], options: ContainerOptions = ContainerOptions()
    ) throws(CapsuleError) -> OpenedContainer {
        let archive: ForeignArchive
        do throws(CapsuleError) {
            archive = try ForeignArchive.read(file)
        } catch {
            throw error.hinting(error.path == file.path ? nil : "it is an entry in \(file.path)")
        }
        return try ArchivedContainer(archive: archive, file: file, stem: stem(of: name)).open(options)
    }

    private init(archive: ForeignArchive, file: CapsuleFile, stem: [UInt8]) {
        self.archive = archive
        self.file = file
        self.stem = stem
    }

    private static func stem(of name: [UInt8]) -> [UInt8] {
        if name == Array("-".utf8) { return [] }
        let name = EncryptedFile.isNamed(name) ? Array(name.dropLast(EncryptedFile.ending.count)) : name
        let lower = name.map { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) ? $0 | 0x20 : $0 }
        for suffix in suffixes where lower.count > suffix.count && lower.suffix(suffix.count).elementsEqual(suffix) {
            return Array(name.dropLast(suffix.count))
        }
        return name
    }

    private func open(_ options: ContainerOptions) throws(CapsuleError) -> OpenedContainer {
        try options.refuseGroups()
        let root = ArchivedRoot(of: archive, stem: stem)
        var losses = ScanOmissions()
        if let finder = root.finder {
            losses.record(Omission(path: finder.bytes, reason: "the Finder's copies of extended attributes are not read"))
        }
        if let first = root.doubles.min() {
            let files = Quantity.counted(UInt64(root.doubles.count), "AppleDouble file", "AppleDouble files")
            losses.record(Omission(path: first.bytes, reason: "the attributes in \(files) are not read"))
        }
        var listed = list(in: root)
        var excluded = ExcludedPaths(options.leftOut)
        listed.keep { entry in
            !excluded.excludes(
                entry.path, isDirectory: entry.kind == .directory, pattern: ContainerPlacement.pattern(entry.path, root.shape))
        }
        listed.leaveOutTransactions { ContainerPlacement.isTop($0, root.shape) }
        let result = listed.result
        losses.record(result, reason: options.reason(forLeavingOut:)) { path in
            if path.isRoot { return ContainerPlacement.wrapperPath(ofTop: root.shape) }
            return ContainerPlacement.pattern(path, root.shape)?.bytes ?? path.bytes
        }

        let placement = try ContainerPlacement(
            root.shape, names: root.names, top: root.top, entries: result.entries, givenGroups: [], evidence: root.evidence,
            path: file.path, read: { read($0, listed) })
        var placed = result.entries.indices.map { (entry: result.entries[$0], file: listed.files[$0]) }
        for number in placed.indices { placement.place(&placed[number].entry) }
        placed += placement.added.map { (entry: $0, file: -1) }
        placed.sort { TreeEntry.isOrdered($0.entry, before: $1.entry) }
        // The attributes that a Mac's tar stores in AppleDouble files are usually in its headers, too.
        if archive.form == .zip || (!root.doubles.isEmpty && placed.allSatisfy(\.entry.attributes.isEmpty)) {
            for index in placed.indices { placed[index].entry.unknown.insert(.attributes) }
        }
        let entries = placed.map(\.entry)
        var contents = EntryContents(ArchivedContent(archive.content), numbers: placed.map { $0.file >= 0 ? $0.file : nil })
        if let info = placement.info {
            contents.edit(
                entries,
                placed.indices.map { placed[$0].file < 0 && entries[$0].kind.hasContent ? .bytes(info) : .own($0) })
        }
        let wanted = excluded.matched.map { Omission(path: $0.bytes, reason: options.reason(forLeavingOut: $0.bytes)) }
        var opened = OpenedContainer(
            name: placement.name, layout: placement.layout,
            source: placement.source(archive: root.isApp ? "ipa" : archive.form.rawValue), groups: placement.groups,
            entries: entries, isDigested: false, contents: contents,
            omitted: wanted + losses.omitted, wantedOmissions: wanted.count, evidence: placement.evidence)
        opened.remarks = remarks
        if let wrapper = root.wrapper {
            let evidence = "\(QuotedBytes(wrapper.bytes).text), the archive's only top directory"
            opened.evidence.append(evidence)
            opened.wrapperNote = "\(QuotedBytes(file.path.bytes).text): the container is \(evidence)"
        }
        return opened
    }

    private var remarks: [String] {
        let (count, first) = archive.listing.absolute
        guard count > 0 else { return [] }
        return [
            count == 1
                ? "the '/' before the name \(HostPath(first)) is left out"
                : "the '/' before \(count) names is left out, first \(HostPath(first))"
        ]
    }

    private func read(_ path: RelativePath, _ listed: ArchiveListing) -> [UInt8]? {
        guard let number = listed.result.entries.firstIndex(where: { $0.path == path }) else { return nil }
        let (entry, file) = (listed.result.entries[number], listed.files[number])
        guard entry.kind == .file, file >= 0, entry.size <= ContainerMetadata.longestDocument else { return nil }
        return archive.content.start(of: file, count: Int(entry.size))
    }

    /// A listing that keeps the archive's file for each entry.
    private struct ArchiveListing {
        var result = TreeWalk()
        /// The number of each entry's file in the archive; -1 for none.
        var files: [Int] = []

        /// Directories are passed to it before their contents.
        mutating func keep(_ isKept: (TreeEntry) -> Bool) {
            let order = result.entries.indices.sorted { result.entries[$0].path < result.entries[$1].path }
            var numbers = [Int](repeating: -1, count: order.count)
            var entries: [TreeEntry] = []
            var kept: [Int] = []
            for old in order where isKept(result.entries[old]) {
                numbers[old] = entries.count
                entries.append(result.entries[old])
                kept.append(files[old])
            }
            result.hardLinks = result.hardLinks.compactMap { numbers[$0.entry] < 0 ? nil : (numbers[$0.entry], $0.file) }
            result.entries = entries
            files = kept
        }

        /// Leaves out the directories of unfinished transactions, and everything below them, as a scan of a live directory does.
        mutating func leaveOutTransactions(_ isTop: (RelativePath) -> Bool) {
            func isReserved(_ path: RelativePath) -> Bool {
                path.name.elementsEqual(ContainerNames.transaction) && path.parent.map(isTop) == true
            }
            var found = result.entries.map(\.path).filter(isReserved)
            found += result.special.map(\.path).filter(isReserved)
            if found.isEmpty { return }
            func isKept(_ path: RelativePath) -> Bool { !found.contains { path.isAtOrBelow($0) } }
            keep { isKept($0.path) }
            result.special.removeAll { !isKept($0.path) }
            result.longAttributes.removeAll { !isKept($0.path) }
            result.transactions = found
        }
    }

    private func list(in root: ArchivedRoot) -> ArchiveListing {
        let listing = archive.listing
        var listed = ArchiveListing()
        func inside(_ path: RelativePath) -> RelativePath? {
            if let finder = root.finder, path.isAtOrBelow(finder) { return nil }
            guard !root.doubles.contains(path), let below = path.relative(to: root.base), !below.isRoot else { return nil }
            return below
        }
        var numbers = [Int](repeating: -1, count: listing.entries.count)
        for (number, entry) in listing.entries.enumerated() {
            guard let path = inside(entry.path) else { continue }
            numbers[number] = listed.files.count
            var entry = entry
            entry.path = path
            listed.result.entries.append(entry)
            listed.files.append(listing.files[number])
        }
        for (entry, file) in listing.hardLinks where numbers[entry] >= 0 {
            listed.result.hardLinks.append((numbers[entry], DirectoryListing.FileIdentity(device: 0, inode: UInt64(file))))
        }
        listed.result.special = listing.special.compactMap { path, kind in inside(path).map { ($0, kind) } }
        listed.result.longAttributes = listing.longAttributes.compactMap { path, name in
            (path == root.base ? .root : inside(path)).map { ($0, name) }
        }
        return listed
    }
}

extension ForeignContent {
    /// Returns the first bytes of a file that has at least as many; nil if they can't be read.
    fileprivate func start(of file: Int, count: Int) -> [UInt8]? {
        let buffer = ByteBuffer(capacity: count)
        do throws(CapsuleError) {
            try buffer.append(capacity: count) { (room) throws(CapsuleError) in
                try read(file, at: 0, into: room)
                return room.count
            }
        } catch {
            return nil
        }
        return Array(buffer.bytes)
    }
}

/// The directory of an archive that is used as the container: its top level, or its only top directory.
private struct ArchivedRoot {
    private(set) var base: RelativePath
    private(set) var top: TreeEntry
    private(set) var shape: ContainerShape
    private(set) var names: ContainerPlacement.Names
    private(set) var evidence: String
    /// True if the archive holds an app in `Payload`, as delivered to a store.
    private(set) var isApp = false
    /// The directory around the container, unless it is a bundle; nil if there is none.
    private(set) var wrapper: RelativePath?
    let finder: RelativePath?
    let doubles: Set<RelativePath>

    /// The directory that the Finder adds to a zip, with attributes in separate files.
    private static let finderDirectory = Array("__MACOSX".utf8)
    private static let finderPrefix = Array("._".utf8)
    private static let doubleMagic: [UInt8] = [0x00, 0x05, 0x16, 0x07]
    private static let payload = Array("Payload".utf8)
    private static let appSuffix = Array(".app".utf8)

    init(of archive: ForeignArchive, stem: [UInt8]) {
        let doubles = Self.doubles(in: archive)
        self.doubles = doubles
        let entries = archive.listing.entries.filter { !doubles.contains($0.path) }
        let finder = archive.form == .zip ? Self.finderDirectory(in: entries) : nil
        self.finder = finder
        let tops = entries.filter { Self.isTop($0.path) && $0.path != finder }
        base = .root
        top = archive.listing.top ?? TreeEntry(path: .root, kind: .directory, mode: FileMode(0o755), modified: .epoch)
        (shape, evidence) = Self.judge(stem, tops)
        // The archive's name says whose container it is only if it is a bundle's name.
        names = ContainerPlacement.Names(directory: ContainerNaming.withoutSuffix(stem) == stem ? nil : stem, fallback: stem)
        if shape == .directory, Self.holdsApp(entries) {
            isApp = true
            evidence = "an app in Payload"
        } else if shape == .directory, tops.count == 1, let only = tops.first, only.kind == .directory,
            !ContainerShape.dataDirectories.contains(only.path.bytes)
        {
            let inside = Self.judge(only.path.bytes, entries.filter { $0.path.parent == only.path })
            if inside.0 == .bundle || !archive.listing.hasTop {
                base = only.path
                top = only
                (shape, evidence) = inside
                names = ContainerPlacement.Names(directory: only.path.bytes, fallback: stem)
                if shape != .bundle { wrapper = base }
            }
        }
        if shape == .macContainer { enterData(entries, stem) }
    }

    private mutating func enterData(_ entries: [TreeEntry], _ stem: [UInt8]) {
        guard let data = try? base.appending(ContainerShape.macData), let found = entries.first(where: { $0.path == data }) else {
            return
        }
        names = ContainerPlacement.Names(directory: ContainerShape.macData, fallback: stem, macOwner: names.directory ?? stem)
        base = data
        top = found
        shape = .container
    }

    private static func isTop(_ path: RelativePath) -> Bool { !path.bytes.contains(UInt8(ascii: "/")) }

    private static func judge(_ name: [UInt8], _ entries: [TreeEntry]) -> (ContainerShape, evidence: String) {
        let directories = Set(entries.lazy.filter { $0.kind == .directory }.map { Array($0.path.name) })
        let files = Set(entries.lazy.filter { $0.kind == .file }.map { Array($0.path.name) })
        return ContainerShape.judge(name: name, directories: directories, files: files)
    }

    private static func holdsApp(_ entries: [TreeEntry]) -> Bool {
        entries.contains { entry in
            guard entry.kind == .directory, entry.path.bytes.starts(with: payload) else { return false }
            let components = entry.path.components
            return components.count == 2 && components[0].elementsEqual(payload) && components[1].count > appSuffix.count
                && components[1].suffix(appSuffix.count).elementsEqual(appSuffix)
        }
    }

    /// Returns the AppleDouble files (RFC 1740), `._NAME` beside NAME, in which a Mac's tar stores NAME's attributes.
    private static func doubles(in archive: ForeignArchive) -> Set<RelativePath> {
        let entries = archive.listing.entries
        let candidates = entries.indices.filter { entries[$0].kind == .file && entries[$0].path.name.starts(with: finderPrefix) }
        if candidates.isEmpty { return [] }
        let paths = Set(entries.lazy.map(\.path))
        return Set(
            candidates.lazy.filter { number in
                let name = Array(entries[number].path.name.dropFirst(finderPrefix.count))
                // `._.` is that of the directory that it is in.
                let owner = try? (entries[number].path.parent ?? .root).appending(name)
                guard name == [UInt8(ascii: ".")] || owner.map(paths.contains) == true else { return false }
                return entries[number].size >= doubleMagic.count
                    && archive.content.start(of: archive.listing.files[number], count: doubleMagic.count) == doubleMagic
            }.map { entries[$0].path })
    }

    /// Returns the Finder's directory if everything in it is the Finder's; nil otherwise.
    private static func finderDirectory(in entries: [TreeEntry]) -> RelativePath? {
        guard let directory = try? RelativePath(validating: finderDirectory) else { return nil }
        let files = entries.filter { $0.kind != .directory && $0.path.isAtOrBelow(directory) }
        let isFinders = !files.isEmpty && files.allSatisfy { $0.kind == .file && $0.path.name.starts(with: finderPrefix) }
        return isFinders ? directory : nil
    }
}
