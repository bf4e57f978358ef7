import CapsulePropertyList
import TestSupport
import Testing

@testable import CapsuleCore
@testable import CapsuleOverlay
@testable import CapsuleRules

/// Applies overlays that `diff` writes to other values than they were made for. They are refused, or keep what they do not name.
@Suite struct OverlayDriftTests {
    private static func list(_ numbers: [Int], _ name: PlistString = "L") -> PlistValue {
        [name: .array(numbers.map { .integer(PlistInteger($0)) })]
    }

    /// Returns the overlay after checking that it is exact in both directions.
    private static func turning(_ old: PlistValue, _ new: PlistValue, _ seed: UInt64) throws -> Overlay {
        let overlay = try Overlay(turning: old, into: new, identities: SeededGenerator.identities)
        #expect(try overlay.applied(to: old).value == new, "seed \(seed): \(old) → \(new)")
        #expect(try overlay.inverted().applied(to: new).value == old, "seed \(seed): \(old) → \(new)")
        return overlay
    }

    /// Removes, moves and inserts some elements. New elements are the next numbers.
    private static func edited(_ list: [Int], _ next: inout Int, _ random: inout SeededGenerator) -> [Int] {
        var list = list
        for _ in 0..<random.number(0...3) {
            let place = random.number(0...list.count)
            switch random.number(0...3) {
            case 0 where place < list.count: list.remove(at: place)
            case 1 where place < list.count:
                let element = list.remove(at: place)
                list.insert(element, at: random.number(0...list.count))
            default:
                list.insert(next, at: place)
                next += 1
            }
        }
        return list
    }

    /// All elements are different, so that each of them can be followed.
    @Test(arguments: SeededGenerator.seeds)
    func listsKeepWhatIsNotNamed(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var (done, refused) = (0, 0)
        for _ in 0..<rounds(3_000) {
            let name: PlistString = random.pick(["L", "UIAppFonts", "Steps", "CFBundleURLTypes"])
            var next = random.number(1...10)
            let old = Array(1..<next)
            let new = Self.edited(old, &next, &random)
            let drifted = Self.edited(old, &next, &random)
            let overlay = try Self.turning(Self.list(old, name), Self.list(new, name), seed)
            guard let result = try? overlay.applied(to: Self.list(drifted, name)).value.dictionary?[name]?.array else {
                refused += 1
                continue
            }
            done += 1
            let numbers = result.compactMap { $0.integer.map { Int("\($0)") ?? 0 } }
            let story: Comment = "seed \(seed), \(name): \(old) → \(new), on \(drifted): \(numbers)"
            let (gone, inserted) = (Set(old).subtracting(new), Set(new).subtracting(old))
            #expect(numbers.sorted() == (drifted.filter { !gone.contains($0) } + inserted).sorted(), story)
            let operations = overlay.targets.flatMap(\.operations)
            // An element that is removed and inserted again is moved, and so is one that an operation moves.
            var moved = inserted.union(gone)
            for (number, operation) in operations.enumerated() {
                switch operation.action {
                case .insert(let value), .replace(let value), .test(let value):
                    guard let value = value.integer.flatMap({ Int("\($0)") }) else { break }
                    if case .test = operation.action {
                        guard number + 1 < operations.count else { break }
                        let isMoved = operations[(number + 1)...].prefix(2).contains {
                            if case .move(let from) = $0.action { from == operation.path } else { false }
                        }
                        if isMoved { moved.insert(value) }
                    } else {
                        moved.insert(value)
                    }
                default: break
                }
            }
            #expect(numbers.filter { !moved.contains($0) } == drifted.filter { !moved.contains($0) }, story)
            guard name == "L" || name == "CFBundleURLTypes" else { continue }
            for operation in operations {
                guard case .insert(let value) = operation.action, let number = value.integer.flatMap({ Int("\($0)") }),
                    let place = new.firstIndex(of: number), place > 0
                else { continue }
                let found = try #require(numbers.firstIndex(of: number), story)
                #expect(found > 0 && numbers[found - 1] == new[place - 1], story)
            }
        }
        #expect(done > rounds(300) && refused > rounds(300), "seed \(seed): \(done), \(refused)")
    }

