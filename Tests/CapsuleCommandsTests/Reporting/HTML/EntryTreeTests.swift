import Foundation
import TestSupport
import Testing

@testable import CapsuleArguments
@testable import CapsuleCommands
@testable import CapsuleCore
@testable import CapsulePropertyList
@testable import CapsuleRules

@Suite struct EntryTreeTests {
    /// Returns each node on a line of its own, indented. An entry has its index in the list.
    private static func lines(_ tree: EntryTree) -> [String] {
        func lines(_ number: Int, _ indent: String) -> [String] {
            let node = tree.nodes[number]
            let mark = node.entry.map { " #\($0)" } ?? ""
            let line = indent + String(decoding: node.name, as: UTF8.self) + (node.children.isEmpty ? "" : "/") + mark
            return [line] + node.children.flatMap { lines($0, indent + "  ") }
        }
        return tree.nodes[0].children.flatMap { lines($0, "") }
    }

    private static func tree(_ paths: [String]) throws -> EntryTree {
        EntryTree(try paths.map { EntryChange(.added, at: try SampleDiff.path($0)) })
    }

    @Test(
        arguments: [
            ([], []),
            (["a"], ["a #0"]),
            // Directories that contain only another directory are joined, up to one that is itself a change.
            (["a/b/c/d"], ["a/b/c/", "  d #0"]),
            (["a/b", "a/b/c/d"], ["a/b/ #0", "  c/", "    d #1"]),
            (["a/x/1", "a/y/z/2"], ["a/", "  x/", "    1 #0", "  y/z/", "    2 #1"]),
            // In byte order, a-b comes before a/b.
            (["a", "a-b", "a/b"], ["a/ #0", "  b #2", "a-b #1"]),
            (["a-b/c", "a/b"], ["a/", "  b #1", "a-b/", "  c #0"]),
            // Two entries with the same path are both kept.
            (["a", "a"], ["a #0", "a #1"]),
        ] as [([String], [String])])
    func directoriesHoldWhatIsInThem(paths: [String], expected: [String]) throws {
        #expect(Self.lines(try Self.tree(paths)) == expected)
    }

    @Test func whatIsTooDeepIsShownUnderItsPath() throws {
        let deep = Array(repeating: "d", count: 400)
        let paths = (1...400).map { deep.prefix($0).joined(separator: "/") } + [(deep + ["x"]).joined(separator: "/")]
        let tree = try Self.tree(paths)
        func depth(_ number: Int) -> Int { 1 + (tree.nodes[number].children.map(depth).max() ?? 0) }
        #expect(depth(0) <= EntryTree.depthLimit + 1)
        #expect(Set(tree.nodes.compactMap(\.entry)) == Set(paths.indices))
    }

    /// For any paths, each is in the tree once, below directories whose names form its path.
    @Test(arguments: SeededGenerator.seeds)
    func everyEntryIsThereOnce(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<100 {
            let paths = (0..<Int.random(in: 1...40, using: &random)).map { _ in
                (0..<Int.random(in: 1...60, using: &random)).map { _ in
                    ["a", "b", "a-", "c.d"].randomElement(using: &random) ?? "a"
                }
                .joined(separator: "/")
            }
            let tree = try Self.tree(paths)
            var seen: [Int] = []
            func walk(_ number: Int, _ above: String) {
                let node = tree.nodes[number]
                let path = above + (above.isEmpty ? "" : "/") + String(decoding: node.name, as: UTF8.self)
                if let entry = node.entry {
                    seen.append(entry)
                    #expect(path == paths[entry], "\(paths)")
                }
                for child in node.children { walk(child, path) }
            }
            walk(0, "")
            #expect(seen.sorted() == Array(paths.indices), "\(paths)")
        }
    }

    @Test func directoriesKnowWhichClassesAreInThem() throws {
        let noise = try SampleDiff.entry(.added, "a/b/n", new: 1, noise: .caches)
        let tree = EntryTree([
            try SampleDiff.entry(.deleted, "a/x", old: 1), noise, try SampleDiff.entry(.modified, "c", old: 1, new: 2),
        ])
        let nodes = Dictionary(uniqueKeysWithValues: tree.nodes.map { (String(decoding: $0.name, as: UTF8.self), $0) })
        #expect(nodes["a"]?.signal == 1 << 1 && nodes["a"]?.noise == 1 << 0 && nodes["a"]?.signalCount == 1)
        #expect(nodes["b"]?.signal == 0 && nodes["b"]?.noise == 1 << 0 && nodes["b"]?.signalCount == 0)
        #expect(nodes["c"]?.signal == 1 << 2)
    }

