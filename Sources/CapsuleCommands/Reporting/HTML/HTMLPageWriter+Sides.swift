import CapsuleCore
import CapsulePropertyList

extension HTMLPageWriter {
    /// A side in the page's title: `run.capsule@2 (after)`, or the last component of its source.
    mutating func title(of side: ContainerDiff.Side) {
        guard let origin = side.origin, let file = origin.file, let version = origin.version else {
            out.text(Self.name(of: side.source))
            return
        }
        out.text(file)
        out.raw("@")
        out.number(version)
        guard let label = origin.label else { return }
        out.raw(" (")
        out.text(label.text)
        out.raw(")")
    }

    /// A side in the page's head: its source as it was typed, and what is known of it.
    mutating func side(
        _ side: ContainerDiff.Side, _ word: StaticString, _ sign: StaticString, _ name: StaticString
    ) {
        out.raw("<span class=\"side ")
        out.raw(name)
        out.raw("\"><span class=\"sign\" aria-hidden=\"true\">")
        out.raw(sign)
        out.raw("</span><span class=\"what\">")
        out.raw(word)
        out.raw("</span> <span class=\"source\">")
        out.text(side.source)
        out.raw("</span>")
        if side.origin != nil || side.tree != nil {
            out.raw(" <span class=\"origin\">")
            var isFirst = true
            if let origin = side.origin { self.origin(origin, &isFirst) }
            if let tree = side.tree {
                separate(&isFirst)
                out.raw("tree <span class=\"hash\">")
                out.text(tree.hex)
                out.raw("</span>")
            }
            out.raw("</span>")
        }
        out.raw("</span>")
    }

    private mutating func origin(_ origin: SideOrigin, _ isFirst: inout Bool) {
        if let version = origin.version {
            separate(&isFirst)
            out.raw("version ")
            out.number(version)
            if let label = origin.label {
                out.raw(", ")
                out.text(label.text)
            }
        }
        if let captured = origin.captured {
            separate(&isFirst)
            out.raw("captured ")
            out.text(captured.iso8601())
        }
        guard let identifier = origin.bundleIdentifier else { return }
        separate(&isFirst)
        out.text(identifier.string)
        if let version = origin.appVersion {
            out.raw(" ")
            out.text(version.string)
        }
    }

    private mutating func separate(_ isFirst: inout Bool) {
        if !isFirst { out.raw(" \u{00B7} ") }
        isFirst = false
    }

    /// The last component of a source.
    static func name(of source: [UInt8]) -> ArraySlice<UInt8> {
        let slash = UInt8(ascii: "/")
        let end = source.lastIndex { $0 != slash }.map { $0 + 1 } ?? source.endIndex
        let start = source[..<end].lastIndex(of: slash).map { $0 + 1 } ?? 0
        return start < end ? source[start..<end] : source[...]
    }
}