    /// Repeated elements: there are as many of each as the overlay and the drift explain.
    @Test(arguments: SeededGenerator.seeds)
    func repeatedElementsAreCounted(seed: UInt64) throws {
        func counts(_ list: [Int]) -> [Int: Int] { list.reduce(into: [:]) { $0[$1, default: 0] += 1 } }
        var random = SeededGenerator(seed: seed)
        var done = 0
        for _ in 0..<rounds(3_000) {
            let name: PlistString = random.pick(["L", "UIAppFonts", "Steps", "CFBundleURLTypes"])
            let values = random.number(1...3)
            let old = (0..<random.number(0...10)).map { _ in random.number(1...values) }
            var (new, drifted) = (old, old)
            for _ in 0..<random.number(1...3) {
                if random.isLucky(oneIn: 2) { new.insert(random.number(1...4), at: random.number(0...new.count)) }
                if !new.isEmpty, random.isLucky(oneIn: 2) { new[random.number(0...new.count - 1)] = random.number(1...4) }
                if !new.isEmpty, random.isLucky(oneIn: 3) { new.remove(at: random.number(0...new.count - 1)) }
            }
            var own: [Int] = []
            for number in 90..<(90 + random.number(1...3)) {
                own.append(number)
                drifted.insert(number, at: random.number(0...drifted.count))
            }
            let order = drifted.filter { own.contains($0) }
            let overlay = try Self.turning(Self.list(old, name), Self.list(new, name), seed)
            guard let result = try? overlay.applied(to: Self.list(drifted, name)).value.dictionary?[name]?.array else { continue }
            done += 1
            let numbers = result.compactMap { $0.integer.map { Int("\($0)") ?? 0 } }
            let story: Comment = "seed \(seed), \(name): \(old) → \(new), on \(drifted): \(numbers)"
            #expect(numbers.filter { own.contains($0) } == order, story)
            let wanted = counts(drifted).merging(counts(new), uniquingKeysWith: +)
                .merging(counts(old).mapValues { -$0 }, uniquingKeysWith: +).filter { $0.value != 0 }
            #expect(counts(numbers) == wanted, story)
        }
        #expect(done > rounds(300), "seed \(seed): \(done)")
    }

