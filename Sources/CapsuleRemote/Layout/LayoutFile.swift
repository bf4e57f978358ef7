package import CapsuleArchive
package import CapsuleCore
import CapsuleSystem

/// A capsule in a layout. Its bytes are read from the blobs when they are wanted.
package final class LayoutFile: ListedCapsule {
    package let path: HostPath
    package let length: UInt64
    package let config: CapsuleConfig
    package let manifestDigest: OCIDigest
    package let footers: [UInt64: ListedFooter]
    private let layout: LayoutDirectory
    private let directory: RootDirectory
    private let blobs: [PlacedBlob]

    /// - Throws: also if a blob is missing, or does not have the length that the manifest says.
    package init(_ layout: LayoutDirectory) throws(CapsuleError) {
        self.layout = layout
        path = layout.path
        let found = try layout.manifest()
        let manifest = found.manifest
        config = found.config
        manifestDigest = found.digest
        footers = config.listedFooters
        length = manifest.length
        directory = try layout.blobs()
        blobs = zip(manifest.layers, manifest.offsets).map { layer, offset in
            PlacedBlob(digest: layer.digest, kind: layer.kind, range: offset..<(offset + layer.size))
        }
        for blob in blobs { _ = try layout.open(blob.digest, size: UInt64(blob.range.count), in: directory) }
    }

    package func read(at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer) throws(CapsuleError) {
        let wanted = offset..<(offset + UInt64(buffer.count))
        for blob in blobs where blob.range.overlaps(wanted) {
            let part = wanted.clamped(to: blob.range)
            let open = try layout.open(blob.digest, size: UInt64(blob.range.count), in: directory)
            let start = Int(part.lowerBound - offset)
            let room = UnsafeMutableRawBufferPointer(rebasing: buffer[start..<(start + part.count)])
            let place = part.lowerBound - blob.range.lowerBound
            guard try Syscall.read(open.file.raw, at: place, into: room, path: path) == room.count else {
                throw CapsuleError(.changed, "a blob became shorter meanwhile", path: path)
            }
        }
    }

    /// Compares the blobs that are wanted as a whole with their digests. Parts are checked by what reads them, and need no preparation.
    package func fetch(_ ranges: [Range<UInt64>]) throws(CapsuleError) {
        for blob in blobs where ranges.contains(where: { $0.contains(blob.range) }) {
            try layout.check(blob.digest, size: UInt64(blob.range.count), in: directory)
        }
    }
}
