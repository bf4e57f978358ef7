import CapsulePropertyList
import TestSupport
import Testing

/// Everything that reads, writes or changes a value must support the deepest value that the limits allow, on the smallest stack of
/// any thread. Otherwise an app that links the library would crash in debug builds.
@Suite struct DeepValueTests {
    /// An operation, and a check of its result.
    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        let isRight: @Sendable () throws -> Bool

        init(_ name: String, _ isRight: @escaping @Sendable () throws -> Bool) {
            self.name = name
            self.isRight = isRight
        }

        var testDescription: String { name }
    }

    static let depth = PlistLimits.standard.depth
    private static let shapes: [Shape] = [.arrays, .dictionaries, .both]
    private static let formats: [PlistFormat] = [.xml, .binary, .json, .openStep]

    private static func each(_ name: String, _ body: @escaping @Sendable (PlistValue) throws -> Bool) -> [Case] {
        shapes.map { shape in Case("\(name), \(shape)") { try body(shape.value("leaf")) } }
    }

    static let values: [Case] = [
        each("made and released") { $0.isContainer },
        each("equality") { try $0 == PlistReader.read(PlistWriter.write($0, as: .binary)).value },
        each("hash") { value in [value].map(\.hashValue) == [value.hashValue] },
        each("description") { !$0.description.isEmpty && !$0.line(length: nil, values: .max).isEmpty },
        each("shortened") { !$0.shortened(length: nil, values: .max, textLimit: .max).line.isEmpty },
        each("printed") { try !PlistPrinter.text(of: $0).isEmpty },
        each("typed JSON") { value in
            try PlistReader.read(JSONPlistWriter.write(value, options: .typed), json: .typed).value == value
        },
        each("a line of a report") { try !JSONPlistWriter.reportLine($0, dataLength: nil).isEmpty },
    ].flatMap { $0 }

    static let encodings: [Case] = formats.flatMap { cases(in: $0) }

    private static func cases(in format: PlistFormat) -> [Case] {
        var cases = each("\(format)") { value in
            let bytes = try PlistWriter.write(value, as: format)
            return try PlistReader.read(bytes).value == value && PlistReader.readLeniently(bytes).value == value
        }
        cases += each("changed in \(format)") { try Self.isChanged($0, in: format) }
        for shape in shapes {
            cases.append(Case("turned into \(format), \(shape)") { try Self.isConverted(shape, to: format) })
        }
        return cases
    }

    private static func isChanged(_ value: PlistValue, in format: PlistFormat) throws -> Bool {
        let document = try PlistDocument.read(try PlistWriter.write(value, as: format))
        let pointer = way(into: value)
        // Every value in a text document has a location.
        guard format == .binary || document.location(of: pointer) != nil else { return false }
        var changed = value
        try changed.edit(.set("another leaf"), at: pointer)
        return try PlistReader.read(document.bytes(holding: changed)).value == changed
    }

    /// The innermost container holds a value that the encoding can't represent.
    private static func isConverted(_ shape: Shape, to format: PlistFormat) throws -> Bool {
        let leaf: PlistValue
        switch format {
        case .json: leaf = .data([1])
        case .binary: leaf = .null
        default: leaf = .date(0.5)
        }
        let conversion = try PlistConversion(of: shape.value(leaf), to: format)
        let written = try PlistWriter.write(conversion.value, as: format)
        return try PlistReader.read(written).value == conversion.value && conversion.notes.count == 1
    }

    static let edits: [Case] = shapes.flatMap { shape in
        [
            Case("value at a pointer, \(shape)") {
                let value = shape.value("leaf")
                return try value.value(at: Self.way(into: value)) == "leaf"
            },
            Case("set, \(shape)") { try Self.edited(shape, .set("new")) == shape.value("new") },
            Case("replaced, \(shape)") { try Self.edited(shape, .replace("new")) == shape.value("new") },
            Case("transformed, \(shape)") {
                try Self.edited(shape, .transform { (value) throws(PlistError) in value = "new" }) == shape.value("new")
            },
            Case("removed, \(shape)") { try Self.edited(shape, .remove) != shape.value("leaf") },
            Case("refused, \(shape)") {
                var value = shape.value("leaf")
                let before = value
                let pointer = Self.way(into: value).appending("beyond")
                let error = #expect(throws: PlistError.self) { try value.edit(.remove, at: pointer) }
                return value == before && error?.pointer == pointer.description
            },
        ]
    }

    static let archives: [Case] = [
        Case("a graph") {
            let archive = try KeyedArchive(Self.chain(reversed: false))
            let tree = try archive.resolved()
            return try tree == KeyedArchive(Self.chain(reversed: true)).resolved()
                && PlistPrinter.text(of: Self.chain(reversed: false), unarchives: true) != [] && tree.isContainer
        },
        Case("renumbered") {
            guard let left = Self.chain(reversed: false).dictionary, let right = Self.chain(reversed: true).dictionary else {
                return false
            }
            return KeyedArchive.haveSameObjects(left, right)
        },
        Case("renumbered, with a deep object") {
            let deep = Shape.dictionaries.value(.uid(1), Self.depth - 2)
            func archive(_ leaf: PlistValue) -> PlistDictionary? {
                ArchiveFixture.archive(["$null", leaf, deep], root: .uid(2)).dictionary
            }
            guard let left = archive("a"), let right = archive("b") else { return false }
            return KeyedArchive.haveSameObjects(left, left) && !KeyedArchive.haveSameObjects(left, right)
        },
        Case("documents within each other") {
            let count = 200
            var bytes = try PlistWriter.write("leaf", as: .binary)
            for _ in 1..<count { bytes = try PlistWriter.write(.data(bytes), as: .binary) }
            var value = PlistValue.data(bytes)
            let pointer = PlistPointer(steps: Array(repeating: "<plist>", count: count))
            try value.edit(.set("new"), at: pointer)
            return try value.value(at: pointer) == "new"
        },
    ]

    @Test(arguments: values + encodings + edits + archives)
    func takesTheLeastStack(deep: Case) throws {
        #expect(try onStack(of: leastStack, deep.isRight))
    }

    // MARK: Values

    enum Shape: Sendable {
        case arrays, dictionaries, both

        /// Returns nested containers of the maximum depth, with the leaf in the innermost one.
        func value(_ leaf: PlistValue, _ depth: Int = DeepValueTests.depth) -> PlistValue {
            (0..<depth).reduce(leaf) { inner, level in
                let isArray = self == .arrays || self == .both && level % 2 == 0
                return isArray ? .array([inner, "beside"]) : ["k": inner, "l": "beside"]
            }
        }
    }

    /// Returns the pointer to the leaf.
    private static func way(into value: PlistValue) -> PlistPointer {
        var steps: [PlistString] = []
        var value = value
        while true {
            if let inner = value.array?.first {
                (value, steps) = (inner, steps + ["0"])
            } else if let inner = value.dictionary?["k"] {
                (value, steps) = (inner, steps + ["k"])
            } else {
                return PlistPointer(steps: steps)
            }
        }
    }

    private static func edited(_ shape: Shape, _ edit: PlistEdit) throws -> PlistValue {
        var value = shape.value("leaf")
        try value.edit(edit, at: way(into: value))
        return value
    }

    /// Returns a keyed archive of objects that each hold the next one, as deep as their tree may be.
    private static func chain(reversed: Bool) -> PlistValue {
        let count = depth - 2
        var fixture = ArchiveFixture()
        let node = fixture.addClass("Node")
        var objects = (0..<count).map { _ in fixture.reserve() }
        if reversed { objects.reverse() }
        for (number, object) in objects.enumerated() {
            let next: PlistValue = number + 1 < count ? objects[number + 1] : .uid(0)
            fixture.set(object, to: ArchiveFixture.object(node, ["next": next]))
        }
        return fixture.archive(objects[0])
    }
}
