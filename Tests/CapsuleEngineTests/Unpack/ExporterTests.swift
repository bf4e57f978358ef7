import CapsuleArchive
import CapsuleContainers
import CapsuleCore
import Foundation
import TestSupport
import Testing

@testable import CapsuleEngine

/// Exported archives, as other programs read them.
@Suite struct ExporterTests {
    @discardableResult
    private func export(
        _ source: String, _ paths: [String] = [], as form: ExportForm, to target: String, jobs: Int = 2
    ) throws -> Exporter.Outcome {
        try Exporter(jobs: jobs).export(
            Container(Array(source.utf8)), paths: paths.map { Array($0.utf8) }, as: form, to: HostPath(target))
    }

    /// A program that unpacks an archive `x` into a directory `out`.
    struct Reader: Sendable, CustomTestStringConvertible {
        let form: ExportForm
        let command: String
        let tools: [String]
        /// A command that removes names from the sample that the program itself gets wrong.
        var without = ""
        var testDescription: String { "\(form.rawValue): \(command)" }
    }

    static let readers = [
        Reader(form: .tarGzip, command: "gzip -t x && tar xzf x -C out", tools: ["tar", "gzip"]),
        Reader(form: .tarGzip, command: "bsdtar xf x -C out", tools: ["bsdtar"]),
        Reader(
            form: .tarGzip,
            // Python before 3.12 has no filters, and may warn later if none is set.
            command:
                "python3 -c \"import tarfile; t = tarfile.open('x'); t.extraction_filter = lambda m, _: m; t.extractall('out')\"",
            tools: ["python3"]),
        Reader(form: .tarZstd, command: "zstd -qt x && zstd -qdc x | tar x -C out", tools: ["tar", "zstd"]),
        Reader(form: .tar, command: "tar xf x -C out", tools: ["tar"]),
        // unzip reads names in one of two encodings, and bsdtar changes NFD to NFC.
        Reader(form: .zip, command: "unzip -q x -d out", tools: ["unzip"], without: "rm -f Documents/raw*"),
        Reader(form: .zip, command: "bsdtar xf x -C out", tools: ["bsdtar"], without: "rm -f Documents/e?*"),
    ]

    @Test(arguments: readers)
    func othersUnpackTheSame(_ reader: Reader) throws {
        try Tool.need(reader.tools + ["diff"])
        let scratch = try Scratch()
        let bundle = try SampleTree.writeBundle(scratch, extra: reader.without)
        let outcome = try export(bundle, as: reader.form, to: scratch("x"))
        #expect(outcome.length == UInt64(try scratch.read("x").count))
        let run = try Tool.shell("mkdir out && \(reader.command) 2>&1", in: scratch.path)
        #expect(run.status == 0, "\(run.output)")
        #expect(run.output.isEmpty, "\(run.output)")
        // Python doesn't set the times of links.
        let listing = "find . -type l -printf '%p %l\\n' -o -printf '%p %y %m %TY-%Tm-%Td %TH:%TM:%.2TS\\n' | LC_ALL=C sort"
        let compared = try Tool.shell(
            """
            diff -r --no-dereference com.example.app.xcappdata out/com.example.app.xcappdata &&
            (cd com.example.app.xcappdata && \(listing)) > a; (cd out/com.example.app.xcappdata && \(listing)) > b; diff a b
            """, in: scratch.path)
        #expect(compared.status == 0, "\(compared.output)")
    }

    /// A capsule is exported as an archive and packed again, which gives the same tree.
    @Test(arguments: ExportForm.allCases)
    func roundTrip(_ form: ExportForm) throws {
        let scratch = try Scratch()
        let first = try packed(try SampleTree.writeBundle(scratch), to: scratch("a.capsule"), codec: .zstd)
        try export(scratch("a.capsule"), as: form, to: scratch("x.\(form.rawValue)"))
        let second = try packed(scratch("x.\(form.rawValue)"), to: scratch("b.capsule"))
        #expect(second.root.treeDigest == first.root.treeDigest)
        #expect(second.entries.map(\.modified) == first.entries.map(\.modified))
        #expect(second.manifest.name == first.manifest.name)
    }

    @Test(arguments: ExportForm.allCases)
    func sameBytesWhateverTheJobs(_ form: ExportForm) throws {
        let scratch = try Scratch()
        let bundle = try SampleTree.writeBundle(scratch)
        _ = try packed(bundle, to: scratch("a.capsule"))
        try export(scratch("a.capsule"), as: form, to: scratch("1"), jobs: 1)
        try export(scratch("a.capsule"), as: form, to: scratch("2"), jobs: 5)
        try export(bundle, as: form, to: scratch("3"), jobs: 2)
        #expect(try scratch.read("1") == scratch.read("2"))
        #expect(try scratch.read("1") == scratch.read("3"))
    }