    @Test func entriesAreOfTheFirstClassThatFits() throws {
        let metadata = ChangeDetail.Content.metadata(MetadataChange(.mode, old: .value("0644"), new: .value("0600")))
        let encoding = ChangeDetail.Content.encoding(EncodingChange(old: "xml", new: "binary"))
        let value = SampleDiff.value(.modified(old: 1, new: 2), ["a"])
        let limit = ChangeDetail.Content.limit(Truncation("rows"))
        let from = try SampleDiff.path("old")
        let table: [(EntryChange.Kind, [ChangeDetail.Content], EntryClass)] = [
            (.added, [metadata], .added), (.deleted, [], .deleted), (.renamed(from: from), [metadata], .renamed),
            (.type, [], .type),
            (.modified, [], .modified), (.modified, [limit], .modified), (.modified, [metadata, limit], .modified),
            (.modified, [encoding], .encoding), (.modified, [encoding, metadata], .encoding),
            (.modified, [value, metadata], .modified),
            (.modified, [value, encoding], .modified),
        ]
        for (kind, details, expected) in table {
            #expect(EntryClass(try SampleDiff.entry(kind, "new", details)) == expected, "\(kind) \(details)")
        }
        #expect(EntryClass(try SampleDiff.entry(.modified, "new", handler: "plist", [metadata])) == .metadata)
        #expect(EntryClass(try SampleDiff.entry(.modified, "new", handler: "plist", [metadata, limit])) == .modified)
    }
}

@Suite struct PictureHeaderTests {
    private static func hexadecimal(_ text: String) -> [UInt8] {
        text.split(separator: " ").compactMap { UInt8($0, radix: 16) }
    }

    static let jpeg = hexadecimal("FF D8 FF E0 00 04 4A 46 FF FF DB 00 03 00 FF C2 00 0B 08 01 02 03 04 01 01 11 00")
    static let extended =
        Array("RIFF".utf8) + [0, 0, 0, 0] + Array("WEBPVP8X".utf8) + hexadecimal("0A 00 00 00 00 00 00 00 FF 01 00 02 00 01")
    static let lossless = Array("RIFF".utf8) + [0, 0, 0, 0] + Array("WEBPVP8L".utf8) + hexadecimal("00 00 00 00 2F 63 C0 31 00")
    static let lossy =
        Array("RIFF".utf8) + [0, 0, 0, 0] + Array("WEBPVP8 ".utf8) + hexadecimal("00 00 00 00 00 00 00 9D 01 2A 90 41 2C 01")

    @Test(
        arguments: [
            (SamplePictures.disc.bytes, .png, 96, 96), (SamplePictures.dot.bytes, .gif, 1, 1), (jpeg, .jpeg, 0x0304, 0x0102),
            (extended, .webp, 512, 65_539), (lossless, .webp, 100, 200), (lossy, .webp, 400, 300),
        ] as [([UInt8], PictureHeader.Format, UInt64, UInt64)])
    func formatsAndSizesAreRead(bytes: [UInt8], format: PictureHeader.Format, width: UInt64, height: UInt64) {
        let header = PictureHeader(bytes)
        #expect(header?.format == format && header?.width == width && header?.height == height, "\(String(describing: header))")
        // Truncated anywhere, the header has the right size or is nil.
        for length in 0..<bytes.count {
            let cut = PictureHeader(Array(bytes.prefix(length)))
            #expect(cut == nil || cut == header, "\(length)")
        }
    }

    @Test(
        arguments: [
            "", "<svg xmlns='http://www.w3.org/2000/svg'/>", "\u{0}\u{0}\u{0}\u{18}ftypheic", "BM", "GIF89b\u{1}\u{0}\u{1}\u{0}",
            "RIFF\u{0}\u{0}\u{0}\u{0}WAVEfmt ",
        ])
    func whatIsNoImageHasNone(text: String) {
        #expect(PictureHeader(Array(text.utf8)) == nil)
    }

    @Test func segmentsThatLeadNowhereEnd() {
        // A segment of length 0, one that extends past the end, picture data before the size, and fill bytes only.
        for tail in ["FF E0 00 00 FF", "FF E0 FF FF", "FF DA 00 02", "FF D9", "FF FF FF FF", "FF D0 FF D1", "00 00"] {
            #expect(PictureHeader(Self.hexadecimal("FF D8 " + tail)) == nil, "\(tail)")
        }
        #expect(PictureHeader(Self.hexadecimal("47 49 46 38 39 61 00 00 01 00")) == nil)
    }

    @Test(arguments: SeededGenerator.seeds)
    func noBytesAreTrouble(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<5_000 {
            var bytes = [Self.jpeg, Self.extended, Self.lossless, SamplePictures.disc.bytes].randomElement(using: &random) ?? []
            for _ in 0..<3 { bytes[Int.random(in: bytes.indices, using: &random)] = UInt8.random(in: 0...255, using: &random) }
            if let header = PictureHeader(bytes) { #expect(header.width > 0 && header.height > 0, "\(bytes)") }
        }
    }
}
