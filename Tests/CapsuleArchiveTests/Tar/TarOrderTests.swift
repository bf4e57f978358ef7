import CapsuleArchive
import TestSupport
import Testing

@Suite struct TarOrderTests {
    /// The order as it is defined: memcmp of the paths, directories with a closing `/`, the shorter first.
    private static func oracle(_ left: [UInt8], _ leftIsDirectory: Bool, _ right: [UInt8], _ rightIsDirectory: Bool) -> Bool {
        let slash = UInt8(ascii: "/")
        return (leftIsDirectory ? left + [slash] : left).lexicographicallyPrecedes(rightIsDirectory ? right + [slash] : right)
    }

    @Test(arguments: SeededGenerator.seeds)
    func agreesWithTheOracle(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let alphabet = Array("/.-0a".utf8) + [1, 0xFF]
        // No path ends with a slash.
        func path() -> [UInt8] {
            (0..<random.number(0...3)).map { _ in random.pick(alphabet) } + [random.pick(alphabet.dropFirst() + [])]
        }
        for _ in 0..<20_000 {
            let left = path()
            let right = path()
            let kinds = (random.isLucky(oneIn: 2), random.isLucky(oneIn: 2))
            let expected = Self.oracle(left, kinds.0, right, kinds.1)
            #expect(TarOrder.isOrdered(left, kinds.0, before: right, kinds.1) == expected, "\(left) \(right) \(kinds)")
        }
    }

    @Test func aDirectoryStaysWithItsEntries() throws {
        let wanted = ["a-b", "a.b", "a/", "a/x", "a0", "b"]
        let items = wanted.map { text in
            (bytes: Array(text.hasSuffix("/") ? String(text.dropLast()).utf8 : text.utf8), isDirectory: text.hasSuffix("/"))
        }
        let sorted = items.shuffled().sorted { TarOrder.isOrdered($0.bytes, $0.isDirectory, before: $1.bytes, $1.isDirectory) }
        #expect(sorted.map { String(decoding: $0.bytes, as: UTF8.self) + ($0.isDirectory ? "/" : "") } == wanted)
    }
}
