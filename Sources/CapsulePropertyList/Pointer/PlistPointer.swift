/// A place in a property list: a JSON Pointer (RFC 6901) whose steps can also select an array's element by its content.
///
/// On a dictionary, every step is a key. On an array, a step is an index, `-` for the end, `[KEY=VALUE]` for the only element whose
/// KEY is VALUE, or `[=VALUE]` for the only element that equals VALUE. On data, a step is `<plist>`, `<archive>`, `<json>` or
/// `<zlib>`, which leads into the content of the data.
package struct PlistPointer: Hashable, Sendable {
    package static let maximumSteps = 1_024
    package static let root = PlistPointer(steps: [])

    /// The steps, unescaped. The meaning of a step depends on the value that it is applied to.
    package let steps: [PlistString]

    package init(steps: [PlistString]) {
        self.steps = steps
    }

    /// Reads a pointer such as `/a/b~1c/0`. The empty text is the root.
    package init(_ text: String) throws(PlistError) {
        guard !text.isEmpty else {
            self = .root
            return
        }
        let slash = UInt8(ascii: "/")
        guard text.utf8.first == slash else {
            throw PlistError(
                .syntax, "\(PlistString(text).quoted) is not a pointer",
                hint: "start the pointer with '/': \(Self.meant(by: text))")
        }
        var steps: [PlistString] = []
        for part in text.utf8.dropFirst().split(separator: slash, omittingEmptySubsequences: false) {
            steps.append(try Self.unescape(part, of: text))
        }
        try self.init(checking: steps)
    }

    /// Returns the pointers that a text without a leading `/` may stand for. plutil separates keys with periods, but an identifier
    /// such as `com.example.app` is one key that contains periods. If there is a number between periods or in brackets, the text is
    /// a path.
    private static func meant(by text: String) -> String {
        let parts = dotted(text)
        let isPath = parts.count > 1 && !text.utf8.contains(UInt8(ascii: "/")) && !parts.contains { $0.isEmpty }
        guard isPath else { return "'/\(text)'" }
        let path = "'/\(parts.joined(separator: "/"))'"
        let hasIndex = parts.dropFirst().contains { $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }
        return hasIndex ? path : "\(path), or '/\(text)' for a key that contains dots"
    }

    static func dotted(_ path: String) -> [Substring] {
        path.split(separator: ".", omittingEmptySubsequences: false).flatMap { indexed($0) }
    }

    private static func indexed(_ part: Substring) -> [Substring] {
        var (rest, indices) = (part, [Substring]())
        while rest.last == "]", let bracket = rest.lastIndex(of: "[") {
            let index = rest[rest.index(after: bracket)...].dropLast()
            guard !index.isEmpty, index.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { break }
            indices.insert(index, at: 0)
            rest = rest[..<bracket]
        }
        return rest.isEmpty && !indices.isEmpty ? indices : [rest] + indices
    }

    /// Reads the path of a PlistBuddy command, such as `:A:B:0`. `\` makes the next character literal.
    package init(plistBuddy text: String) throws(PlistError) {
        guard text.utf8.first == UInt8(ascii: ":") else {
            throw PlistError(.syntax, "\(PlistString(text).quoted) is not a PlistBuddy path", hint: "start the path with ':'")
        }
        var steps: [PlistString] = []
        var step: [UInt8] = []
        var isEscaped = false
        for byte in text.utf8.dropFirst() {
            if !isEscaped, byte == UInt8(ascii: "\\") {
                isEscaped = true
            } else if !isEscaped, byte == UInt8(ascii: ":") {
                steps.append(PlistString(String(decoding: step, as: UTF8.self)))
                step = []
            } else {
                isEscaped = false
                step.append(byte)
            }
        }
        if !step.isEmpty { steps.append(PlistString(String(decoding: step, as: UTF8.self))) }
        try self.init(checking: steps)
    }

    init(checking steps: [PlistString]) throws(PlistError) {
        guard steps.count <= Self.maximumSteps else {
            throw PlistError(.limitExceeded, "the pointer has more than \(Self.maximumSteps) steps")
        }
        self.steps = steps
    }

    package var isRoot: Bool { steps.isEmpty }
    package var last: PlistString? { steps.last }
    package var parent: PlistPointer? { steps.isEmpty ? nil : PlistPointer(steps: Array(steps.dropLast())) }
    package func appending(_ step: PlistString) -> PlistPointer { PlistPointer(steps: steps + [step]) }
    package func appending(index: Int) -> PlistPointer { appending(PlistString(String(index))) }
    package func isAtOrBelow(_ other: PlistPointer) -> Bool { steps.starts(with: other.steps) }

    private static func unescape(_ part: Substring.UTF8View, of text: String) throws(PlistError) -> PlistString {
        guard part.contains(UInt8(ascii: "~")) else { return PlistString(String(Substring(part))) }
        var bytes: [UInt8] = []
        var isEscaped = false
        for byte in part {
            if isEscaped {
                guard byte == UInt8(ascii: "0") || byte == UInt8(ascii: "1") else { break }
                bytes.append(byte == UInt8(ascii: "0") ? UInt8(ascii: "~") : UInt8(ascii: "/"))
                isEscaped = false
            } else if byte == UInt8(ascii: "~") {
                isEscaped = true
            } else {
                bytes.append(byte)
            }
        }
        guard !isEscaped else {
            throw PlistError(
                .syntax, "invalid '~' in the pointer \(PlistString(text).quoted)", hint: "write '~0' for '~' and '~1' for '/'")
        }
        return PlistString(String(decoding: bytes, as: UTF8.self))
    }
}

