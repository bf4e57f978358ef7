public import CapsulePropertyList

/// A value as a report shows it: whole, in part, or hidden.
public enum DisplayValue: Hashable, Sendable {
    /// The whole value. `PlistValue.null` stands for SQL's NULL or JSON's null.
    case value(PlistValue)
    /// The beginning of longer data of `count` bytes.
    case dataHead([UInt8], count: UInt64)
    /// The beginning of a longer text of `count` bytes of UTF-8.
    case textHead(PlistString, count: UInt64)
    /// A Core Data blob in a separate file: the name of the file, and its size and digest if the file exists.
    case external(name: String, size: UInt64?, digest: ContentDigest?)
    /// A hidden secret of the named kind, such as `cookie`.
    case hidden(String)

    /// The value, if it is shown as a whole.
    public var whole: PlistValue? {
        if case .value(let value) = self { value } else { nil }
    }
}

extension DisplayValue {
    /// Returns data as a whole value.
    static func bytes(_ bytes: [UInt8]) -> DisplayValue { .value(.data(bytes)) }

    /// Returns a word or a time as a whole value.
    static func text(_ text: String) -> DisplayValue { .value(.string(PlistString(text))) }

    /// Returns a mode as four octal digits.
    static func octal(_ mode: FileMode) -> DisplayValue {
        let digits = String(mode.rawValue & 0o7777, radix: 8)
        return .text(String(repeating: "0", count: 4 - digits.count) + digits)
    }
}

/// Finds and hides secrets in the data of values: cookies files, which apps also store in property lists and databases.
public enum SecretData {
    /// The bytes that a binary cookies file begins with.
    private static let cookies = Array("cook".utf8)
    /// The word for a secret that is hidden.
    static let word = "cookie"
    /// The value that replaces a secret.
    private static let hidden = PlistValue.string("hidden (cookie)")

    /// Returns true if the bytes begin like a cookies file.
    public static func isCookies(_ bytes: some Sequence<UInt8>) -> Bool { bytes.starts(with: cookies) }

    /// Returns a change with its secrets hidden, and with the sides that had some.
    public static func hiding(in change: PlistChange) -> PlistChange {
        var secrets: PlistChange.Sides = []
        func hide(_ value: PlistValue, _ side: PlistChange.Sides) -> PlistValue {
            guard let hidden = hiding(in: value) else { return value }
            secrets.insert(side)
            return hidden
        }
        let kind: PlistChange.Kind
        switch change.kind {
        case .added(let value): kind = .added(hide(value, .new))
        case .deleted(let value): kind = .deleted(hide(value, .old))
        case .modified(let old, let new): kind = .modified(old: hide(old, .old), new: hide(new, .new))
        case .order(let old, let new): kind = .order(old: old.map { hide($0, .old) }, new: new.map { hide($0, .new) })
        case .encoding: return change
        }
        return secrets.isEmpty
            ? change
            : PlistChange(kind, at: change.pointer, in: change.className, secrets: secrets, nestedGap: change.nestedGap)
    }

    /// Returns a value without its secrets, or nil if it has none.
    private static func hiding(in value: PlistValue) -> PlistValue? { hasSecret(value) ? replacing(value) : nil }

    private static func hasSecret(_ value: PlistValue) -> Bool {
        switch value {
        case .data(let bytes): return isCookies(bytes)
        case .array(let elements):
            for position in elements.indices where hasSecret(elements[position]) { return true }
        case .dictionary(let entries):
            for position in entries.indices where hasSecret(entries[position].value) { return true }
        default: break
        }
        return false
    }

    private static func replacing(_ value: PlistValue) -> PlistValue {
        switch value {
        case .data(let bytes) where isCookies(bytes): hidden
        case .array(let elements): .array(replacing(elements))
        case .dictionary(let entries): .dictionary(replacing(entries))
        default: value
        }
    }

    private static func replacing(_ elements: [PlistValue]) -> [PlistValue] {
        var elements = elements
        for position in elements.indices { elements[position] = replacing(elements[position]) }
        return elements
    }

    private static func replacing(_ entries: PlistDictionary) -> PlistDictionary {
        var result = entries
        for position in entries.indices { result[entries[position].key] = replacing(entries[position].value) }
        return result
    }
}
