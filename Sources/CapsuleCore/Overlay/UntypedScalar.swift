import CapsulePropertyList

/// What the strings of an OpenStep property list stand for: it has no other scalars but data.
enum UntypedScalar {
    /// The text as a value of the type that `base` has; nil if it does not read as one.
    static func value(of text: PlistString, as base: PlistValue) -> PlistValue? {
        switch base {
        case .string:
            return .string(text)
        case .boolean:
            switch text.string {
            case "YES", "true", "1": return .boolean(true)
            case "NO", "false", "0": return .boolean(false)
            default: return nil
            }
        case .integer:
            if let value = Int64(text.string) { return .integer(PlistInteger(value)) }
            return UInt64(text.string).map { .integer(PlistInteger($0)) }
        case .real:
            return Double(text.string).flatMap { $0.isNaN ? nil : .real($0) }
        default:
            return nil
        }
    }
}
