import CapsuleCore
import Testing

@testable import CapsuleEngine

/// Capsule's lines are added to a file of attributes and removed again, and every other byte stays.
@Suite struct GitAttributesBlockTests {
    private static let path = HostPath("attributes")

    @Test(arguments: [
        "", "\n", "*.c diff=cpp", "*.c diff=cpp\n", "*.c diff=cpp\r\n", "\r", "# capsule git: en", "# capsule git: end\n", "\n\n",
        "*.plist -diff\n",
    ])
    func restOfTheFileStays(before: String) throws {
        let bytes = Array(before.utf8)
        let installed = try GitAttributesBlock().installed(in: bytes, Self.path)
        #expect(installed.starts(with: bytes))
        #expect(String(decoding: installed, as: UTF8.self).contains("\n*.entitlements diff=capsule merge=capsule\n"))
        #expect(try GitAttributesBlock().installed(in: installed, Self.path) == installed)
        #expect(try GitAttributesBlock.removed(from: installed, Self.path)?.bytes == bytes)
        #expect(try GitAttributesBlock.removed(from: bytes, Self.path) == nil)
        // Lines that were added after it.
        let longer = try GitAttributesBlock.removed(from: installed + Array("*.h text\n".utf8), Self.path)
        let end = bytes.isEmpty || bytes.last == 0x0A ? "" : "\n"
        #expect(longer.map { String(decoding: $0.bytes, as: UTF8.self) } == before + end + "*.h text\n")
    }

    @Test func everythingThatWasMadeIsRemembered() throws {
        var made = GitAttributesBlock.CreatedFiles()
        made.isFile = true
        made.directories = 2
        made.isConfig = true
        made.configLength = 108
        let installed = try GitAttributesBlock(made: made).installed(in: Array("x".utf8), Self.path)
        made.isLineEnd = true
        let found = try #require(try GitAttributesBlock.find(in: installed, Self.path))
        #expect(found.block.made == made)
        #expect(Array(installed[found.range]) == found.block.text)
        // Another installation, which has made nothing, keeps the record in the block.
        #expect(try GitAttributesBlock().installed(in: installed, Self.path) == installed)
    }

    @Test(arguments: [
        "# capsule git: begin\n", "# capsule git: begin\n*.plist diff=capsule",
        "# capsule git: begin\n# capsule git: begin\n# capsule git: end\n",
    ])
    func blocksWithoutAnEndAreRefused(text: String) {
        #expect(throws: CapsuleError.self) { try GitAttributesBlock.find(in: Array(text.utf8), Self.path) }
        #expect(throws: CapsuleError.self) { try GitAttributesBlock().installed(in: Array(text.utf8), Self.path) }
    }

    @Test func severalBlocksAllGo() throws {
        let block = GitAttributesBlock().text
        let bytes = Array("a\n".utf8) + block + Array("b\n".utf8) + block
        #expect(try GitAttributesBlock.removed(from: bytes, Self.path)?.bytes == Array("a\nb\n".utf8))
    }

    @Test func changedLineEndsAndOldPatternsAreKnown() throws {
        let text = "x\n# capsule git: begin (new file; new directories: 1)\r\n*.old diff=capsule\r\n# capsule git: end\r\ny\n"
        let found = try #require(try GitAttributesBlock.removed(from: Array(text.utf8), Self.path))
        #expect(found.bytes == Array("x\ny\n".utf8))
        #expect(found.made.isFile && found.made.directories == 1)
        let renewed = try GitAttributesBlock().installed(in: Array(text.utf8), Self.path)
        #expect(!String(decoding: renewed, as: UTF8.self).contains("*.old"))
        #expect(String(decoding: renewed, as: UTF8.self).hasPrefix("x\n# capsule git: begin (new file; new directories: 1)\n"))
    }

    @Test(arguments: [
        "(new directories: 99999999999999999999)", "(new directories: -3)", "(config without line end: -1)", "(", ")", "(;;;)",
        "nonsense",
    ])
    func strangeRemarksMeanNothing(remark: String) throws {
        let text = "# capsule git: begin \(remark)\n# capsule git: end\n"
        let found = try #require(try GitAttributesBlock.find(in: Array(text.utf8), Self.path))
        #expect(found.block.made == GitAttributesBlock.CreatedFiles())
    }
}
