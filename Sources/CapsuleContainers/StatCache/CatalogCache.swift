package import CapsuleArchive
import CapsuleCore
import CapsuleHashing
import CapsuleSystem

/// The cache of catalogues of capsules with many versions, so that an append need not read all their indexes. All failures in it
/// are ignored. A catalogue is named by the digest of the newest footer, which covers everything that was in the capsule when the
/// catalogue was made.
package struct CatalogCache: Sendable {
    private let directory: StatCacheDirectory
    private var path: HostPath { directory.path }

    /// The smallest number of versions with a catalogue. The indexes of fewer versions are read as fast.
    package static let fewestVersions = 8
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
