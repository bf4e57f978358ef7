/// Changes the text of one value into that of another, with as few changes as possible.
///
/// The two values are compared along the text's layout, from the root down to the differences.
struct TextPlistEditor<Syntax: TextPlistSyntax> {
    /// A value in the text that must be changed to another one.
    struct Task {
        let node: Int
        let old: PlistValue
        let new: PlistValue
        /// The step from the container to the value; nil for the root.
        let step: PlistPointerStep?
        let depth: Int
        /// The gap before the value or its key; nil for the root.
        let gap: TextGap?
    }

    let syntax: Syntax
    var edits: TextPlistEdits
    var indentation: TextIndentation
    /// The order of keys; nil if new ones come last.
    private let precedes: ((PlistString, PlistString) -> Bool)?
    private var steps: [PlistPointerStep] = []

    static func edit(
        _ syntax: Syntax, from old: PlistValue, to new: PlistValue, after mark: UnsafeRawBufferPointer,
        sortedBy precedes: ((PlistString, PlistString) -> Bool)? = nil
    ) throws(PlistError) -> [UInt8] {
        var editor = TextPlistEditor(syntax, precedes)
        try editor.perform([Task(node: 0, old: old, new: new, step: nil, depth: 0, gap: nil)])
        return try editor.edits.applied(to: syntax.text, after: mark)
    }

    private init(_ syntax: Syntax, _ precedes: ((PlistString, PlistString) -> Bool)?) {
        self.syntax = syntax
        self.precedes = precedes
        edits = TextPlistEdits(size: syntax.text.count, limits: syntax.limits)
        indentation = TextIndentation(syntax.text)
    }

    private mutating func perform(_ tasks: [Task]) throws(PlistError) {
        for position in tasks.indices {
            try perform(begin(tasks, position))
            end(tasks, position)
        }
    }

    /// Begins a task. Returns those that remain for the value's children.
    private mutating func begin(_ tasks: [Task], _ position: Int) throws(PlistError) -> [Task] {
        if let step = tasks[position].step { steps.append(step) }
        return try change(tasks[position])
    }

    private mutating func end(_ tasks: [Task], _ position: Int) {
        if tasks[position].step != nil { steps.removeLast() }
    }

    /// Changes a value, but not the content of its children. Returns the children that change.
    private mutating func change(_ task: Task) throws(PlistError) -> [Task] {
        switch (task.old, task.new) {
        case (.array(let old), .array(let new)):
            return try changeArray(old, new, task)
        case (.dictionary(let old), .dictionary(let new)):
            return try changeDictionary(old, new, task)
        default:
            do throws(PlistError) {
                edits.append(try syntax.replacement(of: task.node, holding: task.old, by: task.new, style(of: task)))
                return []
            } catch {
                throw located(error)
            }
        }
    }

    private mutating func changeArray(_ old: [PlistValue], _ new: [PlistValue], _ task: Task) throws(PlistError) -> [Task] {
        guard let container = TextContainer(task.node, inDictionary: false, newline: indentation.newline, syntax) else {
            return []
        }
        let alignment = ArrayAlignment(old, new)
        var items: [Item] = []
        var tasks: [Task] = []
        for (position, source) in alignment.sources.enumerated() {
            switch source {
            case .kept(let child):
                items.append(.kept(child))
            case .moved(let child):
                items.append(.moved(child))
            case .changed(let child):
                items.append(.kept(child))
                tasks.append(Self.task(child, of: container, from: old[child], to: new[position], .index(position), in: task))
            case .added:
                items.append(.added(key: nil, new[position], .index(position)))
            }
        }
        try arrange(container, items, task)
        return tasks
    }

    private mutating func changeDictionary(
        _ old: PlistDictionary, _ new: PlistDictionary, _ task: Task
    ) throws(PlistError) -> [Task] {
        guard let container = TextContainer(task.node, inDictionary: true, newline: indentation.newline, syntax) else {
            return []
        }
        do throws(PlistError) {
            try syntax.check(new)
        } catch {
            throw located(error)
        }
        let (entries, last) = try entries(of: container, old)
        var items: [Item] = []
        var tasks: [Task] = []
        for child in container.children.indices {
            let entry = old.entries[entries?[child] ?? child]
            guard let position = new.position(of: entry.key) else { continue }
            items.append(.kept(child))
            let value = new.entries[position].value
            if last?[entries?[child] ?? child] ?? child == child, entry.value != value {
                tasks.append(Self.task(child, of: container, from: entry.value, to: value, .key(entry.key), in: task))
            }
        }
        let added = new.entries.filter { old.position(of: $0.key) == nil }
        if let precedes, !added.isEmpty, entries == nil {
            items = Self.sorted(items, old, added, by: precedes)
        } else {
            items += added.map { .added(key: $0.key, $0.value, .key($0.key)) }
        }
        try arrange(container, items, task)
        return tasks
    }

