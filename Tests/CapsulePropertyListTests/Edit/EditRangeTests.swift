import TestSupport
import Testing

@testable import CapsulePropertyList

/// Text around an edit is preserved to the byte, in documents of any layout.
@Suite struct EditRangeTests {
    /// A document in UTF-8, its value, and the positions of its values.
    private struct Text {
        let text: String
        let bytes: [UInt8]
        let value: PlistValue
        let format: PlistFormat
        let layout: TextLayout

        init(_ syntax: LineDialect.Syntax, using generator: inout SeededGenerator) throws {
            (value, text) = EditPropertyTests.noisy(syntax, &generator)
            bytes = Array(text.utf8)
            format = LineDialect(syntax: syntax, unit: "", sign: "").format
            layout =
                switch syntax {
                case .xml: try bytes.withUnsafeBytes { try XMLPlistLayout.scan($0) }.layout
                case .json: try bytes.withUnsafeBytes { try JSONPlistLayout.scan($0) }
                case .openStep, .strings: try bytes.withUnsafeBytes { try OpenStepPlistLayout.scan($0) }
                }
        }

        func edited(_ value: PlistValue, _ comment: Comment) throws -> [UInt8] {
            let document = try PlistDocument.read(bytes, accepting: [format])
            #expect(document.value == self.value, comment)
            let edited = try document.bytes(holding: value)
            #expect(try PlistDocument.read(edited, accepting: [format]).value == value, comment)
            return edited
        }

        /// Returns the value with a change to the value at a node.
        func changing(_ node: Int, _ change: (PlistValue) -> PlistValue) -> PlistValue {
            changing(node, of: value, at: 0, change)
        }

        private func changing(_ node: Int, of value: PlistValue, at place: Int, _ change: (PlistValue) -> PlistValue)
            -> PlistValue
        {
            if node == place { return change(value) }
            let children = layout.children(of: place)
            guard let position = children.lastIndex(where: { $0 <= node }) else { return value }
            let child = children[position]
            switch value {
            case .array(var elements):
                elements[position] = changing(node, of: elements[position], at: child, change)
                return .array(elements)
            case .dictionary(var dictionary):
                let (key, old) = dictionary[position]
                dictionary[key] = changing(node, of: old, at: child, change)
                return .dictionary(dictionary)
            default:
                return value
            }
        }

        /// Returns the nodes of the values that satisfy a condition. The content of a UID's XML element is not a value.
        func nodes(_ isWanted: (Int, PlistValue) -> Bool) -> [Int] {
            var nodes: [Int] = []
            collect(value, at: 0, &nodes, isWanted)
            return nodes
        }

        private func collect(
            _ value: PlistValue, at node: Int, _ nodes: inout [Int], _ isWanted: (Int, PlistValue) -> Bool
        ) {
            if isWanted(node, value) { nodes.append(node) }
            let values = value.array ?? value.dictionary?.map(\.value) ?? []
            for (child, value) in zip(layout.children(of: node), values) { collect(value, at: child, &nodes, isWanted) }
        }
    }

    /// Returns true if the bytes are a subsequence of others.
    private static func isSubsequence(_ bytes: [UInt8], of others: [UInt8]) -> Bool {
        var rest = bytes[...]
        for byte in others where byte == rest.first { rest.removeFirst() }
        return rest.isEmpty
    }

    @Test(arguments: LineDialect.Syntax.allCases, EditPropertyTests.seeds)
    func nothingButTheValueChanges(syntax: LineDialect.Syntax, seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let text = try Text(syntax, using: &generator)
        let nodes = text.nodes { node, _ in node > 0 }
        for _ in 0..<4 where !nodes.isEmpty {
            let node = generator.pick(nodes)
            let new = PlistValue.string(PlistString("new \(generator.next())"))
            let edited = try text.edited(text.changing(node) { _ in new }, "seed \(seed)")
            let range = text.layout.nodes[node].range
            let (before, after) = (text.bytes[..<range.lowerBound], text.bytes[range.upperBound...])
            #expect(edited.starts(with: before) && edited.reversed().starts(with: after.reversed()), "seed \(seed)")
            #expect(edited.count > before.count + after.count, "seed \(seed)")
        }
    }

    @Test(arguments: LineDialect.Syntax.allCases, EditPropertyTests.seeds)
    func nothingGoesWhenAKeyComes(syntax: LineDialect.Syntax, seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let text = try Text(syntax, using: &generator)
        let dictionaries = text.nodes { $1.dictionary != nil }
        guard !dictionaries.isEmpty else { return }
        let node = generator.pick(dictionaries)
        let key = PlistString("new \(generator.next())")
        let value = text.changing(node) { old in
            var dictionary = old.dictionary ?? [:]
            dictionary[key] = ["a": ["b"]]
            return .dictionary(dictionary)
        }
        var before = text.bytes
        let (range, next) = (text.layout.nodes[node].range, text.layout.nodes[node].next)
        // In an empty container, the blanks between the brackets are not kept, and the slash of `<dict/>` moves.
        if next == node + 1, range.count > 1 { before.removeSubrange(range.lowerBound + 1..<range.upperBound - 1) }
        let edited = try text.edited(value, "seed \(seed)")
        guard !Self.isSubsequence(before, of: edited) else { return }
        Issue.record("seed \(seed)\n\(text.text)\n=== became\n\(String(decoding: edited, as: UTF8.self))")
    }

    @Test(arguments: [LineDialect.Syntax.xml, .json], EditPropertyTests.seeds)
    func nothingButSpaceComesWhenAKeyGoes(syntax: LineDialect.Syntax, seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let text = try Text(syntax, using: &generator)
        let dictionaries = text.nodes { $1.dictionary != nil }
        guard !dictionaries.isEmpty else { return }
        let value = text.changing(generator.pick(dictionaries)) { old in
            var dictionary = old.dictionary ?? [:]
            if !dictionary.isEmpty { dictionary[generator.pick(dictionary.map(\.key))] = nil }
            return .dictionary(dictionary)
        }
        let edited = try text.edited(value, "seed \(seed)")
        // An item that was not the first on its line may be the first now.
        let isSpace = Set(" \t\r\n".utf8).contains
        guard !Self.isSubsequence(edited.filter { !isSpace($0) }, of: text.bytes) else { return }
        Issue.record("seed \(seed)\n\(text.text)\n=== became\n\(String(decoding: edited, as: UTF8.self))")
    }
}
