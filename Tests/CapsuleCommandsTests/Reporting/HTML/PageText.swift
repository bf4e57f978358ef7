import Foundation
import TestSupport
import Testing

/// A page as Python's parser reads it: a second opinion on its markup.
struct PageText: Decodable {
    struct Image: Decodable { let type: String, bytes: Int }

    /// Tags that are not closed or not open, attributes without quotation marks, and elements and attributes that pages don't use.
    let problems: [String]
    /// All readable text, without style and script.
    let text: String
    let ids: [String]
    let links: [String]
    let images: [Image]
    /// The number of occurrences of each element.
    let elements: [String: Int]
    let title: String
    let style: String
    let script: String
    let policy: String
    /// The depth of nested elements.
    let depth: Int

    init(_ page: [UInt8]) throws {
        let directory = try TemporaryDirectory()
        try Files.write(page, to: directory["page.html"])
        let read = try Program.run("python3", [PackageFiles.tools + "/read_page.py", directory["page.html"]])
        try #require(read.status == 0, "\(read.errors)")
        self = try JSONDecoder().decode(PageText.self, from: Data(read.output))
    }
}