    @Test func largeFilesInZip() throws {
        try Tool.need("unzip", "python3")
        let scratch = try Scratch()
        var generator = SeededGenerator(seed: 1)
        let random = (0..<(9 << 17)).flatMap { _ in withUnsafeBytes(of: generator.next()) { Array($0) } }
        let text = Array(repeating: Array("all work and no play\n".utf8), count: 400_000).flatMap { $0 }
        try scratch.write(random, to: "top/random")
        try scratch.write(text, to: "top/text")
        try scratch.write(Array(text.prefix(5_000_000)) + random + [UInt8](repeating: 0, count: 5_000_000), to: "top/mixed")
        try export(scratch("top"), as: .zip, to: scratch("x.zip"))
        let check = """
            import zipfile
            z = zipfile.ZipFile('x.zip')
            assert z.testzip() is None
            for name in ('random', 'text', 'mixed'):
                assert z.read('top/' + name) == open('top/' + name, 'rb').read(), name
            assert z.getinfo('top/random').compress_type == 0
            assert z.getinfo('top/text').compress_type == 8
            assert z.getinfo('top/mixed').compress_size < 10_000_000
            """
        try scratch.write(check, to: "check.py")
        let run = try Tool.shell("unzip -tqq x.zip && python3 check.py", in: scratch.path)
        #expect(run.status == 0, "\(run.output)")
        let again = try packed(scratch("x.zip"), to: scratch("a.capsule"))
        #expect(again.root.treeDigest == (try packed(scratch("top"), to: scratch("b.capsule"))).root.treeDigest)
    }

    @Test func zipNamesAndFlags() throws {
        try Tool.need("python3")
        let scratch = try Scratch()
        try export(try SampleTree.writeBundle(scratch), as: .zip, to: scratch("x.zip"))
        let check = """
            import zipfile
            z = zipfile.ZipFile('x.zip')
            assert z.testzip() is None
            for i in z.infolist():
                raw = i.filename.encode('utf-8' if i.flag_bits & 0x800 else 'cp437')
                try:
                    raw.decode()
                    utf8 = True
                except UnicodeDecodeError:
                    utf8 = False
                assert bool(i.flag_bits & 0x800) == (utf8 and not raw.isascii()), raw
                assert i.create_system == 3
                assert i.is_dir() == (i.external_attr >> 28 == 4)
            names = [i.filename for i in z.infolist()]
            assert names[0] == 'com.example.app.xcappdata/' and len(names) == len(set(names))
            """
        try scratch.write(check, to: "check.py")
        let run = try Tool.shell("python3 check.py", in: scratch.path)
        #expect(run.status == 0, "\(run.output)")
    }

    @Test(arguments: ExportForm.allCases)
    func somePaths(_ form: ExportForm) throws {
        try Tool.need("bsdtar")
        let scratch = try Scratch()
        _ = try packed(try SampleTree.writeBundle(scratch), to: scratch("a.capsule"))
        try export(scratch("a.capsule"), ["./Documents/a.txt", "tmp/"], as: form, to: scratch("x"))
        let bsdtar = try #require(Tool("bsdtar"))
        let run = try bsdtar(["-tf", scratch("x")])
        #expect(
            run.output.split(separator: "\n") == [
                "com.example.app.xcappdata/", "com.example.app.xcappdata/AppData/",
                "com.example.app.xcappdata/AppData/Documents/",
                "com.example.app.xcappdata/AppData/Documents/a.txt", "com.example.app.xcappdata/AppData/tmp/",
                "com.example.app.xcappdata/AppData/tmp/dangling",
            ])
        let error = failure { try export(scratch("a.capsule"), ["Documents/none"], as: form, to: scratch("y")) }
        #expect(error?.code == .notFound)
        #expect(!scratch.exists("y"))
    }

    /// A capsule whose bytes don't match its index is not exported.
    @Test(arguments: ExportForm.allCases)
    func wrongDigest(_ form: ExportForm) throws {
        let scratch = try Scratch()
        _ = try packed(try SampleTree.writeBundle(scratch), to: scratch("a.capsule"))
        var bytes = try scratch.read("a.capsule")
        bytes[bytes.count / 3] ^= 0x04
        try scratch.write(bytes, to: "a.capsule")
        #expect(failure { try export(scratch("a.capsule"), as: form, to: scratch("x")) } != nil)
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: scratch.path).sorted() == [
                "a.capsule", "com.example.app.xcappdata",
            ])
    }

    @Test func nothingIsReplacedUnasked() throws {
        let scratch = try Scratch()
        let bundle = try SampleTree.writeBundle(scratch)
        try scratch.write("mine", to: "x.zip")
        #expect(failure { try export(bundle, as: .zip, to: scratch("x.zip")) }?.code == .exists)
        #expect(try scratch.read("x.zip") == Array("mine".utf8))
        _ = try Exporter(replaces: true).export(Container(Array(bundle.utf8)), as: .zip, to: HostPath(scratch("x.zip")))
        #expect(try scratch.read("x.zip").starts(with: [0x50, 0x4B, 3, 4]))
        let outcome = try Exporter().export(Container(Array(bundle.utf8)), as: .tarGzip, into: HostPath(scratch.path))
        #expect(outcome.path.name == Array("com.example.app.tar.gz".utf8))
        #expect(scratch.exists("com.example.app.tar.gz"))
    }
}
