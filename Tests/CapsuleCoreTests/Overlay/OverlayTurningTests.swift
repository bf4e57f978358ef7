import CapsulePropertyList
import TestSupport
import Testing

@testable import CapsuleCore
@testable import CapsuleMerge
@testable import CapsuleOverlay
@testable import CapsuleRules

@Suite struct OverlayTurningTests {
    private static func line(_ operation: PlistOperation) -> String {
        switch operation.action {
        case .add(let value), .insert(let value), .replace(let value), .test(let value):
            "\(operation.action.name) \(operation.path) \(value)"
        case .move(let from): "move \(from) \(operation.path)"
        default: "\(operation.action.name) \(operation.path)"
        }
    }

    private static let cases: [ComparisonCase] = [
        ComparisonCase("nothing", ["a": 1], ["a": 1], []),
        ComparisonCase(
            "entries", ["a": 1, "b": 2], ["a": "1", "c": 3],
            ["test /a 1", "replace /a \"1\"", "test /b 2", "remove /b", "insert /c 3"]),
        ComparisonCase("root", 1, 2, ["test  1", "replace  2"]),
        ComparisonCase(
            "within an element by its key", ["TestTargets": [["BlueprintName": "x"], ["BlueprintName": "y", "a": 1]]],
            ["TestTargets": [["BlueprintName": "y", "a": 2], ["BlueprintName": "x"]]],
            [
                "test /TestTargets/[BlueprintName=y]/a 1", "replace /TestTargets/[BlueprintName=y]/a 2",
                "test /TestTargets/0/BlueprintName \"x\"", "test /TestTargets/1/BlueprintName \"y\"",
                "move /TestTargets/0 /TestTargets/1",
            ]),
        ComparisonCase(
            "removed from the end, inserted from the front", ["UIAppFonts": ["a", "b", "c", "d"]],
            ["UIAppFonts": ["x", "b", "d", "y"]],
            [
                "test /UIAppFonts/2 \"c\"", "remove /UIAppFonts/2", "test /UIAppFonts/0 \"a\"", "remove /UIAppFonts/0",
                "insert /UIAppFonts/0 \"x\"", "insert /UIAppFonts/3 \"y\"",
            ]),
        ComparisonCase(
            "one moves", ["UIAppFonts": ["a", "b", "c", "d"]], ["UIAppFonts": ["d", "a", "b", "c"]],
            ["test /UIAppFonts/3 \"d\"", "move /UIAppFonts/3 /UIAppFonts/0"]),
        ComparisonCase(
            "an element for another", ["L": ["a", "b"]], ["L": ["a", "c"]], ["test /L/1 \"b\"", "replace /L/1 \"c\""]),
        ComparisonCase("behind an element", ["L": [1, 2, 3]], ["L": [1, 2, 9, 3]], ["test /L/1 2", "insert /L/2 9"]),
        ComparisonCase(
            "one behind the other", ["L": [1, 2]], ["L": [7, 8, 1, 9, 10, 2]],
            ["insert /L/0 7", "insert /L/1 8", "test /L/2 1", "insert /L/3 9", "insert /L/4 10"]),
        ComparisonCase(
            "to another place", ["L": [1, 2, 3]], ["L": [2, 3, 1]],
            ["test /L/0 1", "remove /L/0", "test /L/1 3", "insert /L/2 1"]),
        ComparisonCase(
            "behind an element with a key", ["TestTargets": [["BlueprintName": "x", "a": 1]]],
            ["TestTargets": [["BlueprintName": "x", "a": 1], ["BlueprintName": "y"]]],
            ["test /TestTargets/0/BlueprintName \"x\"", "insert /TestTargets/1 {\"BlueprintName\": \"y\"}"]),
        ComparisonCase(
            "into an element", ["L": [["n": 1], ["n": 2], ["n": 3]]], ["L": [["n": 1], ["n": 2, "x": true], ["n": 4]]],
            ["test /L/1 {\"n\": 2}", "insert /L/1/x true", "test /L/2 {\"n\": 3}", "test /L/2/n 3", "replace /L/2/n 4"]),
        ComparisonCase(
            "into an element of an element", ["L": [[0, ["n": 1]]]], ["L": [[0, ["n": 1, "x": true]]]],
            ["test /L/0 [0, {\"n\": 1}]", "insert /L/0/1/x true"]),
        ComparisonCase(
            "into an element with a key", ["TestTargets": [["BlueprintName": "x"], ["a": 1], ["b": 1]]],
            ["TestTargets": [["BlueprintName": "x", "n": 1], ["a": 1], ["b": 1, "n": 1]]],
            [
                "insert /TestTargets/[BlueprintName=x]/n 1", "test /TestTargets/2 {\"b\": 1}", "insert /TestTargets/2/n 1",
            ]),
        ComparisonCase(
            "behind what is removed", ["L": [1, 2, 3, 4]], ["L": [1, 4]],
            ["test /L/2 3", "remove /L/2", "test /L/0 1", "test /L/1 2", "remove /L/1"]),
        ComparisonCase(
            "one more of the same", ["UIAppFonts": ["a", "b"]], ["UIAppFonts": ["a", "b", "a", "c"]],
            ["add /UIAppFonts/2 \"a\"", "test /UIAppFonts/0 \"a\"", "insert /UIAppFonts/3 \"c\""]),
        ComparisonCase(
            "one less of the same", ["UIAppFonts": ["a", "b", "a", "c"]], ["UIAppFonts": ["a", "b"]],
            [
                "test /UIAppFonts/3 \"c\"", "remove /UIAppFonts/3", "test /UIAppFonts/0 \"a\"", "test /UIAppFonts/2 \"a\"",
                "remove /UIAppFonts/2",
            ]),
        ComparisonCase(
            "another with the same key, in front", ["TestTargets": [["BlueprintName": "x", "n": 1]]],
            ["TestTargets": [["BlueprintName": "x", "n": 2], ["BlueprintName": "y"], ["BlueprintName": "x", "n": 1]]],
            [
                "add /TestTargets/0 {\"BlueprintName\": \"x\", \"n\": 2}", "test /TestTargets/1/BlueprintName \"x\"",
                "test /TestTargets/0/BlueprintName \"x\"", "insert /TestTargets/1 {\"BlueprintName\": \"y\"}",
            ]),
        ComparisonCase(
            "one behind the other, by their keys", ["TestTargets": []],
            ["TestTargets": [["BlueprintName": "x"], ["BlueprintName": "y"]]],
            [
                "insert /TestTargets/0 {\"BlueprintName\": \"x\"}", "test /TestTargets/0/BlueprintName \"x\"",
                "insert /TestTargets/1 {\"BlueprintName\": \"y\"}",
            ]),
        ComparisonCase(
            "a number for a key", ["d": ["0": 1]], ["d": ["0": 1, "1": 2]],
            ["test /d {\"0\": 1}", "replace /d {\"0\": 1, \"1\": 2}"]),
        ComparisonCase(
            "within a number's entry", ["d": ["0": ["a": 1], "b": 1]], ["d": ["0": ["a": 2], "b": 1]],
            ["test /d {\"0\": {\"a\": 1}, \"b\": 1}", "replace /d {\"0\": {\"a\": 2}, \"b\": 1}"]),
        ComparisonCase(
            "beside a number's entry", ["d": ["0": ["a": 1]]], ["d": ["0": ["a": 1], "b": 1]], ["insert /d/b 1"]),
        ComparisonCase(
            "keys like places in arrays", ["a": [:]], ["a": ["-": 1]], ["test /a {}", "replace /a {\"-\": 1}"]),
        ComparisonCase(
            "data stays data", ["a": .data([1])], ["a": .data([2])],
            ["test /a data of 1 byte, AQ==", "replace /a data of 1 byte, Ag=="]),
    ]

