import CapsuleArchive
import CapsuleCore
import CapsuleHashing
import TestSupport
import Testing

@testable import CapsuleContainers
@testable import CapsuleEngine

/// The cache for capsules with many versions. It makes appending faster, and never changes the result.
@Suite struct CatalogCacheTests {
    private static func cache(_ directory: TemporaryDirectory) -> StatCacheDirectory {
        StatCacheDirectory(directory.host("cache/capsule"))
    }

    @discardableResult
    private static func append(_ tree: String, to capsule: String, label: String? = nil, cache: StatCacheDirectory?) throws
        -> Packer.Outcome
    {
        var options = PackOptions(captured: UseCases.captured)
        options.label = label.flatMap { VersionLabel($0) }
        options.container.statCache = cache != nil
        options.container.statCacheDirectory = cache
        return try Packer(options: options).append(UseCases.container(tree), to: HostPath(capsule), .init())
    }

    /// Makes the directories `t1` to `tN`, with entries that change, entries that return after three versions, and entries that
    /// stay.
    private static func makeTrees(_ count: Int, _ directory: TemporaryDirectory, seed: UInt64 = 1) throws {
        for version in 1...count {
            var random = SeededGenerator(seed: seed * 100 + UInt64(version % 3))
            var tree: TreeLiteral = [
                "same": .file("same"), "changes": .file("\(seed) \(version)"), "d/back": .file(random.bytes(3_000)),
            ]
            for number in 0..<40 {
                tree[TreeLiteral.RawPath(Array("d/\(number)".utf8))] = .file("\(number % 5) of \(version % 3)")
            }
            try tree.make(at: directory["t\(version)"])
        }
    }

    private static func history(_ capsule: String, cache: StatCacheDirectory? = nil) throws -> CapsuleHistory {
        let reader = try CapsuleReader(try CapsuleFile(opening: HostPath(capsule)))
        return CapsuleHistory(reader, jobs: 1, cache: cache.map { CatalogCache($0) })
    }

    private static func decode(_ bytes: [UInt8]) -> Catalog? { bytes.withUnsafeBytes { Catalog(decoding: $0) } }

    /// Returns bytes followed by their digest, so that the cache accepts them.
    private static func sealed(_ body: some Collection<UInt8>) -> [UInt8] {
        var bytes = Array(body)
        SHA256Hasher.digest(of: bytes).withBytes { bytes += Array($0) }
        return bytes
    }

    /// With or without a cache, appending gives the same bytes.
    @Test func theSameBytes() throws {
        let directory = try TemporaryDirectory()
        try Self.makeTrees(13, directory)
        let cache = Self.cache(directory)
        let (plain, cached) = (directory["plain.capsule"], directory["cached.capsule"])
        for version in 1...13 {
            let label = version % 2 == 0 ? "label-\(version)" : nil
            try Self.append(directory["t\(version)"], to: plain, label: label, cache: nil)
            try Self.append(directory["t\(version)"], to: cached, label: label, cache: cache)
            #expect(try Files.read(plain) == Files.read(cached), "version \(version)")
        }
        // The cache was used, and has the current content.
        let newest = try Self.history(cached).newest
        let kept = try #require(CatalogCache(cache).load(newest))
        let made = try Self.history(cached, cache: Self.cache(try TemporaryDirectory())).catalogue()
        #expect(kept.encoded().count == made.encoded().count)
        #expect(kept.blocks.map(\.digest) == made.blocks.map(\.digest))
        #expect(kept.contents.map(\.digest) == made.contents.map(\.digest))
        // Labels that exist are found.
        for label in ["label-2", "label-12"] {
            let error = UseCases.failure { try Self.append(directory["t1"], to: cached, label: label, cache: cache) }
            #expect(error?.message == "version \(label.dropFirst(6)) already has the label '\(label)'")
        }
        // The two capsules share a history and then differ. Each uses the catalogue of its own history.
        try Files.write(try Files.read(plain), to: directory["other.capsule"])
        for (name, tree) in [("cached", "t3"), ("other", "t5"), ("other", "t3"), ("cached", "t5"), ("other", "t1")] {
            try Self.append(directory[tree], to: directory[name + ".capsule"], cache: cache)
            #expect(try UseCases.verify(directory[name + ".capsule"]).findings == [])
        }
    }

