import CapsuleArchive
import CapsuleContainers
import CapsuleCore
import TestSupport
import Testing

@testable import CapsuleEngine

/// An archive has the same content as the directory that it was made from, in whatever way it was made.
@Suite struct ArchiveShapesTests {
    /// A directory `MyApp`, with these files in it. A name that ends with `/` is an empty directory.
    struct Shape: Sendable, CustomTestStringConvertible {
        let files: [String]
        /// The only top directory, if archives without an entry for `MyApp` have it as their container.
        var wrapper: String?
        /// True if the wrapper is a bundle, which is the container of every archive of it.
        var isBundle = false
        var tops: [String] { Set(files.map { String($0.prefix { $0 != "/" }) }).sorted() }
        var testDescription: String { files.joined(separator: " ") }
    }

    static let shapes: [Shape] =
        ["Documents", "Library", "SystemData", "tmp"].flatMap { [Shape(files: ["\($0)/"]), Shape(files: ["\($0)/a/b"])] } + [
            Shape(files: []), Shape(files: ["file"]), Shape(files: ["AppData/Library/a"]), Shape(files: ["AppData/"]),
            Shape(files: ["Library/a", "Documents/b"]), Shape(files: ["Library/a", "other/b"]), Shape(files: ["one/a", "two/"]),
            Shape(files: ["Library/AppData/a"]), Shape(files: ["other/"], wrapper: "other"),
            Shape(files: ["other/a/b"], wrapper: "other"), Shape(files: ["other/Library/a", "other/tmp/"], wrapper: "other"),
            Shape(files: ["G.xcappdata/"], wrapper: "G.xcappdata"),
            Shape(files: ["G.xcappdata/AppData/Library/a", "G.xcappdata/x"], wrapper: "G.xcappdata", isBundle: true),
            Shape(files: ["other/AppData/Library/a"], wrapper: "other", isBundle: true),
        ]

    /// A command that makes an archive. `$TOPS` are the names in `MyApp`.
    struct Packing: Sendable, CustomTestStringConvertible {
        let command: String
        /// True if the archive has an entry for `MyApp`, by this name or as `./`.
        let hasTop: Bool
        var isWhole = false
        var testDescription: String { command }
    }

    static let packings =
        ["tar cf ../a.tar", "tar czf ../a.tar.gz", "zip -qr ../a.zip"].flatMap { make in
            [
                Packing(command: "\(make) .", hasTop: make.hasPrefix("tar")), Packing(command: "\(make) $TOPS", hasTop: false),
                Packing(command: "cd .. && \(make.replacing("../", with: "")) MyApp", hasTop: true, isWhole: true),
            ]
        } + [
            Packing(command: "\(finder) zip -qr ../a.zip . ; mv __MACOSX ..", hasTop: false),
            Packing(command: "cd .. && \(finder) zip -qr a.zip MyApp __MACOSX", hasTop: true, isWhole: true),
            Packing(command: "\(doubles) tar czf ../a.tar.gz . ; \(noDoubles)", hasTop: true),
            Packing(command: "\(doubles) zip -qr ../a.zip . ; \(noDoubles)", hasTop: false),
            Packing(
                command: "\(doubles) cd .. && \(double) > ._MyApp; tar cf a.tar ._MyApp MyApp; \(noDoubles)", hasTop: true,
                isWhole: true),
        ]
    /// The AppleDouble files that a Mac's tar adds.
    private static let double = "printf '\\0\\5\\26\\7\\0\\2attributes'"
    private static let doubles =
        "{ find . -mindepth 1 | while read f; do \(double) > $(dirname $f)/._$(basename $f); done; \(double) > ._.; } &&"
    private static let noDoubles = "find . -name '._*' -exec rm {} +"
    /// The directory that the Finder adds to a zip.
    private static let finder = "mkdir __MACOSX && echo attributes > __MACOSX/._a &&"

    @Test(arguments: packings)
    func sameAsTheDirectory(_ packing: Packing) throws {
        try Tool.need("tar", "zip")
        for shape in Self.shapes where !shape.files.isEmpty || packing.hasTop {
            let scratch = try Scratch()
            let make = shape.files.map { $0.hasSuffix("/") ? "mkdir -p \($0)" : "mkdir -p $(dirname \($0)); echo \($0) > \($0)" }
            let script = """
                mkdir MyApp && cd MyApp && TOPS='\(shape.tops.joined(separator: " "))'
                { \((make + ["true"]).joined(separator: "; ")); } && \(packing.command)
                """
            let run = try Tool.shell(script, in: scratch.path)
            try #require(run.status == 0, "\(run.output)")
            let archive = try #require(["a.tar", "a.tar.gz", "a.zip"].first { scratch.exists($0) })
            let isInside = shape.wrapper != nil && !packing.isWhole && (shape.isBundle || !packing.hasTop)
            let live = try packed(
                scratch("MyApp" + (isInside ? "/\(shape.wrapper ?? "")" : "")), to: scratch("live.capsule"))
            let opened = try Container(Array(scratch(archive).utf8)).open(ContainerOptions())
            let read = try packed(scratch(archive), to: scratch("read.capsule"))
            #expect(read.root.treeDigest == live.root.treeDigest, "\(shape.files)")
            #expect(read.manifest.layout == live.manifest.layout, "\(shape.files)")
            // Whoever reads the archive learns which directory was taken for the container, unless it is a bundle.
            let wrapper = packing.isWhole ? "MyApp" : isInside ? shape.wrapper : nil
            let isBundle = live.manifest.source.kind == .bundle
            #expect(
                opened.wrapperNote?.contains("is \(wrapper ?? ""), the archive's") == (isBundle || wrapper == nil ? nil : true))
            #expect(opened.evidence.contains { $0.contains("only top directory") } == (opened.wrapperNote != nil))
        }
    }
}
