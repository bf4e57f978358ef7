import CapsuleCore
import CapsulePropertyList

extension HTMLPageWriter {
    mutating func values(_ details: ArraySlice<ChangeDetail>) {
        openSection(details)
        write("<h4>Values</h4>\n\(tableHead("Values that differ", "Place"))<tbody>\n")
        for detail in details {
            guard case .value(let change) = detail.content else { continue }
            write(
                """
                <tr\(if: detail.noise != nil, Self.noiseClass)><td class="k">\(sign(of: change))</td><th scope="row">\
                \(place(of: change))\(pill(detail.noise))\(marks(detail.content))</th>\(cells(of: change))</tr>\n
                """)
        }
        write("</tbody></table></div>\n</section>\n")
    }

    func sign(of change: PlistChange) -> HTML {
        switch change.kind {
        case .added: sign(.added)
        case .deleted: sign(.deleted)
        case .modified: sign(.modified)
        case .order: sign("m", "⇅", "order")
        case .encoding: sign("e", "≡", "encoding only")
        }
    }

    /// Returns the pointer and, in a keyed archive, the class that contains it.
    func place(of change: PlistChange) -> HTML {
        let pointer = change.pointer.isRoot ? "(root)" : path(Array(change.pointer.description.utf8))
        let className = change.className.map { #"<span class="class"><span class="vh">in </span>\#($0.string)</span> "# as HTML }
        return #"<span class="place">\#(pointer)</span> \#(className)"#
    }

    private mutating func cells(of change: PlistChange) -> HTML {
        if case .encoding(let old, let new) = change.kind {
            return #"<td class="old">encoded as \#(old.word)</td><td class="new">encoded as \#(new.word)</td>"#
        }
        return cells(change.shownOld, change.shownNew, showsType: change.isChangeOfType)
    }

    mutating func metadata(_ details: ArraySlice<ChangeDetail>) {
        openSection(details)
        write("<h4>Metadata</h4>\n\(tableHead("Metadata that differs", "Field"))<tbody>\n")
        for detail in details {
            guard case .metadata(let change) = detail.content else { continue }
            let operation: ChangeOperation = change.old == nil ? .added : change.new == nil ? .deleted : .modified
            write(
                """
                <tr\(if: detail.noise != nil, Self.noiseClass)><td class="k">\(sign(operation))</td><th scope="row">\
                \(name(of: change.field)) \(change.member.map { #"<span class="class">of \#(path($0.bytes))</span> "# })\
                \(pill(detail.noise))\(marks(detail.content))</th>\
                \(cell("old", change.old, of: change.field))\(cell("new", change.new, of: change.field))</tr>\n
                """)
        }
        write("</tbody></table></div>\n</section>\n")
    }

    private func name(of field: MetadataChange.Field) -> HTML {
        switch field {
        case .mode: "mode"
        case .attribute(let name): #"attribute <span class="place">\#(name)</span>"#
        case .modified: "modification time"
        }
    }

    /// Returns a cell for metadata. A mode has no quotation marks.
    private mutating func cell(_ side: StaticString, _ value: DisplayValue?, of field: MetadataChange.Field) -> HTML {
        guard field == .mode, case .string(let mode)? = value?.whole else { return cell(side, value) }
        return #"<td class="\#(side)"><span class="val">\#(line(mode.string))</span></td>"#
    }

    /// Writes the table of cookies, in which each one is a group with a line per field.
    mutating func cookies(_ details: ArraySlice<ChangeDetail>) {
        openSection(details)
        write("<h4>Cookies</h4>\n\(tableHead("Cookies that differ", "Cookie", "Field"))\n")
        for detail in details {
            guard case .cookie(let cookie) = detail.content else { continue }
            let lines = max(1, cookie.fields.count)
            write(
                """
                <tbody class="group\(if: detail.noise != nil, " nz")"><tr><td class="k" rowspan="\(lines)">\
                \(sign(cookie.operation))</td><th scope="rowgroup" rowspan="\(lines)">\
                <span class="attribute">\(line(cookie.cookie))</span> <span class="sql">\(line(cookie.domain))</span> \
                <span class="sql">\(line(cookie.path))</span> \(pill(detail.noise))\(marks(detail.content))</th>\
                \(if: cookie.fields.isEmpty, #"<td colspan="3" class="none">no fields</td></tr>"#)
                """)
            for (number, field) in cookie.fields.enumerated() {
                write("\(if: number > 0, "<tr>")<td>\(line(field.name))</td>\(cells(field.old, field.new))</tr>\n")
            }
            write("</tbody>\n")
        }
        write("</table></div>\n</section>\n")
    }

    /// Returns the start of a table in a box that scrolls on narrow pages. Its first column contains signs.
    private func tableHead(_ caption: StaticString, _ first: StaticString, _ second: StaticString? = nil) -> HTML {
        """
        <div class="scroll"><table class="changes"><caption class="vh">\(caption)</caption>\
        <thead><tr><th scope="col"><span class="vh">Change</span></th><th scope="col">\(first)</th>\
        \(second.map { #"<th scope="col">\#($0)</th>"# })\
        <th scope="col">Old</th><th scope="col">New</th></tr></thead>
        """
    }

    func sign(_ operation: ChangeOperation) -> HTML {
        switch operation {
        case .added: sign("a", "+", "added")
        case .deleted: sign("d", "−", "deleted")
        case .modified: sign("m", "~", "modified")
        }
    }

    private func sign(_ letter: StaticString, _ sign: StaticString, _ word: StaticString) -> HTML {
        #"<span class="s c\#(letter)"><span aria-hidden="true">\#(sign)</span><span class="vh">\#(word)</span></span>"#
    }

    private mutating func cells(_ old: DisplayValue?, _ new: DisplayValue?, showsType: Bool = false) -> HTML {
        "\(cell("old", old, showsType: showsType))\(cell("new", new, showsType: showsType))"
    }

    private mutating func cell(_ side: StaticString, _ value: DisplayValue?, showsType: Bool = false) -> HTML {
        #"<td class="\#(side)">\#(shown(value, showsType: showsType))</td>"#
    }

    mutating func shown(_ value: DisplayValue?, showsType: Bool = false) -> HTML {
        if let text = value?.imageText {
            guard case .value(.data(let bytes))? = value else { return #"<span class="val">\#(text)</span>"# }
            return #"\#(cellPicture(DisplayValue.picture(in: bytes)))<span class="val">\#(text)</span>"#
        }
        switch value {
        case nil: return #"<span class="none"><span aria-hidden="true">–</span><span class="vh">absent</span></span>"#
        case .value(let value): return self.value(value, showsType: showsType)
        case .dataHead(let head, let count, _):
            return #"<span class="val">\#(PlistValue.line(ofData: head, count: count, length: cut.length))</span>\#(markCut())"#
        case .textHead(let head, let count, _):
            let line = PlistValue.string(head).shortened(length: cut.length, values: 1, textLimit: .max).line
            return #"<span class="val">\#(line)… (\#(Quantity.grouped(count)) bytes)</span>\#(markCut())"#
        case .external(let name, let size, let digest):
            return """
                <span class="val">external file \(line(name)), \(size.map { Quantity.bytes($0) } ?? "which is missing")\
                \(digest.map { ", SHA-256 \(hash($0))" })</span>
                """
        case .hidden(let kind): return #"<span class="secret">hidden (\#(kind))</span>"#
        }
    }

    private mutating func value(_ value: PlistValue, showsType: Bool) -> HTML {
        // Limits the size of a page with many long values, so that a browser can open it.
        let isLarge = out.bytes.count > 256 << 20
        let text = value.shortened(
            length: isLarge ? 240 : cut.length, values: isLarge ? 50 : cut.values, textLimit: isLarge ? 4_096 : 16 << 20)
        return """
            \(if: showsType && !Self.showsItsType(value), #"<span class="type">\#(value.typeName)</span> "#)\
            <span class="val\(if: value.isNull, " null")">\(text.line)</span>\(if: text.isCut, markCut())
            """
    }

    private static func showsItsType(_ value: PlistValue) -> Bool {
        switch value {
        case .data(let bytes): !bytes.isEmpty
        case .uid, .null: true
        default: false
        }
    }

    mutating func line(_ text: String, keepsTabs: Bool = false) -> HTML {
        let scalars = text.unicodeScalars
        guard let end = scalars.index(scalars.startIndex, offsetBy: cut.line, limitedBy: scalars.endIndex), end < scalars.endIndex
        else { return "\(text, keepsTabs: keepsTabs)" }
        let start = text[..<end].utf8
        return "\(start, keepsTabs: keepsTabs)… (\(Quantity.grouped(UInt64(text.utf8.count))) bytes)\(markCut())"
    }

    mutating func markCut() -> HTML {
        cutValues += 1
        return #" <span class="cut">cut</span>"#
    }
}
