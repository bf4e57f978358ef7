import CapsuleCore
import CapsuleSystem

/// The new entries of a transaction, made in the staging directory: `new/N` for change number N.
struct StagedEntries {
    /// A removed file that is reused as a new one.
    struct ReusedFile {
        let number: Int
        let attributes: [ExtendedAttribute]
    }

    private let plan: ApplyPlan
    private let areas: [TransactionDirectory]
    private(set) var reusedFiles: [Int: ReusedFile] = [:]
    private(set) var inodes: [Int: UInt64] = [:]
    private(set) var refused: [(place: TargetPath, name: [UInt8])] = []
    private var isOnOneDevice = true

    init(_ plan: ApplyPlan, _ areas: [TransactionDirectory]) {
        self.plan = plan
        self.areas = areas
    }

    mutating func stage(jobs: Int, progress: (any ProgressObserver)?) throws(CapsuleError) {
        findReusedFiles()
        for root in plan.roots.indices {
            guard let new = areas[root].new else { continue }
            let numbers = plan.changes.indices.filter { number in
                let change = plan.changes[number]
                return change.place.root == root && change.wanted != nil && !change.isKept && reusedFiles[number] == nil
            }
            try stage(numbers, in: new, jobs: jobs, progress)
            let device = try new.status().device
            for number in numbers {
                guard let status = try new.statusIfThere(Self.name(number)) else { continue }
                inodes[number] = status.inode
                isOnOneDevice = isOnOneDevice && status.device == device
            }
            try Durability.sync(
                numbers.compactMap { plan.changes[$0].wanted?.entry.kind == .link ? nil : Self.name($0) }, in: new)
        }
    }

    /// - Throws: on a file system that shows files on another device than their directories. The inode numbers of such files change
    ///   when the files are written, so they mean nothing after a crash.
    func checkDevices() throws(CapsuleError) {
        if !isOnOneDevice { throw error(forOtherDevice: plan.roots[0].path, in: 0) }
    }

    func error(forOtherDevice path: HostPath, in root: Int) -> CapsuleError {
        guard areas[root].root.isLayered else {
            return CapsuleError("is on another file system, and a transaction can't span file systems", path: path)
        }
        return CapsuleError(
            "is on an overlay file system with layers on several file systems, where transactions can't be rolled back",
            path: path,
            hint: "work on a copy made with 'cp -a', or mount the overlay file system with 'xino=on'")
    }

    static func name(_ number: Int) -> [UInt8] { Array(String(number).utf8) }

    private mutating func findReusedFiles() {
        struct Key: Hashable {
            let root: Int
            let digest: ContentDigest
            let size: UInt64
        }
        var leaving: [Key: [Int]] = [:]
        for (number, change) in plan.changes.enumerated() {
            guard change.isLeaving, let present = change.present, present.status.kind == .file, present.status.links == 1,
                present.entry.digest != .zero
            else { continue }
            leaving[Key(root: change.place.root, digest: present.entry.digest, size: present.status.size), default: []].append(
                number)
        }
        if leaving.isEmpty { return }
        for (number, change) in plan.changes.enumerated() {
            guard let wanted = change.wanted, case .file = wanted.content else { continue }
            let key = Key(root: change.place.root, digest: wanted.entry.digest, size: wanted.entry.size)
            while let donor = leaving[key]?.popLast() {
                // A file that can't be read is not reused.
                guard let attributes = attributes(of: plan.changes[donor].place) else { continue }
                reusedFiles[number] = ReusedFile(number: donor, attributes: attributes)
                break
            }
        }
    }

    private func attributes(of place: TargetPath) -> [ExtendedAttribute]? {
        guard let file = try? plan.roots[place.root].openFile(place.path) else { return nil }
        return try? ExtendedAttributes.read(file.raw, path: plan.roots[place.root].path).attributes
    }

    private mutating func stage(
        _ numbers: [Int], in new: RootDirectory, jobs: Int, _ progress: (any ProgressObserver)?
    ) throws(CapsuleError) {
        var files: [(number: Int, content: Int)] = []
        let writer = TreeWriter(new)
        for number in numbers {
            try CapsuleError.checkInterruption()
            let path = RelativePath(named: Self.name(number))
            guard let wanted = plan.changes[number].wanted else {
                continue
            }
            switch (wanted.entry.kind, wanted.content) {
            case (.directory, _):
                try writer.makeDirectory(path)
            case (.link, _):
                try writer.makeLink(path, target: wanted.entry.target, modified: wanted.entry.modified)
            case (_, .file(let content)): files.append((number, content))
            case (_, .kept), (_, .none):
                let copy = PresentCopy(of: plan.changes[number], in: plan.roots)
                refused += try copy.write(as: path, with: writer).map { (plan.changes[number].place, $0) }
            }
        }
        // Files that are stored together in the source are read together.
        files.sort { $0.content < $1.content }
        try write(files, in: new, jobs: jobs, progress)
    }

