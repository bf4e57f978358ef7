import CapsuleArchive
import CapsuleCore
import CapsuleSystem
import CapsuleHashing

/// Where stat caches are kept, one file for each directory that was read; whatever fails there, fails silently.
struct StatCacheDirectory: Sendable {
    let path: HostPath
    /// How many bytes all files may have together.
    private let limit: UInt64

    init(_ path: HostPath, limit: UInt64 = 256 << 20) {
        self.path = path
        self.limit = limit
    }

    /// `$XDG_CACHE_HOME/capsule`, else `~/.cache/capsule`; nil where neither variable has an absolute path (XDG Base Directory
    /// Specification).
    static var ofUser: StatCacheDirectory? {
        of(cacheHome: Terminal.environment("XDG_CACHE_HOME"), home: Terminal.environment("HOME"))
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
    /// Of all that is kept here.
    private static let suffixes = [suffix, CatalogueCache.suffix]

    private static func name(for root: HostPath) -> [UInt8] {
        Array(SHA256Hasher.digest(of: root.bytes).hex.utf8) + suffix
    }

    /// Opens what is kept of a directory; nil if there is nothing that only this user can have written.
    ///
    /// - Parameter root: the directory's real path.
    func open(for root: HostPath) -> PrivateDirectory.File? {
        PrivateDirectory(path)?.open(Self.name(for: root))
    }

    /// A file without a name; nil if there can be none.
    func spool() -> SpoolFile? {
        PrivateDirectory.make(path).flatMap { try? SpoolFile(in: $0.path) }
    }

    /// Says that what is kept of a directory is still of use.
    func touch(for root: HostPath) {
        PrivateDirectory(path)?.open(Self.name(for: root))?.touch()
    }

    /// Keeps a table; what is too long to be kept is not.
    func save(_ table: StatCacheTable, for root: HostPath) {
        let name = Self.name(for: root)
        guard let directory = PrivateDirectory.make(path) else { return }
        if table.records.isEmpty || table.records.count > StatCacheFile.recordLimit {
            directory.remove(name)
            return
        }
        try? StatCacheFile.write(table) { (pieces) throws(FileSystemError) in try directory.replace(name, with: pieces) }
        prune(directory, keeping: name)
    }

    /// Deletes the files that were of no use for the longest time, and what a killed command left.
    func prune(_ directory: PrivateDirectory, keeping own: [UInt8]) {
        var total: UInt64 = 0
        for file in directory.files().sorted(by: { $0.modified > $1.modified }) {
            if Self.isKept(file.name) {
                total += file.size
                if total > limit, file.name != own { directory.remove(file.name) }
            } else if file.modified.seconds < Terminal.now - Self.leftoverAge,
                TemporaryName.target(of: file.name).map(Self.isKept) ?? false
            {
                directory.remove(file.name)
            }
        }
    }

    /// Whether a file is one of ours: a digest and a suffix.
    private static func isKept(_ name: [UInt8]) -> Bool {
        suffixes.contains { suffix in
            name.count == 64 + suffix.count && name.suffix(suffix.count).elementsEqual(suffix)
                && name.prefix(64).allSatisfy(digits.contains)
        }
    }

    private static let digits = Array("0123456789abcdef".utf8)

    /// A day, in seconds: no command writes that long.
    private static let leftoverAge: Int64 = 86_400
}

/// Where catalogues of capsules with many versions are kept, so that an append need not read all their indexes. Whatever fails
/// there, fails silently.
///
/// A catalogue goes by the digest of the newest footer, which binds all that was there when it was made.
struct CatalogueCache: Sendable {
    private let directory: StatCacheDirectory
    private var path: HostPath { directory.path }

    /// Below so many versions their indexes are read as fast.
    static let fewestVersions = 8
    /// No longer catalogue is kept, in bytes.
    private static let longest: UInt64 = 64 << 20

    init(_ directory: StatCacheDirectory) { self.directory = directory }

    private static func name(_ newest: Footer) -> [UInt8] { Array(newest.digest.hex.utf8) + suffix }

    static let suffix = Array(".versions".utf8)

    /// The catalogue of the capsule with that newest footer; nil if nothing is kept that can be believed.
    func load(_ newest: Footer) -> Catalogue? {
        guard let file = PrivateDirectory(path)?.open(Self.name(newest)), file.size <= Self.longest else { return nil }
        let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: Int(file.size), alignment: 8)
        defer { bytes.deallocate() }
        return file.read(at: 0, into: bytes) ? Catalogue(decoding: UnsafeRawBufferPointer(bytes)) : nil
    }

    /// Keeps a capsule's catalogue in place of the one that it had a version before.
    func save(_ catalogue: Catalogue, _ newest: Footer, insteadOf last: Footer) {
        guard let place = PrivateDirectory.make(path) else { return }
        let bytes = catalogue.encoded()
        place.remove(Self.name(last))
        guard UInt64(bytes.count) <= Self.longest else { return }
        bytes.withUnsafeBytes { bytes in
            do throws(FileSystemError) { try place.replace(Self.name(newest), with: [bytes]) } catch {}
        }
        directory.prune(place, keeping: Self.name(newest))
    }

    /// Lets the catalogue of a version before stand for one that has nothing more.
    func keep(_ newest: Footer, as last: Footer) {
        PrivateDirectory(path)?.rename(Self.name(last), to: Self.name(newest))
    }
}