    @Test(arguments: SeededGenerator.seeds)
    func keysKeepTheirValues(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var (done, refused) = (0, 0)
        for _ in 0..<2_000 {
            func entries(_ random: inout SeededGenerator) -> PlistDictionary {
                PlistDictionary(
                    (["a", "b", "c", "0"] as [PlistString]).filter { _ in random.isLucky(oneIn: 2) }.map {
                        ($0, .integer(PlistInteger(random.number(1...3))))
                    })
            }
            let (old, new, drifted) = (entries(&random), entries(&random), entries(&random))
            let overlay = try Self.turning(.dictionary(old), .dictionary(new), seed)
            guard let result = try? overlay.applied(to: .dictionary(drifted)).value.dictionary else {
                refused += 1
                continue
            }
            done += 1
            for key in Set(old.keys).union(new.keys).union(drifted.keys) {
                let isNamed = old[key] != new[key]
                #expect(result[key] == (isNamed ? new[key] : drifted[key]), "seed \(seed): \(old) → \(new), on \(drifted)")
                guard isNamed else { continue }
                #expect(
                    drifted[key] == old[key] || old[key] == nil && drifted[key] == new[key],
                    "seed \(seed): \(old) → \(new), on \(drifted)")
            }
        }
        #expect(done > rounds(30) && refused > rounds(300), "seed \(seed): \(done), \(refused)")
    }

    /// A test that belongs to a move is not taken for the test of the `add` after it.
    @Test func invertsAnInverse() throws {
        let (old, new): ([PlistValue], [PlistValue]) = (["A", "c", "c", "b"], ["b", "A", "c", "A"])
        let overlay = try Overlay(turning: ["UIAppFonts": .array(old)], into: ["UIAppFonts": .array(new)])
        let twice = try overlay.inverted().inverted()
        #expect(try twice.applied(to: ["UIAppFonts": .array(old)]).value == ["UIAppFonts": .array(new)])
    }

    /// An element that the target got in the meantime is not added twice, neither by the overlay nor by its inverse. An element
    /// that was there twice is restored twice.
    @Test(arguments: SeededGenerator.seeds)
    func nothingComesTwice(seed: UInt64) throws {
        let names: [PlistString] = ["SKAdNetworkItems", "CFBundleURLTypes", "UIAppFonts"]
        let keys: [PlistString: PlistString] = [
            "SKAdNetworkItems": "SKAdNetworkIdentifier", "CFBundleURLTypes": "CFBundleURLName",
        ]
        var random = SeededGenerator(seed: seed)
        var (done, refused) = (0, 0)
        for _ in 0..<rounds(3_000) {
            let name = random.pick(names)
            let isRepeated = random.isLucky(oneIn: 4)
            func folded(_ element: PlistValue) -> PlistValue {
                guard let key = keys[name] else { return element }
                let value = element.dictionary?[key]?.string?.string ?? ""
                return .string(PlistString(name == "SKAdNetworkItems" ? value.lowercased() : value))
            }
            func elements(_ random: inout SeededGenerator) -> [PlistValue] {
                var known: Set<PlistValue> = []
                return (0..<random.number(0...5)).map { _ in
                    let text: PlistValue = .string(random.pick(["a", "b", "c", "d", "A", "B"]))
                    return keys[name].map { [$0: text, "v": .integer(PlistInteger(random.number(1...2)))] } ?? text
                }.filter { known.insert(folded($0)).inserted || isRepeated }
            }
            let (old, new, drifted) = (elements(&random), elements(&random), elements(&random))
            let overlay = try Self.turning([name: .array(old)], [name: .array(new)], seed)
            #expect(
                try overlay.inverted().inverted().applied(to: [name: .array(old)]).value == [name: .array(new)],
                "seed \(seed): \(old) → \(new)")
            guard !isRepeated else { continue }
            #expect(overlay.targets.flatMap(\.operations).allSatisfy { $0.action.name != "add" })
            for overlay in [overlay, try overlay.inverted()] {
                guard let result = try? overlay.applied(to: [name: .array(drifted)]).value.dictionary?[name]?.array else {
                    refused += 1
                    continue
                }
                done += 1
                #expect(Set(result.map(folded)).count == result.count, "seed \(seed): \(old) → \(new), on \(drifted): \(result)")
            }
        }
        #expect(done > rounds(100) && refused > rounds(300), "seed \(seed): \(done), \(refused)")
    }

    /// A value that is inserted into an element goes only into an element that is as it was, in whatever list or element it is.
    @Test(arguments: SeededGenerator.seeds)
    func elementsTakeOnlyWhatIsTheirs(seed: UInt64) throws {
        func element(_ random: inout SeededGenerator) -> PlistDictionary {
            var element: PlistDictionary = ["n": .integer(PlistInteger(random.number(1...2)))]
            if random.isLucky(oneIn: 2) { element["Name"] = .string(random.pick(["x", "y", "z"])) }
            if random.isLucky(oneIn: 3) { element["v"] = .integer(PlistInteger(random.number(1...2))) }
            return element
        }
        var random = SeededGenerator(seed: seed)
        var (done, refused) = (0, 0)
        for _ in 0..<rounds(3_000) {
            let name: PlistString = random.pick(["L", "TestConfigurations", "Steps"])
            let isDeep = random.isLucky(oneIn: 3)
            func list(_ elements: [PlistDictionary]) -> PlistValue {
                let inner: PlistValue = .array(elements.map { .dictionary($0) })
                return isDeep ? ["O": [["i": 0, name: inner], ["i": 1, name: inner]]] : [name: inner]
            }
            let old = (0..<random.number(1...4)).map { _ in element(&random) }
            let place = random.number(0...old.count - 1)
            var new = old
            new[place][random.pick(["v", "x"])] = 5
            if random.isLucky(oneIn: 2) { new[place]["n"] = 6 }
            var drifted = old
            if random.isLucky(oneIn: 2) { drifted.insert(element(&random), at: random.number(0...drifted.count)) }
            if random.isLucky(oneIn: 2) { drifted[random.number(0...drifted.count - 1)]["own"] = 7 }
            let overlay = try Self.turning(list(old), list(new), seed)
            guard let result = try? overlay.applied(to: list(drifted)).value else {
                refused += 1
                continue
            }
            done += 1
            let lists =
                isDeep
                ? result.dictionary?["O"]?.array?.map { $0.dictionary?[name]?.array ?? [] }
                : [result.dictionary?[name]?.array ?? []]
            for elements in try #require(lists) {
                let story: Comment = "seed \(seed), \(name): \(old) → \(new), on \(drifted): \(elements)"
                #expect(elements.count == drifted.count, story)
                for (number, element) in elements.enumerated() where number < drifted.count {
                    let (before, after) = (drifted[number], try #require(element.dictionary))
                    guard before != after else { continue }
                    let isNamed = name == "TestConfigurations" && before["Name"] != nil && before["Name"] == old[place]["Name"]
                    // The element is the one that was changed: by its key, or because all of it is equal.
                    #expect(isNamed || before == old[place], story)
                    for key in Set(before.keys).union(after.keys) where before[key] != after[key] {
                        #expect(before[key] == old[place][key] && after[key] == new[place][key], story)
                    }
                }
            }
        }
        #expect(done > rounds(200) && refused > rounds(200), "seed \(seed): \(done), \(refused)")
    }

    /// In a long array whose elements all change, there is one more test for each element in which something changes.
    @Test func manyElements() throws {
        func elements(_ make: (Int) -> PlistDictionary) -> PlistValue {
            ["Steps": .array((0..<5_000).map { .dictionary(make($0)) })]
        }
        let old = elements { ["n": .integer(PlistInteger($0)), "v": 1] }
        let new = elements {
            $0 % 2 == 0 ? ["n": .integer(PlistInteger($0)), "v": 2] : ["n": .integer(PlistInteger($0)), "v": 1, "x": 1]
        }
        let took = try ContinuousClock().measure {
            let overlay = try Overlay(turning: old, into: new, identities: SeededGenerator.identities)
            #expect(overlay.targets.flatMap(\.operations).count == 12_500)
            #expect(
                overlay.targets.flatMap(\.operations).prefix(5).map(\.action.name)
                    == ["test", "test", "replace", "test", "insert"])
        }
        #expect(took < .seconds(60))
    }
}
