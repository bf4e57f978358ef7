public import CapsulePropertyList

/// A value as a report has it: whole, in part, or not to be seen.
public enum ShownValue: Hashable, Sendable {
    /// All of it; `PlistValue.null` is SQL's NULL or JSON's null.
    case value(PlistValue)
    /// The beginning of data that is longer.
    case dataHead([UInt8], count: UInt64)
    /// The beginning of a text that is longer, of so many bytes of UTF-8.
    case textHead(PlistString, count: UInt64)
    /// A Core Data blob in a file of its own: the file's name, and its size and digest where the file is there.
    case external(name: String, size: UInt64?, digest: ContentDigest?)
    /// A secret of some kind, `cookie`.
    case hidden(String)

    /// The value, if it is there as a whole.
    public var whole: PlistValue? {
        if case .value(let value) = self { value } else { nil }
    }
}

extension ShownValue {
    /// Data kept by attributes: all of it.
    static func bytes(_ bytes: [UInt8]) -> ShownValue { .value(.data(bytes)) }

    /// A word or a time.
    static func text(_ text: String) -> ShownValue { .value(.string(PlistString(text))) }

    /// A mode as four octal digits.
    static func octal(_ mode: FileMode) -> ShownValue {
        let digits = String(mode.rawValue & 0o7777, radix: 8)
        return .text(String(repeating: "0", count: 4 - digits.count) + digits)
    }
}
