package import CapsuleCore
import CapsuleHashing
import CapsulePropertyList
import CapsuleSystem

/// A tag in an OCI image layout, which is a directory with blobs and an index (OCI image-spec, image-layout.md).
///
/// Nothing in these files becomes a path but digests, and no link is followed below the directory.
package struct LayoutDirectory: Sendable {
    package let reference: OCILayoutReference
    /// The address for messages.
    package var path: HostPath { reference.path }

    private static let mark = Array("oci-layout".utf8)
    private static let markContent = Array("{\"imageLayoutVersion\":\"1.0.0\"}".utf8)
    private static let markLimit: UInt64 = 64 << 10
    private static let pieceLength: UInt64 = 1 << 20
    /// The time to wait for the lock of the index, in seconds. Others hold it for moments.
    private static let lockTimeout = 10.0

    package init(_ reference: OCILayoutReference) {
        self.reference = reference
    }

    /// Opens the directory.
    /// - Returns: nil if there is none, or if it is empty.
    func rootIfThere() throws(CapsuleError) -> RootDirectory? {
        let root: RootDirectory
        do throws(CapsuleError) {
            root = try RootDirectory(reference.directory)
        } catch {
            if error.code == .notFound { return nil }
            throw error
        }
        if try root.statusIfThere(Self.mark) == nil {
            // A push that was just begun has left no more than a temporary file.
            let temporary = [UInt8(ascii: ".")] + Self.mark
            let listing = try DirectoryListing(of: try root.openDirectory(.root), path: reference.directory)
            if listing.items.allSatisfy({ listing.name(of: $0).starts(with: temporary) }) { return nil }
            // Another push may have made it a layout meanwhile.
            guard try root.statusIfThere(Self.mark) != nil else {
                throw CapsuleError(
                    .notCapsule, "is not an OCI image layout: it has no file 'oci-layout'", path: path,
                    hint: "name a layout, or a directory that is empty or not there yet to push to")
            }
        }
        let mark = try ReceivedJSON.object(
            try root.readFile(named: Self.mark, limit: Self.markLimit), limit: Int(Self.markLimit),
            path: reference.directory.appending(Self.mark))
        let version = mark.text("imageLayoutVersion") ?? "none"
        guard version.hasPrefix("1.") else {
            throw CapsuleError(
                .otherFormat, "is a layout of version \(QuotedBytes(Array(version.utf8.prefix(100))).text), not 1", path: path)
        }
        return root
    }

    func index(_ root: RootDirectory) throws(CapsuleError) -> LayoutIndex {
        // A layout that another push is just creating has none yet.
        guard try root.statusIfThere(LayoutIndex.name) != nil else { return try LayoutIndex(LayoutIndex.empty, path: path) }
        let bytes = try root.readFile(named: LayoutIndex.name, limit: UInt64(LayoutIndex.lengthLimit))
        return try LayoutIndex(bytes, path: path)
    }

    /// All tags, sorted.
    package func tags() throws(CapsuleError) -> [String] {
        guard let root = try rootIfThere() else { throw CapsuleError.missing(reference.directory) }
        // Others would not be tags: they could hold anything.
        return try index(root).tags.filter(OCIReference.isTag)
    }

    /// Returns the manifest of the tag. Without a tag, it is the only one of the layout.
    package func manifest() throws(CapsuleError) -> RegistryManifest {
        if let found = try manifestIfThere() { return found }
        guard let root = try rootIfThere() else { throw CapsuleError.missing(reference.directory) }
        guard let tag = reference.tag else { throw CapsuleError(.notFound, "the layout has no manifest", path: path) }
        throw CapsuleError(
            .notFound, "the layout has no tag '\(tag)'", path: path,
            hint: "'capsule tags oci:\(reference.directory.shellWord)' lists them",
            misspelt: (tag, try index(root).tags))
    }
}

// MARK: - Blobs

extension LayoutDirectory {
    func blobs(_ root: RootDirectory) throws(CapsuleError) -> RootDirectory {
        try root.subdirectoryOnDevice(named: Array("blobs".utf8)).subdirectoryOnDevice(named: Array("sha256".utf8))
    }

    /// Opens the directory that the layout's blobs are in.
    func blobs() throws(CapsuleError) -> RootDirectory {
        guard let root = try rootIfThere() else { throw CapsuleError.missing(reference.directory) }
        return try blobs(root)
    }

