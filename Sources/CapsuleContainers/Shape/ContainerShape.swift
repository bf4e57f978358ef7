package import CapsuleCore
package import CapsulePropertyList
import CapsuleSystem

/// The shape of a directory, judged by the names of its entries.
package enum ContainerShape: Hashable {
    /// A bundle: `AppData` and the files beside it.
    case bundle
    case container
    /// A Mac app's sandbox, whose app data is in its `Data`.
    case macContainer
    case directory

    package static let appData = ContainerNames.appData
    package static let appDataInfo = Array("AppDataInfo.plist".utf8)
    package static let appGroups = ContainerNames.appGroups
    package static let bundleSuffix = Array(".xcappdata".utf8)
    package static let identity = ContainerNames.identity
    static let macIdentity = Array(".com.apple.containermanagerd.metadata.plist".utf8)
    package static let macData = Array("Data".utf8)
    /// The directories of an app's data. In an archive, none of them is one that was put around a container.
    static let dataDirectories = Set(["Documents", "Library", "SystemData", "tmp"].map { Array($0.utf8) })

    package static func judge(name: [UInt8], directories: Set<[UInt8]>, files: Set<[UInt8]>) -> (ContainerShape, evidence: String)
    {
        // Leftovers of a transaction don't change the shape.
        let directories = directories.subtracting([ContainerNames.transaction])
        let files = files.subtracting([ContainerNames.transaction])
        if directories.contains(appData) {
            if files.contains(appDataInfo) { return (.bundle, "AppData beside AppDataInfo.plist") }
            if name.count > bundleSuffix.count, name.suffix(bundleSuffix.count).elementsEqual(bundleSuffix) {
                return (.bundle, "AppData in a directory named .xcappdata")
            }
            if directories.count == 1, files.isEmpty { return (.bundle, "AppData alone") }
        }
        if files.contains(identity) { return (.container, "the container manager's metadata plist") }
        if directories.contains(Array("Library".utf8)) {
            for other in ["Documents", "tmp", "SystemData"] where directories.contains(Array(other.utf8)) {
                return (.container, "Library beside \(other)")
            }
        }
        if directories.contains(macData), files.contains(macIdentity) {
            return (.macContainer, "Data beside a Mac container's metadata plist")
        }
        return (.directory, "neither AppData, nor a metadata plist, nor Library with Documents, tmp or SystemData")
    }
}

