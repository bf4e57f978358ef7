import CapsuleContainers
import CapsuleCore
import CapsuleHashing
import CapsuleSystem
import CapsuleTransaction
import TestSupport
import Testing

@testable import CapsuleEngine

/// The files that a transaction stages from a container.
@Suite struct ContainerContentsTests {
    private let directory: TemporaryDirectory
    private let contents: ContainerContents
    private let number: Int

    init() throws {
        directory = try TemporaryDirectory()
        let tree: TreeLiteral = ["wanted/a": .file("two"), "staged": .directory()]
        try tree.make(at: directory["t"])
        let container = try Container(Array(directory["t/wanted"].utf8)).open(ContainerOptions())
        contents = ContainerContents(container: container)
        number = try #require(container.entries.firstIndex { $0.path.description == "a" })
    }

    private func write(_ text: String, content: Int) throws -> [(number: Int, name: [UInt8])] {
        var entry = contents.container.entries[number]
        entry.size = UInt64(text.utf8.count)
        entry.digest = SHA256Hasher.digest(of: Array(text.utf8))
        let file = PlannedFile(
            number: 7, name: try RelativePath(validating: Array("7".utf8)), content: content, place: entry.path, entry: entry)
        return try contents.write([file], in: try RootDirectory(directory.host("t/staged")), jobs: 2, progress: nil)
    }

    @Test func writesFilesUnderTheirNames() throws {
        #expect(try write("two", content: number).isEmpty)
        let wanted: TreeLiteral = ["7": .file("two")]
        #expect(wanted.differences(from: try TreeLiteral(reading: directory["t/staged"])) == [])
    }

    /// Content that doesn't match its digest never gets into the tree.
    @Test func checksWhatItStages() throws {
        #expect(failure { try write("owt", content: number) } != nil)
    }

    @Test(arguments: [("two", 9), ("two", -1), ("three", nil)])
    func refusesContentThatDoesNotExist(_ text: String, content: Int?) throws {
        let error = failure { try write(text, content: content ?? number) }
        #expect(error?.message == "the content does not exist")
        #expect(error?.path == HostPath("a"))
    }
}
