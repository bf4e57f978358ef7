import CapsuleArchive
package import CapsuleContainers
package import CapsuleCore
import CapsuleDatabases
import CapsulePropertyList
import CapsuleRemote
import CapsuleSQLite
import CapsuleSystem

/// Suggests names for a command line that is being typed: versions, paths, apps, and places in a property list. The user waits
/// for them, so they are made from indexes and listings, and no file's content is read except a short property list or database. There are
/// none for something that can't be read, and no error is printed. Standard input is never read.
package enum CompletionNames {
    static let limit = 5_000

    /// Ends the process silently with status 0 if it still runs after this many seconds. A directory may be on a server that
    /// doesn't answer, and a name may be that of a pipe.
    package static func endProcess(afterSeconds seconds: UInt32) { Alarm.endProcess(afterSeconds: seconds) }

    /// Returns the names of a capsule's versions: `latest`, `first`, numbers and labels. There are none if the file is not a
    /// capsule.
    package static func versions(of file: HostPath) -> [String] {
        guard file != .standardStream, isFile(file), case .capsule(let capsule, _)? = try? Container(file.bytes).resolve() else {
            return []
        }
        return (try? capsule.versionNames()) ?? []
    }

    /// Returns the paths in a container that begin with the typed text, one directory at a time. The content of a directory is
    /// listed only after its slash was typed. Directories end with a slash. For a capsule, only the part of the index that has
    /// the paths is read. For a directory, only that directory is. Archives are not opened.
    package static func paths(in container: [UInt8], beginningWith typed: [UInt8]) -> [[UInt8]] {
        let path = HostPath(container)
        guard path != .standardStream, (try? FileProbe.exists(path)) != true || FileProbe.isDirectory(path) || isFile(path),
            let form = try? Container(container).resolve()
        else { return [] }
        var names = NextNames(typed)
        switch form {
        case .live(let directory): try? names.addEntries(of: directory)
        case .capsule(let capsule, let selector): try? names.addEntries(of: capsule, selector)
        case .archive: break
        }
        return names.found
    }

    /// Returns the container and the beginning of a path in it for an unfinished `CONTAINER:PATH`. The path may be empty.
    /// - Returns: nil if the part before a colon doesn't name anything that exists.
    package static func contained(in typed: [UInt8]) -> (container: [UInt8], path: [UInt8])? {
        // A complete name must have a path, so a letter stands for the part that is still to be typed.
        ContainedName(typed + [UInt8(ascii: "x")]).map { ($0.container, Array($0.path.dropLast())) }
    }

    /// Returns true if the path is a regular file. Reading anything else might never end, and opening it might block.
    static func isFile(_ path: HostPath) -> Bool {
        (try? Syscall.status(path, following: true))?.kind == .file
    }

    /// Returns true if the current directory has a name that begins with the typed text.
    package static func hasFiles(beginningWith typed: [UInt8]) -> Bool {
        let entries = try? RootDirectory(HostPath(".")).entries()
        return entries?.contains { $0.name.starts(with: typed) } ?? false
    }

    /// The longest property list that is read. Longer ones take too long while a user types.
    private static let longestPropertyList: UInt64 = 4 << 20

    /// Returns the pointers into a property list that begin with the typed text, one step at a time. A value that isn't empty is
    /// also returned with a slash after it.
    package static func pointers(in file: HostPath, beginningWith typed: String) -> [String] {
        guard typed.isEmpty || typed.hasPrefix("/"), file != .standardStream, isFile(file),
            let status = try? Syscall.status(file, following: true), status.size <= longestPropertyList,
            let document = try? PlistFile(file, isLenient: true).document
        else { return [] }
        return pointers(in: document.value, beginningWith: typed)
    }

    private static func pointers(in document: PlistValue, beginningWith typed: String) -> [String] {
        let parent = typed.lastIndex(of: "/").map { String(typed[..<$0]) } ?? ""
        guard let pointer = try? PlistPointer(parent), let value = try? document.value(at: pointer) else { return [] }
        return steps(of: value).flatMap { step in
            let place = pointer.appending(step.name).description
            return step.hasMore ? [place, place + "/"] : [place]
        }.filter { $0.hasPrefix(typed) }
    }

    /// The longest database whose tables are offered.
    private static let longestDatabase: UInt64 = 64 << 20

    /// Returns the continuations of an unfinished `PATH:PLACE`: the tables and entities of a database, and the pointers into a property
    /// list or JSON, one step at a time.
    /// - Parameter tablesOnly: true to leave out pointers.
    package static func places(in container: [UInt8], beginningWith typed: [UInt8], tablesOnly: Bool) -> [[UInt8]] {
        let path = HostPath(container)
        guard typed.contains(UInt8(ascii: ":")), path != .standardStream, !RemoteAddress.isAddress(container),
            (try? FileProbe.exists(path)) != true || FileProbe.isDirectory(path) || isFile(path),
            let form = try? Container(container).resolve()
        else { return [] }
        if case .archive = form { return [] }
        guard let opened = try? Container(container).openLeniently() else { return [] }
        for colon in typed.indices.reversed() where typed[colon] == UInt8(ascii: ":") && colon > 0 {
            guard let found = try? opened.place(named: Array(typed[..<colon])), found.place == nil else { continue }
            let start = String(decoding: typed[(colon + 1)...], as: UTF8.self)
            return names(in: found.number, of: opened, beginningWith: start, tablesOnly).map { typed[...colon] + Array($0.utf8) }
        }
        return []
    }

    private static func names(
        in number: Int, of opened: OpenedContainer, beginningWith typed: String, _ tablesOnly: Bool
    ) -> [String] {
        let entry = opened.entries[number]
        guard entry.kind == .file else { return [] }
        if opened.isDatabase(number) {
            guard entry.size <= longestDatabase,
                let database = try? UnitReader(opened.contents, opened.entries, database: number).copy().open()
            else { return [] }
            return database.tableNames.filter { $0.hasPrefix(typed) }
        }
        guard !tablesOnly, typed.isEmpty || typed.hasPrefix("/"), entry.size <= longestPropertyList,
            let file = try? opened.open(number), let bytes = try? ComparedContent(file, size: entry.size).all(),
            let document = try? PlistDocument.read(bytes, isLenient: true)
        else { return [] }
        return pointers(in: document.value, beginningWith: typed)
    }

    /// Returns the keys or indices of a value, and true for each whose value has steps of its own.
    private static func steps(of value: PlistValue) -> [(name: PlistString, hasMore: Bool)] {
        switch value {
        case .dictionary(let dictionary):
            dictionary.prefix(limit).map { ($0.key, hasSteps($0.value)) }
        case .array(let elements):
            elements.prefix(limit).enumerated().map { (PlistString(String($0)), hasSteps($1)) }
        default: []
        }
    }

    private static func hasSteps(_ value: PlistValue) -> Bool {
        switch value {
        case .dictionary(let dictionary): dictionary.count > 0
        case .array(let elements): !elements.isEmpty
        default: false
        }
    }

    /// Returns names for apps on simulators that begin with the typed text, including `sim:`. A name is a bundle identifier,
    /// possibly after a simulator's name or UDID, or after `booted`.
    package static func applications(beginningWith typed: [UInt8]) -> [String] {
        let prefix = "sim:"
        guard typed.starts(with: prefix.utf8), let text = String(validating: typed, as: UTF8.self),
            let devices = try? SimulatorSet.standard.directory()
        else { return [] }
        let device = text.lastIndex(of: "/").map { String(text[..<$0].dropFirst(prefix.count)) }
        let start = device.map { "\(prefix)\($0)/" } ?? prefix
        let containers = list(.data, devices, on: device.map { SimulatorChoice($0) })
        let names = Set(containers.map { start + $0.identifier })
        let simulators = device == nil ? Self.simulators(of: containers).map { "\(prefix)\($0)/" } : []
        return names.sorted() + simulators
    }

    /// Returns the identifiers of the containers of a kind; those of apps if the kind is nil.
    package static func identifiers(
        _ kind: LocatedContainer.Kind?, in devices: HostPath, on choice: SimulatorChoice? = nil
    ) -> [String] {
        Set(list(kind, devices, on: choice).map(\.identifier)).sorted()
    }

    /// Returns names for simulators that have apps: `booted`, names and UDIDs.
    package static func simulators(in devices: HostPath) -> [String] {
        simulators(of: list(nil, devices, on: nil))
    }

    private static func simulators(of containers: [LocatedContainer]) -> [String] {
        let simulators = Set(containers.map(\.simulator))
        let booted = simulators.contains { $0.state == .booted } ? ["booted"] : []
        return booted + Set(simulators.map(\.name)).sorted() + simulators.map(\.udid).sorted()
    }

    private static func list(
        _ kind: LocatedContainer.Kind?, _ devices: HostPath, on choice: SimulatorChoice?
    ) -> [LocatedContainer] {
        (try? SimulatorLocator(devices: devices).list(kind, on: choice).containers) ?? []
    }
}

