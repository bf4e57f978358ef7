import Foundation
import TestSupport
import Testing

/// Tests that the code in the documentation compiles.
@Suite struct DocumentedCodeTests {
    /// The pages that contain Swift code, as paths in the project.
    static let pages: [String] = {
        let samples = (try? FileManager.default.contentsOfDirectory(atPath: PackageFiles.samples)) ?? []
        let pages = ["docs/runtime.md"] + samples.sorted().map { "Samples/\($0)/README.md" }
        return pages.filter { page in
            guard let bytes = try? Files.read(PackageFiles.root + "/" + page) else { return false }
            return String(decoding: bytes, as: UTF8.self).contains("\n```swift\n")
        }
    }()

    @Test func thereArePages() {
        #expect(Self.pages.contains("docs/runtime.md"))
        #expect(Self.pages.count >= 5)
    }

    /// Each line of Swift in a page is also in the example, in its tests, or in a file beside the page that a script compiles.
    @Test(arguments: pages)
    func whatIsShownIsCompiled(page: String) throws {
        let path = PackageFiles.root + "/" + page
        let text = String(decoding: try Files.read(path), as: UTF8.self)
        var compiled: Set<String> = []
        for directory in [
            PackageFiles.samples + "/ExampleApp", PackageFiles.root + "/Tests/ExampleAppTests",
            URL(fileURLWithPath: path).deletingLastPathComponent().path,
        ] {
            for name in try FileManager.default.contentsOfDirectory(atPath: directory) where name.hasSuffix(".swift") {
                let source = String(decoding: try Files.read(directory + "/" + name), as: UTF8.self)
                compiled.formUnion(source.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) })
            }
        }
        var isCode = false
        var count = 0
        for line in text.split(separator: "\n").map(String.init) {
            if line.hasPrefix("```") {
                isCode = line == "```swift"
            } else if isCode {
                #expect(compiled.contains(line.trimmingCharacters(in: .whitespaces)), "\(line)")
                count += 1
            }
        }
        #expect(count >= 2)
    }
}
