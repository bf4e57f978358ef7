package import CapsuleCore
import CapsuleSystem

/// Keeps small blobs of registries on this machine: configs and the ends of segments, so that a capsule that was read before takes fewer
/// requests. Only this user can have written them, and they are compared with their digests all the same. All failures are ignored.
package struct BlobCache: Sendable {
    private let path: HostPath
    private let limit: UInt64

    /// The longest blob that is kept.
    private static let longest: UInt64 = 1 << 20
    private static let digits = Array("0123456789abcdef".utf8)
    /// An hour, in seconds. Leftovers of killed commands are older.
    private static let leftoverAge: Int64 = 3_600

    /// - Parameters:
    ///   - path: the directory, which is made on first use.
    ///   - limit: the greatest number of bytes in it. The blobs that were unused for the longest time are deleted first.
    package init(_ path: HostPath, limit: UInt64 = 256 << 20) {
        self.path = path
        self.limit = limit
    }

    func keeps(_ size: UInt64) -> Bool { size <= Self.longest }

    func bytes(of digest: OCIDigest, size: UInt64) -> [UInt8]? {
        guard keeps(size), let file = PrivateDirectory(path)?.open(Self.name(of: digest)), file.size == size else { return nil }
        var bytes = [UInt8](repeating: 0, count: Int(size))
        guard bytes.withUnsafeMutableBytes({ file.read(at: 0, into: $0) }), OCIDigest(of: bytes) == digest else { return nil }
        file.touch()
        return bytes
    }

    /// Saves a blob. ``prune()`` must follow.
    /// - Parameter bytes: a blob that matches its digest.
    func save(_ bytes: [UInt8], as digest: OCIDigest) {
        guard keeps(UInt64(bytes.count)), PrivateDirectory.make(path.directory) != nil, let place = PrivateDirectory.make(path)
        else { return }
        bytes.withUnsafeBytes { bytes in
            do throws(CapsuleError) { try place.replace(Self.name(of: digest), with: [bytes]) } catch {}
        }
    }

    /// Deletes what exceeds the limit, and what killed commands left.
    func prune() {
        guard let place = PrivateDirectory(path) else { return }
        var total: UInt64 = 0
        for file in place.files().sorted(by: { $0.modified > $1.modified }) {
            if file.name.count == 64, file.name.allSatisfy(Self.digits.contains) {
                total += file.size
                if total > limit { place.remove(file.name) }
            } else if file.modified.seconds < Host.now - Self.leftoverAge {
                place.remove(file.name)
            }
        }
    }

    private static func name(of digest: OCIDigest) -> [UInt8] { Array(digest.content.hex.utf8) }
}
