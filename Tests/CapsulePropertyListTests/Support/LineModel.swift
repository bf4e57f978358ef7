import CapsulePropertyList
import TestSupport

/// A property list with all of its layout, one element or key to a line, which is edited as a person would edit it: what
/// comes out is what minimal edits have to come to.
struct LineModel {
    /// A value, or the beginning, inside and end of a container.
    indirect enum Node {
        case scalar(PlistValue, text: String)
        case container(Container)
        /// In the canonical layout.
        case fresh(PlistValue)
    }

    struct Container {
        var isDictionary: Bool
        var comment = ""
        var children: [Child] = []
        /// Lines before the closing tag.
        var after: [String] = []
    }

    struct Child {
        /// Empty lines and comments.
        var before: [String] = []
        var key: String?
        var keyComment = ""
        var node: Node
        var comment = ""
    }

    /// What an edit does to the array it is in, besides which nothing else may happen there: which of two equal elements
    /// went, or which of two like ones changed, could not be told.
    private enum ArrayEdit: CaseIterable { case insert, remove, move, descend, leave }

    var root: Container
    let unit: String
    private var count = 0

    // MARK: Making one

    init(unit: String, using generator: inout SeededGenerator) {
        self.unit = unit
        root = Container(isDictionary: true)
        root = container(isDictionary: true, depth: 4, least: 1, using: &generator)
    }

    private mutating func container(
        isDictionary: Bool, depth: Int, least: Int = 0, using generator: inout SeededGenerator
    ) -> Container {
        var container = Container(isDictionary: isDictionary, comment: comment(using: &generator))
        for _ in 0..<generator.number(least...5) {
            var child = Child(node: node(depth: depth - 1, using: &generator))
            child.before = lines(using: &generator)
            child.comment = comment(using: &generator)
            if isDictionary {
                child.key = name("k")
                child.keyComment = comment(using: &generator)
            }
            container.children.append(child)
        }
        container.after = lines(using: &generator)
        return container
    }

    private mutating func node(depth: Int, using generator: inout SeededGenerator) -> Node {
        if depth > 0, generator.isLucky(oneIn: 2) {
            return .container(container(isDictionary: generator.isLucky(oneIn: 2), depth: depth, using: &generator))
        }
        return scalar(using: &generator)
    }

    private mutating func name(_ prefix: String) -> String {
        count += 1
        return "\(prefix)\(count)"
    }

    private mutating func comment(using generator: inout SeededGenerator) -> String {
        generator.isLucky(oneIn: 4) ? generator.pick([" ", "", "\t"]) + "<!-- \(name("c")) -->" : ""
    }

    private mutating func lines(using generator: inout SeededGenerator) -> [String] {
        guard generator.isLucky(oneIn: 3) else { return [] }
        return (0..<generator.number(1...2)).map { _ in
            generator.pick(["", "  ", "\t<!-- \(name("c")) -->", "<!-- \(name("c"))\n  two lines -->", "<?pi \(name("p")) ?> "])
        }
    }

    /// Every scalar is another one, so that it is clear what became of it.
    private mutating func scalar(using generator: inout SeededGenerator) -> Node {
        let name = name("s")
        return generator.isLucky(oneIn: 3)
            ? .scalar(.integer(PlistInteger(count)), text: "<integer>0x\(String(count, radix: 16))</integer>")
            : .scalar(.string(PlistString(name)), text: "<string>\(name.replacing("s", with: "<![CDATA[s]]>"))</string>")
    }

    // MARK: Editing it

    mutating func edit(using generator: inout SeededGenerator) {
        var root = root
        editDictionary(&root, least: 1, using: &generator)
        self.root = root
    }

    private mutating func editDictionary(_ container: inout Container, least: Int, using generator: inout SeededGenerator) {
        for child in container.children.indices.reversed() {
            if generator.isLucky(oneIn: 6), container.children.count > least {
                Self.remove(child, from: &container)
            } else {
                change(&container.children[child].node, using: &generator)
            }
        }
        while generator.isLucky(oneIn: 3) { add(name("k"), to: &container, at: container.children.count, using: &generator) }
    }

