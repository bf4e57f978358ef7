import CapsuleCore
import CapsulePropertyList

extension HTMLPageWriter {
    /// Writes changes at places of a property list or of JSON.
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

    /// Writes the pointer and, in a keyed archive, the class that contains it.
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
            cell(isNew: false, change.old.map(DisplayValue.value), showsType: change.isChangeOfType)
            cell(isNew: true, change.new.map(DisplayValue.value), showsType: change.isChangeOfType)
        }
    }

    /// Writes changes of mode, attributes and times.
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

    /// Writes a cell for metadata. A mode has no quotation marks.
    private mutating func cell(isNew: Bool, _ value: DisplayValue?, of field: MetadataChange.Field) {
        guard field == .mode, case .string(let mode)? = value?.whole else {
            cell(isNew: isNew, value)
            return
        }
        out.raw(isNew ? "<td class=\"new\"><span class=\"val\">" : "<td class=\"old\"><span class=\"val\">")
        line(mode.string)
        out.raw("</span></td>")
    }
}

extension HTMLPageWriter {
    /// Writes changed cookies. Each one is a group with a line per field.
    mutating func cookies(_ details: ArraySlice<ChangeDetail>) {
        openSection(details)
        out.raw("<h4>Cookies</h4>\n")
        openTable("Cookies that differ", "Cookie", "Field")
        out.raw("\n")
        for detail in details {
            guard case .cookie(let cookie) = detail.content else { continue }
            openGroup(cookie.operation, noise: detail.noise, lines: cookie.fields.count)
            out.raw("<span class=\"attribute\">")
            line(cookie.cookie)
            out.raw("</span> <span class=\"sql\">")
            line(cookie.domain)
            out.raw("</span> <span class=\"sql\">")
            line(cookie.path)
            out.raw("</span> ")
            pill(detail.noise)
            marks(detail.content)
            out.raw("</th>")
            if cookie.fields.isEmpty { out.raw("<td colspan=\"3\" class=\"none\">no fields</td></tr>") }
            for (number, field) in cookie.fields.enumerated() {
                out.raw(number > 0 ? "<tr><td>" : "<td>")
                line(field.name)
                out.raw("</td>")
                cell(isNew: false, field.old)
                cell(isNew: true, field.new)
                out.raw("</tr>\n")
            }
            out.raw("</tbody>\n")
        }
        closeTable()
        out.raw("</section>\n")
    }

    /// Writes the start of a group's first line, up to its heading.
    private mutating func openGroup(_ operation: ChangeOperation, noise: NoiseClass?, lines: Int) {
        out.raw(
            noise == nil
                ? "<tbody class=\"group\"><tr><td class=\"k\" rowspan=\""
                : "<tbody class=\"group nz\"><tr><td class=\"k\" rowspan=\"")
        out.number(max(1, lines))
        out.raw("\">")
        sign(operation)
        out.raw("</td><th scope=\"rowgroup\" rowspan=\"")
        out.number(max(1, lines))
        out.raw("\">")
    }
}

extension HTMLPageWriter {
    /// Opens a table in a box that scrolls on narrow pages. Its first column contains signs.
    mutating func openTable(_ caption: StaticString, _ first: StaticString, _ second: StaticString?) {
        out.raw("<div class=\"scroll\"><table class=\"changes\"><caption class=\"vh\">")
        out.raw(caption)
        out.raw("</caption><thead><tr><th scope=\"col\"><span class=\"vh\">Change</span></th><th scope=\"col\">")
        out.raw(first)
        if let second {
            out.raw("</th><th scope=\"col\">")
            out.raw(second)
        }
        out.raw("</th><th scope=\"col\">Old</th><th scope=\"col\">New</th></tr></thead>")
    }

    mutating func closeTable() {
        out.raw("</table></div>\n")
    }

    mutating func sign(_ operation: ChangeOperation) {
        switch operation {
        case .added: sign("a", "+", "added")
        case .deleted: sign("d", "\u{2212}", "deleted")
        case .modified: sign("m", "~", "modified")
        }
    }

