import CapsuleArchive
import CapsuleCore

/// The directory of an archive that is taken for the container: its top level, or its one top directory.
struct ArchivedRoot {
    /// Where it is, from the archive's top.
    private(set) var base: RelativePath
    private(set) var top: TreeEntry
    private(set) var shape: ContainerShape
    private(set) var names: ContainerPlacement.Names
    private(set) var evidence: String
    /// Whether it is an app as it goes to a store.
    private(set) var isApp = false
    /// The Finder's own directory, which is left out.
    let finder: RelativePath?

    /// What the Finder adds to a zip: attributes in files of their own.
    private static let finderDirectory = Array("__MACOSX".utf8)
    private static let finderPrefix = Array("._".utf8)
    private static let payload = Array("Payload".utf8)
    private static let appSuffix = Array(".app".utf8)

    /// - Parameter stem: the archive's name without what says that it is one.
    init(of archive: ForeignArchive, stem: [UInt8]) {
        let entries = archive.listing.entries
        let finder = archive.form == .zip ? Self.finderDirectory(in: entries) : nil
        self.finder = finder
        let tops = entries.filter { Self.isTop($0.path) && $0.path != finder }
        base = .root
        top = archive.listing.top ?? TreeEntry(path: .root, kind: .directory, mode: FileMode(0o755), modified: .epoch)
        (shape, evidence) = Self.judge(stem, tops)
        // A file's name says whose container it is only where it is a bundle's.
        names = ContainerPlacement.Names(
            directory: ContainerNaming.withoutSuffix(stem) == stem ? nil : stem, fallback: stem)
        if shape == .directory, Self.holdsApp(entries) {
            isApp = true
            evidence = "an app in Payload"
        } else if shape == .directory, tops.count == 1, let only = tops.first, only.kind == .directory {
            base = only.path
            top = only
            (shape, evidence) = Self.judge(only.path.bytes, entries.filter { $0.path.parent == only.path })
            names = ContainerPlacement.Names(directory: only.path.bytes, fallback: stem)
        }
        if shape == .macContainer { enterData(entries, stem) }
    }

    /// A Mac container's app data is its `Data`.
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

    /// Whether `Payload` holds an app.
    private static func holdsApp(_ entries: [TreeEntry]) -> Bool {
        entries.contains { entry in
            guard entry.kind == .directory, entry.path.bytes.starts(with: payload) else { return false }
            let components = entry.path.components
            return components.count == 2 && components[0].elementsEqual(payload) && components[1].count > appSuffix.count
                && components[1].suffix(appSuffix.count).elementsEqual(appSuffix)
        }
    }

    /// The Finder's directory, if all in it is the Finder's.
    private static func finderDirectory(in entries: [TreeEntry]) -> RelativePath? {
        guard let directory = try? RelativePath(validating: finderDirectory) else { return nil }
        let files = entries.filter { $0.kind != .directory && $0.path.isAtOrBelow(directory) }
        let isFinders = !files.isEmpty && files.allSatisfy { $0.kind == .file && $0.path.name.starts(with: finderPrefix) }
        return isFinders ? directory : nil
    }
}
