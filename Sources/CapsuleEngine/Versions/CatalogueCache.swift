import CapsuleArchive
import CapsuleCore
import CapsuleFileSystem

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
