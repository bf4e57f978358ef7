/// Writes what was not in the text before.
extension TextPlistEditor {
    /// What new elements of a container look like.
    struct Model {
        /// What goes before them.
        var lead: TextContainer<Syntax>.Lead
        var style: PlistTextStyle
        /// A key of the same dictionary, and its value, or an element of the same array.
        var key: Range<Int>?
        var value: Range<Int>?
        /// What goes between key and value; nil if there is no model for it.
        var joint: ArraySlice<UInt8>?
        /// Whether a value that holds others goes on one line.
        var isOnOneLine = false
    }

    /// How an element is laid out that is put behind a child, or behind the opening bracket if that is -1.
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

    /// Appends the items of a container that had none.
    mutating func fill(
        _ container: TextContainer<Syntax>, _ items: [Item], _ joint: inout TextJoint<Syntax>, _ task: Task
    ) throws(PlistError) {
        let gap = container.gap(before: 0)
        let hasLines = gap.startsLine || (task.gap.map { $0.startsLine } ?? indentation.hasLines)
        /// What goes before the closing bracket.
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

    /// Appends the entries of a dictionary without brackets, of which there is nothing but space and comments.
    mutating func fillBare(
        _ container: TextContainer<Syntax>, _ items: [Item], _ joint: inout TextJoint<Syntax>, _ task: Task
    ) throws(PlistError) {
        let gap = container.gap(before: 0)
        // The last line break stays the last.
        let isOpen = gap.lineBreak == 0
        joint.append(container.bytes(isOpen ? gap.range : gap.middle), endsLine: gap.hasComment)
        for item in items {
            guard case .added(let key, let value, let step) = item else { continue }
            let lead = TextContainer<Syntax>.Lead(
                startsLine: true, newline: joint.text.isEmpty ? [] : indentation.newline[...])
            let model = Model(lead: lead, style: style(lead, task))
            joint.append(lead.bytes)
            joint.append(try spell(key, value, like: model, step, after: joint.text.count, task))
            joint.append(newSeparator(isLast: false, container))
        }
        if !isOpen { joint.append(container.bytes(gap.lead)) }
    }

    /// An element, or an entry, after so many bytes of other new text.
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
            throw located(error, task.trail, step)
        }
    }
}
