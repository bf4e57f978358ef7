/// Arranges elements and entries in their new order.
extension TextPlistEditor {
    /// An element or entry of the new container.
    enum Item {
        /// The child with that number, in order with other kept children. Its content may change.
        case kept(Int)
        /// The child with that number, from another place.
        case moved(Int)
        case added(key: PlistString?, PlistValue, PlistPointerStep)
    }

    mutating func arrange(_ container: TextContainer<Syntax>, _ items: [Item], _ task: Task) throws(PlistError) {
        var isMoved = [Bool](repeating: false, count: container.children.count)
        for case .moved(let child) in items { isMoved[child] = true }
        var previous = -1
        var between: [Item] = []
        for item in items {
            guard case .kept(let child) = item else {
                between.append(item)
                continue
            }
            try join(previous, child, between, isMoved, container, task)
            previous = child
            between.removeAll()
        }
        try join(previous, container.children.count, between, isMoved, container, task)
    }

    /// Rewrites the text between two kept children, unless it is unchanged. -1 is the opening bracket, and the number of children
    /// is the closing one.
    private mutating func join(
        _ previous: Int, _ next: Int, _ items: [Item], _ isMoved: [Bool], _ container: TextContainer<Syntax>, _ task: Task
    ) throws(PlistError) {
        guard next != previous + 1 || !items.isEmpty else { return }
        let isLast = next == container.children.count
        let before = container.gap(before: previous + 1)
        let range = container.end(of: previous)..<container.start(of: next)
        var joint = TextJoint(behind: previous, in: container, newline: indentation.newline)
        if previous >= 0 { joint.append(separator(after: previous, isLast: isLast && items.isEmpty, container)) }
        joint.append(container.bytes(before.trailing), endsLine: before.endsWithComment)
        if container.children.isEmpty {
            if container.isBare {
                try fillBare(container, items, &joint, task)
            } else {
                try fill(container, items, &joint, task)
            }
        } else {
            // Comments between children that are all removed belong to the container, and come first in it.
            let isEmptied = previous < 0 && isLast
            if isEmptied { appendRest(previous + 1...next, isMoved, to: &joint, container) }
            try append(items, after: previous, isLast: isLast, to: &joint, container, task)
            if !isEmptied { appendRest(previous + 1...next, isMoved, to: &joint, container) }
            joint.append(
                isLast
                    ? container.bytes(container.gap(before: next).lead)
                    : container.lead(of: next, isFirst: previous < 0 && items.isEmpty, after: previous))
            joint.finish()
        }
        guard let opening = syntax.opening(of: container.number) else {
            return edits.append(TextEdit(range: range, text: joint.text))
        }
        edits.append(TextEdit(range: opening.range, text: opening.head + joint.text + opening.tail))
    }

    /// Appends the comments and empty lines that remain of removed children, and those before the last child of the range, which is
    /// kept.
    private func appendRest(
        _ children: ClosedRange<Int>, _ isMoved: [Bool], to joint: inout TextJoint<Syntax>, _ container: TextContainer<Syntax>
    ) {
        for child in children where child == children.upperBound || !isMoved[child] {
            let gap = container.gap(before: child)
            joint.append(container.bytes(gap.middle), endsLine: gap.startsLine && gap.hasComment)
        }
    }

    private mutating func append(
        _ items: [Item], after previous: Int, isLast: Bool, to joint: inout TextJoint<Syntax>, _ container: TextContainer<Syntax>,
        _ task: Task
    ) throws(PlistError) {
        var previous = previous
        var model: Model?
        for (number, item) in items.enumerated() {
            let isEnd = isLast && number == items.count - 1
            switch item {
            case .kept:
                break
            case .moved(let child):
                let (before, after) = (container.gap(before: child), container.gap(before: child + 1))
                joint.append(container.bytes(before.middle), endsLine: before.startsLine && before.hasComment)
                joint.append(container.lead(of: child, isFirst: previous < 0, after: child - 1))
                joint.append(container.bytes(container.extent(of: child)))
                joint.append(separator(after: child, isLast: isEnd, container))
                joint.append(container.bytes(after.trailing), endsLine: after.endsWithComment)
                previous = child
                model = nil
            case .added(let key, let value, let step):
                // The first element of the container gets the layout of the old first one; those after it are laid out like the
                // others.
                let current = model ?? self.model(after: previous, in: container, task)
                joint.append(current.lead.bytes)
                joint.append(try spell(key, value, like: current, step, after: joint.text.count, task))
                joint.append(newSeparator(isLast: isEnd, container))
                model = previous < 0 ? nil : current
                previous = max(previous, 0)
            }
        }
    }

