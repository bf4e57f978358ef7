import CapsuleCore

extension ValueForm {
    /// The value that `bytes` stand for, or nil if they are not of this form; ``expectation`` tells what would be.
    ///
    /// A topic is not looked up here: only the parser knows the table, and it can suggest the nearest.
    func value(of bytes: [UInt8]) -> ArgumentValue? {
        switch self {
        case .container, .file, .directory, .path, .glob, .topic:
            return bytes.isEmpty ? nil : .bytes(bytes)
        case .program:
            return .bytes(bytes)
        case .text:
            return Self.plistText(bytes).map { .text($0) }
        case .label:
            return Self.isLabel(bytes) ? .text(String(decoding: bytes, as: UTF8.self)) : nil
        case .versions:
            let text = String(decoding: bytes, as: UTF8.self)
            return VersionSelector.list(text) == nil ? nil : .text(text)
        case .integer(let range):
            return Self.integer(bytes, in: range).map { .integer($0) }
        case .seconds(let most):
            return Self.seconds(bytes, most: most).map { .seconds($0) }
        case .words(let words):
            return words.first { $0.utf8.elementsEqual(bytes) }.map { .text($0) }
        case .namedDirectory, .namedFile:
            guard let equals = bytes.firstIndex(of: UInt8(ascii: "=")), equals > 0, equals + 1 < bytes.count else { return nil }
            return .named(NamedValue(name: Array(bytes[..<equals]), value: Array(bytes[(equals + 1)...])))
        case .definition:
            guard let equals = bytes.firstIndex(of: UInt8(ascii: "=")), equals > 0, Self.plistText(bytes) != nil else {
                return nil
            }
            return .named(NamedValue(name: Array(bytes[..<equals]), value: Array(bytes[(equals + 1)...])))
        }
    }

    /// What is allowed, for messages: `a whole number from 1 to 256`.
    var expectation: String {
        switch self {
        case .container: "a container"
        case .file: "a file name"
        case .directory: "a directory"
        case .path: "a path in the container"
        case .glob: "a non-empty pattern"
        case .text: "UTF-8 text without control characters"
        case .label: "letters, digits, '.', '_' and '-', but not only digits, 'latest' or 'first'"
        case .versions: "a comma-separated list of versions: 'latest', 'first', '~1', a number or a label"
        case .integer(let range): "a whole number from \(range.lowerBound) to \(range.upperBound)"
        case .seconds(let most): "a number of seconds from 0 to \(most)"
        case .words(let words): Suggestions.alternatives(words)
        case .namedDirectory: "ID=DIR"
        case .namedFile: "PATH=FILE"
        case .definition: "NAME=VALUE"
        case .topic: "a verb or a guide"
        case .program: "a command"
        }
    }

    /// Digits only: no sign, no space, nothing that overflows.
    private static func integer(_ bytes: [UInt8], in range: ClosedRange<Int>) -> Int? {
        guard bytes.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else { return nil }
        guard let number = Int(String(decoding: bytes, as: UTF8.self)), range.contains(number) else { return nil }
        return number
    }

    /// Digits, with one point between them at most: no sign, no exponent.
    private static func seconds(_ bytes: [UInt8], most: Int) -> Double? {
        let parts = bytes.split(separator: UInt8(ascii: "."), maxSplits: 1, omittingEmptySubsequences: false)
        guard
            parts.allSatisfy({ part in
                !part.isEmpty && part.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
            })
        else { return nil }
        guard let seconds = Double(String(decoding: bytes, as: UTF8.self)), seconds <= Double(most) else { return nil }
        return seconds
    }

    /// The grammar of labels: `[A-Za-z0-9._-]+`, but nothing that `FILE@VERSION` would take for something else.
    private static func isLabel(_ bytes: [UInt8]) -> Bool {
        let isAllowed = bytes.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
            case UInt8(ascii: "0")...UInt8(ascii: "9"): true
            case UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"): true
            default: false
            }
        }
        let isNumber = bytes.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        let isReserved = ["latest", "first"].contains { $0.utf8.elementsEqual(bytes) }
        return isAllowed && !isNumber && !isReserved
    }

    /// The text if it is UTF-8 of characters that XML 1.0 allows: a manifest is an XML property list.
    private static func plistText(_ bytes: [UInt8]) -> String? {
        guard let text = String(validating: bytes, as: UTF8.self) else { return nil }
        let isHeld = text.unicodeScalars.allSatisfy { scalar in
            switch scalar.value {
            case 0x09, 0x0A: true
            case 0...0x1F, 0x7F...0x9F, 0xFFFE, 0xFFFF: false
            default: true
            }
        }
        return isHeld ? text : nil
    }
}