    /// Writes a sign, with a word for screen readers.
    mutating func sign(_ letter: StaticString, _ sign: StaticString, _ word: StaticString) {
        out.raw("<span class=\"s c")
        out.raw(letter)
        out.raw("\"><span aria-hidden=\"true\">")
        out.raw(sign)
        out.raw("</span><span class=\"vh\">")
        out.raw(word)
        out.raw("</span></span>")
    }

    /// A cell of the old or the new side.
    mutating func cell(isNew: Bool, _ value: DisplayValue?, showsType: Bool = false) {
        out.raw(isNew ? "<td class=\"new\">" : "<td class=\"old\">")
        if let value { shown(value, showsType: showsType) } else { absent() }
        out.raw("</td>")
    }

    mutating func absent() {
        out.raw("<span class=\"none\"><span aria-hidden=\"true\">\u{2013}</span><span class=\"vh\">absent</span></span>")
    }

    /// Writes a value.
    mutating func shown(_ value: DisplayValue, showsType: Bool = false) {
        switch value {
        case .value(let value): self.value(value, showsType: showsType)
        case .dataHead(let head, let count):
            out.raw("<span class=\"val\">")
            out.text(PlistValue.line(ofData: head, count: count, length: cut.length))
            out.raw("</span>")
            markCut()
        case .textHead(let head, let count):
            let line = PlistValue.string(head).shortened(length: cut.length, values: 1, textLimit: .max).line
            out.raw("<span class=\"val\">")
            out.text(line)
            out.raw("\u{2026} (")
            out.text(Quantity.grouped(count))
            out.raw(" bytes)</span>")
            markCut()
        case .external(let name, let size, let digest): external(name, size, digest)
        case .hidden(let kind):
            out.raw("<span class=\"secret\">hidden (")
            out.text(kind)
            out.raw(")</span>")
        }
    }

    mutating func value(_ value: PlistValue, showsType: Bool = false) {
        if showsType, !Self.showsItsType(value) {
            out.raw("<span class=\"type\">")
            out.text(value.typeName)
            out.raw("</span> ")
        }
        // Limits the size of a page with many long values, so that a browser can open it.
        let isLarge = out.bytes.count > 256 << 20
        let text = value.shortened(
            length: isLarge ? 240 : cut.length, values: isLarge ? 50 : cut.values, textLimit: isLarge ? 4_096 : 16 << 20)
        out.raw(value.isNull ? "<span class=\"val null\">" : "<span class=\"val\">")
        out.text(text.line)
        out.raw("</span>")
        if text.isCut { markCut() }
    }

    /// Returns true if the text of a value begins with the name of its type.
    private static func showsItsType(_ value: PlistValue) -> Bool {
        switch value {
        case .data(let bytes): !bytes.isEmpty
        case .uid, .null: true
        default: false
        }
    }

    private mutating func external(_ name: String, _ size: UInt64?, _ digest: ContentDigest?) {
        out.raw("<span class=\"val\">external file ")
        line(name)
        if let size {
            out.raw(", ")
            out.text(Quantity.bytes(size))
        } else {
            out.raw(", which is missing")
        }
        if let digest {
            out.raw(", SHA-256 <span class=\"hash\">")
            out.text(digest.hex)
            out.raw("</span>")
        }
        out.raw("</span>")
    }

    /// Writes a text from a file, shortened if it is long.
    mutating func line(_ text: String, keepsTabs: Bool = false) {
        let scalars = text.unicodeScalars
        guard let end = scalars.index(scalars.startIndex, offsetBy: cut.line, limitedBy: scalars.endIndex), end < scalars.endIndex
        else {
            out.text(text, keepsTabs: keepsTabs)
            return
        }
        out.text(text[..<end].utf8, keepsTabs: keepsTabs)
        out.raw("\u{2026} (")
        out.text(Quantity.grouped(UInt64(text.utf8.count)))
        out.raw(" bytes)")
        markCut()
    }

    mutating func markCut() {
        cutValues += 1
        out.raw(" <span class=\"cut\">cut</span>")
    }
}