    private func separator(after child: Int, isLast: Bool, _ container: TextContainer<Syntax>) -> ArraySlice<UInt8> {
        let own = container.bytes(container.gap(before: child + 1).separator)
        let wanted = newSeparator(isLast: isLast, container)
        guard own.isEmpty || wanted.isEmpty else { return own }
        guard wanted.isEmpty, !own.isEmpty else { return wanted }
        // Comments before the separator are kept.
        let rest = own.dropLast()
        return rest.allSatisfy { TextLines.isBlank($0) || TextLines.isBreak($0) } ? [] : rest
    }

    private func newSeparator(isLast: Bool, _ container: TextContainer<Syntax>, hasLines: Bool = false) -> ArraySlice<UInt8> {
        guard let separator = container.separator else { return [] }
        switch separator.last {
        case .never where isLast: return []
        case .either where isLast && !hasLines && !container.endsWithSeparator: return []
        default: return [separator.byte]
        }
    }
}

extension TextPlistEditor {
    /// The layout of new elements in a container.
    struct Model {
        var lead: TextContainer<Syntax>.Lead
        var style: PlistTextStyle
        /// The range of a neighbor's key; its value, or an array's element, is `value`.
        var key: Range<Int>?
        var value: Range<Int>?
        var joint: ArraySlice<UInt8>?
        var isOnOneLine = false
    }

    mutating func model(after child: Int, in container: TextContainer<Syntax>, _ task: Task) -> Model {
        let neighbour = max(child, 0)
        let lead = child < 0 ? container.firstLead : container.lead(after: child)
        return Model(
            lead: lead, style: style(lead, task), key: container.children[neighbour].key,
            value: container.children[neighbour].range, joint: container.joint(of: neighbour),
            isOnOneLine: container.isOnOneLine(neighbour))
    }

    private mutating func style(_ lead: TextContainer<Syntax>.Lead, _ task: Task) -> PlistTextStyle {
        style(
            indentation: lead.startsLine ? [UInt8](lead.blank) : [],
            newline: lead.newline.isEmpty ? indentation.newline : [UInt8](lead.newline), isInline: !lead.startsLine,
            in: task.node, depth: task.depth + 1)
    }

    mutating func fill(
        _ container: TextContainer<Syntax>, _ items: [Item], _ joint: inout TextJoint<Syntax>, _ task: Task
    ) throws(PlistError) {
        let gap = container.gap(before: 0)
        let hasLines = gap.startsLine || (task.gap.map { $0.startsLine } ?? indentation.hasLines)
        var end = TextContainer<Syntax>.Lead()
        if gap.startsLine {
            end = container.firstLead
        } else if hasLines {
            end = .init(startsLine: true, newline: indentation.newline[...], blank: container.indentation)
        }
        var lead = end
        if hasLines, !container.isBare { lead.blank += indentation.unit(in: task.node, syntax) }
        joint.append(container.bytes(gap.middle), endsLine: gap.startsLine && gap.hasComment)
        var model = Model(lead: lead, style: style(lead, task))
        for (number, item) in items.enumerated() {
            guard case .added(let key, let value, let step) = item else { continue }
            joint.append(model.lead.bytes)
            joint.append(try spell(key, value, like: model, step, after: joint.text.count, task))
            joint.append(newSeparator(isLast: number == items.count - 1, container, hasLines: hasLines))
            if !hasLines { model.lead.blank = syntax.style.blank[...] }
        }
        joint.append(hasLines && !gap.startsLine ? end.bytes : container.bytes(gap.lead))
    }