/// Collects the paths that continue the typed text, up to the next slash.
private struct NextNames {
    private let typed: [UInt8]
    private(set) var found: [[UInt8]] = []
    private var known: Set<[UInt8]> = []

    private static let slash = UInt8(ascii: "/")

    init(_ typed: [UInt8]) {
        self.typed = typed
    }

    private mutating func add(_ path: UnsafeRawBufferPointer, isDirectory: Bool) {
        guard !path.isEmpty, path.starts(with: typed), found.count < CompletionNames.limit else { return }
        var name = Array(path)
        if let end = path[typed.count...].firstIndex(of: Self.slash) {
            name = Array(path[...end])
        } else if isDirectory {
            name.append(Self.slash)
        }
        // Consecutive entries are often in the same directory.
        if found.last != name, known.insert(name).inserted { found.append(name) }
    }

    private mutating func add(_ path: [UInt8], isDirectory: Bool) {
        path.withUnsafeBytes { add($0, isDirectory: isDirectory) }
    }

    /// Reads the blocks of the index that may have paths that begin with the typed text.
    mutating func addEntries(of capsule: CapsuleReader, _ selector: VersionSelector) throws {
        let (root, _) = try StoredVersion.index(of: capsule, selector)
        for (number, block) in root.blocks.enumerated() {
            if found.count >= CompletionNames.limit { return }
            if number + 1 < root.blocks.count, isBeside(block, before: root.blocks[number + 1]) { continue }
            try capsule.forEachPath(in: block) { part, kind, path in
                if part != .wrapper, part != .carried { add(path, isDirectory: kind == .directory) }
            }
        }
    }

