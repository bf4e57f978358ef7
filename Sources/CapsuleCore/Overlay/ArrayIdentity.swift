public import CapsulePropertyList

/// How the elements of two arrays are paired (docs/overlay.md, section 2).
public enum ArrayIdentity: Hashable, Sendable {
    /// By the value of a key that each element has.
    ///
    /// - isOptional: whether elements may do without, as `keyed(KEY?)`; those never pair.
    /// - ignoresCase: whether values that differ in case alone pair.
    case keyed(PlistString, isOptional: Bool = false, ignoresCase: Bool = false)
    /// By deep equality, without order.
    case set
    /// By index.
    case ordered
    /// Not at all: an overlay's array takes the base's place.
    case replace

    /// Reads `keyed(KEY)`, `keyed(KEY?)`, `keyed(KEY), nocase`, `set`, `ordered` or `replace`.
    ///
    /// - Throws: `invalid` with what to write instead.
    public init(_ text: String) throws(OverlayError) {
        switch text {
        case "set": self = .set
        case "ordered": self = .ordered
        case "replace": self = .replace
        default: self = try Self.keyed(text)
        }
    }

    private static func keyed(_ text: String) throws(OverlayError) -> ArrayIdentity {
        let malformed = OverlayError(
            .invalid, "\(PlistString(text).quoted) is not an array identity",
            hint: "write 'keyed(KEY)', 'keyed(KEY?)', 'keyed(KEY), nocase', 'set', 'ordered' or 'replace'")
        let parts = text.split(separator: ")", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0].hasPrefix("keyed(") else { throw malformed }
        var key = parts[0].dropFirst("keyed(".count)
        let isOptional = key.hasSuffix("?")
        if isOptional { key = key.dropLast() }
        let rest = parts[1].filter { $0 != " " }
        guard !key.isEmpty, rest.isEmpty || rest == ",nocase" else { throw malformed }
        return .keyed(PlistString(String(key)), isOptional: isOptional, ignoresCase: !rest.isEmpty)
    }
}

extension ArrayIdentity: CustomStringConvertible {
    /// As it is written: `keyed(KEY?), nocase`.
    public var description: String {
        switch self {
        case .keyed(let key, let isOptional, let ignoresCase):
            "keyed(\(key)\(isOptional ? "?" : ""))\(ignoresCase ? ", nocase" : "")"
        case .set: "set"
        case .ordered: "ordered"
        case .replace: "replace"
        }
    }
}
