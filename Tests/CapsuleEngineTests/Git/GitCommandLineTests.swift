import Testing

@testable import CapsuleEngine

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