/// Gives the entries of a listed and judged directory their roots and paths in a version, and adds the entries around them. The
/// rules are the same for live containers and for archives.
package struct ContainerPlacement {
    /// The names that tell whose container a directory is.
    struct Names {
        var directory: [UInt8]?
        var fallback: [UInt8]
        /// The name of the directory around a Mac app's `Data`; nil for any other container.
        var macOwner: [UInt8]?
    }

    let name: [UInt8]
    let kind: ContainerKind
    let identifier: [UInt8]?
    /// The app groups' identifiers, sorted by their bytes.
    let groups: [[UInt8]]
    /// The entries of the wrapper that the listed directory does not have: the directory itself, and generated entries.
    let added: [TreeEntry]
    let info: [UInt8]?
    let evidence: [String]
    private let isBundle: Bool

    /// - Parameters:
    ///   - shape: the shape of the directory. The `Data` of a Mac container is a container.
    ///   - entries: the entries below it, with paths relative to it, in the order of the index.
    ///   - givenGroups: the identifiers of app groups in other directories.
    ///   - read: returns the bytes of a small file, by its path relative to the directory.
    init(
        _ shape: ContainerShape, names: Names, top: TreeEntry, entries: [TreeEntry], givenGroups: [[UInt8]], evidence: String,
        path: HostPath, read: (RelativePath) -> [UInt8]?
    ) throws(CapsuleError) {
        isBundle = shape == .bundle
        let own = isBundle ? try Self.groupIdentifiers(in: entries) : []
        groups = Set(own).union(givenGroups).sorted { $0.lexicographicallyPrecedes($1) }
        guard groups.count <= TreeRoot.maximumGroups else {
            throw CapsuleError(
                "has \(groups.count) app groups, but a capsule holds at most \(TreeRoot.maximumGroups)", path: path)
        }
        if shape == .directory {
            kind = .directory
            identifier = nil
            name = ContainerNaming.name(ofBundle: nil, identifier: nil, directory: names.directory ?? names.fallback)
            added = [Self.wrapper(.root, like: top)]
            info = nil
            self.evidence = [evidence]
            return
        }
        let reserved = isBundle ? ContainerShape.appData + [0x2F] + ContainerShape.appGroups : ContainerShape.appGroups
        if try Self.holds(entries, reserved) {
            throw CapsuleError(
                "has its own directory AppGroups, a name that a capsule needs for app groups", path: path,
                hint: "rename it, or skip it with '--exclude AppGroups'")
        }
        let identityPath = isBundle ? ContainerShape.appData + [0x2F] + ContainerShape.identity : ContainerShape.identity
        let metadata = ContainerMetadata(
            info: isBundle ? read(try Self.component(ContainerShape.appDataInfo)) : nil,
            identity: read(try Self.component(identityPath)))
        let more: [String]
        if isBundle {
            (kind, identifier, more) = (.bundle, metadata.bundleIdentifier, [])
        } else {
            (kind, identifier, more) = Self.kind(of: names, metadata.bundleIdentifier)
        }
        self.evidence = [evidence] + more
        name = ContainerNaming.name(
            ofBundle: isBundle ? names.directory : nil, identifier: identifier, directory: names.directory ?? names.fallback)

        var added: [TreeEntry] = []
        if isBundle {
            added.append(Self.wrapper(.root, like: top))
        } else {
            added.append(Self.wrapper(try Self.component(ContainerShape.appData), like: top))
            added.append(TreeEntry(path: .root, root: .wrapper, kind: .directory, mode: FileMode(0o755), modified: top.modified))
        }
        let hasInfo = isBundle ? try Self.holds(entries, ContainerShape.appDataInfo) : false
        info = hasInfo ? nil : ContainerMetadata.madeUpInfo(identifier: identifier)
        if let info {
            added.append(
                TreeEntry(
                    path: try Self.component(ContainerShape.appDataInfo), root: .wrapper, kind: .file, mode: FileMode(0o644),
                    modified: top.modified, size: UInt64(info.count)))
        }
        let hasGroups = isBundle ? try Self.holds(entries, ContainerShape.appGroups) : false
        if !givenGroups.isEmpty, !hasGroups {
            added.append(
                TreeEntry(
                    path: try Self.component(ContainerShape.appGroups), root: .wrapper, kind: .directory, mode: FileMode(0o755),
                    modified: top.modified))
        }
        self.added = added
    }

    var layout: ContainerLayout { kind == .directory ? .directory : .container }

    func source(archive: String? = nil) -> SourceDescription {
        SourceDescription(
            kind: kind, archive: archive.map { PlistString($0) },
            bundleIdentifier: identifier.flatMap { PlistString(validating: $0) })
    }

    func place(_ entries: inout [TreeEntry], jobs: Int) {
        if kind == .directory { return }
        EntryTable.share(&entries) { table in
            _ = ParallelMap.run((table.count + Self.batch - 1) / Self.batch, threads: jobs, itemsPerThread: 2) { batch in
                for number in batch * Self.batch..<min(table.count, (batch + 1) * Self.batch) {
                    table.update(number) { place(&$0) }
                }
            }
        }
    }

    private static let batch = 4_096

    func place(_ entry: inout TreeEntry) {
        if kind == .directory { return }
        if isBundle {
            if let below = Self.belowAppData(entry.path) {
                entry.path = below
                entry.root = .tree
            } else if let identifier = Self.groupIdentifier(of: entry.path), let number = groups.firstIndex(of: identifier),
                let root = TreeRoot.group(number)
            {
                entry.root = root
            } else {
                entry.root = .wrapper
            }
        }
        Self.mark(&entry)
    }

    static func mark(_ entry: inout TreeEntry) {
        // Hardly any entry has this name, so the last byte is compared before the path is split.
        guard entry.kind == .file, entry.path.bytes.last == ContainerShape.identity.last,
            entry.path.name.elementsEqual(ContainerShape.identity)
        else { return }
        let depth = entry.path.components.count
        if entry.root == .tree ? depth == 1 : entry.root.groupNumber != nil && depth == 3 { entry.kind = .identity }
    }

    /// Returns the tree path that patterns are matched with, for a path below a directory of this shape; nil for an entry of the
    /// wrapper, which patterns can't match.
    static func pattern(_ path: RelativePath, _ shape: ContainerShape) -> RelativePath? {
        guard shape == .bundle else { return path }
        return belowAppData(path) ?? (groupIdentifier(of: path) == nil ? nil : path)
    }

    static func wrapperPath(ofTop shape: ContainerShape) -> [UInt8] {
        shape == .container ? ContainerShape.appData : []
    }

    /// Returns true if a transaction may work in a directory: the top one, and in a bundle also the app's data and each app group.
    static func isTop(_ path: RelativePath, _ shape: ContainerShape) -> Bool {
        if path.isRoot { return true }
        guard shape == .bundle else { return false }
        let components = path.components
        return components.count == 1
            ? components[0].elementsEqual(ContainerShape.appData)
            : components.count == 2 && components[0].elementsEqual(ContainerShape.appGroups)
    }

    private static let appDataPath = RelativePath(named: ContainerShape.appData)

    private static func belowAppData(_ path: RelativePath) -> RelativePath? {
        guard let below = path.relative(to: appDataPath), !below.isRoot else { return nil }
        return below
    }

    /// Returns the identifier in `AppGroups/ID/…` for a path below it; nil for any other path.
    private static func groupIdentifier(of path: RelativePath) -> [UInt8]? {
        guard path.bytes.starts(with: ContainerShape.appGroups) else { return nil }
        let components = path.components
        return components.count > 2 && components[0].elementsEqual(ContainerShape.appGroups) ? Array(components[1]) : nil
    }

    private static func holds(_ entries: [TreeEntry], _ path: [UInt8]) throws(CapsuleError) -> Bool {
        entries.index(of: try component(path), in: .tree) != nil
    }

    private static func groupIdentifiers(in entries: [TreeEntry]) throws(CapsuleError) -> [[UInt8]] {
        let first = entries.firstIndex(notBefore: try component(ContainerShape.appGroups), in: .tree)
        return entries[first...].prefix { $0.path.bytes.starts(with: ContainerShape.appGroups) }.compactMap { entry in
            guard entry.kind == .directory else { return nil }
            let components = entry.path.components
            return components.count == 2 && components[0].elementsEqual(ContainerShape.appGroups) ? Array(components[1]) : nil
        }
    }

    private static func wrapper(_ path: RelativePath, like entry: TreeEntry) -> TreeEntry {
        TreeEntry(
            path: path, root: .wrapper, kind: .directory, mode: entry.mode, modified: entry.modified, attributes: entry.attributes
        )
    }

    private static func kind(of names: Names, _ identifier: [UInt8]?) -> (ContainerKind, [UInt8]?, [String]) {
        if let owner = names.macOwner {
            return (
                .macData, identifier ?? (ContainerNaming.isReverseDNS(owner) ? owner : nil), ["Data in a Mac app's container"]
            )
        }
        guard let name = names.directory else { return (.container, identifier, []) }
        if ContainerNaming.isUUID(name) { return (.simulator, identifier, ["its name, a UUID, as on a simulator"]) }
        if ContainerNaming.isReverseDNS(name), identifier == nil || identifier == name {
            return (.deviceHub, name, ["its name, the bundle identifier, as in Device Hub"])
        }
        return (.container, identifier, [])
    }

    package static func component(_ bytes: [UInt8]) throws(CapsuleError) -> RelativePath {
        do throws(PathError) {
            return try RelativePath(validating: bytes)
        } catch {
            throw CapsuleError(error.message, path: HostPath(bytes))
        }
    }
}