    @Test(arguments: cases)
    func writes(_ example: ComparisonCase) throws {
        let overlay = try Overlay(turning: example.old, into: example.new, identities: SeededGenerator.identities)
        #expect(overlay.targets.count == 1)
        #expect(overlay.targets.flatMap(\.operations).map(Self.line) == example.lines)
        #expect(try overlay.applied(to: example.old).value == example.new)
    }

    /// The overlay that `diff --overlay` writes must give exactly the new value, and must be invertible.
    @Test(arguments: SeededGenerator.seeds)
    func appliesExactly(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<1_000 {
            let old = random.propertyList()
            let new = random.isLucky(oneIn: 20) ? random.propertyList() : random.changed(old, random.number(0...6))
            let overlay = try Overlay(turning: old, into: new, identities: SeededGenerator.identities)
            #expect(try overlay.applied(to: old).value == new, "\(old) → \(new): \(overlay.targets)")
            #expect(try overlay.inverted().applied(to: new).value == old, "\(old) → \(new): \(overlay.targets)")
            #expect(try Overlay(turning: old, into: new, identities: SeededGenerator.identities) == overlay)
            #expect(overlay.targets.allSatisfy { $0.operations.isEmpty } == (old == new))
        }
    }

    /// Applied to another value, it must not overwrite anything unnoticed.
    @Test func guardsItself() throws {
        let overlay = try Overlay(turning: ["a": 1], into: ["a": 2])
        let error = try #require(throws: OverlayError.self) { try overlay.applied(to: ["a": 3]) }
        #expect(error.code == .failedTest)
    }

