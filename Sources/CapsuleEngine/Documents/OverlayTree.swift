import CapsuleContainers
import CapsuleCore
import CapsulePropertyList

/// The property lists of one tree while overlays change them. The tree is that of a container or an app bundle.
struct OverlayTree {
    /// A property list that an overlay names.
    struct TargetFile {
        let number: Int?
        let path: RelativePath
        let document: PlistDocument?
        var value: PlistValue
        var encoding: PlistFormat?
        /// True if an overlay was applied to the property list. A new file that is not touched is not created.
        var isTouched = false

        func writtenBytes() throws(CapsuleError) -> [UInt8] {
            do throws(PlistError) {
                return try bytes()
            } catch {
                throw CapsuleError(error, in: HostPath(path.bytes))
            }
        }

        private func bytes() throws(PlistError) -> [UInt8] {
            guard let document, encoding == nil || encoding == document.format else {
                return try PlistWriter.write(value, as: encoding ?? .xml)
            }
            return try document.bytes(holding: value)
        }
    }

    private static let longest: UInt64 = 1 << 30

    let container: OpenedContainer
    /// The part of the container that paths refer to. `prefix` is the path of this part in the container.
    let root: TreeRoot
    let prefix: RelativePath
    private(set) var edited: [TargetFile] = []

    init(_ container: OpenedContainer, root: TreeRoot = .tree, prefix: RelativePath = .root) {
        self.container = container
        self.root = root
        self.prefix = prefix
    }

    func places(of path: String) throws(CapsuleError) -> [RelativePath] {
        let bytes = Array(path.utf8)
        guard bytes.contains(where: { "*?[\\".utf8.contains($0) }), !isFile(bytes) else {
            let path: RelativePath
            do throws(PathError) {
                path = try RelativePath(validating: bytes)
            } catch {
                throw CapsuleError("is not a path in a container: \(error.message)", path: HostPath(bytes))
            }
            try refuseReserved(path)
            return [path]
        }
        let glob: Glob
        do throws(GlobError) {
            glob = try Glob(bytes)
        } catch {
            throw CapsuleError("is not a pattern: \(error.message)", path: HostPath(bytes))
        }
        let found = container.entries.compactMap { entry -> RelativePath? in
            guard entry.root == root, entry.kind == .file, let path = entry.path.relative(to: prefix), glob.matches(path.bytes)
            else { return nil }
            return path
        }
        guard !found.isEmpty else {
            throw CapsuleError(.notFound, "matches no file", path: HostPath(bytes), hint: "'capsule ls' lists all paths")
        }
        return found
    }

    /// Refuses names that an overlay never changes, even if there is no such file.
    private func refuseReserved(_ path: RelativePath) throws(CapsuleError) {
        guard let first = path.components.first else { return }
        if first.elementsEqual(ContainerNames.transaction) {
            throw CapsuleError("is reserved for unfinished transactions", path: HostPath(path.bytes))
        }
        if container.layout == .container, path.components.count == 1, first.elementsEqual(ContainerNames.identity) {
            throw CapsuleError("identifies the container and is never changed", path: HostPath(path.bytes))
        }
    }

    private func isFile(_ bytes: [UInt8]) -> Bool {
        guard let path = try? RelativePath(validating: bytes) else { return false }
        return entry(at: path)?.entry.kind == .file
    }

    func fullPath(_ path: RelativePath) -> RelativePath { prefix.isRoot ? path : RelativePath(joining: prefix.bytes, path) }

    private func entry(at path: RelativePath) -> (number: Int, entry: TreeEntry)? {
        let number = container.entries.index(of: fullPath(path), in: root)
        return number.map { ($0, container.entries[$0]) }
    }

    /// Returns the number of a property list in ``edited``. It is read if it was not named before.
    /// - Returns: nil if there is no such file.
    mutating func open(_ path: RelativePath) throws(CapsuleError) -> Int? {
        if let known = edited.firstIndex(where: { $0.path == path }) { return known }
        guard let (number, entry) = entry(at: path) else {
            try refuseDetour(path)
            return nil
        }
        guard entry.kind == .file else {
            throw CapsuleError(
                entry.kind == .identity
                    ? "identifies the container and is never changed" : "is a \(entry.kind.word), not a property list",
                path: HostPath(path.bytes))
        }
        let document = try document(entry, number)
        edited.append(TargetFile(number: number, path: path, document: document, value: document.value))
        return edited.count - 1
    }

    /// Refuses a path that leads through a link or a file. It is not in the tree, and can't be created.
    private func refuseDetour(_ path: RelativePath) throws(CapsuleError) {
        var parent = path.parent
        while let directory = parent, !directory.isRoot {
            if let kind = entry(at: directory)?.entry.kind, kind != .directory {
                throw CapsuleError("is a \(kind.word), not a directory", path: HostPath(directory.bytes))
            }
            parent = directory.parent
        }
    }

    mutating func make(_ path: RelativePath) -> Int {
        edited.append(TargetFile(number: nil, path: path, document: nil, value: .dictionary(PlistDictionary())))
        return edited.count - 1
    }

    mutating func set(_ value: PlistValue, encoding: PlistFormat?, at place: Int) {
        edited[place].isTouched = true
        edited[place].value = value
        edited[place].encoding = encoding ?? edited[place].encoding
    }

    private func document(_ entry: TreeEntry, _ number: Int) throws(CapsuleError) -> PlistDocument {
        let path = HostPath(entry.path.bytes)
        guard entry.size <= Self.longest else { throw CapsuleError("is too long for a property list", path: path) }
        let bytes = try container.open(number).start(Int(entry.size))
        do throws(PlistError) {
            return try PlistDocument.read(bytes)
        } catch {
            throw CapsuleError(error, in: path)
        }
    }
}