/// The entries of a pack, which its threads share without a copy, because there may be millions. Only the taker writes an entry,
/// after the entry's file is packed. Other threads read the entry only before that, or after a restart, which the pipeline's lock
/// guarantees. So no two threads access the same entry at the same time.
package struct EntryTable: RandomAccessCollection, @unchecked Sendable {
    private let buffer: UnsafeMutableBufferPointer<TreeEntry>

    /// Calls `body` with a table that shares `entries` in place.
    package static func share<Outcome, Failure: Error>(
        _ entries: inout [TreeEntry], _ body: (EntryTable) throws(Failure) -> Outcome
    ) throws(Failure) -> Outcome {
        let outcome: Result<Outcome, Failure> = entries.withUnsafeMutableBufferPointer { buffer in
            let table = EntryTable(buffer: buffer)
            return Result { () throws(Failure) in try body(table) }
        }
        return try outcome.get()
    }

    package var startIndex: Int { 0 }
    package var endIndex: Int { buffer.count }
    package subscript(number: Int) -> TreeEntry { buffer[number] }

    /// Returns true if the container has an entry at a path. Any thread may call this at any time, because packing never changes a path.
    package func has(_ path: RelativePath, in root: TreeRoot) -> Bool {
        var low = 0
        var high = buffer.count
        while low < high {
            let middle = (low + high) / 2
            let here = buffer[middle].root
            if here == root ? buffer[middle].path < path : here < root { low = middle + 1 } else { high = middle }
        }
        return low < buffer.count && buffer[low].root == root && buffer[low].path == path
    }

    /// While packing, only the taker may call this.
    package func update(_ number: Int, _ change: (inout TreeEntry) -> Void) {
        change(&buffer[number])
    }
}

