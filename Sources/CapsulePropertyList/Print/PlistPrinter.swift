/// Prints values for people: one line for each value, with its type, indented by its depth.
///
///     dictionary of 3
///       Name: string "Demo"
///       Opened: date 2024-05-17T10:00:00.25Z
///       Rows: array of 2
///         0: integer 1
///         1: real 1.5
///
/// Nothing is omitted silently: for long data, the number of bytes is printed. If shared objects would make the text many times
/// longer, they are printed in their first place, and the other places refer to it. Characters that could control a terminal are
/// escaped. The format is not meant to be read back, and may change.
public struct PlistPrinter: ~Copyable {
    /// The default number of bytes of data to show.
    public static let standardDataBytes = 24

    /// The number of lines after which shared objects may be replaced by references.
    private static let plainLines = 10_000

    private struct Frame {
        enum Content {
            case elements([PlistValue])
            case entries([PlistDictionary.Entry])
        }

        let content: Content
        /// True if the container belongs to the tree of a keyed archive.
        let isArchived: Bool
        /// The index of the container among the places.
        let place: Int
        /// The position of the next child.
        var next: Int

        var count: Int {
            switch content {
            case .elements(let elements): elements.count
            case .entries(let entries): entries.count
            }
        }

        func step(to position: Int) -> PlistPointerStep {
            switch content {
            case .elements: .index(position)
            case .entries(let entries): .key(entries[position].key)
            }
        }
    }

    private let limits: PlistLimits
    private let unarchives: Bool
    private let dataBytes: Int
    private var output = TextBuffer(capacity: 4096)
    private var frames: [Frame] = []
    /// Every printed container: the index of the surrounding one, or -1, and the steps from there.
    private var places: [(parent: Int, steps: [PlistPointerStep])] = []
    /// The first place of each container, by its storage.
    private var known: [UInt: Int] = [:]
    /// Keeps values alive that were created for printing, so that their storage isn't reused.
    private var held: [PlistValue] = []
    private var lines = 0
    /// The number of lines if each container were printed once.
    private var distinctLines = 1
    private var unarchivedBytes = 0

    private init(unarchives: Bool, dataBytes: Int, limits: PlistLimits) {
        self.unarchives = unarchives
        self.dataBytes = max(dataBytes, 0)
        self.limits = limits
    }

    /// Returns the text in UTF-8, with a newline at the end of every line.
    ///
    /// - Parameters:
    ///   - value: the value to print.
    ///   - unarchives: true to print keyed archives, including those in data, as their objects. Unreadable archives in data are printed as
    ///     data.
    ///   - dataBytes: the maximum number of bytes of data to show; `.max` for all.
    ///   - limits: the limits for the output and its depth.
    /// - Throws: `limitExceeded` for text larger than `outputBytes` and for too much depth. If the value itself is an archive, also
    ///   the errors of ``KeyedArchive``.
    public static func text(
        of value: PlistValue, unarchives: Bool = false, dataBytes: Int = standardDataBytes, limits: PlistLimits = .standard
    ) throws(PlistError) -> [UInt8] {
        var printer = PlistPrinter(unarchives: unarchives, dataBytes: dataBytes, limits: limits)
        if unarchives, KeyedArchive.isArchive(value) {
            let tree = try KeyedArchive(value).resolved(limits: limits)
            try printer.run { printer throws(PlistError) in try printer.print(archive: tree, steps: []) }
        } else {
            try printer.run { printer throws(PlistError) in try printer.print(value, isArchived: false, steps: []) }
        }
        return printer.output.array
    }

    private mutating func run(_ start: (inout PlistPrinter) throws(PlistError) -> Void) throws(PlistError) {
        do throws(PlistError) {
            try start(&self)
            while let frame = frames.last {
                guard frame.next < frame.count else {
                    frames.removeLast()
                    continue
                }
                frames[frames.count - 1].next += 1
                try printChild(frame.next, of: frame)
            }
        } catch {
            throw error.pointing(to: steps)
        }
    }

    // MARK: Lines

    private mutating func printChild(_ position: Int, of frame: Frame) throws(PlistError) {
        output.append(repeating: UInt8(ascii: " "), count: 2 * frames.count)
        let steps = [frame.step(to: position)]
        switch frame.content {
        case .elements(let elements):
            append(position)
            output.append(": ")
            try print(elements[position], isArchived: frame.isArchived, steps: steps)
        case .entries(let entries):
            append(key: entries[position].key, isArchived: frame.isArchived)
            output.append(": ")
            try print(entries[position].value, isArchived: frame.isArchived, steps: steps)
        }
    }

    private mutating func append(pointer: String) {
        append(key: PlistString(pointer), isArchived: false)
    }

    private mutating func endLine() throws(PlistError) {
        output.append(0x0A)
        lines += 1
        guard output.count <= limits.outputBytes else {
            throw PlistError(.limitExceeded, "the text would be larger than \(limits.outputBytes) bytes", pointer: "")
        }
    }