    /// Returns the kept items of a dictionary with the added ones where their order puts them; at the end if the kept ones are not
    /// in that order.
    private static func sorted(
        _ kept: [Item], _ old: PlistDictionary, _ added: [PlistDictionary.Entry], by precedes: (PlistString, PlistString) -> Bool
    ) -> [Item] {
        let items = added.map { Item.added(key: $0.key, $0.value, .key($0.key)) }
        let keys = kept.map { item in if case .kept(let child) = item { old.entries[child].key } else { PlistString("") } }
        guard zip(keys, keys.dropFirst()).allSatisfy({ !precedes($1, $0) }) else { return kept + items }
        var order = added.indices.sorted { precedes(added[$0].key, added[$1].key) }[...]
        var sorted: [Item] = []
        for (item, key) in zip(kept, keys) {
            while let next = order.first, precedes(added[next].key, key) { sorted.append(items[order.removeFirst()]) }
            sorted.append(item)
        }
        return sorted + order.map { items[$0] }
    }

    /// Returns the position in the dictionary of each child's key, and the last child with each of these keys. Returns nil if no
    /// key occurs twice in the text, so that children and entries have the same positions.
    private func entries(
        of container: TextContainer<Syntax>, _ old: PlistDictionary
    ) throws(PlistError) -> (entries: [Int]?, last: [Int]?) {
        guard container.children.count != old.count else { return (nil, nil) }
        var entries: [Int] = []
        var last = [Int](repeating: 0, count: old.count)
        for (child, node) in container.children.enumerated() {
            let key = try syntax.key(at: node.key ?? node.range)
            let entry = old.position(of: key).guaranteed("the dictionary was read from the same text")
            entries.append(entry)
            last[entry] = child
        }
        return (entries, last)
    }

    private static func task(
        _ child: Int, of container: TextContainer<Syntax>, from old: PlistValue, to new: PlistValue,
        _ step: PlistPointerStep, in outer: Task
    ) -> Task {
        Task(
            node: container.numbers[child], old: old, new: new, step: step, depth: outer.depth + 1,
            gap: container.gap(before: child))
    }

    private mutating func style(of task: Task) -> PlistTextStyle {
        let start = syntax.layout.nodes[task.node].range.lowerBound
        let isInline = task.gap.map { !$0.startsLine } ?? !indentation.hasLines
        let line = isInline ? start..<start : TextLines.indentation(in: syntax.text, at: start)
        return style(
            indentation: [UInt8](syntax.text[line]), newline: indentation.newline, isInline: isInline, in: task.node,
            depth: task.depth)
    }

    mutating func style(indentation: [UInt8], newline: [UInt8], isInline: Bool, in node: Int, depth: Int) -> PlistTextStyle {
        var style = syntax.style
        style.indentation = indentation
        style.newline = newline
        style.isInline = isInline
        if !isInline { style.unit = self.indentation.unit(in: node, syntax) }
        style.depth = depth
        style.precedingBytes = edits.insertedBytes
        return style
    }

    func located(_ error: PlistError, in step: PlistPointerStep? = nil) -> PlistError {
        var located = error
        located.pointer = PlistPointerStep.pointer(steps + (step.map { [$0] } ?? [])) + (error.pointer ?? "")
        return located
    }
}

/// The changes to one text: ranges that don't overlap, in any order, which are all applied at once.
struct TextPlistEdits {
    private var edits: [TextEdit] = []
    private var size: Int
    private(set) var insertedBytes = 0
    private let limits: PlistLimits

    init(size: Int, limits: PlistLimits) {
        self.size = size
        self.limits = limits
    }

    static func tooLarge(_ limits: PlistLimits) -> PlistError {
        PlistError(.limitExceeded, "the document would be larger than \(limits.outputBytes) bytes", pointer: "")
    }

    mutating func append(_ edit: TextEdit) {
        size += edit.text.count - edit.range.count
        insertedBytes += edit.text.count
        edits.append(edit)
    }

    consuming func applied(to text: UnsafeRawBufferPointer, after mark: UnsafeRawBufferPointer) throws(PlistError) -> [UInt8] {
        guard size + mark.count <= limits.outputBytes else { throw Self.tooLarge(limits) }
        // Text that is inserted between two values comes before a change to the second value.
        edits.sort { ($0.range.lowerBound, $0.range.upperBound) < ($1.range.lowerBound, $1.range.upperBound) }
        var bytes = [UInt8](mark)
        bytes.reserveCapacity(size + mark.count)
        var place = 0
        for edit in edits {
            bytes.append(contentsOf: UnsafeRawBufferPointer(rebasing: text[place..<edit.range.lowerBound]))
            bytes.append(contentsOf: edit.text)
            place = edit.range.upperBound
        }
        bytes.append(contentsOf: UnsafeRawBufferPointer(rebasing: text[place...]))
        return bytes
    }
}

