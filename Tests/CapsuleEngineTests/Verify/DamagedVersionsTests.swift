import CapsuleArchive
import CapsuleCore
import CapsuleEngine
import TestSupport
import Testing

/// A small capsule of three versions in every state of damage. A strict verification never accepts it, and the versions before the
/// damage stay readable.
@Suite struct DamagedVersionsTests {
    /// Returns a capsule, and the offsets at which its versions end.
    private static func small(
        _ codec: PackOptions.Codec, in directory: TemporaryDirectory
    ) throws -> (bytes: [UInt8], ends: [Int]) {
        let capsule = directory["small.capsule"]
        var ends: [Int] = []
        for version in 1...3 {
            let tree: TreeLiteral = ["f": .file("version \(version)"), "same": .file("the same"), "l": .link("f")]
            try tree.make(at: directory["\(version)"])
            if version == 1 {
                try UseCases.pack(directory["1"], to: capsule) { $0.codec = codec }
            } else {
                try AppendTests.append(directory["\(version)"], to: capsule, jobs: 1)
            }
            ends.append(try Files.read(capsule).count)
        }
        return (try Files.read(capsule), ends)
    }

    /// Returns the result of a strict verification; nil if there is no version.
    private static func verified(_ bytes: [UInt8], _ path: String) throws -> Verifier.Outcome? {
        try Files.write(bytes, to: path)
        do {
            return try UseCases.verify(path)
        } catch let error as CapsuleError {
            #expect(error.code.isFailure && !error.message.isEmpty)
            return nil
        }
    }

    /// Returns true if a version can be read by its number, with all of its entries.
    private static func isReadable(_ version: Int, of path: String) -> Bool {
        (try? UseCases.list("\(path)@\(version)").map(\.path.description)) == ["f", "l", "same"]
    }

    @Test(arguments: [PackOptions.Codec.gzip, .zstd])
    func everyFlippedByteIsFound(codec: PackOptions.Codec) throws {
        let directory = try TemporaryDirectory()
        let (bytes, ends) = try Self.small(codec, in: directory)
        let path = directory["damaged"]
        for place in sample(of: bytes.indices, oneIn: 4, borders: ends) {
            let patterns: [UInt8] = runsLongTests ? [1, 2, 4, 8, 16, 32, 64, 128, 0xFF] : [1 << UInt8(place % 8)]
            for pattern in patterns {
                var damaged = bytes
                damaged[place] ^= pattern
                let outcome = try Self.verified(damaged, path)
                #expect(outcome?.isWhole != true, "byte \(place) of \(bytes.count) ^ \(pattern)")
                // Each footer leads to the previous one, so the versions before a damaged footer in the middle are not found.
                let isFooter = place < ends[1] && place >= ends[1] - (codec == .gzip ? 271 : 255)
                for (number, end) in ends.enumerated() where end <= place && !isFooter {
                    #expect(Self.isReadable(number + 1, of: path), "version \(number + 1), byte \(place) of \(bytes.count)")
                }
                // The other versions may be readable or not, but reading them must end.
                if place < ends[0] { _ = Self.isReadable(3, of: path) }
            }
        }
    }

    @Test(arguments: [PackOptions.Codec.gzip, .zstd])
    func everyTruncationIsTheVersionsBefore(codec: PackOptions.Codec) throws {
        let directory = try TemporaryDirectory()
        let (bytes, ends) = try Self.small(codec, in: directory)
        let path = directory["cut"]
        for length in sample(of: bytes.indices, oneIn: 8, borders: ends) {
            let strict = try Self.verified(Array(bytes[..<length]), path)
            let versions = ends.count { $0 <= length }
            guard versions > 0 else {
                #expect(strict?.isWhole != true, "cut to \(length) of \(bytes.count)")
                continue
            }
            if ends.contains(length) {
                // The result is the original capsule.
                #expect(strict?.findings == [] && strict?.warnings == [] && strict?.versions == versions)
                continue
            }
            #expect(strict?.isWhole == false, "cut to \(length) of \(bytes.count)")
            let outcome = try UseCases.verify(path, strict: false)
            #expect(outcome.isWhole && outcome.warnings.count == 1 && outcome.versions == versions, "cut to \(length)")
            for version in 1...versions { #expect(Self.isReadable(version, of: path), "version \(version), cut to \(length)") }
            #expect(!Self.isReadable(versions + 1, of: path))
        }
    }

    /// Versions are swapped, missing or doubled.
    @Test(arguments: [PackOptions.Codec.gzip, .zstd])
    func everySegmentMovedOrDoubledIsFound(codec: PackOptions.Codec) throws {
        let directory = try TemporaryDirectory()
        let (bytes, ends) = try Self.small(codec, in: directory)
        let one = Array(bytes[..<ends[0]])
        let two = Array(bytes[ends[0]..<ends[1]])
        let three = Array(bytes[ends[1]...])
        let path = directory["damaged"]
        for (number, parts) in [
            [one, three, two], [one, three], [one, one], [one, two, two], [one, two, three, three], [two, three],
            [three, two, one],
            [one, two, three, one],
        ].enumerated() {
            #expect(try Self.verified(parts.flatMap { $0 }, path)?.isWhole != true, "\(number)")
        }
        #expect(try Self.verified(one + two, path)?.findings == [])
    }
}
