/// Prints values for people: one line for each value, with its type, indented by its depth.
///
///     dictionary of 3
///       Name: string "Demo"
///       Opened: date 2024-05-17T10:00:00.25Z
///       Rows: array of 2
///         0: integer 1
///         1: real 1.5
///
/// Nothing is omitted silently: for long data, the number of bytes is printed. Characters that could control a terminal are
/// escaped. The format is not meant to be read back, and may change.
package struct PlistPrinter: ~Copyable {
    package static let standardDataBytes = 24

    /// The children of a container, which are printed below its line.
    private struct Content {
        enum Children {
            case elements([PlistValue])
            case entries([PlistDictionary.Entry])
        }

        let children: Children
        /// True if the container belongs to the tree of a keyed archive.
        let isArchived: Bool
        /// The pointer step to the container, if that is not the value on the line itself.
        var step: PlistPointerStep?
        var first = 0

        var count: Int {
            switch children {
            case .elements(let elements): elements.count
            case .entries(let entries): entries.count
            }
        }

        func value(at position: Int) -> PlistValue {
            switch children {
            case .elements(let elements): elements[position]
            case .entries(let entries): entries[position].value
            }
        }

        func step(to position: Int) -> PlistPointerStep {
            switch children {
            case .elements: .index(position)
            case .entries(let entries): .key(entries[position].key)
            }
        }
    }

    private let limits: PlistLimits
    private let unarchives: Bool
    private let dataBytes: Int
    private var output = TextBuffer(capacity: 4096)
    private var steps: [PlistPointerStep] = []
    private var level = 0
    private var unarchivedBytes = 0

    private init(unarchives: Bool, dataBytes: Int, limits: PlistLimits) {
        self.unarchives = unarchives
        self.dataBytes = max(dataBytes, 0)
        self.limits = limits
    }

    /// Returns the text in UTF-8, with a newline at the end of every line.
    /// - Parameters:
    ///   - unarchives: true to print keyed archives, including those in data, as their objects. Unreadable archives in data are printed as
    ///     data.
    ///   - dataBytes: the maximum number of bytes of data to show; `.max` for all.
    package static func text(
        of value: PlistValue, unarchives: Bool = false, dataBytes: Int = standardDataBytes, limits: PlistLimits = .standard
    ) throws(PlistError) -> [UInt8] {
        var printer = PlistPrinter(unarchives: unarchives, dataBytes: dataBytes, limits: limits)
        if unarchives, KeyedArchive.isArchive(value) {
            let tree = try KeyedArchive(value).resolved(limits: limits)
            try printer.run { printer throws(PlistError) in try printer.printLine(archive: tree) }
        } else {
            try printer.run { printer throws(PlistError) in try printer.printLine(value, isArchived: false) }
        }
        return printer.output.array
    }

    private mutating func run(_ first: (inout PlistPrinter) throws(PlistError) -> Content?) throws(PlistError) {
        do throws(PlistError) {
            if let content = try first(&self) { try print(content) }
        } catch {
            throw error.pointing(to: steps)
        }
    }

    private mutating func print(_ content: Content) throws(PlistError) {
        if let step = content.step { steps.append(step) }
        level += 1
        for position in content.first..<content.count {
            steps.append(content.step(to: position))
            if let inner = try printLine(position, of: content) { try print(inner) }
            steps.removeLast()
        }
        level -= 1
        if content.step != nil { steps.removeLast() }
    }

    private mutating func printLine(_ position: Int, of content: Content) throws(PlistError) -> Content? {
        output.append(repeating: UInt8(ascii: " "), count: 2 * level)
        switch content.children {
        case .elements: append(position)
        case .entries(let entries): append(key: entries[position].key, isArchived: content.isArchived)
        }
        output.append(": ")
        return try printLine(content.value(at: position), isArchived: content.isArchived)
    }

    private mutating func endLine() throws(PlistError) {
        output.append(0x0A)
        guard output.count <= limits.outputBytes else {
            throw PlistError(.limitExceeded, "the text would be larger than \(limits.outputBytes) bytes", pointer: "")
        }
    }

    private mutating func printLine(_ value: PlistValue, isArchived: Bool) throws(PlistError) -> Content? {
        switch value {
        case .array(let elements) where elements.isEmpty:
            output.append("empty array")
        case .array(let elements):
            output.append("array of ")
            append(elements.count)
            return try open(Content(children: .elements(elements), isArchived: isArchived))
        case .dictionary(let dictionary) where dictionary.isEmpty:
            output.append("empty dictionary")
        case .dictionary(let dictionary):
            if isArchived, let className = dictionary["$class"]?.string {
                return try printLine(object: dictionary, of: className)
            }
            if isArchived, dictionary.count == 1, let reference = dictionary["$ref"]?.string {
                output.append("the same as ")
                append(key: PlistString(target(of: reference)), isArchived: false)
                break
            }
            output.append("dictionary of ")
            append(dictionary.count)
            return try open(Content(children: .entries(dictionary.entries), isArchived: isArchived))
        case .data(let bytes):
            append(text: PlistValue.data(bytes).line(length: dataBytes))
            guard unarchives, let tree = unarchive(bytes) else { break }
            output.append(", a ")
            return try printLine(archive: tree, step: .key("<archive>"))
        default:
            append(scalar: value)
        }
        try endLine()
        return nil
    }

    private mutating func open(_ content: Content) throws(PlistError) -> Content {
        guard level < limits.depth else {
            throw PlistTextStack.depthFailure(limits.depth, at: nil)
        }
        try endLine()
        return content
    }

    private func target(of reference: PlistString) -> String {
        // A character after a slash may combine with it, so this looks at bytes.
        let levels = reference.utf8.prefix { $0 != UInt8(ascii: "/") }
        let up = steps.dropLast(Int(String(decoding: levels, as: UTF8.self)) ?? 0)
        let down = reference.utf8.dropFirst(levels.count)
        return PlistPointerStep.pointer(Array(up)) + String(decoding: down, as: UTF8.self)
    }
}