/// The properties of a text syntax for property lists, and of a document, that the editor needs.
protocol TextPlistSyntax {
    /// The document in UTF-8 without a byte order mark.
    var text: UnsafeRawBufferPointer { get }
    var layout: TextLayout { get }
    /// The document's style, as far as it is the same everywhere.
    var style: PlistTextStyle { get }
    var limits: PlistLimits { get }
    func separator(inDictionary: Bool) -> TextSeparator?
    /// Returns the end of the comment that begins at an offset, or nil if there is none.
    func commentEnd(at offset: Int, before end: Int) -> Int?
    /// Returns true if a byte must not directly follow another one, which is nil if it is unknown.
    func mustPart(_ byte: UInt8, from last: UInt8?) -> Bool

    func key(at range: Range<Int>) throws(PlistError) -> PlistString
    func check(_ dictionary: PlistDictionary) throws(PlistError)

    /// Returns the text of a value, from its first byte to its last. The neighbor is another value of the same container. The
    /// pointers of errors begin at the value.
    func spell(_ value: PlistValue, like neighbour: Range<Int>?, _ style: PlistTextStyle) throws(PlistError) -> [UInt8]
    func spell(key: PlistString, like neighbour: Range<Int>?, _ style: PlistTextStyle) throws(PlistError) -> [UInt8]
    func joint(_ style: PlistTextStyle) -> [UInt8]
    func isJoint(_ bytes: ArraySlice<UInt8>) -> Bool
    /// Returns the smallest edit that changes one value to another. The two must not both be arrays, or both dictionaries.
    func replacement(
        of node: Int, holding old: PlistValue, by new: PlistValue, _ style: PlistTextStyle
    ) throws(PlistError) -> TextEdit
    /// Returns the replacement for the single tag of an empty container, or nil if the container has two tags.
    func opening(of node: Int) -> TextOpening?
}

extension TextPlistSyntax {
    func commentEnd(at offset: Int, before end: Int) -> Int? { nil }
    func mustPart(_ byte: UInt8, from last: UInt8?) -> Bool { false }
    func check(_ dictionary: PlistDictionary) throws(PlistError) {}
    func opening(of node: Int) -> TextOpening? { nil }
}

/// A byte that ends an element, or separates it from the next one.
struct TextSeparator {
    /// The rule for a separator after the last element.
    enum Last {
        case never
        case always
        /// As in the container; if the container was empty, only if elements are on lines of their own.
        case either
    }

    let byte: UInt8
    let last: Last
}

/// The replacement of a container's single tag by two.
struct TextOpening {
    let range: Range<Int>
    let head: [UInt8]
    let tail: [UInt8]
}

/// A range of the text and its replacement.
struct TextEdit {
    var range: Range<Int>
    var text: [UInt8]
}

/// The positions of a property list's values in its text, so that an edit can leave everything else unchanged.
/// Offsets are in bytes of the UTF-8 text without its byte order mark.
struct TextLayout: Sendable {
    /// The position of one value.
    struct Node: Hashable, Sendable {
        /// The value's own bytes, from the start of its opening tag, bracket or quotation mark to the end of the closing one.
        var range: Range<Int>
        /// The range between the brackets or tags of an array or dictionary. It is empty, at the end of ``range``, for `<dict/>`,
        /// and nil for scalars.
        var inner: Range<Int>?
        /// The bytes of the key of a dictionary's value, including tags and quotation marks; nil for other values.
        var key: Range<Int>?
        /// The number of the next node that is not inside this one.
        var next: Int
    }

    /// The nodes in text order, with a container before its content. The root comes first.
    var nodes: [Node] = []

    func children(of number: Int) -> [Int] {
        var children: [Int] = []
        var child = number + 1
        while child < nodes[number].next {
            children.append(child)
            child = nodes[child].next
        }
        return children
    }
}

/// Builds a layout from a scanner's tokens.
struct TextLayoutBuilder {
    private(set) var layout = TextLayout()
    private var open: [Int] = []
    private var key: Range<Int>?

    mutating func key(_ range: Range<Int>) {
        key = range
    }

    mutating func scalar(_ range: Range<Int>) {
        append(range, inner: nil)
    }

    mutating func open(_ bracket: Range<Int>) {
        open.append(layout.nodes.count)
        append(bracket, inner: bracket.upperBound..<bracket.upperBound)
    }

    mutating func close(_ bracket: Range<Int>) {
        guard let number = open.popLast(), let inner = layout.nodes[number].inner else { return }
        layout.nodes[number].range = layout.nodes[number].range.lowerBound..<bracket.upperBound
        layout.nodes[number].inner = inner.lowerBound..<bracket.lowerBound
        layout.nodes[number].next = layout.nodes.count
    }

    private mutating func append(_ range: Range<Int>, inner: Range<Int>?) {
        layout.nodes.append(TextLayout.Node(range: range, inner: inner, key: key, next: layout.nodes.count + 1))
        key = nil
    }
}
