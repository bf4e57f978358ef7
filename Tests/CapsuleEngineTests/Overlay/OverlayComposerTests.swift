import CapsuleContainers
import CapsuleCore
import CapsuleHashing
import CapsuleOverlay
import TestSupport
import Testing

@testable import CapsuleEngine

/// Composing and inverting overlays that carry bytes.
@Suite struct OverlayComposerTests {
    private static func source(_ path: String) throws -> OverlaySource { try OverlaySource(Array(path.utf8)) }

    private static func compose(_ paths: [String], to path: String) throws -> OverlayPackage {
        var composer = OverlayComposer()
        for path in paths { try composer.add(source(path)) }
        try composer.write(
            to: OutputFile(HostPath(Array(path.utf8)), replaces: true), captured: UseCases.captured, jobs: 2)
        return try source(path).package()
    }

    private static func invert(_ from: String, to path: String) throws -> OverlayPackage {
        let output = OutputFile(HostPath(Array(path.utf8)), replaces: true)
        try OverlayInverter(source(from)).write(to: output, captured: UseCases.captured, jobs: 2)
        return try source(path).package()
    }

    /// Returns a tree with small files and with large ones, which recipes are made from, followed by the trees after several
    /// changes.
    private static func trees(_ seed: UInt64, count: Int) -> [TreeLiteral] {
        var random = SeededGenerator(seed: seed)
        var tree = generatedTree(seed: seed, entries: 20, hasAttributes: false).withoutHardLinks
        let large = ["large", "other", "third"]
        for name in large { tree[TreeLiteral.RawPath(stringLiteral: name)] = .file(random.bytes(300_000)) }
        var trees = [tree]
        while trees.count < count {
            for path in tree.paths where !path.bytes.isEmpty {
                guard let node = tree[path], case .file(var bytes) = node.kind, random.isLucky(oneIn: bytes.count > 1_000 ? 1 : 3)
                else {
                    continue
                }
                switch bytes.count > 1_000 ? random.number(0...7) : random.number(0...3) {
                case 0: tree[path] = nil
                case 1: tree[path] = .link("elsewhere")
                case 2: tree[path]?.mode ^= 0o011
                default:
                    for _ in 0..<2 {
                        let place = random.number(0...bytes.count)
                        bytes.replaceSubrange(place..<min(bytes.count, place + 20), with: random.bytes(random.number(0...40)))
                    }
                    tree[path]?.kind = .file(bytes)
                }
            }
            for name in large where tree[TreeLiteral.RawPath(stringLiteral: name)] == nil && random.isLucky(oneIn: 2) {
                tree[TreeLiteral.RawPath(stringLiteral: name)] = .file(random.bytes(200_000))
            }
            trees.append(tree)
        }
        return trees
    }

    @Test(arguments: SeededGenerator.seeds + [7, 8, 9])
    func oneOverlayDoesWhatSeveralDo(seed: UInt64) throws {
        let directory = try TemporaryDirectory()
        let trees = Self.trees(seed, count: 4)
        for (number, tree) in trees.enumerated() { try tree.make(at: directory["\(number)"]) }
        let models = try trees.indices.map { try OverlayModel(directory["\($0)"]) }
        for number in 0..<3 {
            try UseCases.writeOverlay(directory["\(number)"], directory["\(number + 1)"], to: directory["o\(number)"])
        }
        let all = try Self.compose((0..<3).map { directory["o\($0)"] }, to: directory["all"])
        var tree = models[0]
        try tree.apply(all)
        #expect(tree.differences(from: models[3]) == [], "seed \(seed)")
        try tree.apply(try Self.invert(directory["all"], to: directory["back"]))
        #expect(tree.differences(from: models[0]) == [], "back, seed \(seed)")
        #expect(try UseCases.verify(directory["all"]).findings == [])
        #expect(try OverlayInspection(Self.source(directory["back"])).check().withoutOld == 0)
        // The inverses compose to the same result in the other direction.
        for number in 0..<3 { _ = try Self.invert(directory["o\(number)"], to: directory["i\(number)"]) }
        try tree.apply(all)
        try tree.apply(try Self.compose((0..<3).reversed().map { directory["i\($0)"] }, to: directory["other"]))
        #expect(tree.differences(from: models[0]) == [], "composed inverses, seed \(seed)")
    }

