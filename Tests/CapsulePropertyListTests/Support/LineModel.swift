import CapsulePropertyList
import TestSupport

/// A property list with its entire layout, one element or key per line. The model is edited as a person would do it, and the result
/// is the expected result of a minimal edit.
struct LineModel {
    /// A value, or a container with its layout.
    indirect enum Node {
        case scalar(PlistValue, text: String)
        case container(Container)
        /// A value in the canonical layout.
        case fresh(PlistValue)
    }

    struct Container {
        var isDictionary: Bool
        var comment = ""
        var children: [Child] = []
        /// The lines before the closing bracket.
        var after: [String] = []
        /// True if an array's last element has an optional comma.
        var endsWithSeparator = false
    }

    struct Child {
        /// Empty lines and comments.
        var before: [String] = []
        var key: String?
        var keyComment = ""
        var node: Node
        var comment = ""
    }

    /// The only change of an edit to an array. With two changes it would be ambiguous which of two equal elements was removed, or
    /// which of two similar ones was changed.
    private enum ArrayEdit: CaseIterable { case insert, remove, move, descend, leave }

    let dialect: LineDialect
    var root = Container(isDictionary: true)
    private var count = 0

    // MARK: Creation

    init(_ dialect: LineDialect, using generator: inout SeededGenerator) {
        self.dialect = dialect
        root = container(isDictionary: true, depth: 4, least: 1, using: &generator)
        if dialect.syntax == .strings { root.comment = "" }
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
                child.keyComment = dialect.hasLineBetweenKeyAndValue ? comment(using: &generator) : ""
            }
            container.children.append(child)
        }
        container.after = lines(using: &generator)
        container.endsWithSeparator = !container.children.isEmpty && generator.isLucky(oneIn: 2)
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
        generator.isLucky(oneIn: 4) ? generator.pick(dialect.comments(name("c"))) : ""
    }

    private mutating func lines(using generator: inout SeededGenerator) -> [String] {
        guard generator.isLucky(oneIn: 3) else { return [] }
        return (0..<generator.number(1...2)).map { _ in generator.pick(dialect.lines(name("c"))) }
    }

    /// Every scalar is different, so that it can be identified after an edit.
    private mutating func scalar(using generator: inout SeededGenerator) -> Node {
        let name = name("s")
        if generator.isLucky(oneIn: 3) { return .scalar(dialect.number(count), text: dialect.oddNumber(count)) }
        return .scalar(dialect.string(name), text: dialect.oddString(name))
    }

    // MARK: Editing

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
            node =
                value.string == nil
                ? .scalar(dialect.number(count), text: dialect.plainNumber(count))
                : .scalar(dialect.string(name), text: dialect.plainString(name))
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
        var child = Child(key: key, node: .fresh(generator.pick(dialect.values(name("n")))))
        if container.children.isEmpty {
            child.before = container.after
            container.after = []
            // Arrays that were empty are written this way.
            container.endsWithSeparator = true
        }
        container.children.insert(child, at: place)
    }

    // MARK: Value and text

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
        guard dialect.syntax != .strings else {
            return (lines(of: root, indentation: "") + [""]).joined(separator: "\n")
        }
        return dialect.head + text(of: .container(root), indentation: "") + dialect.tail
    }

    private func text(of node: Node, indentation: String) -> String {
        switch node {
        case .scalar(_, let text): return text
        case .fresh(let value): return dialect.fresh(value, indentation: indentation)
        case .container(let container):
            let (open, close) = dialect.brackets(container.isDictionary)
            let inside = lines(of: container, indentation: indentation + dialect.unit)
            return ([open + container.comment] + inside + [indentation + close]).joined(separator: "\n")
        }
    }

    private func lines(of container: Container, indentation: String) -> [String] {
        var lines: [String] = []
        for (place, child) in container.children.enumerated() {
            lines += child.before
            var line = indentation
            if let key = child.key {
                line += dialect.key(key) + child.keyComment
                line += dialect.hasLineBetweenKeyAndValue ? "\n\(indentation)" : dialect.sign
            }
            let isLast = place == container.children.count - 1
            line += text(of: child.node, indentation: indentation)
            line += dialect.separator(
                container.isDictionary, isLast: isLast, endsWithSeparator: container.endsWithSeparator)
            lines.append(line + child.comment)
        }
        return lines + container.after
    }
}