    /// Prints the rest of a value's line, and opens a frame for its content.
    private mutating func print(
        _ value: PlistValue, isArchived: Bool, steps: [PlistPointerStep]
    ) throws(PlistError) {
        switch value {
        case .array(let elements) where elements.isEmpty:
            output.append("empty array")
        case .array(let elements):
            output.append("array of ")
            append(elements.count)
            return try open(.elements(elements), isArchived: isArchived, steps: steps)
        case .dictionary(let dictionary) where dictionary.isEmpty:
            output.append("empty dictionary")
        case .dictionary(let dictionary):
            if isArchived, try print(object: dictionary, steps: steps) { return }
            output.append("dictionary of ")
            append(dictionary.count)
            return try open(.entries(dictionary.entries), isArchived: isArchived, steps: steps)
        case .data(let bytes):
            append(data: bytes)
            guard unarchives, let tree = unarchive(bytes) else { break }
            output.append(", a ")
            return try print(archive: tree, steps: steps + [.key("<archive>")])
        default:
            append(scalar: value)
        }
        try endLine()
    }

    /// Ends the line of a nonempty container and opens a frame for it, unless its repetitions would make the text too long.
    private mutating func open(
        _ content: Frame.Content, isArchived: Bool, steps: [PlistPointerStep], from first: Int = 0
    ) throws(PlistError) {
        let address: UInt
        switch content {
        case .elements(let elements): address = elements.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) }
        case .entries(let entries): address = entries.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) }
        }
        let frame = Frame(content: content, isArchived: isArchived, place: places.count, next: first)
        if let place = known[address] {
            if lines > Self.plainLines + 4 * distinctLines {
                output.append(", the same as ")
                append(pointer: PlistPointerStep.pointer(way(to: place)))
                return try endLine()
            }
        } else {
            distinctLines += frame.count
            known[address] = places.count
        }
        guard frames.count < limits.depth else {
            throw PlistError(.limitExceeded, "containers nest deeper than \(limits.depth) levels")
        }
        try endLine()
        places.append((parent: frames.last?.place ?? -1, steps: steps))
        frames.append(frame)
    }

    // MARK: Pointers

    /// The pointer steps to the value that is being printed.
    private var steps: [PlistPointerStep] {
        guard let frame = frames.last else { return [] }
        return way(to: frame.place) + (frame.next > 0 ? [frame.step(to: frame.next - 1)] : [])
    }

    private func way(to place: Int) -> [PlistPointerStep] {
        var way: [PlistPointerStep] = []
        var place = place
        while place >= 0 {
            way = places[place].steps + way
            place = places[place].parent
        }
        return way
    }

    /// Returns the pointer that a relative pointer leads to from the value that is being printed.
    private func target(of reference: PlistString, steps: [PlistPointerStep]) -> String {
        let here = way(to: frames.last?.place ?? -1) + steps
        let levels = reference.string.prefix { $0 != "/" }
        let up = here.dropLast(Int(levels) ?? 0)
        return PlistPointerStep.pointer(Array(up)) + reference.string.dropFirst(levels.count)
    }
}

/// Prints scalars and keys on a line.
extension PlistPrinter {
    /// Appends a scalar's type and value.
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
            append(date: seconds)
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

    /// Appends the number of bytes and the data as text or in Base64, up to the limit, with `…` for omitted bytes.
    private mutating func append(data: [UInt8]) {
        append(text: PlistValue.data(data).line(length: dataBytes))
    }

    /// Appends a date in ISO 8601 in UTC, with all its digits, or as seconds if there is no exact text.
    private mutating func append(date seconds: Double) {
        append(text: "date \(DateSpelling.spell(seconds) ?? "\(RealSpelling.spell(seconds)) seconds after 2001")")
    }

    // MARK: Text

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

/// Prints keyed archives as their objects.
extension PlistPrinter {
    private mutating func print(archive tree: PlistValue, steps: [PlistPointerStep]) throws(PlistError) {
        held.append(tree)
        output.append("keyed archive")
        guard let entries = tree.dictionary?.entries, !entries.isEmpty else { return try endLine() }
        try open(.entries(entries), isArchived: true, steps: steps)
    }

    /// Prints an object or a reference of a resolved keyed archive. Returns false for a dictionary that is neither.
    private mutating func print(object: PlistDictionary, steps: [PlistPointerStep]) throws(PlistError) -> Bool {
        if let reference = object["$ref"]?.string, object.count == 1 {
            output.append("the same as ")
            append(pointer: target(of: reference, steps: steps))
            try endLine()
            return true
        }
        guard let className = object["$class"]?.string else { return false }
        append(key: className, isArchived: false)
        if let text = object["$value"]?.string {
            output.append(UInt8(ascii: " "))
            append(quoted: text)
            try endLine()
        } else if let (name, elements) = Self.elements(of: object) {
            output.append(" of ")
            append(elements.count)
            guard !elements.isEmpty else {
                try endLine()
                return true
            }
            try open(.elements(elements), isArchived: true, steps: steps + [.key(name)])
        } else if object.count == 1 {
            try endLine()
        } else {
            // The class comes first and is already printed.
            try open(.entries(object.entries), isArchived: true, steps: steps, from: 1)
        }
        return true
    }

    /// Returns the content of a set's or a dictionary's object, and its name.
    private static func elements(of object: PlistDictionary) -> (PlistString, [PlistValue])? {
        for name: PlistString in ["$objects", "$entries"] {
            if let elements = object[name]?.array { return (name, elements) }
        }
        return nil
    }

    /// Returns the tree of a keyed archive in data, or nil for any other data.
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