    private mutating func write(
        _ files: [(number: Int, content: Int)], in new: RootDirectory, jobs: Int, _ progress: (any ProgressObserver)?
    ) throws(CapsuleError) {
        if files.isEmpty { return }
        guard let source = plan.source else { throw CapsuleError("the files' content has no source") }
        var planned: [PlannedFile] = []
        for (number, content) in files {
            let change = plan.changes[number]
            guard var entry = change.wanted?.entry else { continue }
            let name = RelativePath(named: Self.name(number))
            entry.kind = .file
            planned.append(PlannedFile(number: number, name: name, content: content, place: change.place.path, entry: entry))
        }
        for (number, name) in try source.write(planned, in: new, jobs: jobs, progress: progress) {
            guard plan.changes.indices.contains(number) else { continue }
            refused.append((plan.changes[number].place, name))
        }
    }

    /// Adds to `after` what turns one list of attributes into the other, and to `before` what turns it back.
    static func difference(
        from old: [ExtendedAttribute], to new: [ExtendedAttribute], _ before: inout JournalStep.Metadata,
        _ after: inout JournalStep.Metadata
    ) {
        let oldByName = Dictionary(old.map { ($0.name, $0) }) { first, _ in first }
        let newNames = Set(new.map(\.name))
        for attribute in new where !ExtendedAttribute.isDenied(attribute.name) {
            let present = oldByName[attribute.name]
            if present == attribute { continue }
            after.attributes.append(attribute)
            if let present { before.attributes.append(present) } else { before.removed.append(attribute.name) }
        }
        for attribute in old where !newNames.contains(attribute.name) {
            after.removed.append(attribute.name)
            before.attributes.append(attribute)
        }
    }
}

/// For each removed directory, an empty one in the staging directory that replaces it if the transaction is undone.
/// An overlay file system can't rename a directory of its lower layers (rename(2): EXDEV), so there a removed directory is deleted
/// when it is empty. Only directories need this, because the entries in them are renamed one by one anyway.
struct SpareDirectories {
    private(set) var inodes: [Int: UInt64] = [:]
    private let plan: ApplyPlan
    private let areas: [TransactionDirectory]

    init(_ plan: ApplyPlan, _ areas: [TransactionDirectory]) {
        self.plan = plan
        self.areas = areas
    }

    /// Returns the number of a spare directory in `new`. These numbers follow those of the new entries.
    func number(of change: Int) -> Int { plan.changes.count + change }

    /// Makes the spare directories, with everything that the directories have except modes and times, which are set last while
    /// undoing.
    mutating func make() throws(CapsuleError) {
        for (number, change) in plan.changes.enumerated() where change.isLeaving {
            guard change.present?.status.kind == .directory else { continue }
            let area = areas[change.place.root]
            guard !area.movesDirectories, let new = area.new else { continue }
            let name = StagedEntries.name(self.number(of: number))
            try new.makePrivateDirectory(name)
            let spare = try new.subdirectoryOnDevice(named: name)
            try spare.takeOver(from: try area.root.subdirectoryOnDevice(change.place.path))
            try spare.sync()
            inodes[number] = try spare.status().inode
        }
    }
}

/// A copy of an existing file that has other names, too. The other names keep their content and metadata.
private struct PresentCopy {
    private let change: ApplyPlan.Change
    private let root: RootDirectory

    private static let pieceLength = 1 << 18

    init(of change: ApplyPlan.Change, in roots: [RootDirectory]) {
        self.change = change
        root = roots[change.place.root]
    }

    func write(as path: RelativePath, with writer: TreeWriter) throws(CapsuleError) -> [[UInt8]] {
        let place = root.hostPath(of: change.place.path)
        guard let present = change.present, let wanted = change.wanted else { return [] }
        let size = present.status.size
        let source = try root.openFile(change.place.path)
        guard try Syscall.status(of: source.raw, path: place).isSameState(as: present.status) else {
            throw .changedMeanwhile(place)
        }
        let file = try writer.makeFile(path, mode: FileMode(0o600))
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.pieceLength, alignment: 64)
        defer { buffer.deallocate() }
        var at: UInt64 = 0
        while at < size {
            try Interruption.check()
            at = max(at, Syscall.nextData(source.raw, from: at) ?? at)
            if at >= size { break }
            let count = try Syscall.read(source.raw, at: at, into: buffer, path: place)
            if count == 0 { break }
            try file.write(UnsafeRawBufferPointer(rebasing: buffer[..<count]), at: at)
            at += UInt64(count)
        }
        try file.setLength(size)
        guard try Syscall.status(of: source.raw, path: place).isSameState(as: present.status) else {
            throw .changedMeanwhile(place)
        }
        return try file.finish(
            mode: wanted.entry.mode.restorable(for: .file), modified: wanted.entry.modified,
            attributes: wanted.entry.attributes
        ).map(\.name)
    }
}

/// Makes many entries durable: one by one, or with the whole file system if that is cheaper.
enum Durability {
    /// The largest number of entries that are synced one by one. For more, the whole file system is synced.
    static let limit = 64

    static func sync(_ names: [[UInt8]], in directory: RootDirectory) throws(CapsuleError) {
        if names.isEmpty { return }
        if names.count > limit { return try directory.syncFileSystem() }
        for name in names {
            do throws(CapsuleError) {
                let isDirectory = try directory.statusIfThere(name)?.kind == .directory
                let entry = try directory.openEntry(name, isDirectory: isDirectory)
                try Syscall.sync(entry.raw, path: directory.path)
            } catch {
                // A file whose mode closes it to its owner.
                guard error.code == .notPermitted else { throw error }
                return try directory.syncFileSystem()
            }
        }
    }
}
