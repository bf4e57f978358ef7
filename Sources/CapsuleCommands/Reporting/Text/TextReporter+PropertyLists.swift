import CapsuleCore
import CapsuleEngine
import CapsulePropertyList

extension TextReporter {
    func linted(_ file: PlistFile?, as argument: [UInt8], _ error: CapsuleError?) -> [UInt8] {
        guard let file else { return [] }
        return name(argument) + text(": " + styled("OK", 32) + ", \(file.document.format.word)\n")
    }

    /// Returns a scalar as it is, for a script, and an array or dictionary in the form for people.
    func value(_ value: PlistValue) throws(CapsuleError) -> [UInt8] {
        switch value {
        case .string(let string):
            return (escapesNames ? shown(string) : Array(string.utf8)) + text("\n")
        case .data(let bytes):
            return Base64.encode(bytes) + text("\n")
        case .array, .dictionary:
            do throws(PlistError) {
                return try PlistPrinter.text(of: value)
            } catch {
                throw CapsuleError(error.message, hint: error.hint)
            }
        default:
            return text(value.line() + "\n")
        }
    }

    /// Returns a text for a terminal, with its line breaks but without other control characters.
    private func shown(_ string: PlistString) -> [UInt8] {
        let lines = string.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        return text(lines.map { QuotedBytes(Array($0)).text }.joined(separator: "\n"))
    }
}

/// Formats changes of property lists as lines for people: `~ /launches: 7 → 8`.
struct PlistChangeText {
    private let reporter: TextReporter
    /// True to show additions to nothing as what is there, without signs.
    private let isState: Bool
    /// The number of Unicode scalars of a string, and of bytes of data, that are shown; nil for all.
    let length: Int?

    init(reporter: TextReporter, isFull: Bool, isState: Bool = false) {
        self.reporter = reporter
        self.isState = isState
        length = isFull ? nil : 240
    }

    /// - Parameter handler: the word of the file's format, which may have lines of its own.
    func line(_ change: PlistChange, in handler: String? = nil) -> String {
        if isState { return "\(Self.place(change.pointer)): \(value(change))" }
        if let line = ContentFormats.line(for: change, in: handler, text) {
            switch change.kind {
            case .added: return reporter.styled("+ \(line)", 32)
            case .deleted: return reporter.styled("- \(line)", 31)
            default: return reporter.styled("~ \(line)", 33)
            }
        }
        let className = change.className.map { " (\(QuotedBytes($0.string).text))" } ?? ""
        let place = Self.place(change.pointer) + className
        switch change.kind {
        case .added: return reporter.styled("+ \(place): \(value(change))", 32)
        case .deleted: return reporter.styled("- \(place): \(value(change))", 31)
        default: return reporter.styled("~ \(place): \(value(change))", 33)
        }
    }

    /// Returns the value that was added or deleted, or `old → new`.
    func value(_ change: PlistChange) -> String {
        switch change.kind {
        case .added: return text(change.shownNew)
        case .deleted: return text(change.shownOld)
        case .modified:
            let isTyped = change.isChangeOfType
            return "\(text(change.shownOld, typed: isTyped)) \u{2192} \(text(change.shownNew, typed: isTyped))"
        case .order(let old, let new): return "order \(text(.array(old))) \u{2192} \(text(.array(new)))"
        case .encoding(let old, let new): return "encoding only, \(old.word) \u{2192} \(new.word)"
        }
    }

    static func place(_ pointer: PlistPointer) -> String {
        pointer.isRoot ? "(root)" : QuotedBytes(pointer.description).text
    }

    private func text(_ shown: DisplayValue?, typed: Bool = false) -> String {
        switch shown {
        case .value(let value)?: typed ? self.typed(value) : text(value)
        case .hidden(let kind)?: "hidden (\(kind))"
        default: ""
        }
    }

    func text(_ value: PlistValue) -> String {
        value.line(length: length, values: length == nil ? .max : 50)
    }

    /// Returns a value with its type, unless the text begins with the type.
    func typed(_ value: PlistValue) -> String {
        let text = text(value)
        return text.hasPrefix(value.typeName) ? text : "\(value.typeName) \(text)"
    }
}
