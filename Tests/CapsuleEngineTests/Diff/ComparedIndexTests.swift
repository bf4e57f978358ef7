import CapsuleArchive
import CapsuleContainers
import CapsuleCore
import CapsuleMerge
import TestSupport
import Testing

@testable import CapsuleEngine
@testable import CapsuleRules

/// Entries that are skipped because the indexes show that they are equal.
@Suite struct ComparedIndexTests {
    private static func tree(_ count: Int) -> TreeLiteral {
        var tree = TreeLiteral()
        for number in 0..<count { tree[path("d\(number % 7)/file-\(number)")] = .file("content \(number)") }
        return tree
    }

    private static func path(_ text: String) -> TreeLiteral.RawPath { TreeLiteral.RawPath(Array(text.utf8)) }

    private static func options(times: Bool) -> DiffOptions {
        var options = DiffOptions()
        options.depth = .entries
        options.times = times
        options.usesCache = false
        options.jobs = 2
        return options
    }

    /// Returns the differences of two sides, in words that don't depend on the number of entries.
    private static func told(_ sides: (old: ComparedSide, new: ComparedSide), times: Bool) -> [String] {
        var options = TreeDiff.Options()
        options.times = times
        return TreeDiff(sides.old.tree, sides.new.tree, options).items.map { item in
            let paths = [item.old.map { sides.old.tree.entries[$0] }, item.new.map { sides.new.tree.entries[$0] }].map {
                $0.map { String(decoding: $0.path.bytes, as: UTF8.self) } ?? "-"
            }
            return "\(item.kind) \(paths) \(item.hasOtherContent) \(item.metadata)"
        }
    }

    @Test(arguments: SeededGenerator.seeds, [false, true])
    func twoCapsulesDifferAsTheirWholeIndexesDo(seed: UInt64, times: Bool) throws {
        let directory = try TemporaryDirectory()
        var random = SeededGenerator(seed: seed)
        let tree = Self.tree(3_000)
        var changed = tree
        // Everything after this entry is stored at other offsets.
        changed["a"] = .file(random.bytes(100_000))
        for number in 0..<4 {
            let path = Self.path("d\(random.number(0...6))/file-\(random.number(0...2_999))")
            switch number {
            case 0: changed[path] = .file("another")
            case 1: changed[path] = nil
            case 2: changed[path] = .file("content", mode: 0o600, at: Timestamp(seconds: 5))
            default: changed[Self.path("d3/new-\(random.number(0...9))")] = .link(Array("x".utf8))
            }
        }
        let touched = Self.path("d0/file-\(7 * random.number(0...400))")
        if case .some = changed[touched] { changed[touched]?.modified = Timestamp(seconds: 7) }
        try tree.make(at: directory["a"])
        try changed.make(at: directory["b"])
        _ = try packed(directory["a"], to: directory["a.capsule"])
        _ = try packed(directory["b"], to: directory["b.capsule"])
        let (old, new) = (UseCases.container(directory["a.capsule"]), UseCases.container(directory["b.capsule"]))
        let options = Self.options(times: times)
        let whole = try (old: ComparedSide(old, options), new: ComparedSide(new, options))
        let wanted = Self.told(whole, times: times)
        #expect(!wanted.isEmpty)
        let sides = try #require(try IndexDiffer(old, new, options)).sides()
        #expect(Self.told(sides, times: times) == wanted)
        #expect(sides.old.tree.entries.count < whole.old.tree.entries.count)
    }

    /// Changes of a live container. `differs` is true if they change it, and `isTime` if they change only its times.
    private static let changes: [(name: String, differs: Bool, isTime: Bool, change: @Sendable (inout TreeLiteral) -> Void)] = [
        ("nothing", false, false, { _ in }),
        ("content of the same length", true, false, { $0["AppData/Documents/f"] = .file("Content") }),
        ("length", true, false, { $0["AppData/Documents/f"] = .file("content!") }),
        ("mode", true, false, { $0["AppData/Documents/f"] = .file("content", mode: 0o600) }),
        ("time", false, true, { $0["AppData/Documents/f"]?.modified = Timestamp(seconds: 5) }),
        ("target", true, false, { $0["AppData/Documents/l"] = .link(Array("g".utf8)) }),
        ("kind", true, false, { $0["AppData/Documents/l"] = .file("f") }),
        ("one more, first", true, false, { $0["AppData/A"] = .file("") }),
        ("one more", true, false, { $0["AppData/Documents/g"] = .directory() }),
        ("one more, last", true, false, { $0["AppData/zz"] = .file("") }),
        ("one less", true, false, { $0["AppData/Documents/l"] = nil }),
        ("the wrapper", false, false, { $0["AppDataInfo.plist"] = .file(plist(["Other": "value"])) }),
        (
            "the identity", false, false,
            {
                $0["AppData/.com.apple.mobile_container_manager.metadata.plist"] = .file(
                    plist(["MCMMetadataIdentifier": "com.example.app", "More": "x"]))
            }
        ),
        ("one less, in a later block", true, false, { $0["AppData/Library/file-90"] = nil }),
        ("one more, in a later block", true, false, { $0["AppData/Library/file-9000"] = .file("") }),
    ]

    @Test(arguments: changes.indices)
    func aLiveContainerIsPassedOverOnlyIfItIsTheSame(number: Int) throws {
        let (name, differs, isTime, change) = Self.changes[number]
        let directory = try TemporaryDirectory()
        var tree: TreeLiteral = ["Documents/f": .file("content"), "Documents/l": .link(Array("f".utf8)), "tmp": .directory()]
        // By its digest, a block ends after file-7.
        for number in 0..<100 { tree[Self.path("Library/file-\(number)")] = .file("\(number)") }
        tree = bundle(tree, identity: "com.example.app")
        try tree.make(at: directory["a.xcappdata"])
        let version = try packed(directory["a.xcappdata"], to: directory["a.capsule"])
        try #require(version.root.blocks.count > 1)
        change(&tree)
        try tree.make(at: directory["b.xcappdata"])
        let (stored, live) = (
            UseCases.container(directory["a.capsule"]), UseCases.container(directory["b.xcappdata"])
        )
        for times in [false, true] {
            let options = Self.options(times: times)
            let side = try ComparedSide(live, options)
            let whole = Self.told((try ComparedSide(stored, options), side), times: times)
            let sides = try #require(try UnchangedFastPath(stored, options)).sides(with: side)
            // The time of a directory may change with a file in it.
            #expect((sides == nil) == !whole.isEmpty, "\(name), times \(times)")
            if differs { #expect(sides == nil, "\(name), times \(times)") }
            if isTime { #expect((sides == nil) == times, "\(name), times \(times)") }
            if !differs, !isTime { #expect(sides != nil, "\(name), times \(times)") }
            let diff = try ContainerDiffer(options).run(stored, live)
            let back = try ContainerDiffer(options).run(live, stored)
            #expect(diff.entries.isEmpty == whole.isEmpty && back.entries.isEmpty == whole.isEmpty, "\(name), times \(times)")
        }
        #expect(try UnchangedFastPath(live, Self.options(times: false)) == nil)
    }
}
