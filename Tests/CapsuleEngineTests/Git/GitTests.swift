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
        let installed = try GitAttributesBlock.installed(in: bytes, Self.path)
        #expect(installed.starts(with: bytes))
        #expect(String(decoding: installed, as: UTF8.self).contains("\n*.entitlements diff=capsule merge=capsule\n"))
        #expect(try GitAttributesBlock.installed(in: installed, Self.path) == installed)
        let lineEnd: [UInt8] = bytes.isEmpty || bytes.last == 0x0A ? [] : [0x0A]
        #expect(try GitAttributesBlock.removed(from: installed, Self.path) == bytes + lineEnd)
        #expect(try GitAttributesBlock.removed(from: bytes, Self.path) == nil)
        // Lines that were added after it.
        let longer = try GitAttributesBlock.removed(from: installed + Array("*.h text\n".utf8), Self.path)
        #expect(longer == bytes + lineEnd + Array("*.h text\n".utf8))
    }

    @Test(arguments: [
        "# capsule git: begin\n", "# capsule git: begin\n*.plist diff=capsule",
        "# capsule git: begin\n# capsule git: begin\n# capsule git: end\n",
    ])
    func blocksWithoutAnEndAreRefused(text: String) {
        #expect(throws: CapsuleError.self) { try GitAttributesBlock.find(in: Array(text.utf8), Self.path) }
        #expect(throws: CapsuleError.self) { try GitAttributesBlock.installed(in: Array(text.utf8), Self.path) }
    }

    @Test func severalBlocksAllGo() throws {
        let block = GitAttributesBlock.text
        let bytes = Array("a\n".utf8) + block + Array("b\n".utf8) + block
        #expect(try GitAttributesBlock.removed(from: bytes, Self.path) == Array("a\nb\n".utf8))
    }

    @Test func changedLineEndsAndOldPatternsAreKnown() throws {
        let text = "x\n# capsule git: begin (new file; new directories: 1)\r\n*.old diff=capsule\r\n# capsule git: end\r\ny\n"
        let rest = try GitAttributesBlock.removed(from: Array(text.utf8), Self.path)
        #expect(rest == Array("x\ny\n".utf8))
        let renewed = try GitAttributesBlock.installed(in: Array(text.utf8), Self.path)
        #expect(renewed == Array("x\n".utf8) + GitAttributesBlock.text + Array("y\n".utf8))
    }
}

/// The commands that git passes to a shell.
@Suite struct GitCommandLineTests {
    @Test(arguments: [
        ("/usr/bin/capsule", "'/usr/bin/capsule'"), ("/a b/c", "'/a b/c'"), ("/it's", #"'/it'\''s'"#), ("", "''"),
        ("/$(x)`y`\"\n", "'/$(x)`y`\"\n'"),
    ])
    func wordsAreQuoted(word: String, quoted: String) {
        #expect(GitCommandLine.quoted(Array(word.utf8)) == Array(quoted.utf8))
    }

    /// Git replaces placeholders in the driver's command, but not in the other one.
    @Test func percentSignsArePlaceholdersOfTheDriverAlone() {
        let commands = GitCommandLine(program: Array("'/100%A/capsule'".utf8))
        #expect(commands.driver.starts(with: Array("'/100%%A/capsule' git merge-driver -- %O %A %B %L %P; ".utf8)))
        #expect(
            String(decoding: commands.driver, as: UTF8.self)
                .contains("git merge-file -L ours -L base -L theirs --marker-size=%L %A %O %B;"))
        #expect(commands.textconv.starts(with: Array(#"f() { '/100%A/capsule' git textconv -- "$1" || "#.utf8)))
    }

    @Test(arguments: [
        ("capsule git merge-driver -- %O", true), ("'/old/capsule' git merge-driver %O", true), (" git merge-driver ", true),
        ("other", false), ("", false), ("git merge-driver", false),
    ])
    func ownSettingsAreKnown(value: String, isOurs: Bool) throws {
        let settings = GitSettings(.local, GitCommandLine(program: Array("capsule".utf8)))
        let driver = try #require(settings.all.last)
        #expect(driver.key == "merge.capsule.driver")
        #expect(driver.isOurs(Array(value.utf8)) == isOurs)
        #expect(settings.all.allSatisfy { $0.isOurs($0.value) })
    }
}
