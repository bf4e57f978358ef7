package import CapsuleArchive
package import CapsuleCore
import Synchronization

/// A capsule in a registry. Its layers are fetched when they are read: small ones and those that are wanted for the most part whole, and
/// of others the ranges that are wanted.
package final class RegistryFile: ListedCapsule {
    package let path: HostPath
    package let length: UInt64
    package let config: CapsuleConfig
    package let manifestDigest: OCIDigest
    package let footers: [UInt64: ListedFooter]
    private let client: RegistryClient
    private let blobs: [PlacedBlob]
    private let spool: Spool
    /// The addresses that the registry redirects to, by the blobs' digests.
    private let places = Mutex<[OCIDigest: WebAddress]>([:])

    /// A blob of at most this length is fetched whole.
    private static let small: UInt64 = 1 << 20
    /// A blob is fetched whole if this part of it is wanted, in percent.
    private static let most: UInt64 = 40

    /// - Parameter directory: where to keep what was fetched; nil for `$TMPDIR`.
    package init(_ client: RegistryClient, spoolIn directory: HostPath? = nil) throws(CapsuleError) {
        self.client = client
        path = HostPath(client.reference.text)
        let found = try client.manifest()
        length = found.manifest.length
        config = found.config
        manifestDigest = found.digest
        footers = config.listedFooters
        spool = try Spool(length: length, in: directory)
        blobs = zip(found.manifest.layers, found.manifest.offsets).map { layer, offset in
            PlacedBlob(digest: layer.digest, kind: layer.kind, range: offset..<(offset + layer.size))
        }
        for (blob, layer) in zip(blobs, found.manifest.layers) {
            guard let data = layer.data else { continue }
            try spool.write(data, at: blob.range.lowerBound)
            spool.mark(blob.range)
        }
    }

    package func read(at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer) throws(CapsuleError) {
        guard !buffer.isEmpty else { return }
        let range = offset..<(offset + UInt64(buffer.count))
        if !spool.has(range) { try fetch([FetchPlan.windows(around: range, length: length)]) }
        try spool.read(at: offset, into: buffer)
    }

    package func fetch(_ ranges: [Range<UInt64>]) throws(CapsuleError) {
        try fillFromCache(spool.missing(ranges))
        let receivers = plan(spool.missing(ranges))
        guard !receivers.isEmpty else { return }
        var failed = try fetch(receivers)
        // A presigned address has expired, or the storage can't send ranges: asked anew, and then for the whole blob.
        if !failed.isEmpty {
            failed = try fetch(Dictionary(grouping: failed, by: \.blob.digest).values.map { whole($0[0].blob) })
        }
        if receivers.contains(where: { $0.part == nil && $0.blob.isKept }) { client.cache?.prune() }
        if let first = failed.first {
            throw CapsuleError("the registry does not send the blob \(first.blob.digest)", path: path)
        }
    }

    private func fillFromCache(_ missing: [Range<UInt64>]) throws(CapsuleError) {
        guard let cache = client.cache else { return }
        for blob in blobs where blob.isKept && missing.contains(where: { $0.overlaps(blob.range) }) {
            guard let bytes = cache.bytes(of: blob.digest, size: UInt64(blob.range.count)) else { continue }
            try spool.write(bytes, at: blob.range.lowerBound)
            spool.mark(blob.range)
        }
    }

    private func saveToCache(_ blob: PlacedBlob) throws(CapsuleError) {
        guard let cache = client.cache, blob.isKept, cache.keeps(UInt64(blob.range.count)) else { return }
        var bytes = [UInt8](repeating: 0, count: blob.range.count)
        let outcome: Result<Void, CapsuleError> = bytes.withUnsafeMutableBytes { buffer in
            do throws(CapsuleError) {
                return .success(try spool.read(at: blob.range.lowerBound, into: buffer))
            } catch {
                return .failure(error)
            }
        }
        try outcome.get()
        cache.save(bytes, as: blob.digest)
    }

    private func whole(_ blob: PlacedBlob) -> BlobReceiver { BlobReceiver(blob, part: nil, spool, path: path) }

    private func plan(_ missing: [Range<UInt64>]) -> [BlobReceiver] {
        var receivers: [BlobReceiver] = []
        var place = 0
        for blob in blobs {
            while place < missing.count, missing[place].upperBound <= blob.range.lowerBound { place += 1 }
            let wanted = missing[place...].prefix { $0.lowerBound < blob.range.upperBound }.map { $0.clamped(to: blob.range) }
            let count = wanted.reduce(UInt64(0)) { $0 + UInt64($1.count) }
            if count == 0 { continue }
            let size = UInt64(blob.range.count)
            if size <= Self.small || count > size / 100 * Self.most {
                receivers.append(whole(blob))
            } else {
                receivers += FetchPlan.ranges(for: wanted).map { BlobReceiver(blob, part: $0, spool, path: path) }
            }
        }
        return receivers
    }

    /// - Returns: those that were refused, perhaps because an address has expired.
    private func fetch(_ receivers: [BlobReceiver]) throws(CapsuleError) -> [BlobReceiver] {
        let known = places.withLock { $0 }
        let requests = receivers.map { receiver in
            let blob = receiver.blob
            let part = receiver.part.map { ($0.lowerBound - blob.range.lowerBound)..<($0.upperBound - blob.range.lowerBound) }
            var request = HTTPRequest(.get, known[blob.digest] ?? client.reference.blob(blob.digest), range: part)
            request.receiver = receiver
            return request
        }
        var failed: [BlobReceiver] = []
        for (receiver, answer) in zip(receivers, try client.send(requests, atOnce: FetchPlan.atOnce)) {
            let digest = receiver.blob.digest
            switch answer.status {
            case 200, 206:
                if try receiver.finish() { try saveToCache(receiver.blob) }
                if answer.address.origin != client.reference.origin { places.withLock { $0[digest] = answer.address } }
            case 400, 401, 403, 416:
                guard receiver.part != nil || known[digest] != nil else { throw client.failure(of: answer) }
                places.withLock { $0[digest] = nil }
                failed.append(receiver)
            default: throw client.failure(of: answer, "blob that the manifest names")
            }
        }
        return failed
    }
}
