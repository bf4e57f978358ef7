import CapsuleCore
import Foundation
import TestSupport
import Testing

@testable import CapsuleRemote

@Suite struct BlobCacheTests {
    private let directory: TemporaryDirectory
    private var path: String { directory["capsule/blobs"] }

    init() throws { directory = try TemporaryDirectory() }

    private func cache(limit: UInt64 = 1 << 20) -> BlobCache { BlobCache(HostPath(path), limit: limit) }

    private func save(_ bytes: [UInt8], _ cache: BlobCache) -> OCIDigest {
        let digest = OCIDigest(of: bytes)
        cache.save(bytes, as: digest)
        return digest
    }

    @Test func aBlobIsFoundByItsDigestAndLength() {
        let digest = save([1, 2, 3], cache())
        #expect(cache().bytes(of: digest, size: 3) == [1, 2, 3])
        #expect(cache().bytes(of: digest, size: 4) == nil)
        #expect(cache().bytes(of: OCIDigest(of: [4]), size: 1) == nil)
    }

    @Test func aChangedFileIsNotBelieved() throws {
        let digest = save([1, 2, 3], cache())
        try Data([1, 2, 4]).write(to: URL(fileURLWithPath: path + "/" + digest.content.hex))
        #expect(cache().bytes(of: digest, size: 3) == nil)
    }

    @Test func aLongBlobIsNotKept() {
        let bytes = [UInt8](repeating: 7, count: 1 << 20 + 1)
        let digest = save(bytes, cache())
        #expect(cache().bytes(of: digest, size: UInt64(bytes.count)) == nil)
    }

    @Test func whatWasUnusedForTheLongestTimeIsDeleted() throws {
        let cache = cache(limit: 35)
        let digests = (0..<3).map { save([UInt8](repeating: $0, count: 10), cache) }
        for (age, digest) in zip([100, 300, 200], digests) {
            try FileManager.default.setAttributes(
                [.modificationDate: Date(timeIntervalSinceNow: -Double(age))], ofItemAtPath: path + "/" + digest.content.hex)
        }
        let newest = save([UInt8](repeating: 9, count: 10), cache)
        cache.prune()
        #expect(cache.bytes(of: newest, size: 10) != nil)
        #expect(cache.bytes(of: digests[0], size: 10) != nil)
        #expect(cache.bytes(of: digests[1], size: 10) == nil)
    }

    @Test func aDirectoryThatOthersCanWriteToIsNotUsed() throws {
        let digest = save([1, 2, 3], cache())
        try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: path)
        #expect(cache().bytes(of: digest, size: 3) == nil)
    }
}
