/// What becomes of scalars.
extension PlistConverter {
    mutating func scalar(_ value: PlistValue) -> Outcome {
        if case .null = value, format != .json {
            note("\(format.name) has no null: it is left out")
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
        note("characters of the key that XML forbids become U+FFFD")
        return allowed
    }

    // MARK: XML

    private mutating func xml(_ value: PlistValue) -> Outcome {
        switch value {
        case .string(let string):
            guard let allowed = Self.allowed(string) else { return .same }
            note("characters that XML forbids become U+FFFD")
            return .other(.string(allowed))
        case .real(let real) where real.isNaN && real.bitPattern != Double.nan.bitPattern:
            note("a NaN loses its payload bits")
            return .other(.real(.nan))
        case .date(let seconds):
            let second = seconds.rounded(.down)
            guard let whole = Int(exactly: second), CivilTime.secondsOfYears.contains(whole) else {
                note("XML can't hold the date: it becomes a string")
                return .other(.string(Self.spell(seconds)))
            }
            guard second.bitPattern != seconds.bitPattern || second == 0 && second.sign == .minus else { return .same }
            note("the date loses its fraction of a second")
            return .other(.date(Double(whole)))
        default:
            return .same
        }
    }

    /// The string without characters that XML forbids; nil if there are none.
    private static func allowed(_ string: PlistString) -> PlistString? {
        let isAllowed = string.string.unicodeScalars.allSatisfy { XMLCharacters.isAllowed($0.value) }
        guard !isAllowed else { return nil }
        var allowed = String.UnicodeScalarView()
        for scalar in string.string.unicodeScalars {
            allowed.append(XMLCharacters.isAllowed(scalar.value) ? scalar : "\u{FFFD}")
        }
        return PlistString(String(allowed))
    }

    // MARK: JSON

    private mutating func json(_ value: PlistValue) -> Outcome {
        switch value {
        case .real(let real) where !real.isFinite:
            note("JSON can't hold the number \(real): it becomes a string")
            return .other(.string(PlistString(RealSpelling.spell(real))))
        case .date(let seconds):
            note("JSON has no date: it becomes a string")
            return .other(.string(Self.spell(seconds)))
        case .data(let bytes):
            note("JSON has no data: it becomes a string in base64")
            return .other(.string(PlistString(String(decoding: Base64.encode(bytes), as: UTF8.self))))
        case .uid(let uid):
            note("JSON has no UID: it becomes an integer")
            return .other(.integer(PlistInteger(uid)))
        default:
            return .same
        }
    }

    // MARK: OpenStep

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
        note("OpenStep has no \(value.typeName): it becomes a string")
        return .other(.string(text))
    }

    /// A date as text: ISO 8601, or where that can't be the seconds since 2001.
    private static func spell(_ seconds: Double) -> PlistString {
        PlistString(DateSpelling.spell(seconds) ?? RealSpelling.spellAsReal(seconds))
    }
}
