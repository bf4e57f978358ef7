import Testing

@testable import CapsuleCommands

@Suite struct PartialCommandLineTests {
    private func place(_ line: String) -> String {
        let words = line.split(separator: " ", omittingEmptySubsequences: false).map { Array($0.utf8) }
        switch PartialCommandLine(words).place {
        case .value(let flag, let after): return "--\(flag.name) after \(after)"
        case .positional(let positional): return positional.name
        case .other: return "other"
        }
    }

    @Test(
        arguments: [
            ("", "other"), ("ls", "other"), ("ls ", "CONTAINER"), ("ls X.cap", "CONTAINER"), ("ls X ", "PATH"),
            ("ls X a b c", "PATH"),
            ("ls -l X ", "PATH"), ("ls -", "other"), ("ls -- -", "CONTAINER"), ("cat X ", "PATH"), ("cat X y ", "other"),
            ("pack --drop ", "--drop after 0"), ("pack --drop=ca", "--drop after 7"), ("pack -q --drop a X", "CONTAINER"),
            ("pack -o ", "--output after 0"), ("--color never ls ", "CONTAINER"), ("nothing ", "other"),
            ("compact X --keep first,", "--keep after 0"), ("plist ", "other"), ("plist get ", "FILE"),
            ("plist get F ", "POINTER"),
            ("help ", "TOPIC"), ("help plist ", "TOPIC"), ("locate --device x ", "BUNDLE-ID"), ("diff A B ", "PATH"),
        ])
    func theLastWordIsKnownByItsPlace(line: String, place: String) {
        #expect(self.place(line) == place)
    }

    @Test func argumentsAreKnownByWhatTheyAre() {
        let command = PartialCommandLine(["cat", "-q", "X.capsule", ""].map { Array($0.utf8) })
        #expect(command.arguments[Positional.container.id] == [Array("X.capsule".utf8)])
        let located = PartialCommandLine(["locate", "--devices=D", "--kind", "group", ""].map { Array($0.utf8) })
        #expect(
            located.arguments[Flag.devices.id] == [Array("D".utf8)] && located.arguments[Flag.kind.id] == [Array("group".utf8)])
    }
}