extension PlistPointer: CustomStringConvertible {
    package var description: String { PlistPointerStep.pointer(steps.map { .key($0) }) }
}

extension PlistPointer {
    /// Reads a plutil key path, such as `CFBundleURLTypes.0.CFBundleURLName`. `\.` is a period in a key, and `\\` a backslash.
    package init(keyPath text: String) throws(PlistError) {
        let slash = UInt8(ascii: "/")
        guard !text.utf8.contains(slash) else {
            throw PlistError(
                .syntax, "\(PlistString(text).quoted) is not a key path",
                hint: "start a pointer with '/': '/\(text)'; '~1' is a slash in a key")
        }
        let dot = UInt8(ascii: ".")
        let backslash = UInt8(ascii: "\\")
        var steps: [[UInt8]] = [[]]
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            if byte == backslash, let next = rest.first, next == dot || next == backslash {
                steps[steps.count - 1].append(next)
                rest.removeFirst()
            } else if byte == dot {
                steps.append([])
            } else {
                steps[steps.count - 1].append(byte)
            }
        }
        guard !steps.contains(where: \.isEmpty) else {
            throw PlistError(
                .syntax, "\(PlistString(text).quoted) has an empty key between dots",
                hint: "write '\\.' for a dot in a key, or a pointer that starts with '/'")
        }
        try self.init(checking: steps.map { PlistString(String(decoding: $0, as: UTF8.self)) })
    }

    /// Reads a place in a value as users write it: a JSON Pointer, which begins with `/` or is empty; a PlistBuddy path, which
    /// begins with `:`; or, for any other text, a key of the root if there is such a key, and otherwise a plutil key path.
    package init(_ text: String, in value: PlistValue) throws(PlistError) {
        switch text.utf8.first {
        case nil, UInt8(ascii: "/"): try self.init(text)
        case UInt8(ascii: ":"): try self.init(plistBuddy: text)
        default:
            // A key such as 'com.example.setting' is written literally.
            let key = PlistString(text)
            if value.dictionary?[key] != nil { self.init(steps: [key]) } else { try self.init(keyPath: text) }
        }
    }
}

