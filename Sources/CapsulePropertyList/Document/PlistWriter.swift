/// Writes property lists canonically in any encoding. Each value has exactly one encoding, with the same bytes everywhere.
package enum PlistWriter {
    package static func write(
        _ value: PlistValue, as format: PlistFormat, limits: PlistLimits = .standard
    ) throws(PlistError) -> [UInt8] {
        switch format {
        case .xml: try XMLPlistWriter.write(value, limits: limits)
        case .binary: try BinaryPlistWriter.write(value, limits: limits)
        case .json: try JSONPlistWriter.write(value, limits: limits)
        case .openStep: try OpenStepPlistWriter.write(value, limits: limits)
        }
    }
}

/// The nearest value that an encoding can hold, with notes about the changes.
///
/// If the encoding can hold the value, the result is the value itself. Otherwise each part is replaced as follows:
///
/// | encoding | can't hold | instead |
/// |---|---|---|
/// | all but JSON | null | left out |
/// | XML | dates with fractions of a second | the date rounded down to the second |
/// | | dates outside of the years 0 to 9999 | the number of seconds, as a string |
/// | | characters that XML forbids | U+FFFD |
/// | | a NaN with other bits | NaN |
/// | | `{CF$UID: n}` | the UID n |
/// | JSON | data, dates, numbers that are not finite | base64, ISO 8601, `nan` and `infinity`, as strings |
/// | | UIDs | integers |
/// | OpenStep | numbers, booleans, dates, UIDs | strings; YES and NO |
package struct PlistConversion: Sendable {
    package let value: PlistValue
    /// The changes, with their pointers. Each is `notRepresentable`, and the limit for warnings applies to their number.
    package let notes: [PlistError]

    package init(
        of value: PlistValue, to format: PlistFormat, json: JSONPlistOptions = [], limits: PlistLimits = .standard
    ) throws(PlistError) {
        guard !(format == .json && json.contains(.typed)) else {
            self.value = value
            notes = []
            return
        }
        var converter = PlistConverter(format: format, limits: limits)
        let outcome: PlistConverter.Outcome
        do throws(PlistError) {
            outcome = try converter.convert(value)
        } catch {
            throw error.pointing(to: converter.steps)
        }
        switch outcome {
        case .same: self.value = value
        case .other(let other): self.value = other
        case .nothing: throw PlistError(.notRepresentable, "\(format.name) has no null", pointer: "")
        }
        notes = converter.notes
    }
}

/// Converts a value to one that an encoding can hold.
private struct PlistConverter {
    enum Outcome {
        case same
        case other(PlistValue)
        case nothing
    }

    let format: PlistFormat
    private let limits: PlistLimits
    private(set) var notes: [PlistError] = []
    private(set) var steps: [PlistPointerStep] = []

    init(format: PlistFormat, limits: PlistLimits) {
        self.format = format
        self.limits = limits
    }

    mutating func addNote(_ message: String) {
        let count = notes.count
        guard count <= limits.warnings else { return }
        notes.append(
            count < limits.warnings
                ? PlistError(.notRepresentable, message, pointer: PlistPointerStep.pointer(steps))
                : PlistError(.notRepresentable, "more values change; they are not listed"))
    }

    /// A container whose children are converted one by one.
    private struct Container {
        let value: PlistValue
        var next = 0
        /// The converted elements so far; nil while all are unchanged, and for a dictionary.
        var elements: [PlistValue]?
        /// The converted entries so far; nil while all are unchanged, and for an array.
        var entries: [(PlistString, PlistValue)]?
        var key: PlistString = ""
    }

    mutating func convert(_ value: PlistValue) throws(PlistError) -> Outcome {
        guard value.isContainer else { return scalar(value) }
        try checkDepth()
        var container = Container(value: value)
        while let child = beginChild(of: &container) {
            endChild(try convert(child), of: &container)
        }
        return outcome(container)
    }

    private mutating func beginChild(of container: inout Container) -> PlistValue? {
        defer { container.next += 1 }
        switch container.value {
        case .array(let elements) where container.next < elements.count:
            steps.append(.index(container.next))
            return elements[container.next]
        case .dictionary(let dictionary) where container.next < dictionary.count:
            let entry = dictionary.entries[container.next]
            steps.append(.key(entry.key))
            container.key = key(entry.key)
            return entry.value
        default:
            return nil
        }
    }

    private mutating func endChild(_ outcome: Outcome, of container: inout Container) {
        steps.removeLast()
        let position = container.next - 1
        switch container.value {
        case .array(let elements):
            if case .same = outcome {
                container.elements?.append(elements[position])
                return
            }
            if container.elements == nil { container.elements = Array(elements[..<position]) }
            if case .other(let other) = outcome { container.elements?.append(other) }
        case .dictionary(let dictionary):
            let entry = dictionary.entries[position]
            if container.entries == nil {
                if case .same = outcome, container.key == entry.key { return }
                container.entries = dictionary.entries[..<position].map { ($0.key, $0.value) }
            }
            switch outcome {
            case .same: container.entries?.append((container.key, entry.value))
            case .other(let other): container.entries?.append((container.key, other))
            case .nothing: break
            }
        default: break
        }
    }