    /// In a list that drifted, elements that an overlay does not name stay where they are, or nothing is done at all.
    @Test(arguments: SeededGenerator.seeds)
    func movesNothingUnnamed(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var (done, refused) = (0, 0)
        for _ in 0..<2_000 {
            let name: PlistString = random.isLucky(oneIn: 2) ? "L" : "UIAppFonts"
            let values = random.number(1...6)
            let old = (0..<random.number(1...12)).map { _ in random.number(1...values) }
            var new = old
            for _ in 0..<random.number(1...3) {
                let place = random.number(0...new.count)
                switch random.number(0...3) {
                case 0: new.insert(random.number(1...9), at: place)
                case 1 where place < new.count: new.remove(at: place)
                case 2: new.shuffle(using: &random)
                default: if place < new.count { new[place] = random.number(1...9) }
                }
            }
            func list(_ numbers: [Int]) -> PlistValue { [name: .array(numbers.map { .integer(PlistInteger($0)) })] }
            let overlay = try Overlay(turning: list(old), into: list(new), identities: SeededGenerator.identities)
            // One element differs from the one that the overlay was made for.
            let place = random.number(0...old.count - 1)
            var drifted = old
            drifted[place] = 77
            guard let result = try? overlay.applied(to: list(drifted)).value else {
                refused += 1
                continue
            }
            done += 1
            // It is a separate element, and it was not moved.
            let numbers = try #require(result.dictionary?[name]?.array)
            let at = try #require(numbers.firstIndex(of: 77), "\(old) → \(new), \(place): \(result)")
            var restored = numbers
            restored[at] = .integer(PlistInteger(old[place]))
            #expect(.dictionary([name: .array(restored)]) == list(new), "\(old) → \(new), \(place): \(result)")
        }
        #expect(done > 100 && refused > 100)
    }

    @Test func movesTestWhatTheyMove() throws {
        let overlay = try Overlay(
            turning: ["UIAppFonts": ["a", "b", "c"]], into: ["UIAppFonts": ["c", "a", "b"]],
            identities: SeededGenerator.identities)
        let error = try #require(throws: OverlayError.self) { try overlay.applied(to: ["UIAppFonts": ["a", "b", "x"]]) }
        #expect(error.code == .failedTest)
    }

    /// Beyond the limit, differences are replaced as a whole, and the result is still exact.
    @Test(arguments: SeededGenerator.seeds)
    func appliesExactlyPastTheLimit(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<300 {
            let old = random.propertyList()
            let new = random.changed(old, 10)
            var writer = OperationWriter(identities: SeededGenerator.identities, operationLimit: random.number(0...8))
            try writer.write(old, new)
            let overlay = Overlay(targets: [Overlay.Target(operations: writer.operations)])
            #expect(try overlay.applied(to: old).value == new, "\(old) → \(new): \(overlay.targets)")
        }
    }

    @Test func longArraysAreReplacedWhole() throws {
        let elements = (0..<100_000).map { PlistValue.integer(PlistInteger($0)) }
        let overlay = try Overlay(turning: ["UIAppFonts": .array(elements)], into: ["UIAppFonts": .array(elements.reversed())])
        #expect(overlay.targets.flatMap(\.operations).map(\.action.name) == ["test", "replace"])
        var changed = elements
        changed.swapAt(10, 99_000)
        changed.remove(at: 500)
        let few = try Overlay(turning: ["UIAppFonts": .array(elements)], into: ["UIAppFonts": .array(changed)])
        #expect(few.targets.flatMap(\.operations).map(\.action.name) == ["test", "remove", "test", "move", "test", "move"])
        #expect(try few.applied(to: ["UIAppFonts": .array(elements)]).value == ["UIAppFonts": .array(changed)])
    }
}