    private mutating func change(_ node: inout Node, using generator: inout SeededGenerator) {
        switch node {
        case .fresh:
            break
        case .container(var container):
            if container.isDictionary {
                editDictionary(&container, least: 0, using: &generator)
            } else {
                editArray(&container, using: &generator)
            }
            node = .container(container)
        case .scalar(let value, _):
            guard generator.isLucky(oneIn: 4) else { return }
            let name = name("s")
            switch value {
            case .integer: node = .scalar(.integer(PlistInteger(count)), text: "<integer>\(count)</integer>")
            default: node = .scalar(.string(PlistString(name)), text: "<string>\(name)</string>")
            }
        }
    }

    private mutating func editArray(_ container: inout Container, using generator: inout SeededGenerator) {
        let last = container.children.count - 1
        switch generator.pick(ArrayEdit.allCases) {
        case .insert: add(nil, to: &container, at: generator.number(0...(last + 1)), using: &generator)
        case .remove where last >= 0: Self.remove(generator.number(0...last), from: &container)
        case .move where last >= 0:
            let child = container.children.remove(at: generator.number(0...last))
            container.children.insert(child, at: generator.number(0...last))
        case .descend where last >= 0: change(&container.children[generator.number(0...last)].node, using: &generator)
        default: break
        }
    }

    private static func remove(_ child: Int, from container: inout Container) {
        let removed = container.children.remove(at: child)
        if child < container.children.count {
            container.children[child].before = removed.before + container.children[child].before
        } else {
            container.after = removed.before + container.after
        }
    }

    private mutating func add(
        _ key: String?, to container: inout Container, at place: Int, using generator: inout SeededGenerator
    ) {
        let name = PlistString(name("n"))
        let value: PlistValue = generator.pick([.string(name), [.string(name), [:]], [name: true, "b": .data([1, 2])]])
        var child = Child(key: key, node: .fresh(value))
        if container.children.isEmpty {
            child.before = container.after
            container.after = []
        }
        container.children.insert(child, at: place)
    }

    // MARK: What it comes to

    var value: PlistValue { Self.value(of: .container(root)) }

    private static func value(of node: Node) -> PlistValue {
        switch node {
        case .scalar(let value, _), .fresh(let value): value
        case .container(let container) where container.isDictionary:
            .dictionary(PlistDictionary(container.children.map { (PlistString($0.key ?? ""), value(of: $0.node)) }))
        case .container(let container): .array(container.children.map { value(of: $0.node) })
        }
    }

    var text: String {
        "<?xml version=\"1.0\"?>\n<plist>\n" + Self.text(of: .container(root), indentation: "", unit: unit) + "\n</plist>\n"
    }

    private static func text(of node: Node, indentation: String, unit: String) -> String {
        switch node {
        case .scalar(_, let text): return indentation + text
        case .fresh(let value): return fresh(value, indentation: indentation, unit: unit)
        case .container(let container):
            let tag = container.isDictionary ? "dict" : "array"
            var lines = ["\(indentation)<\(tag)>\(container.comment)"]
            for child in container.children {
                lines += child.before
                if let key = child.key { lines.append("\(indentation)\(unit)<key>\(key)</key>\(child.keyComment)") }
                lines.append(text(of: child.node, indentation: indentation + unit, unit: unit) + child.comment)
            }
            lines += container.after
            return lines.joined(separator: "\n") + "\n\(indentation)</\(tag)>"
        }
    }

    /// The lines of the canonical layout between `<plist>` and `</plist>`, with the unit in place of tabs.
    private static func fresh(_ value: PlistValue, indentation: String, unit: String) -> String {
        let document = (try? XMLPlistWriter.write(value)) ?? []
        let lines = String(decoding: document, as: UTF8.self).split(separator: "\n").dropFirst(3).dropLast()
        return lines.map { line in
            let tabs = line.prefix { $0 == "\t" }.count
            return indentation + String(repeating: unit, count: tabs) + line.dropFirst(tabs)
        }.joined(separator: "\n")
    }
}
