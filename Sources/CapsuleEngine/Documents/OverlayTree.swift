import CapsuleCore
import CapsulePropertyList

/// The property lists of one tree, as overlays change them: a container's, or an app bundle's.
struct OverlayTree {
    /// A property list that an overlay spoke of.
    struct Edited {
        /// Its number among the entries; nil for one that is made.
        let number: Int?
        let path: RelativePath
        /// As it was; nil for one that is made.
        let document: PlistDocument?
        var value: PlistValue
        /// The encoding that an overlay asked for.
        var encoding: PlistFormat?
        /// Whether an overlay did something with it; what is to be made is not made otherwise.
        var isTouched = false

        /// Its bytes now.
        ///
        /// - Throws: for a value that its encoding can't hold.
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

    /// A property list that is longer is not read.
    private static let longest: UInt64 = 1 << 30

    let container: OpenedContainer
    /// The part of the container that paths speak of, and what stands before them there.
    let root: TreeRoot
    let prefix: RelativePath
    /// By their paths, in the order in which they came up.
    private(set) var edited: [Edited] = []

    init(_ container: OpenedContainer, root: TreeRoot = .tree, prefix: RelativePath = .root) {
        self.container = container
        self.root = root
        self.prefix = prefix
    }

    /// The places of what a target's path names: of one file, or of all that a glob fits.
    ///
    /// - Throws: a path that is none, a glob that nothing fits.
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

    /// Names that no overlay makes anything of, be it there or not.
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

    /// The path in the container of one in this tree.
    func whole(_ path: RelativePath) -> RelativePath { prefix.isRoot ? path : RelativePath(joining: prefix.bytes, path) }

    private func entry(at path: RelativePath) -> (number: Int, entry: TreeEntry)? {
        let number = container.entries.place(of: whole(path), in: root)
        return number.map { ($0, container.entries[$0]) }
    }

    /// Where a property list is among those that came up; it is read if it has not been.
    ///
    /// - Returns: nil if there is none.
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
        edited.append(Edited(number: number, path: path, document: document, value: document.value))
        return edited.count - 1
    }

    /// What lies behind a link, or in a file, is nowhere in the tree, and can't be made there.
    private func refuseDetour(_ path: RelativePath) throws(CapsuleError) {
        var parent = path.parent
        while let directory = parent, !directory.isRoot {
            if let kind = entry(at: directory)?.entry.kind, kind != .directory {
                throw CapsuleError(
                    "is a \(kind.word), not a directory", path: HostPath(directory.bytes))
            }
            parent = directory.parent
        }
    }

    /// Makes room for a property list that is missing.
    mutating func make(_ path: RelativePath) -> Int {
        edited.append(Edited(number: nil, path: path, document: nil, value: .dictionary(PlistDictionary())))
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
        let file = try container.content.open(entry, number: number)
        var failure: CapsuleError?
        let bytes = [UInt8](unsafeUninitializedCapacity: Int(entry.size)) { room, count in
            do throws(CapsuleError) {
                count = try file.read(at: 0, into: UnsafeMutableRawBufferPointer(room))
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
        do throws(PlistError) {
            return try PlistDocument.read(bytes)
        } catch {
            throw CapsuleError(error, in: path)
        }
    }
}
