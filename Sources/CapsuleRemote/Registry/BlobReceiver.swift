import CapsuleCore
import CapsuleHashing
import Synchronization

/// A layer of a manifest, at its place in the capsule.
struct PlacedBlob: Sendable {
    let digest: OCIDigest
    let kind: LayerKind
    let range: Range<UInt64>

    /// True for what is read again and again: the ends of segments.
    var isKept: Bool { kind != .data }
}

/// Receives a blob, or a part of one, into a spool. A registry that ignores ranges sends the whole blob, which is as good.
///
/// A whole blob counts as fetched once it matches its digest. The bytes of a part are checked by what reads them: members by their
/// checksums, files and the index by their digests.
final class BlobReceiver: BodyReceiver {
    let blob: PlacedBlob
    /// The part that is wanted, as a range of the capsule; nil for the whole blob.
    let part: Range<UInt64>?
    private let spool: Spool
    private let path: HostPath
    private let state = Mutex(State())

    private struct State: ~Copyable {
        var next: UInt64 = 0
        /// True while a part arrives, false for a whole blob.
        var isPart = false
        var hasher = SHA256Hasher()
    }

    init(_ blob: PlacedBlob, part: Range<UInt64>?, _ spool: Spool, path: HostPath) {
        self.blob = blob
        self.part = part
        self.spool = spool
        self.path = path
    }

    func begin(_ head: HTTPHead) throws(CapsuleError) {
        let length = UInt64(blob.range.count)
        let total = head.status == 206 ? head.contentRange?.total : head.length
        guard total == nil || total == length else {
            throw CapsuleError(
                .damaged, "the registry has a blob of another length than the manifest says: \(blob.digest)", path: path)
        }
        let start = head.status == 206 ? part?.lowerBound : nil
        state.withLock { state in
            state = State(next: start ?? blob.range.lowerBound, isPart: start != nil)
        }
    }

    func receive(_ bytes: [UInt8]) throws(CapsuleError) {
        let (start, isPart) = state.withLock { state in
            defer { state.next += UInt64(bytes.count) }
            if !state.isPart { state.hasher.update(bytes) }
            return (state.next, state.isPart)
        }
        guard UInt64(bytes.count) <= blob.range.upperBound - start else { throw damaged }
        try spool.write(bytes, at: start)
        if isPart { spool.mark(start..<(start + UInt64(bytes.count))) }
    }

    /// Compares a whole blob with its digest.
    /// - Returns: false for a part of a blob.
    func finish() throws(CapsuleError) -> Bool {
        let found = state.withLock { state in state.isPart ? nil : state.hasher.finish() }
        guard let found else { return false }
        guard found == blob.digest.content else { throw damaged }
        spool.mark(blob.range)
        return true
    }

    private var damaged: CapsuleError {
        CapsuleError(.damaged, "the registry sent a blob that does not match its digest: \(blob.digest)", path: path)
    }
}
