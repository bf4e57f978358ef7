import CapsulePropertyList
import TestSupport
import Testing

@Suite struct KeyedArchiveTests {
    @Test(
        arguments: [
            (ArchiveFixture.archive(["$null", "a"]), true), (["$archiver": "X", "$objects": [], "$top": [:]], true), ([:], false),
            ([], false), (["$archiver": 1, "$objects": [], "$top": [:]], false),
            (["$archiver": "X", "$objects": [:], "$top": [:]], false), (["$archiver": "X", "$objects": [], "$top": []], false),
            (["$archiver": "X", "$objects": []], false),
        ] as [(PlistValue, Bool)])
    func knowsAnArchive(_ value: PlistValue, _ isArchive: Bool) throws {
        #expect(KeyedArchive.isArchive(value) == isArchive)
        #expect((archiveError(value)?.code == .unsupported) == !isArchive)
    }

    @Test func keepsEverythingAtTheTop() throws {
        let archive: PlistValue = [
            "$archiver": "NSKeyedArchiver", "$version": 100_000, "$objects": ["$null", "a"],
            "$top": ["root": .uid(1), "nil": .uid(0), "number": 3, "both": [.uid(1), ["x": .uid(1)]]],
        ]
        #expect(try KeyedArchive(archive).resolved() == ["root": "a", "nil": .null, "number": 3, "both": ["a", ["x": "a"]]])
    }

    /// An object of a Foundation class with unexpected fields is not unwrapped, so that nothing is lost.
    @Test(
        arguments: [
            ("NSArray", ["NS.objects": [.uid(0)], "more": 1]), ("NSArray", ["NS.objects": 1]), ("NSArray", [:]),
            ("NSDictionary", ["NS.keys": [1], "NS.objects": []]), ("NSDictionary", ["NS.keys": []]),
            ("NSSet", ["NS.object.1": 1]), ("NSDate", ["NS.time": 1]), ("NSUUID", ["NS.uuidbytes": .data([1])]),
            ("NSString", ["NS.string": 1]), ("NSData", ["NS.data": "x"]), ("NSURL", ["NS.base": 1, "NS.relative": "x"]),
            ("NSURL", ["NS.relative": "x"]), ("Other", ["NS.objects": [1]]),
        ] as [(PlistString, PlistDictionary)])
    func keepsWhatItDoesNotKnow(_ name: PlistString, _ fields: PlistDictionary) throws {
        var fixture = ArchiveFixture()
        let className = fixture.addClass(name, "NSObject")
        _ = fixture.add(ArchiveFixture.object(className, fields))
        var expected = fields
        expected["$class"] = .string(name)
        if name == "NSArray", fields["more"] != nil { expected["NS.objects"] = [.null] }
        #expect(try resolvedRoot(fixture.archive()) == .dictionary(expected))
    }

