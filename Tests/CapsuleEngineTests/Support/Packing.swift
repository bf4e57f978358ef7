import CapsuleArchive
import CapsuleContainers
import CapsuleCore

@testable import CapsuleEngine

/// Packs with two threads, and returns the version from the capsule's own index.
func packed(
    _ source: String, to target: String, excluding patterns: [String] = [], codec: PackOptions.Codec = .gzip
) throws -> StoredVersion {
    var options = PackOptions(captured: Timestamp(seconds: 1_700_000_000))
    options.jobs = 2
    options.codec = codec
    options.container.excluded = try patterns.map { try Glob(Array($0.utf8)) }
    _ = try Packer(options: options).pack(Container(Array(source.utf8)), to: HostPath(target))
    return try packedVersion(target)
}

/// Reads all of a capsule's metadata, and checks that it is a valid tree.
func packedVersion(_ target: String) throws -> StoredVersion {
    guard case .capsule(let reader, let selector) = try Container(Array(target.utf8)).resolve() else {
        throw CapsuleError("is not a capsule", path: HostPath(target))
    }
    return try StoredVersion(reader, selector)
}