/// Rules for the names of containers.
enum ContainerNaming {
    /// The length in bytes of the longest name. With `.xcappdata` appended, every file system accepts it.
    private static let limit = 240

    /// Returns the bundle's name without its suffix and date, else the bundle identifier, else the directory's name, else
    /// `container`.
    static func name(ofBundle bundle: [UInt8]?, identifier: [UInt8]?, directory: [UInt8]) -> [UInt8] {
        let stripped = bundle.map { withoutDate(withoutSuffix($0)) }
        for candidate in [stripped, identifier, directory] {
            if let candidate, isUsable(candidate) { return candidate }
        }
        return Array("container".utf8)
    }

    private static func isUsable(_ name: [UInt8]) -> Bool {
        name.count <= limit && !name.contains(UInt8(ascii: "/")) && (try? RelativePath(validating: name)) != nil
    }

    static func withoutSuffix(_ name: [UInt8]) -> [UInt8] {
        let suffix = ContainerShape.bundleSuffix
        return name.count > suffix.count && name.suffix(suffix.count).elementsEqual(suffix)
            ? Array(name.dropLast(suffix.count)) : name
    }

    /// Returns a name without the ` 2024-05-17 09:30.12.345` that Xcode appends to the identifier.
    static func withoutDate(_ name: [UInt8]) -> [UInt8] {
        let form = Array(" 0000-00-00 00:00.00.000".utf8)
        guard name.count > form.count else { return name }
        let isDate = zip(name.suffix(form.count), form).allSatisfy { byte, expected in
            expected == UInt8(ascii: "0") ? (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) : byte == expected
        }
        return isDate ? Array(name.dropLast(form.count)) : name
    }

    /// Returns true if a name is spelled like `com.example.app`.
    static func isReverseDNS(_ name: [UInt8]) -> Bool {
        let parts = name.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return parts.count >= 2
            && parts.allSatisfy { part in
                !part.isEmpty
                    && part.allSatisfy { byte in
                        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
                            || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || byte == UInt8(ascii: "-")
                    }
            }
    }

    /// Returns true if a name is a UUID, as simulators name containers.
    static func isUUID(_ name: [UInt8]) -> Bool {
        let form = Array("00000000-0000-0000-0000-000000000000".utf8)
        return name.count == form.count
            && zip(name, form).allSatisfy { byte, expected in
                if expected == UInt8(ascii: "-") { return byte == expected }
                return (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                    || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte | 0x20)
            }
    }
}

/// The facts about an app in its container's own property lists. These are foreign, so whatever can't be read is ignored.
package struct ContainerMetadata {
    package static let longestDocument: UInt64 = 1 << 20

    package var bundleIdentifier: [UInt8]?

    package init(info: [UInt8]?, identity: [UInt8]?) {
        bundleIdentifier =
            Self.string(in: info, ["CFBundleIdentifier", "bundleIdentifier"])
            ?? Self.string(in: identity, ["MCMMetadataIdentifier"])
    }

    package static func string(in document: [UInt8]?, _ keys: [PlistString]) -> [UInt8]? {
        guard let document,
            let list = try? PlistDocument.read(document, accepting: PlistFormat.xmlOrBinary).value.dictionary
        else { return nil }
        for key in keys {
            // The manifest must be able to store it.
            if let found = list[key]?.string, !found.string.isEmpty, (try? XMLPlistWriter.write(.string(found))) != nil {
                return Array(found.string.utf8)
            }
        }
        return nil
    }

    /// Returns an `AppDataInfo.plist` for a container that has none; nil if the identifier is not known.
    static func madeUpInfo(identifier: [UInt8]?) -> [UInt8]? {
        guard let identifier, let text = PlistString(validating: identifier) else { return nil }
        return try? XMLPlistWriter.write(.dictionary(["CFBundleIdentifier": .string(text), "bundleIdentifier": .string(text)]))
    }
}