    /// Opens a blob.
    /// - Parameter size: the length that the manifest says; nil if nothing says it.
    /// - Throws: an error with the code `notFound` if it is missing.
    func open(_ digest: OCIDigest, size: UInt64?, in blobs: RootDirectory) throws(CapsuleError) -> OpenBlob {
        let file: OwnedDescriptor
        do throws(CapsuleError) {
            file = try blobs.openFile(named: digest.fileName[...])
        } catch {
            if error.code == .notFound { throw CapsuleError(.notFound, "the layout lacks the blob \(digest)", path: path) }
            throw error.at(blobs.path.appending(digest.fileName))
        }
        let status = try Syscall.status(of: file.raw, path: blobs.path.appending(digest.fileName))
        guard status.kind == .file else { throw .notAFile(blobs.path.appending(digest.fileName)) }
        guard size == nil || size == status.size else {
            throw CapsuleError(
                .damaged, "the blob \(digest) has \(status.size) bytes, but the manifest says \(size ?? 0)", path: path)
        }
        return OpenBlob(file: file, size: status.size)
    }

    /// Compares a blob with its digest.
    func check(_ digest: OCIDigest, size: UInt64, in blobs: RootDirectory) throws(CapsuleError) {
        let blob = try open(digest, size: size, in: blobs)
        var hasher = SHA256Hasher()
        var offset: UInt64 = 0
        while offset < size {
            try CapsuleError.checkInterruption()
            let bytes = try read(blob, at: offset, min(Self.pieceLength, size - offset))
            hasher.update(bytes)
            offset += UInt64(bytes.count)
        }
        guard hasher.finish() == digest.content else { throw damaged(digest) }
    }

    private func read(_ blob: borrowing OpenBlob, at offset: UInt64, _ count: UInt64) throws(CapsuleError) -> [UInt8] {
        let raw = blob.file.raw
        let bytes = try [UInt8](reading: Int(count)) { (room) throws(CapsuleError) in
            try Syscall.read(raw, at: offset, into: room, path: path)
        }
        guard bytes.count == Int(count) else { throw CapsuleError(.changed, "a blob became shorter meanwhile", path: path) }
        return bytes
    }

    private func damaged(_ digest: OCIDigest) -> CapsuleError {
        CapsuleError(.damaged, "the layout has a blob that does not match its digest: \(digest)", path: path)
    }

    /// Reads a small blob and compares it with its digest.
    func content(
        of digest: OCIDigest, size: UInt64?, limit: Int, in blobs: RootDirectory
    ) throws(CapsuleError) -> [UInt8] {
        let blob = try open(digest, size: size, in: blobs)
        guard blob.size <= UInt64(limit) else {
            throw CapsuleError(.damaged, "the blob \(digest) is longer than \(Quantity.bytes(UInt64(limit)))", path: path)
        }
        let bytes = try read(blob, at: 0, blob.size)
        guard OCIDigest(of: bytes) == digest else { throw damaged(digest) }
        return bytes
    }
}

/// The open file of a blob, and its length.
struct OpenBlob: ~Copyable {
    let file: OwnedDescriptor
    let size: UInt64
}

extension OCIDigest {
    fileprivate var fileName: [UInt8] { Array(content.hex.utf8) }
}

// MARK: - Writing

extension LayoutDirectory: CapsuleRepository {
    package var place: String { "the layout" }

    package func manifestIfThere() throws(CapsuleError) -> RegistryManifest? {
        guard let root = try rootIfThere() else { return nil }
        let entry = reference.digest == nil ? try index(root).entry(reference.tag) : nil
        guard let digest = reference.digest ?? entry?.blob.digest else { return nil }
        let blobs = try blobs(root)
        let bytes = try content(of: digest, size: entry?.blob.size, limit: OCIManifest.lengthLimit, in: blobs)
        let manifest = try OCIManifest(decoding: bytes, contentType: entry?.type, path: path)
        let config = manifest.config
        let content =
            if let data = config.data { data } else {
                try content(of: config.digest, size: config.size, limit: OCIManifest.configLimit, in: blobs)
            }
        return RegistryManifest(
            manifest: manifest, bytes: bytes, digest: digest, tag: nil,
            config: try CapsuleConfig(decoding: content, of: manifest, path: path))
    }

    /// Creates what a layout has and this directory lacks. Pushes that do so at once don't disturb each other.
    private func prepared() throws(CapsuleError) -> RootDirectory {
        CreationMask.prepare()
        // Refuses a directory with anything else.
        _ = try rootIfThere()
        let directory = reference.directory
        try Self.makeDirectory(directory)
        try Self.write(Self.markContent, to: directory.appending(Self.mark))
        try Self.makeDirectory(directory.appending(Array("blobs".utf8)))
        try Self.makeDirectory(directory.appending(Array("blobs/sha256".utf8)))
        try Self.write(LayoutIndex.empty, to: directory.appending(LayoutIndex.name))
        return try RootDirectory(directory)
    }