/// The laws of overlays, for generated property lists and overlays.
@Suite struct OverlayLawsTests {
    private static func turning(_ old: PlistValue, _ new: PlistValue) throws -> Overlay {
        try Overlay(turning: old, into: new, identities: SeededGenerator.identities)
    }

    /// A partial property list: some keys of a value, partly changed, and some that it does not have.
    private static func truncated(_ value: PlistValue, _ random: inout SeededGenerator) -> PlistValue {
        switch value {
        case .dictionary(let entries):
            var result = PlistDictionary()
            for (key, value) in entries where random.isLucky(oneIn: 2) { result[key] = truncated(value, &random) }
            if random.isLucky(oneIn: 4), let more = random.propertyList(depth: 2).dictionary {
                for (key, value) in more where result[key] == nil && entries[key] == nil { result[key] = value }
            }
            return .dictionary(result)
        case .array(let elements):
            return .array(elements.filter { _ in random.isLucky(oneIn: 2) }.map { truncated($0, &random) })
        default:
            return random.isLucky(oneIn: 3) ? random.scalar() : value
        }
    }

    @Test(arguments: SeededGenerator.seeds)
    func mergingTwiceIsMergingOnce(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var merged = 0
        for _ in 0..<rounds(1_500) {
            let base = random.propertyList()
            let overlay = try Overlay(Self.truncated(base, &random), format: .xml)
            let context = OverlayContext(arrays: SeededGenerator.identities.rules)
            guard let once = try? overlay.applied(to: base, in: context).value else { continue }
            merged += 1
            let twice = try overlay.applied(to: once, in: context).value
            #expect(twice == once, "seed \(seed): \(overlay.targets) over \(base)")
        }
        #expect(merged > rounds(500))
    }

    /// A value does not differ from itself, and its overlay does nothing.
    @Test(arguments: SeededGenerator.seeds)
    func nothingDiffersFromItself(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<300 {
            let value = random.propertyList()
            let same = random.shuffledKeys(value)
            #expect(try PlistDiff(value, same, identities: SeededGenerator.identities).isEmpty)
            #expect(try Self.turning(value, same).targets.allSatisfy { $0.operations.isEmpty })
        }
    }

    @Test(arguments: SeededGenerator.seeds)
    func composingIsDoingOneAfterTheOther(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<400 {
            let a = random.propertyList()
            let b = random.changed(a, random.number(0...4))
            let c = random.changed(b, random.number(0...4))
            let d = random.changed(c, random.number(0...4))
            let (ab, bc, cd) = (try Self.turning(a, b), try Self.turning(b, c), try Self.turning(c, d))
            let ac = try ab.composed(with: bc)
            #expect(try ac.applied(to: a).value == c, "seed \(seed)")
            #expect(try ac.inverted().applied(to: c).value == a, "seed \(seed)")
            #expect(try ac.composed(with: cd).applied(to: a).value == d, "seed \(seed)")
            #expect(try ab.composed(with: try bc.composed(with: cd)).applied(to: a).value == d, "seed \(seed)")
            #expect(try ab.composed(with: try ab.inverted()).applied(to: a).value == a, "seed \(seed)")
            // The same overlay as it is in a file.
            #expect(try Overlay(ac.document, format: .binary).applied(to: a).value == c, "seed \(seed)")
        }
    }

    @Test(arguments: SeededGenerator.seeds)
    func invertingTwiceIsTheOverlay(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var refused = 0
        for _ in 0..<400 {
            let a = random.propertyList()
            let b = random.changed(a, 5)
            let inverse = try Self.turning(a, b).inverted()
            do throws(OverlayError) {
                #expect(try inverse.inverted().applied(to: a).value == b, "seed \(seed)")
            } catch {
                // A key that looks like a place in an array: the inverse does not know what to insert it into.
                #expect(error.code == .unsupported, "seed \(seed)")
                refused += 1
            }
        }
        #expect(refused < 200)
    }
}
