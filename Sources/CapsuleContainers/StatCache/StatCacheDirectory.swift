package import CapsuleArchive
import CapsuleCore
import CapsuleHashing
import CapsuleSystem

/// The directory of the stat caches, with one file for each directory that was read. All failures in it are ignored.
package struct StatCacheDirectory: Sendable {
    let path: HostPath
    /// The largest total size of all files, in bytes.
    private let limit: UInt64

    init(_ path: HostPath, limit: UInt64 = 256 << 20) {
        self.path = path
        self.limit = limit
    }

    /// `$XDG_CACHE_HOME/capsule`, else `~/.cache/capsule`; nil where neither variable has an absolute path (XDG Base Directory
    /// Specification).
    static var ofUser: StatCacheDirectory? {
        of(cacheHome: Host.environment("XDG_CACHE_HOME"), home: Host.environment("HOME"))
    }

    static func of(cacheHome: [UInt8]?, home: [UInt8]?) -> StatCacheDirectory? {
        let slash = UInt8(ascii: "/")
        var base: HostPath?
        if let cacheHome, cacheHome.first == slash {
            base = HostPath(cacheHome)
        } else if let home, home.first == slash {
            base = HostPath(home).appending(Array(".cache".utf8))
        }
        return base.map { StatCacheDirectory($0.appending(Array("capsule".utf8))) }
    }

    private static let suffix = Array(".stat".utf8)
    /// The suffixes of all files in the directory.
    private static let suffixes = [suffix, CatalogCache.suffix]

    private static func name(for root: HostPath) -> [UInt8] {
        Array(SHA256Hasher.digest(of: root.bytes).hex.utf8) + suffix
    }

    /// Opens the cache of a directory; nil if there is none that only this user can have written.
    ///
    /// - Parameter root: the real path of the directory.
    func open(for root: HostPath) -> PrivateDirectory.File? {
        PrivateDirectory(path)?.open(Self.name(for: root))
    }

    /// Returns a file without a name; nil if none can be created.
    func spool() -> SpoolFile? {
        PrivateDirectory.make(path).flatMap { try? SpoolFile(in: $0.path) }
    }

    /// Marks the cache of a directory as still in use.
    func touch(for root: HostPath) {
        PrivateDirectory(path)?.open(Self.name(for: root))?.touch()
    }

    /// Saves a table. A table that is empty or too long is not saved, and the cache of the directory is deleted.
    func save(_ table: StatCacheTable, for root: HostPath) {
        let name = Self.name(for: root)
        guard let directory = PrivateDirectory.make(path) else { return }
        if table.records.isEmpty || table.records.count > StatCacheFile.recordLimit {
            directory.remove(name)
            return
        }
        try? StatCacheFile.write(table) { (pieces) throws(CapsuleError) in try directory.replace(name, with: pieces) }
        prune(directory, keeping: name)
    }

    /// Deletes the files that were unused for the longest time, and the leftovers of killed commands.
    func prune(_ directory: PrivateDirectory, keeping own: [UInt8]) {
        var total: UInt64 = 0
        for file in directory.files().sorted(by: { $0.modified > $1.modified }) {
            if Self.isKept(file.name) {
                total += file.size
                if total > limit, file.name != own { directory.remove(file.name) }
            } else if file.modified.seconds < Host.now - Self.leftoverAge,
                TemporaryName.target(of: file.name).map(Self.isKept) ?? false
            {
                directory.remove(file.name)
            }
        }
    }

    /// Returns true if a file belongs to the caches: its name is a digest and a suffix.
    private static func isKept(_ name: [UInt8]) -> Bool {
        suffixes.contains { suffix in
            name.count == 64 + suffix.count && name.suffix(suffix.count).elementsEqual(suffix)
                && name.prefix(64).allSatisfy(digits.contains)
        }
    }

    private static let digits = Array("0123456789abcdef".utf8)

    /// A day, in seconds. No command takes longer to write a file.
    private static let leftoverAge: Int64 = 86_400
}

/// The cache of catalogues of capsules with many versions, so that an append need not read all their indexes. All failures in it
/// are ignored.
///
/// A catalogue is named by the digest of the newest footer, which covers everything that was in the capsule when the catalogue was
/// made.
package struct CatalogCache: Sendable {
    private let directory: StatCacheDirectory
    private var path: HostPath { directory.path }

    /// The smallest number of versions with a catalogue. The indexes of fewer versions are read as fast.
    package static let fewestVersions = 8
    /// The size in bytes of the longest catalogue that is kept.
    private static let longest: UInt64 = 64 << 20

    package init(_ directory: StatCacheDirectory) { self.directory = directory }

    private static func name(_ newest: Footer) -> [UInt8] { Array(newest.digest.hex.utf8) + suffix }

    static let suffix = Array(".versions".utf8)

    /// Returns the catalogue of the capsule with that newest footer; nil if there is none that can be trusted.
    package func load(_ newest: Footer) -> Catalog? {
        guard let file = PrivateDirectory(path)?.open(Self.name(newest)), file.size <= Self.longest else { return nil }
        let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: Int(file.size), alignment: 8)
        defer { bytes.deallocate() }
        return file.read(at: 0, into: bytes) ? Catalog(decoding: UnsafeRawBufferPointer(bytes)) : nil
    }

    /// Saves a capsule's catalogue in place of the catalogue of its previous version.
    package func save(_ catalogue: Catalog, _ newest: Footer, insteadOf last: Footer) {
        guard let place = PrivateDirectory.make(path) else { return }
        let bytes = catalogue.encoded()
        place.remove(Self.name(last))
        guard UInt64(bytes.count) <= Self.longest else { return }
        bytes.withUnsafeBytes { bytes in
            do throws(CapsuleError) { try place.replace(Self.name(newest), with: [bytes]) } catch {}
        }
        directory.prune(place, keeping: Self.name(newest))
    }

    /// Reuses the catalogue of the previous version for a version that adds nothing to it.
    package func keep(_ newest: Footer, as last: Footer) {
        PrivateDirectory(path)?.rename(Self.name(last), to: Self.name(newest))
    }
}
