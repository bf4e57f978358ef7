/// Writes what was not in the text before.
extension TextPlistEditor {
    /// What new elements of a container look like.
    struct Style {
        /// What goes before them.
        var lead: TextContainer<Syntax>.Lead
        var place: TextPlace
        /// A key of the same dictionary.
        var key: Range<Int>?
        /// What goes between key and value; nil if there is no model for it.
        var joint: ArraySlice<UInt8>?
        /// Whether a value that holds others goes on one line.
        var isOnOneLine = false
    }

    /// How an element is laid out that is put behind a child, or behind the opening bracket if that is -1.
    mutating func style(after child: Int, in container: TextContainer<Syntax>, _ task: Task) -> Style {
        let model = max(child, 0)
        let lead = child < 0 ? container.firstLead : container.lead(after: child)
        return Style(
            lead: lead, place: place(lead, task), key: container.children[model].key, joint: container.joint(of: model),
            isOnOneLine: container.isOnOneLine(model))
    }

    private mutating func place(_ lead: TextContainer<Syntax>.Lead, _ task: Task) -> TextPlace {
        let isInline = lead.newline.isEmpty
        return place(
            indentation: isInline ? [] : [UInt8](lead.blank),
            newline: isInline ? indentation.newline : [UInt8](lead.newline), isInline: isInline, in: task.node,
            depth: task.depth + 1)
    }

    /// Appends the items of a container that had none.
    mutating func fill(
        _ container: TextContainer<Syntax>, _ items: [Item], _ joint: inout Joint, _ task: Task
    ) throws(PlistError) {
        let gap = container.gap(before: 0)
        let hasLines = gap.startsLine || (task.gap.map { $0.startsLine } ?? indentation.hasLines)
        var outer = TextContainer<Syntax>.Lead(newline: [], blank: [])
        if gap.startsLine {
            outer = container.firstLead
        } else if hasLines {
            outer = .init(newline: indentation.newline[...], blank: container.indentation)
        }
        var lead = outer
        if hasLines { lead.blank += indentation.unit(in: task.node, syntax) }
        var style = Style(lead: lead, place: place(lead, task))
        joint.append(container.bytes(gap.middle))
        for (number, item) in items.enumerated() {
            guard case .added(let key, let value, let step) = item else { continue }
            joint.append(style.lead.bytes)
            joint.append(try spell(key, value, like: style, step, after: joint.text.count, task))
            joint.append(newSeparator(isLast: number == items.count - 1, container))
            if !hasLines { style.lead.blank = syntax.blank[...] }
        }
        joint.append(hasLines && !gap.startsLine ? outer.bytes : container.bytes(gap.lead))
    }

    /// An element, or an entry, after so many bytes of other new text.
    func spell(
        _ key: PlistString?, _ value: PlistValue, like style: Style, _ step: PlistPointerStep, after bytes: Int, _ task: Task
    ) throws(PlistError) -> ArraySlice<UInt8> {
        var place = style.place
        place.precedingBytes = edits.insertedBytes + bytes
        do throws(PlistError) {
            var text: [UInt8] = []
            if let key {
                text += try syntax.spell(key: key, neighbour: style.key, at: place)
                let joint = style.joint ?? syntax.joint(at: place)[...]
                if let line = joint.lastIndex(where: TextLines.isBreak) { place.indentation = [UInt8](joint[(line + 1)...]) }
                text += joint
                place.precedingBytes += text.count
            }
            if style.isOnOneLine { place.isInline = true }
            return try (text + syntax.spell(value, at: place))[...]
        } catch {
            throw located(error, task.trail, step)
        }
    }
}
