/// The nearest value that an encoding can hold, and what had to be changed for it.
///
/// Where the encoding can hold the value, that is the value itself. Else, place by place:
///
/// | encoding | can't hold | instead |
/// |---|---|---|
/// | all but JSON | null | left out |
/// | XML | dates with fractions of a second | the second in which they are |
/// | | dates outside of the years 0 to 9999 | the number of seconds, as a string |
/// | | characters that XML forbids | U+FFFD |
/// | | a NaN with other bits | NaN |
/// | | `{CF$UID: n}` | the UID n |
/// | JSON | data, dates, numbers that are not finite | base64, ISO 8601, `nan` and `infinity`, as strings |
/// | | UIDs | integers |
/// | OpenStep | numbers, booleans, dates, UIDs | strings; YES and NO |
public struct PlistConversion: Sendable {
    /// What the encoding's writer takes.
    public let value: PlistValue
    /// What was changed, with the pointers: each `notRepresentable`, and no more of them than the limits allow warnings.
    public let notes: [PlistError]

    /// Throws `notRepresentable` if nothing is left, and `limitExceeded` for too much depth.
    public init(
        of value: PlistValue, to format: PlistFormat, json: JSONPlistOptions = [], limits: PlistLimits = .standard
    ) throws(PlistError) {
        guard !(format == .json && json.contains(.typed)) else {
            self.value = value
            notes = []
            return
        }
        var converter = PlistConverter(format: format, limits: limits)
        switch try converter.convert(value) {
        case .same: self.value = value
        case .other(let other): self.value = other
        case .nothing: throw PlistError(.notRepresentable, "\(format.name) has no null", pointer: "")
        }
        notes = converter.notes
    }
}