    @Test func namesBeginningWithADollarSignAreToldApart() throws {
        var fixture = ArchiveFixture()
        let className = fixture.addClass("Odd")
        _ = fixture.add(
            ArchiveFixture.object(
                className, ["$0": 1, "$12": 2, "$": 3, "$x": 4, "$$x": 5, "$1a": 6, "in": ["$ref": "7", "$0": 8]]))
        #expect(
            try resolvedRoot(fixture.archive()) == [
                "$class": "Odd", "$0": 1, "$12": 2, "$$": 3, "$$x": 4, "$$$x": 5, "$$1a": 6, "in": ["$$ref": "7", "$$0": 8],
            ])
    }

    /// A renamed class has no list of classes.
    @Test func aClassMayHaveItsNameOnly() throws {
        var fixture = ArchiveFixture()
        let className = fixture.add(["$classname": "Renamed"])
        _ = fixture.add(ArchiveFixture.object(className, ["a": 1]))
        let archive = try KeyedArchive(fixture.archive())
        #expect(archive.objects[2].classNames == ["Renamed"])
        #expect(try archive.resolved() == ["root": ["$class": "Renamed", "a": 1]])
    }

    @Test func equalKeysAreNotLost() throws {
        var fixture = ArchiveFixture()
        let className = fixture.addClass("NSDictionary")
        let key = fixture.add("k")
        _ = fixture.add(ArchiveFixture.object(className, ["NS.keys": [key, "k"], "NS.objects": [1, 2]]))
        let entries = try resolvedRoot(fixture.archive())?.dictionary?["$entries"]?.array ?? []
        #expect(Set(entries) == [["key": "k", "value": 1], ["key": "k", "value": 2]])
    }

    // MARK: Cycles

    /// Objects that contain themselves in different ways, with the expected values.
    @Test func circlesAreMarked() throws {
        var own = ArchiveFixture()
        let ownClass = own.addClass("Own")
        let itself = own.reserve()
        own.set(itself, to: ArchiveFixture.object(ownClass, ["self": itself, "list": [itself, ["deep": itself]]]))
        #expect(
            try resolvedRoot(own.archive(itself)) == [
                "$class": "Own", "self": ["$ref": "1"], "list": [["$ref": "2"], ["deep": ["$ref": "3"]]],
            ])

        var array = ArchiveFixture()
        let arrayClass = array.addClass("NSMutableArray", "NSArray")
        let list = array.reserve()
        array.set(list, to: ArchiveFixture.object(arrayClass, ["NS.objects": [1, list]]))
        #expect(try resolvedRoot(array.archive(list)) == [1, ["$ref": "1"]])

        var set = ArchiveFixture()
        let setClass = set.addClass("NSSet")
        let elements = set.reserve()
        set.set(elements, to: ArchiveFixture.object(setClass, ["NS.objects": [elements, 1]]))
        #expect(try resolvedRoot(set.archive(elements)) == ["$class": "NSSet", "$objects": [1, ["$ref": "2"]]])

        var dictionary = ArchiveFixture()
        let dictionaryClass = dictionary.addClass("NSDictionary")
        let entries = dictionary.reserve()
        dictionary.set(entries, to: ArchiveFixture.object(dictionaryClass, ["NS.keys": [entries], "NS.objects": [entries]]))
        #expect(
            try resolvedRoot(dictionary.archive(entries)) == [
                "$class": "NSDictionary", "$entries": [["key": ["$ref": "3"], "value": ["$ref": "3"]]],
            ])
    }

    /// A class that is its own class, or its own list of classes.
    @Test func classesMayBeObjects() throws {
        let itself: PlistValue = ["$class": .uid(1), "$classname": "Meta"]
        #expect(
            try resolvedRoot(ArchiveFixture.archive(["$null", itself])) == ["$class": "Meta", "$$classname": "Meta"])
        let described: PlistValue = ["$classname": "A", "$classes": ["A", "B"]]
        #expect(
            try resolvedRoot(ArchiveFixture.archive(["$null", described])) == ["$$classname": "A", "$$classes": ["A", "B"]])
    }

    /// Objects outside of a cycle appear in all their places.
    @Test func whatIsSharedIsNotMarked() throws {
        var fixture = ArchiveFixture()
        let className = fixture.addClass("Point")
        let point = fixture.add(ArchiveFixture.object(className, ["x": 1]))
        _ = fixture.add(ArchiveFixture.object(className, ["a": point, "b": [point, point]]))
        let value: PlistValue = ["$class": "Point", "x": 1]
        #expect(try resolvedRoot(fixture.archive()) == ["$class": "Point", "a": value, "b": [value, value]])
        // It makes no difference if two places have one object or two equal ones.
        var copies = ArchiveFixture()
        let other = copies.addClass("Point")
        let points = (0..<3).map { _ in copies.add(ArchiveFixture.object(other, ["x": 1])) }
        _ = copies.add(ArchiveFixture.object(other, ["a": points[0], "b": [points[1], points[2]]]))
        #expect(try KeyedArchive(fixture.archive()).resolved() == KeyedArchive(copies.archive()).resolved())
    }

    /// A cycle that is referred to from two places, once in its middle.
    @Test func circlesAreReferredToByTheirPlace() throws {
        var fixture = ArchiveFixture()
        let (a, b, c) = (fixture.addClass("A"), fixture.addClass("B"), fixture.addClass("NSSet"))
        let (first, second) = (fixture.reserve(), fixture.reserve())
        fixture.set(first, to: ArchiveFixture.object(a, ["b": second]))
        fixture.set(second, to: ArchiveFixture.object(b, ["a": first]))
        let circle: PlistValue = ["$class": "A", "b": ["$class": "B", "a": ["$ref": "2"]]]
        _ = fixture.add(ArchiveFixture.object(a, ["1": first, "2": second, "3": first]))
        #expect(try resolvedRoot(fixture.archive()) == ["$class": "A", "1": circle, "2": ["$ref": "1/1/b"], "3": circle])
        // In a set, the path contains the sorted position.
        let set = fixture.add(ArchiveFixture.object(c, ["NS.objects": [first, "s", 1]]))
        _ = fixture.add(ArchiveFixture.object(a, ["1": set, "2": second]))
        #expect(
            try resolvedRoot(fixture.archive()) == [
                "$class": "A", "1": ["$class": "NSSet", "$objects": [1, "s", circle]], "2": ["$ref": "1/1/$objects/2/b"],
            ])
        // If the path is used before the set is complete, its elements are not sorted.
        _ = fixture.add(ArchiveFixture.object(c, ["NS.objects": [first, second, 1]]))
        #expect(
            try resolvedRoot(fixture.archive()) == [
                "$class": "NSSet", "$objects": [circle, ["$ref": "2/$objects/0/b"], 1],
            ])
    }

    /// In any graph, every reference leads to its object, and the numbers don't matter.
    @Test(arguments: Array(1...30) + SeededGenerator.seeds)
    func referencesLeadToTheirObjects(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<4 {
            let count = generator.number(1...10)
            var fixture = ArchiveFixture()
            let (node, array, set) = (fixture.addClass("Node"), fixture.addClass("NSArray"), fixture.addClass("NSSet"))
            let nodes = (0..<count).map { _ in fixture.reserve() }
            var edges: [[Int]] = []
            for (number, reference) in nodes.enumerated() {
                let targets = (0..<generator.number(0...3)).map { _ in generator.number(0...count - 1) }
                edges.append(targets)
                var fields: PlistDictionary = ["id": .integer(PlistInteger(number))]
                for (place, target) in targets.enumerated() {
                    let name = PlistString("e\(place)")
                    switch generator.number(0...3) {
                    case 0: fields[name] = [nodes[target]]
                    case 1: fields[name] = fixture.add(ArchiveFixture.object(array, ["NS.objects": [nodes[target]]]))
                    case 2: fields[name] = fixture.add(ArchiveFixture.object(set, ["NS.objects": ["s", nodes[target], 1]]))
                    default: fields[name] = nodes[target]
                    }
                }
                fixture.set(reference, to: ArchiveFixture.object(node, fields))
            }
            let archive = fixture.archive(nodes[0])
            let tree = try KeyedArchive(archive).resolved()
            // The walk is naive and follows cycles for a while.
            let failures = onLargeStack { [edges] in
                var walk = GraphWalk(tree: tree, edges: edges)
                walk.check(["root"], is: 0)
                return walk.failures
            }
            #expect(failures.isEmpty, "seed \(seed): \(failures)")
            #expect(try KeyedArchive(generator.renumbered(archive)).resolved() == tree, "seed \(seed)")
            // In binary, equal parts of the archive share their storage.
            #expect(try KeyedArchive(try read(try BinaryPlistWriter.write(archive))).resolved() == tree, "seed \(seed)")
        }
    }

    /// Follows a graph and its resolved tree.
    private struct GraphWalk {
        let tree: PlistValue
        let edges: [[Int]]
        var failures: [String] = []
        private var budget = 200

        init(tree: PlistValue, edges: [[Int]]) {
            self.tree = tree
            self.edges = edges
        }

        mutating func check(_ way: [PlistString], is node: Int) {
            budget -= 1
            guard budget > 0 else { return }
            var way = way
            if let pointer = value(way)?.dictionary?["$ref"]?.string?.string {
                let parts = pointer.split(separator: "/")
                way.removeLast(Int(parts[0]) ?? 0)
                way += parts.dropFirst().map { PlistString(String($0)) }
                guard value(way)?.dictionary?["id"]?.integer == PlistInteger(node) else {
                    failures.append("\(pointer) leads to \(way), which is not \(node)")
                    return
                }
                return
            }
            guard let object = value(way)?.dictionary, object["id"]?.integer == PlistInteger(node) else {
                failures.append("\(way) is not \(node)")
                return
            }
            for (place, target) in edges[node].enumerated() {
                let name = PlistString("e\(place)")
                let field = way + [name]
                if value(field)?.array != nil {
                    check(field + ["0"], is: target)
                } else if let elements = value(field)?.dictionary?["$objects"]?.array {
                    let place = elements.firstIndex { $0.dictionary != nil } ?? 0
                    check(field + ["$objects", PlistString("\(place)")], is: target)
                } else if value(field)?.dictionary?["$ref"] != nil, value(field)?.dictionary?["id"] == nil {
                    // To the node itself, or to the array or set that contains it.
                    checkReference(field, to: target)
                } else {
                    check(field, is: target)
                }
            }
        }

        private mutating func checkReference(_ way: [PlistString], to node: Int) {
            let parts = (value(way)?.dictionary?["$ref"]?.string?.string ?? "").split(separator: "/")
            let end = way.dropLast(Int(parts.first ?? "") ?? 0) + parts.dropFirst().map { PlistString(String($0)) }
            if value(Array(end))?.dictionary?["id"] != nil {
                check(Array(end), is: node)
            } else if value(Array(end))?.isContainer != true {
                failures.append("\(way) leads nowhere")
            }
        }

        private func value(_ way: [PlistString]) -> PlistValue? {
            way.reduce(Optional(tree)) { value, step in
                switch value {
                case .dictionary(let dictionary)?: dictionary[step]
                case .array(let elements)?: Int(step.string).flatMap { $0 < elements.count ? elements[$0] : nil }
                default: nil
                }
            }
        }
    }

    // MARK: Hostile archives

    @Test(
        arguments: [
            ([.uid(2)], "/$objects/1"), (["a", ["x": [1, .uid(3)]]], "/$objects/2/x/1"), ([.uid(.max)], "/$objects/1"),
            ([["$class": .uid(9)]], "/$objects/1/$class"), ([["$class": "NSArray"]], "/$objects/1/$class"),
            ([["$class": .uid(2)], "a"], "/$objects/1/$class"), ([["$class": .uid(0)]], "/$objects/1/$class"),
            ([["$class": .uid(2)], ["$classname": 1]], "/$objects/1/$class"),
            ([["$class": .uid(2)], ["$classname": "A", "$classes": "A"]], "/$objects/1/$class"),
            ([["$class": .uid(2)], ["$classname": "A", "$classes": ["A", 1]]], "/$objects/1/$class"),
        ] as [([PlistValue], String)])
    func badReferencesAreErrors(_ objects: [PlistValue], _ pointer: String) {
        let error = archiveError(ArchiveFixture.archive(["$null"] + objects))
        #expect(error?.code == .damaged)
        #expect(error?.pointer == pointer, "\(error?.description ?? "no error")")
    }

    @Test func aBadReferenceAtTheTopIsAnError() {
        let error = archiveError(ArchiveFixture.archive(["$null"], root: .uid(1)))
        #expect(error?.description == "no object has the UID 1 (at /$top/root)")
        #expect(archiveError(ArchiveFixture.archive([], root: .uid(0)))?.pointer == "/$top/root")
    }

    /// Objects that each hold the next one twice, which makes 2^count places.
    private static func doubling(_ count: Int, isCircle: Bool) throws -> (archive: KeyedArchive, root: PlistValue) {
        var fixture = ArchiveFixture()
        let className = fixture.addClass("NSArray")
        let objects = (0..<count).map { _ in fixture.reserve() }
        for (object, next) in zip(objects, objects.dropFirst()) {
            fixture.set(object, to: ArchiveFixture.object(className, ["NS.objects": [next, next]]))
        }
        let last = isCircle ? [objects[0]] : []
        fixture.set(objects[count - 1], to: ArchiveFixture.object(className, ["NS.objects": .array(last)]))
        let value = fixture.archive(objects[0])
        return (try KeyedArchive(value), value)
    }

    @Test func objectsThatMultiplyExpandToALimit() throws {
        let few = try Self.doubling(15, isCircle: false).archive
        #expect(try few.resolved() == few.resolved())
        #expect(try BinaryPlistWriter.write(few.resolved()).count < 1000)
        let error = archiveError(try Self.doubling(60, isCircle: false).root)
        #expect(error?.code == .limitExceeded)
        #expect(error?.message == "the keyed archive repeats objects too often")
        // In a circle, every object has one place.
        let tree = try Self.doubling(60, isCircle: true).archive.resolved()
        #expect(tree.dictionary?["root"]?.array?.last == ["$ref": "1/0"])
    }

    /// Two long, equal strings that occur many times in one set. The number of comparisons is limited.
    @Test(.timeLimit(.minutes(1)))
    func longStringsAreComparedOnlySoOften() throws {
        func archive(_ copies: Int) -> PlistValue {
            var fixture = ArchiveFixture()
            let className = fixture.addClass("NSSet")
            let text = String(repeating: "a", count: 1 << 20)
            let strings = [fixture.add(.string(PlistString(text))), fixture.add(.string(PlistString(text)))]
            let elements = (0..<copies).flatMap { _ in strings }
            _ = fixture.add(ArchiveFixture.object(className, ["NS.objects": .array(elements)]))
            return fixture.archive()
        }
        #expect(archiveError(archive(2)) == nil)
        #expect(archiveError(archive(2000))?.code == .limitExceeded)
    }

    /// Strings that differ only in the middle have the same order in every permutation.
    @Test func longStringsHaveAnOrder() throws {
        func root(_ isTurned: Bool) throws -> PlistValue? {
            var fixture = ArchiveFixture()
            let className = fixture.addClass("NSSet")
            let padding = String(repeating: "a", count: 5000)
            let texts = ["b", "c", ""].map { PlistValue.string(PlistString(padding + $0 + padding)) }
            let data = [1, 2].map {
                PlistValue.data([UInt8](repeating: 0, count: 5000) + [$0] + [UInt8](repeating: 0, count: 5000))
            }
            let elements = (isTurned ? (texts + data).reversed() : texts + data).map { fixture.add($0) }
            _ = fixture.add(ArchiveFixture.object(className, ["NS.objects": .array(elements)]))
            return try resolvedRoot(fixture.archive())
        }
        #expect(try root(false) == root(true))
    }

    @Test func keysAreBounded() {
        var fixture = ArchiveFixture()
        let className = fixture.addClass("NSDictionary")
        let key = fixture.add(.string(PlistString(String(repeating: "k", count: 50))))
        let entries = (0..<4).map { _ in fixture.add(ArchiveFixture.object(className, ["NS.keys": [key], "NS.objects": [1]])) }
        _ = fixture.add(.array(entries))
        #expect(archiveError(fixture.archive(), limits: PlistLimits(binaryKeyBytes: 500)) == nil)
        #expect(archiveError(fixture.archive(), limits: PlistLimits(binaryKeyBytes: 200))?.code == .limitExceeded)
    }

    /// Many classes that share one long list of names.
    @Test func classNamesAreBounded() {
        let names = PlistValue.array([PlistValue](repeating: "N", count: 2000))
        let classes = [PlistValue](repeating: ["$classname": "A", "$classes": names], count: 600)
        let objects = (1...600).map { PlistValue.dictionary(["$class": .uid(UInt64($0))]) }
        let error = archiveError(ArchiveFixture.archive(["$null"] + classes + objects))
        #expect(error?.code == .limitExceeded)
        #expect(error?.pointer?.hasSuffix("/$classes") == true)
    }

    @Test func aChainMayBeAsDeepAsAValue() throws {
        func chain(_ count: Int) -> PlistValue {
            ArchiveFixture.archive(["$null"] + (1...count).map { $0 < count ? [.uid(UInt64($0 + 1))] : [] })
        }
        #expect(try resolvedRoot(chain(511)) == nestedArrays(511))
        let error = archiveError(chain(512))
        #expect(error?.code == .limitExceeded)
        #expect(error?.pointer == "/root" + String(repeating: "/0", count: 511))
        #expect(archiveError(chain(3), limits: PlistLimits(depth: 4)) == nil)
        #expect(archiveError(chain(3), limits: PlistLimits(depth: 3))?.code == .limitExceeded)
    }

    /// A large archive of small objects that refer to their parent.
    @Test(.timeLimit(.minutes(1)))
    func manyObjectsInACircle() throws {
        var fixture = ArchiveFixture()
        let (parentClass, childClass) = (fixture.addClass("Parent"), fixture.addClass("Child"))
        let parent = fixture.reserve()
        let children = (0..<20_000).map { number in
            fixture.add(ArchiveFixture.object(childClass, ["parent": parent, "number": .integer(PlistInteger(number))]))
        }
        fixture.set(parent, to: ArchiveFixture.object(parentClass, ["children": .array(children)]))
        let tree = try resolvedRoot(fixture.archive(parent))?.dictionary?["children"]?.array ?? []
        #expect(tree.count == 20_000)
        #expect(tree.last == ["$class": "Child", "parent": ["$ref": "3"], "number": 19_999])
    }
}