extension PlistPrinter {
    private mutating func append(scalar: PlistValue) {
        switch scalar {
        case .string(let string):
            output.append("string ")
            append(quoted: string)
        case .integer(let integer):
            append(text: "integer \(integer)")
        case .real(let real):
            append(text: "real \(RealSpelling.spell(real))")
        case .boolean(let boolean):
            output.append(boolean ? "boolean true" : "boolean false")
        case .date(let seconds):
            append(text: "date \(DateSpelling.spell(seconds) ?? "\(RealSpelling.spell(seconds)) seconds after 2001")")
        case .uid(let uid):
            append(text: "uid \(uid)")
        case .null:
            output.append("null")
        case .data, .array, .dictionary:
            append(text: scalar.typeName)
        }
    }

    private mutating func append(_ number: Int) {
        append(text: number.description)
    }

    private mutating func append(text: String) {
        for byte in text.utf8 { output.append(byte) }
    }

    /// Appends a key, unquoted if that is unambiguous. Keys in archives have an additional `$`, which is removed.
    private mutating func append(key: PlistString, isArchived: Bool) {
        let isDoubled = isArchived && key.utf8.starts(with: "$$".utf8)
        let shown = isDoubled ? PlistString(String(key.string.dropFirst())) : key
        let isPlain = shown.string.unicodeScalars.allSatisfy {
            PlistValueLine.isPlain($0) && $0 != ":" && $0 != "\"" && $0 != "\\"
        }
        if isPlain, !shown.isEmpty, shown.string.first != " ", shown.string.last != " " {
            append(text: shown.string)
        } else {
            append(quoted: shown)
        }
    }

    /// Appends text in quotation marks, on one line. Invisible characters and those that could control a terminal are escaped.
    private mutating func append(quoted string: PlistString) {
        append(text: PlistValueLine.quoted(string.string.unicodeScalars[...]))
    }
}

extension PlistPrinter {
    private mutating func printLine(archive tree: PlistValue, step: PlistPointerStep? = nil) throws(PlistError) -> Content? {
        output.append("keyed archive")
        guard let entries = tree.dictionary?.entries, !entries.isEmpty else {
            try endLine()
            return nil
        }
        return try open(Content(children: .entries(entries), isArchived: true, step: step))
    }

    private mutating func printLine(object: PlistDictionary, of className: PlistString) throws(PlistError) -> Content? {
        append(key: className, isArchived: false)
        if let text = object["$value"]?.string {
            output.append(UInt8(ascii: " "))
            append(quoted: text)
        } else if let (name, elements) = Self.elements(of: object) {
            output.append(" of ")
            append(elements.count)
            if !elements.isEmpty {
                return try open(Content(children: .elements(elements), isArchived: true, step: .key(name)))
            }
        } else if object.count > 1 {
            // The class comes first and is already printed.
            return try open(Content(children: .entries(object.entries), isArchived: true, first: 1))
        }
        try endLine()
        return nil
    }

    private static func elements(of object: PlistDictionary) -> (PlistString, [PlistValue])? {
        for name: PlistString in ["$objects", "$entries"] {
            if let elements = object[name]?.array { return (name, elements) }
        }
        return nil
    }

    private mutating func unarchive(_ bytes: [UInt8]) -> PlistValue? {
        // The same data may occur repeatedly.
        guard PlistFormat.sniff(bytes) != nil, bytes.count <= limits.documentBytes - unarchivedBytes else { return nil }
        unarchivedBytes += bytes.count
        do throws(PlistError) {
            let value = try PlistReader.read(bytes, limits: limits).value
            return KeyedArchive.isArchive(value) ? try KeyedArchive(value).resolved(limits: limits) : nil
        } catch {
            return nil
        }
    }
}