    private static func makeDirectory(_ path: HostPath) throws(CapsuleError) {
        do throws(CapsuleError) {
            try Syscall.makeDirectory(path, mode: 0o777)
            try RootDirectory(path.directory).sync()
        } catch {
            guard error.code == .exists else { throw error }
        }
    }

    /// Creates a file unless it is there. What others may see is for the directory's owner to decide, so it is private at first.
    private static func write(_ bytes: [UInt8], to path: HostPath) throws(CapsuleError) {
        guard try Syscall.statusIfThere(path) == nil else { return }
        let staged = try StagedFile(for: path)
        try bytes.withRawBytes { (bytes) throws(CapsuleError) in try staged.write(bytes, at: 0) }
        do throws(CapsuleError) {
            try staged.commit(replacing: false, mode: FileMode(0o600))
        } catch {
            guard error.code == .exists else { throw error }
        }
    }

    package func store(_ blobs: [NewBlob], stored: (UInt64, Bool) -> Void) throws(CapsuleError) {
        let root = try prepared()
        let directory = try self.blobs(root)
        // Who may read the index may read the blobs.
        let mode = FileMode((try root.statusIfThere(LayoutIndex.name)?.mode.rawValue ?? 0o600) & 0o666)
        for blob in blobs {
            let isThere = try isWhole(blob, in: directory)
            if !isThere { try write(blob, to: directory, mode) }
            stored(blob.body.length, !isThere)
        }
        try directory.sync()
    }

    /// Returns true if a blob is there. One that another program has left damaged is replaced.
    private func isWhole(_ blob: NewBlob, in blobs: RootDirectory) throws(CapsuleError) -> Bool {
        do throws(CapsuleError) {
            try check(blob.digest, size: blob.body.length, in: blobs)
            return true
        } catch {
            guard error.code == .notFound || error.code == .damaged else { throw error }
            return false
        }
    }

    private func write(_ blob: NewBlob, to blobs: RootDirectory, _ mode: FileMode) throws(CapsuleError) {
        let staged = try StagedFile(for: blobs.path.appending(blob.digest.fileName))
        var hasher = SHA256Hasher()
        var offset: UInt64 = 0
        while offset < blob.body.length {
            try CapsuleError.checkInterruption()
            let bytes = try blob.body.read(offset, Int(min(Self.pieceLength, blob.body.length - offset)))
            hasher.update(bytes)
            try bytes.withRawBytes { (bytes) throws(CapsuleError) in try staged.write(bytes, at: offset) }
            offset += UInt64(bytes.count)
        }
        guard hasher.finish() == blob.digest.content else {
            throw CapsuleError("the file was changed while it was pushed", path: path)
        }
        try staged.commit(replacing: true, mode: mode) { _ in }
    }

    package func tag(
        _ manifest: [UInt8], of config: CapsuleConfig, replacing old: RegistryManifest?
    ) throws(CapsuleError) {
        guard let tag = reference.tag else { throw CapsuleError(.usage, "names no tag", path: path) }
        try edit(manifest, tag) { (index) throws(CapsuleError) in
            guard try index.entry(tag)?.blob.digest == old?.digest else {
                throw CapsuleError(.changed, "the tag has moved meanwhile", path: path, hint: "try again")
            }
        }
    }

    package func tag(_ manifest: [UInt8], also name: String) throws(CapsuleError) {
        try edit(manifest, name) { _ in }
    }

    /// Lets a tag name a manifest whose blobs are there.
    private func edit(
        _ manifest: [UInt8], _ tag: String, _ check: (LayoutIndex) throws(CapsuleError) -> Void
    ) throws(CapsuleError) {
        let blobs = try self.blobs()
        let list = try OCIManifest(decoding: manifest, contentType: nil, path: path)
        _ = try open(list.config.digest, size: list.config.size, in: blobs)
        for layer in list.layers { _ = try open(layer.digest, size: layer.size, in: blobs) }
        try write(manifest, tag, OCIManifest.mediaType, check)
    }

    /// Stores a manifest, and lets a tag name it, under the lock of the index.
    func write(
        _ manifest: [UInt8], _ tag: String, _ type: String, _ check: (LayoutIndex) throws(CapsuleError) -> Void
    ) throws(CapsuleError) {
        try store([NewBlob(OCIDigest(of: manifest), HTTPBody(manifest))]) { _, _ in }
        let file = reference.directory.appending(LayoutIndex.name)
        guard try Syscall.statusIfThere(file)?.kind == .file else { throw .notAFile(file) }
        let edited = try EditedFile(file, limit: UInt64(LayoutIndex.lengthLimit), locks: true, timeout: Self.lockTimeout)
        let index = try LayoutIndex(edited.bytes, path: path)
        try check(index)
        try edited.replace(with: try index.bytes(tagging: manifest, tag, type: type))
    }
}
