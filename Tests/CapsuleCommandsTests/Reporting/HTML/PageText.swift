import Foundation
import TestSupport
import Testing

/// What Python's parser makes of a page: a second opinion on its markup.
struct PageText: Decodable {
    struct Image: Decodable { let type: String, bytes: Int }

    /// Tags that are not closed or not open, attributes without quotation marks, elements and attributes that no page has.
    let problems: [String]
    /// All that is to be read, style and script apart.
    let text: String
    let ids: [String]
    let links: [String]
    let images: [Image]
    /// How often each element is there.
    let elements: [String: Int]
    let title: String
    let style: String
    let script: String
    let policy: String
    /// How deep elements are in each other.
    let depth: Int

    init(_ page: [UInt8]) throws {
        let directory = try TemporaryDirectory()
        try Files.write(page, to: directory["page.html"])
        let read = try Program.run("python3", [PackageFiles.tools + "/read_page.py", directory["page.html"]])
        try #require(read.status == 0, "\(read.errors)")
        self = try JSONDecoder().decode(PageText.self, from: Data(read.output))
    }
}