    private mutating func outcome(_ container: Container) -> Outcome {
        if let elements = container.elements { return .other(.array(elements)) }
        if format == .xml, let dictionary = container.value.dictionary, dictionary.count == 1,
            let uid = dictionary[XMLPlistWriter.uidKey]?.integer?.uint64
        {
            addNote("a dictionary {CF$UID: \(uid)} becomes a UID")
            return .other(.uid(uid))
        }
        guard let entries = container.entries else { return .same }
        let dictionary = PlistDictionary(entries)
        if dictionary.count < entries.count { addNote("keys become equal: the last value is kept") }
        return .other(.dictionary(dictionary))
    }

    /// Checks the depth, because releasing the result uses call stack for each level.
    private func checkDepth() throws(PlistError) {
        guard steps.count < limits.depth else { throw PlistTextStack.depthFailure(limits.depth, at: nil) }
    }
}

extension PlistConverter {
    mutating func scalar(_ value: PlistValue) -> Outcome {
        if case .null = value, format != .json {
            addNote("\(format.name) has no null: it is left out")
            return .nothing
        }
        switch format {
        case .binary: return .same
        case .xml: return xml(value)
        case .json: return json(value)
        case .openStep: return openStep(value)
        }
    }

    mutating func key(_ key: PlistString) -> PlistString {
        guard format == .xml, let allowed = Self.allowed(key) else { return key }
        addNote("characters of the key that XML forbids become U+FFFD")
        return allowed
    }

    private mutating func xml(_ value: PlistValue) -> Outcome {
        switch value {
        case .string(let string):
            guard let allowed = Self.allowed(string) else { return .same }
            addNote("characters that XML forbids become U+FFFD")
            return .other(.string(allowed))
        case .real(let real) where real.isNaN && real.bitPattern != Double.nan.bitPattern:
            addNote("a NaN loses its payload bits")
            return .other(.real(.nan))
        case .date(let seconds):
            let second = seconds.rounded(.down)
            guard let whole = Int(exactly: second), CivilTime.secondsOfYears.contains(whole) else {
                addNote("XML can't hold the date: it becomes a string")
                return .other(.string(Self.spell(seconds)))
            }
            guard second.bitPattern != seconds.bitPattern || second == 0 && second.sign == .minus else { return .same }
            addNote("the date loses its fraction of a second")
            return .other(.date(Double(whole)))
        default:
            return .same
        }
    }

    private static func allowed(_ string: PlistString) -> PlistString? {
        let isAllowed = string.string.unicodeScalars.allSatisfy { XMLCharacters.isAllowed($0.value) }
        guard !isAllowed else { return nil }
        var allowed = String.UnicodeScalarView()
        for scalar in string.string.unicodeScalars {
            allowed.append(XMLCharacters.isAllowed(scalar.value) ? scalar : "\u{FFFD}")
        }
        return PlistString(String(allowed))
    }

    private mutating func json(_ value: PlistValue) -> Outcome {
        switch value {
        case .real(let real) where !real.isFinite:
            addNote("JSON can't hold the number \(real): it becomes a string")
            return .other(.string(PlistString(RealSpelling.spell(real))))
        case .date(let seconds):
            addNote("JSON has no date: it becomes a string")
            return .other(.string(Self.spell(seconds)))
        case .data(let bytes):
            addNote("JSON has no data: it becomes a string in base64")
            return .other(.string(PlistString(String(decoding: Base64.encode(bytes), as: UTF8.self))))
        case .uid(let uid):
            addNote("JSON has no UID: it becomes an integer")
            return .other(.integer(PlistInteger(uid)))
        default:
            return .same
        }
    }

    private mutating func openStep(_ value: PlistValue) -> Outcome {
        let text: PlistString
        switch value {
        case .integer(let integer): text = PlistString(integer.description)
        case .real(let real): text = PlistString(RealSpelling.spell(real))
        case .boolean(let boolean): text = boolean ? "YES" : "NO"
        case .date(let seconds): text = Self.spell(seconds)
        case .uid(let uid): text = PlistString(uid.description)
        default: return .same
        }
        addNote("OpenStep has no \(value.typeName): it becomes a string")
        return .other(.string(text))
    }

    private static func spell(_ seconds: Double) -> PlistString {
        PlistString(DateSpelling.spell(seconds) ?? RealSpelling.spellAsReal(seconds))
    }
}