    /// Two small changes of a large file make a small overlay.
    @Test func composedRecipesStaySmall() throws {
        let directory = try TemporaryDirectory()
        var random = SeededGenerator(seed: 3)
        var bytes = random.bytes(2_000_000)
        for number in 0..<3 {
            var tree = TreeLiteral()
            tree[TreeLiteral.RawPath(stringLiteral: "large")] = .file(bytes)
            try tree.make(at: directory["\(number)"])
            bytes[number * 700_000] ^= 1
        }
        for number in 0..<2 {
            try UseCases.writeOverlay(directory["\(number)"], directory["\(number + 1)"], to: directory["o\(number)"])
        }
        let both = try Self.compose([directory["o0"], directory["o1"]], to: directory["both"])
        let content = try #require(both.overlay.files.first?.new?.content)
        #expect(try #require(content.recipe?.carriedSize) < 40_000)
        #expect(try Files.read(directory["both"]).count < 100_000)
    }

    @Test func whatHasNoWayBackIsNotInverted() throws {
        let directory = try TemporaryDirectory()
        let trees = Self.trees(5, count: 3)
        for (number, tree) in trees.enumerated() { try tree.make(at: directory["\(number)"]) }
        try UseCases.writeOverlay(directory["0"], directory["1"], to: directory["one"]) { $0.isOneWay = true }
        let error = #expect(throws: CapsuleError.self) { try Self.invert(directory["one"], to: directory["no"]) }
        #expect(error?.message.hasPrefix("does not contain the old content of") == true)
        #expect(error?.hint != nil)
        #expect(try OverlayInspection(Self.source(directory["one"])).check().withoutOld > 0)
        // Composed with another overlay, it still applies, and still can't be inverted.
        try UseCases.writeOverlay(directory["1"], directory["2"], to: directory["two"])
        var tree = try OverlayModel(directory["0"])
        try tree.apply(try Self.compose([directory["one"], directory["two"]], to: directory["both"]))
        #expect(tree.differences(from: try OverlayModel(directory["2"])) == [])
        #expect(throws: CapsuleError.self) { try Self.invert(directory["both"], to: directory["no"]) }
        #expect(!FileProbe.isDirectory(HostPath(Array(directory["no"].utf8))))
    }

    // MARK: What is carried and is not what it should be

    /// Returns the same bytes for every digest.
    private struct Wrong: OverlayPayload {
        let bytes: [UInt8]

        func open(_ digest: ContentDigest, size: UInt64) -> (any OpenContent)? {
            InMemoryContent(bytes, as: TreeEntry(path: .root, kind: .file, mode: FileMode(0o600), modified: .epoch))
        }
    }

    private static func state(_ bytes: [UInt8], recipe: ContentRecipe? = nil) -> FileState {
        FileState(
            kind: .file,
            content: FileState.Content(size: UInt64(bytes.count), digest: SHA256Hasher.digest(of: bytes), recipe: recipe))
    }

    @Test(arguments: [[], Array("abc".utf8), Array("xbcd".utf8)] as [[UInt8]])
    func wrongBytesAreFound(bytes: [UInt8]) throws {
        let path = try RelativePath(validating: Array("f".utf8))
        let good = Array("abcd".utf8)
        let overlay = Overlay(targets: [], files: [FileRecord(path: path, old: nil, new: Self.state(good))])
        let package = OverlayPackage(overlay: overlay, contents: Wrong(bytes: bytes))
        #expect(throws: CapsuleError.self) { try OverlayInspection(package, as: [0x66]).check() }
        let sound = OverlayPackage(overlay: overlay, contents: Wrong(bytes: good))
        #expect(try OverlayInspection(sound, as: [0x66]).check().bytes == 4)
    }

    /// A whole file that is assembled from two overlays must have the digest in the second one.
    @Test func assembledBytesAreCompared() throws {
        let path = try RelativePath(validating: Array("f".utf8))
        let (middle, end) = (Array("abcd".utf8), Array("bcdZ".utf8))
        let recipe = ContentRecipe(
            pieces: [.copied(offset: 1, length: 3), .carried(length: 1)], carried: SHA256Hasher.digest(of: Array("Z".utf8)))
        let first = Overlay(targets: [], files: [FileRecord(path: path, old: nil, new: Self.state(middle))])
        let next = Overlay(
            targets: [], files: [FileRecord(path: path, old: Self.state(middle), new: Self.state(end, recipe: recipe))])
        let composition = try first.composition(with: next)
        func joined(_ bytes: [UInt8]) throws -> OverlayPackage {
            try OverlayComposer.joined(
                OverlayPackage(overlay: first, contents: Wrong(bytes: bytes)),
                OverlayPackage(overlay: next, contents: Wrong(bytes: bytes)), composition)
        }
        #expect(throws: CapsuleError.self) { try joined(middle) }
        #expect(throws: CapsuleError.self) { try joined([]) }
        #expect(throws: CapsuleError.self) {
            try OverlayComposer.joined(OverlayPackage(overlay: first), OverlayPackage(overlay: next), composition)
        }
    }
}
