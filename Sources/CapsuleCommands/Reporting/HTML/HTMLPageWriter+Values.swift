import CapsuleCore
import CapsulePropertyList

extension HTMLPageWriter {
    /// Places of a property list or of JSON.
    mutating func values(_ details: ArraySlice<ChangeDetail>) {
        openSection(details)
        out.raw("<h4>Values</h4>\n")
        openTable("Values that differ", "Place", nil)
        out.raw("<tbody>\n")
        for detail in details {
            guard case .value(let change) = detail.content else { continue }
            out.raw(detail.noise == nil ? "<tr><td class=\"k\">" : "<tr class=\"nz\"><td class=\"k\">")
            sign(of: change)
            out.raw("</td><th scope=\"row\">")
            place(of: change)
            pill(detail.noise)
            marks(detail.content)
            out.raw("</th>")
            cells(of: change)
            out.raw("</tr>\n")
        }
        out.raw("</tbody>")
        closeTable()
        out.raw("</section>\n")
    }

    mutating func sign(of change: PlistChange) {
        switch change.kind {
        case .added: sign(.added)
        case .deleted: sign(.deleted)
        case .modified: sign(.modified)
        case .order: sign("m", "\u{21C5}", "order")
        case .encoding: sign("e", "\u{2261}", "encoding only")
        }
    }

    /// The pointer, and of a keyed archive the class that it is in.
    mutating func place(of change: PlistChange) {
        out.raw("<span class=\"place\">")
        if change.pointer.isRoot { out.raw("(root)") } else { path(Array(change.pointer.description.utf8)) }
        out.raw("</span> ")
        if let className = change.className {
            out.raw("<span class=\"class\"><span class=\"vh\">in </span>")
            out.text(className.string)
            out.raw("</span> ")
        }
    }

    mutating func cells(of change: PlistChange) {
        switch change.kind {
        case .encoding(let old, let new):
            out.raw("<td class=\"old\">encoded as ")
            out.text(old.word)
            out.raw("</td><td class=\"new\">encoded as ")
            out.text(new.word)
            out.raw("</td>")
        default:
            cell(isNew: false, change.old.map(ShownValue.value), showsType: change.isChangeOfType)
            cell(isNew: true, change.new.map(ShownValue.value), showsType: change.isChangeOfType)
        }
    }

    /// Mode, attributes, times.
    mutating func metadata(_ details: ArraySlice<ChangeDetail>) {
        openSection(details)
        out.raw("<h4>Metadata</h4>\n")
        openTable("Metadata that differs", "Field", nil)
        out.raw("<tbody>\n")
        for detail in details {
            guard case .metadata(let change) = detail.content else { continue }
            out.raw(detail.noise == nil ? "<tr><td class=\"k\">" : "<tr class=\"nz\"><td class=\"k\">")
            sign(change.old == nil ? .added : change.new == nil ? .deleted : .modified)
            out.raw("</td><th scope=\"row\">")
            switch change.field {
            case .mode: out.raw("mode ")
            case .attribute(let name):
                out.raw("attribute <span class=\"place\">")
                out.text(name)
                out.raw("</span> ")
            case .modified: out.raw("modification time ")
            }
            if let member = change.member {
                out.raw("<span class=\"class\">of ")
                path(member.bytes)
                out.raw("</span> ")
            }
            pill(detail.noise)
            marks(detail.content)
            out.raw("</th>")
            cell(isNew: false, change.old, of: change.field)
            cell(isNew: true, change.new, of: change.field)
            out.raw("</tr>\n")
        }
        out.raw("</tbody>")
        closeTable()
        out.raw("</section>\n")
    }

    /// A mode needs no quotation marks.
    private mutating func cell(isNew: Bool, _ value: ShownValue?, of field: MetadataChange.Field) {
        guard field == .mode, case .string(let mode)? = value?.whole else {
            cell(isNew: isNew, value)
            return
        }
        out.raw(isNew ? "<td class=\"new\"><span class=\"val\">" : "<td class=\"old\"><span class=\"val\">")
        line(mode.string)
        out.raw("</span></td>")
    }
}
