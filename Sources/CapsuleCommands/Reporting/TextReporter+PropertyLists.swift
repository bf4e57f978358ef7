import CapsuleCore
import CapsuleEngine
import CapsulePropertyList

extension TextReporter {
    func applied(
        _ outcome: PlistApplier.Outcome, to argument: [UInt8], output: [UInt8]?, showing changes: PlistDiff?
    ) -> [UInt8] {
        lines(of: changes, isFull: false)
            + edited(argument, output: output, isChanged: outcome.isChanged, isWritten: outcome.isWritten, notes: [])
    }

    /// The notes are warnings on standard error.
    func edited(
        _ argument: [UInt8], output: [UInt8]?, isChanged: Bool, isWritten: Bool, notes: [OverlayNote]
    ) -> [UInt8] {
        if let output { return name(output) + text(": written\(isChanged ? "" : ", nothing to change")\n") }
        let word =
            switch (isChanged, isWritten) {
            case (false, _): "nothing to change"
            case (true, true): styled("changed", 32)
            case (true, false): styled("would change", 33)
            }
        return name(argument) + text(": \(word)\n")
    }

    func compared(_ outcome: PlistComparer.Outcome, as arguments: (old: [UInt8], new: [UInt8]), isFull: Bool) -> [UInt8] {
        var report = lines(of: outcome.diff, isFull: isFull)
        if outcome.diff.encodingsDiffer {
            let words = "\(outcome.old.document.format.word) \u{2192} \(outcome.new.document.format.word)"
            let change = PlistChangeText(isStyled: isStyled, isFull: isFull)
            report += text(change.styled("~ encoding\(outcome.diff.isEmpty ? " only" : ""): \(words)", 33) + "\n")
        }
        return report
    }

    private func lines(of diff: PlistDiff?, isFull: Bool) -> [UInt8] {
        guard let diff else { return [] }
        let change = PlistChangeText(isStyled: isStyled, isFull: isFull)
        return diff.changes.flatMap { text(wrapped(change.line($0), indent: 2) + "\n") }
    }

    func linted(_ file: PlistFile?, as argument: [UInt8], _ error: CapsuleError?) -> [UInt8] {
        guard let file else { return [] }
        return name(argument) + text(": " + styled("OK", 32) + ", \(file.document.format.word)\n")
    }

    /// A scalar as it is, for a script; a container as it is printed for people.
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

    /// A text for a terminal: its lines, and nothing that would do anything else there.
    private func shown(_ string: PlistString) -> [UInt8] {
        let lines = string.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        return text(lines.map { QuotedBytes(Array($0)).text }.joined(separator: "\n"))
    }
}