    /// Returns true if all paths of a block come before the typed text, or after everything that begins with it. The paths of a
    /// block with several roots are in no order, so that is false for them.
    private func isBeside(_ block: IndexRoot.Block, before next: IndexRoot.Block) -> Bool {
        guard block.firstRoot == next.firstRoot else { return false }
        let (first, end) = (block.firstPath.bytes, next.firstPath.bytes)
        let isBefore = end.lexicographicallyPrecedes(typed)
        let isAfter = typed.lexicographicallyPrecedes(first) && !first.starts(with: typed)
        return isBefore || isAfter
    }

    /// Lists the directory of a live container that contains the typed path.
    mutating func addEntries(of path: HostPath) throws {
        let top = try RootDirectory(path)
        let (directories, files) = try top.names()
        let name = ((try? RealPath.resolve(path)) ?? path).name
        let shape = ContainerShape.judge(name: name, directories: directories, files: files).0
        var tree = top
        switch shape {
        case .bundle:
            if typed.starts(with: ContainerShape.appGroups + [Self.slash]) { return try addEntries(below: top) }
            if directories.contains(ContainerShape.appGroups) { add(ContainerShape.appGroups, isDirectory: true) }
            tree = try top.subdirectory(try RelativePath.root.appending(ContainerShape.appData))
        case .macContainer:
            tree = try top.subdirectory(try RelativePath.root.appending(ContainerShape.macData))
        case .container, .directory:
            break
        }
        try addEntries(below: tree)
    }

    private mutating func addEntries(below top: RootDirectory) throws {
        let above = typed.lastIndex(of: Self.slash).map { Array(typed[..<$0]) } ?? []
        let directory = above.isEmpty ? top : try top.subdirectory(try RelativePath(validating: above))
        let prefix = above.isEmpty ? [] : above + [Self.slash]
        guard typed.starts(with: prefix) else { return }
        let listing = try DirectoryListing(of: try directory.openDirectory(.root), path: directory.path)
        for item in listing.items {
            let name = listing.name(of: item)
            if above.isEmpty, name == ContainerNames.transaction || name == ContainerNames.identity { continue }
            switch item.kind {
            case .directory: add(prefix + name, isDirectory: true)
            case .file, .link: add(prefix + name, isDirectory: false)
            case .socket, .pipe, .device: break
            }
        }
        found.sort { $0.lexicographicallyPrecedes($1) }
    }
}