    private mutating func fillBare(
        _ container: TextContainer<Syntax>, _ items: [Item], _ joint: inout TextJoint<Syntax>, _ task: Task
    ) throws(PlistError) {
        let gap = container.gap(before: 0)
        // The last line break stays at the end.
        let isOpen = gap.lineBreak == 0
        joint.append(container.bytes(isOpen ? gap.range : gap.middle), endsLine: gap.hasComment)
        for item in items {
            guard case .added(let key, let value, let step) = item else { continue }
            let lead = TextContainer<Syntax>.Lead(startsLine: true, newline: joint.text.isEmpty ? [] : indentation.newline[...])
            let model = Model(lead: lead, style: style(lead, task))
            joint.append(lead.bytes)
            joint.append(try spell(key, value, like: model, step, after: joint.text.count, task))
            joint.append(newSeparator(isLast: false, container))
        }
        if !isOpen { joint.append(container.bytes(gap.lead)) }
    }

    func spell(
        _ key: PlistString?, _ value: PlistValue, like model: Model, _ step: PlistPointerStep, after bytes: Int, _ task: Task
    ) throws(PlistError) -> ArraySlice<UInt8> {
        var style = model.style
        style.precedingBytes = edits.insertedBytes + bytes
        do throws(PlistError) {
            var text: [UInt8] = []
            if let key {
                text += try syntax.spell(key: key, like: model.key, style)
                let joint = model.joint ?? syntax.joint(style)[...]
                if let line = joint.lastIndex(where: TextLines.isBreak) {
                    style.indentation = [UInt8](joint[(line + 1)...].prefix(while: TextLines.isBlank))
                }
                text += joint
                style.precedingBytes += text.count
            }
            if model.isOnOneLine { style.isInline = true }
            return try (text + syntax.spell(value, like: model.value, style))[...]
        } catch {
            throw located(error, in: step)
        }
    }
}

/// An alignment of two arrays that turns one into the other with few changes, found quickly.
struct ArrayAlignment {
    /// The source of an element of the new array.
    enum Source: Hashable {
        /// The old element with that number, in order with other kept elements.
        case kept(Int)
        /// A similar element, which replaces the old element with that number.
        case changed(Int)
        /// The old element with that number, at another place.
        case moved(Int)
        case added
    }

    private static let pairsForEach = 32
    private static let sparePairs = 1024

    /// The source of each element of the new array. Kept and changed elements are in the old order. Each old element occurs at most
    /// once.
    private(set) var sources: [Source]

    private let old: [PlistValue]
    private let new: [PlistValue]
    private var isUsed: [Bool]
    private var pairs: Int

    init(_ old: [PlistValue], _ new: [PlistValue]) {
        self.old = old
        self.new = new
        sources = [Source](repeating: .added, count: new.count)
        isUsed = [Bool](repeating: false, count: old.count)
        pairs = Self.sparePairs + Self.pairsForEach * (old.count + new.count)
        keepEqual()
        changeAlike()
    }

    private mutating func use(_ position: Int, for newPosition: Int, _ source: Source) {
        isUsed[position] = true
        sources[newPosition] = source
    }