/// The meaning of a pointer's step on an array.
enum PlistArrayStep: Hashable {
    case index(Int)
    /// `-`: the position after the last element.
    case end
    case selector(key: PlistString?, value: PlistString)

    /// - Returns: nil for anything else, and for an index that is too large or has a leading zero (RFC 6901, section 4).
    init?(_ step: PlistString) {
        let bytes = Array(step.utf8)
        if bytes == [UInt8(ascii: "-")] {
            self = .end
        } else if let first = bytes.first, first == UInt8(ascii: "["), bytes.last == UInt8(ascii: "]"),
            let equal = bytes.firstIndex(of: UInt8(ascii: "="))
        {
            let text = { (bytes: ArraySlice<UInt8>) in PlistString(String(decoding: bytes, as: UTF8.self)) }
            let key = bytes[1..<equal]
            self = .selector(key: key.isEmpty ? nil : text(key), value: text(bytes[(equal + 1)..<(bytes.count - 1)]))
        } else {
            guard let first = bytes.first, bytes.allSatisfy({ $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") }),
                first != UInt8(ascii: "0") || bytes.count == 1, let index = Int(step.string)
            else { return nil }
            self = .index(index)
        }
    }

    func place(in elements: [PlistValue]) throws(PlistError) -> Int {
        switch self {
        case .end:
            return elements.count
        case .index(let index):
            guard index <= elements.count else {
                throw PlistError(.missing, "the array has no index \(index): it has \(Self.counted(elements.count))")
            }
            return index
        case .selector(let key, let value):
            let found = elements.indices.filter { Self.matches(elements[$0], key, value) }
            guard let first = found.first else {
                let hint = Self.known(key, in: elements)
                throw PlistError(.missing, "no element of the array has \(Self.described(key, value))", hint: hint)
            }
            guard found.count == 1 else {
                let list = found.prefix(8).map(String.init).joined(separator: ", ")
                throw PlistError(
                    .ambiguous, "\(found.count) elements of the array have \(Self.described(key, value)): \(list)",
                    hint: "choose one by its index")
            }
            return first
        }
    }

    private static func matches(_ element: PlistValue, _ key: PlistString?, _ text: PlistString) -> Bool {
        var scalar = element
        if let key {
            guard let found = element.dictionary?[key] else { return false }
            scalar = found
        }
        return scalar.selectorText == text
    }

    private static func described(_ key: PlistString?, _ value: PlistString) -> String {
        key.map { "\($0.quoted) = \(value.quoted)" } ?? "the value \(value.quoted)"
    }

    private static func counted(_ count: Int) -> String { count == 1 ? "1 element" : "\(count) elements" }

    private static func known(_ key: PlistString?, in elements: [PlistValue]) -> String? {
        let texts = elements.lazy.compactMap { element in
            (key == nil ? element : key.flatMap { element.dictionary?[$0] })?.selectorText?.quoted
        }.prefix(5)
        return texts.isEmpty ? nil : "the array has " + texts.joined(separator: ", ")
    }
}

extension PlistValue {
    /// The text that `[=VALUE]` is compared with: a string itself, or the text of an integer or boolean; nil for other values.
    package var selectorText: PlistString? {
        switch self {
        case .string(let string): string
        case .integer(let integer): PlistString(integer.description)
        case .boolean(let boolean): boolean ? "true" : "false"
        default: nil
        }
    }

    /// Returns the step `[KEY=VALUE]`, or `[=VALUE]` without a key, that selects this value as an array's element.
    /// - Returns: nil if there is no such step. A selector compares strings, integers and booleans, and its key must be nonempty
    ///   and without `=`.
    package func selector(key: PlistString?) -> PlistString? {
        guard let key else {
            return selectorText.map { PlistString("[=\($0.string)]") }
        }
        guard !key.isEmpty, !key.utf8.contains(UInt8(ascii: "=")), let text = dictionary?[key]?.selectorText else { return nil }
        return PlistString("[\(key.string)=\(text.string)]")
    }
}
