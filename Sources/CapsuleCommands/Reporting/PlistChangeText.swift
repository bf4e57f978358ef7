import CapsuleCore
import CapsulePropertyList

/// Changes of property lists as lines for people: `~ /launches: 7 -> 8`.
struct PlistChangeText {
    let isStyled: Bool
    /// Unicode scalars of a string, and bytes of data, that are shown; nil for all.
    let length: Int?

    init(isStyled: Bool, isFull: Bool) {
        self.isStyled = isStyled
        length = isFull ? nil : 240
    }

    /// The line of a change, without its end.
    func line(_ change: PlistChange) -> String {
        let className = change.className.map { " (\(QuotedBytes(Array($0.utf8)).text))" } ?? ""
        let place = Self.place(change.pointer) + className
        switch change.kind {
        case .added(let value): return styled("+ \(place): \(text(value))", 32)
        case .deleted(let value): return styled("- \(place): \(text(value))", 31)
        case .modified(let old, let new):
            let (before, after) =
                change.isChangeOfType
                ? (typed(old), typed(new)) : (text(old), text(new))
            return styled("~ \(place): \(before) \u{2192} \(after)", 33)
        case .order(let old, let new):
            return styled("~ \(place): order \(text(.array(old))) \u{2192} \(text(.array(new)))", 33)
        case .encoding(let old, let new):
            return styled("~ \(place): encoding only, \(old.word) \u{2192} \(new.word)", 33)
        }
    }

    /// A pointer on one line, whatever the keys in it.
    static func place(_ pointer: PlistPointer) -> String {
        pointer.isRoot ? "(root)" : QuotedBytes(Array(pointer.description.utf8)).text
    }

    func text(_ value: PlistValue) -> String {
        value.line(length: length, values: length == nil ? .max : 50)
    }

    /// A value with its type, unless it says that itself.
    func typed(_ value: PlistValue) -> String {
        let text = text(value)
        return text.hasPrefix(value.typeName) ? text : "\(value.typeName) \(text)"
    }

    func styled(_ text: String, _ color: Int) -> String {
        isStyled ? "\u{1B}[\(color)m\(text)\u{1B}[0m" : text
    }
}

extension PlistDiff.Bound {
    /// What was not looked at, for people.
    var message: String {
        switch self {
        case .changes: "there are more changes: the rest was not compared"
        case .depth: "values nested deeper than pointers can name are compared as a whole"
        case .nestedDocuments: "some property lists in data are compared as data: there are too many, or they are nested too deep"
        case .elements: "some similar array elements were not compared with each other"
        }
    }
}
