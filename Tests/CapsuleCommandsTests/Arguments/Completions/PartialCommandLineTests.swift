import Testing

@testable import CapsuleCommands

@Suite struct PartialCommandLineTests {
    private func place(_ line: String) -> String {
        let words = line.split(separator: " ", omittingEmptySubsequences: false).map { Array($0.utf8) }
        switch PartialCommandLine(words).place {
        case .value(let flag, let after): return "--\(flag.name) after \(after)"
        case .positional(let positional): return positional.name
        case .verb: return "verb"
        case .form: return "form"
        case .flag: return "flag"
        case .extra: return "extra"
        }
    }

    @Test(
        arguments: [
            ("", "verb"), ("ls", "verb"), ("ls ", "CONTAINER"), ("ls X.cap", "CONTAINER"), ("ls X ", "PATH"),
            ("ls X a b c", "PATH"),
            ("ls -l X ", "PATH"), ("ls -", "flag"), ("ls -- -", "CONTAINER"), ("cat X ", "PATH"), ("cat X y ", "extra"),
            ("pack --drop ", "--drop after 0"), ("pack --drop=ca", "--drop after 7"), ("pack -q --drop a X", "CONTAINER"),
            ("pack -o ", "--output after 0"), ("--color never ls ", "CONTAINER"), ("nothing ", "extra"),
            ("plist nothing ", "extra"),
            ("compact X --keep first,", "--keep after 0"), ("plist ", "form"), ("plist get ", "FILE"),
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