    private mutating func keepEqual() {
        let least = min(old.count, new.count)
        var head = 0
        while head < least, old[head] == new[head] {
            use(head, for: head, .kept(head))
            head += 1
        }
        var tail = 0
        while tail < least - head, old[old.count - 1 - tail] == new[new.count - 1 - tail] {
            use(old.count - 1 - tail, for: new.count - 1 - tail, .kept(old.count - 1 - tail))
            tail += 1
        }
        let oldMiddle = head..<old.count - tail
        let newMiddle = head..<new.count - tail
        guard !oldMiddle.isEmpty, !newMiddle.isEmpty else { return }
        let oldHashes = oldMiddle.map { old[$0].hashValue }
        let newHashes = newMiddle.map { new[$0].hashValue }
        for run in SequenceDiff(oldHashes, newHashes).runs {
            for step in 0..<run.count {
                let (left, right) = (head + run.old + step, head + run.new + step)
                // Hashes may be equal by chance.
                if old[left] == new[right] { use(left, for: right, .kept(left)) }
            }
        }
        // The remaining equal elements have changed places. They are paired in order.
        var waiting: [Int: ArraySlice<Int>] = [:]
        for position in oldMiddle where !isUsed[position] { waiting[oldHashes[position - head], default: []].append(position) }
        for position in newMiddle where sources[position] == .added {
            let hash = newHashes[position - head]
            guard let candidate = waiting[hash]?.first, old[candidate] == new[position] else { continue }
            waiting[hash]?.removeFirst()
            use(candidate, for: position, .moved(candidate))
        }
    }

    private mutating func changeAlike() {
        var oldStart = 0
        var added: [Int] = []
        for position in 0...new.count {
            var oldEnd = old.count
            if position < new.count {
                switch sources[position] {
                case .kept(let kept): oldEnd = kept
                case .added:
                    added.append(position)
                    continue
                case .changed, .moved: continue
                }
            }
            if !added.isEmpty {
                pair((oldStart..<oldEnd).filter { !isUsed[$0] }, added)
                added.removeAll()
            }
            oldStart = oldEnd + 1
        }
    }

    private mutating func pair(_ olds: [Int], _ news: [Int]) {
        let product = olds.count.multipliedReportingOverflow(by: news.count)
        guard olds.count > 1 || news.count > 1, !product.overflow, product.partialValue <= pairs else {
            for (position, newPosition) in zip(olds, news) { use(position, for: newPosition, .changed(position)) }
            return
        }
        pairs -= product.partialValue
        let (oldCandidates, newCandidates) = (olds.map { Candidate(old[$0]) }, news.map { Candidate(new[$0]) })
        // The greatest sum of similarities from each pair of positions on.
        let width = news.count + 1
        var best = [Int](repeating: 0, count: (olds.count + 1) * width)
        var similarity = [Int](repeating: 0, count: best.count)
        for row in olds.indices.reversed() {
            for column in news.indices.reversed() {
                let place = row * width + column
                similarity[place] = Self.similarity(of: oldCandidates[row], newCandidates[column])
                best[place] = max(best[place + width + 1] + similarity[place], best[place + width], best[place + 1])
            }
        }
        var (row, column) = (0, 0)
        while row < olds.count, column < news.count {
            let place = row * width + column
            if best[place] == best[place + width + 1] + similarity[place] {
                use(olds[row], for: news[column], .changed(olds[row]))
                row += 1
                column += 1
            } else if best[place] == best[place + width] {
                row += 1
            } else {
                column += 1
            }
        }
    }

    /// A value that is compared with many others.
    private struct Candidate {
        let value: PlistValue
        let hashes: [Int]

        init(_ value: PlistValue) {
            self.value = value
            hashes = value.dictionary.map { $0.entries.map { $0.value.hashValue } } ?? []
        }
    }

    private static func similarity(of old: Candidate, _ new: Candidate) -> Int {
        switch (old.value, new.value) {
        case (.dictionary(let oldEntries), .dictionary(let newEntries)):
            // More keys than these add little information and take time.
            let count = min(max(oldEntries.count, newEntries.count), 8)
            var common = 0
            for oldPosition in 0..<min(count, oldEntries.count) {
                guard let newPosition = newEntries.position(of: oldEntries.entries[oldPosition].key) else { continue }
                common += 2
                if old.hashes[oldPosition] == new.hashes[newPosition] { common += 3 }
            }
            return 10 + (count > 0 ? common * 90 / (count * 5) : 0)
        case (.array, .array), (.string, .string), (.integer, .integer), (.real, .real), (.boolean, .boolean),
            (.date, .date), (.data, .data), (.uid, .uid), (.null, .null):
            return 10
        default:
            return 1
        }
    }
}