    @Test func whatIsNotWhatWasWrittenIsNothing() throws {
        let directory = try TemporaryDirectory()
        try Self.makeTrees(2, directory)
        for version in 1...2 {
            try Self.append(directory["t\(version)"], to: directory["c.capsule"], label: "l-\(version)", cache: nil)
        }
        let made = try Self.history(directory["c.capsule"]).catalogue()
        let bytes = made.encoded()
        let back = try #require(Self.decode(bytes))
        #expect(back.encoded() == bytes)
        #expect(back.blocks.count == made.blocks.count && made.contents.count > 3)
        #expect(Self.decode(Catalog().encoded())?.blocks.isEmpty == true)
        for place in bytes.indices {
            var damaged = bytes
            damaged[place] ^= 1 << UInt8(place % 8)
            #expect(Self.decode(damaged) == nil, "byte \(place)")
        }
        for length in bytes.indices { #expect(Self.decode(Array(bytes[..<length])) == nil, "cut to \(length)") }
        #expect(Self.decode(bytes + [0]) == nil)
        // The digest is correct, but the counts are not. Nothing is read after the end.
        let body = bytes.dropLast(ContentDigest.byteCount)
        #expect(Self.decode(Self.sealed(body)) != nil)
        for place in body.indices {
            for pattern in [1, 0x80, 0xFF] as [UInt8] {
                var other = Array(body)
                other[place] ^= pattern
                _ = Self.decode(Self.sealed(other))
            }
        }
        for length in stride(from: 0, to: body.count, by: 7) { #expect(Self.decode(Self.sealed(body.prefix(length))) == nil) }
    }

    /// A wrong catalogue with a correct digest never makes a wrong version, whether it is another capsule's or has any byte
    /// changed.
    @Test func aWrongCatalogueMakesNoWrongVersion() throws {
        let directory = try TemporaryDirectory()
        try Self.makeTrees(9, directory)
        let (capsule, other) = (directory["c.capsule"], directory["o.capsule"])
        for version in 1...9 { try Self.append(directory["t\(version)"], to: capsule, cache: nil) }
        for version in (1...9).reversed() { try Self.append(directory["t\(version)"], to: other, cache: nil) }
        let before = try Files.read(capsule)
        let newest = try Self.history(capsule).newest
        let catalogue = try Self.history(capsule).catalogue()
        let cache = Self.cache(directory)
        let next: TreeLiteral = ["same": .file("same"), "d/back": .file("new"), "changes": .file("1 2"), "d/3": .file("3 of 1")]
        try next.make(at: directory["next"])

        func append(with catalogue: Catalog, _ name: String) throws {
            try Files.write(before, to: capsule)
            CatalogCache(cache).save(catalogue, newest, insteadOf: newest)
            #expect(CatalogCache(cache).load(newest) != nil)
            for (tree, digest) in [("next", nil), ("t2", try packedVersion(capsule + "@2").manifest.treeDigest)]
                as [(String, ContentDigest?)]
            {
                do {
                    let outcome = try Self.append(directory[tree], to: capsule, cache: cache)
                    if let digest { #expect(outcome.manifest.treeDigest == digest, "\(name)") }
                } catch {
                    // A wrong catalogue must not make an append fail, either.
                    Issue.record("\(name): \(error)")
                }
            }
            #expect(try UseCases.verify(capsule).findings == [], "\(name)")
        }
        try append(with: catalogue, "right")
        try append(with: try Self.history(other).catalogue(), "of another capsule")
        try append(with: Catalog(), "empty")
        let body = Array(catalogue.encoded().dropLast(ContentDigest.byteCount))
        var tried = 0
        // Only bytes after the counts are changed: with a wrong count, the catalogue can't be decoded.
        for place in stride(from: 8, to: body.count, by: runsLongTests ? 1 : max(1, body.count / 30)) {
            var bytes = body
            bytes[place] ^= 1
            guard let wrong = Self.decode(Self.sealed(bytes)) else { continue }
            tried += 1
            try append(with: wrong, "byte \(place) of \(body.count)")
        }
        #expect(tried > 10)
    }
}
