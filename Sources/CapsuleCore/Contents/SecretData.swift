import CapsulePropertyList

/// Secrets in the data of values: files of cookies, which apps keep in property lists and databases as well.
public enum SecretData {
    /// What binary cookies begin with.
    private static let cookies = Array("cook".utf8)
    /// Values that are looked at for secrets; what has more is taken to hold one.
    private static let fuel = 1 << 14

    /// What stands in place of a secret.
    private static let hidden = PlistValue.string("hidden (cookie)")

    /// Whether bytes are a file of cookies.
    public static func isCookies(_ bytes: some Sequence<UInt8>) -> Bool { bytes.starts(with: cookies) }

    /// A change with its secrets hidden.
    public static func hiding(in change: PlistChange) -> PlistChange {
        func hide(_ value: PlistValue) -> PlistValue { hiding(in: value) }
        let kind: PlistChange.Kind
        switch change.kind {
        case .added(let value): kind = .added(hide(value))
        case .deleted(let value): kind = .deleted(hide(value))
        case .modified(let old, let new): kind = .modified(old: hide(old), new: hide(new))
        case .order(let old, let new): kind = .order(old: old.map(hide), new: new.map(hide))
        case .encoding: return change
        }
        return PlistChange(kind, at: change.pointer, in: change.className)
    }

    private static func hiding(in value: PlistValue) -> PlistValue {
        var left = fuel
        guard hasSecret(value, &left) else { return value }
        return left > 0 ? replacing(value) : hidden
    }

    private static func hasSecret(_ value: PlistValue, _ fuel: inout Int) -> Bool {
        guard fuel > 0 else { return true }
        fuel -= 1
        switch value {
        case .data(let bytes): return isCookies(bytes)
        case .array(let elements):
            for element in elements where hasSecret(element, &fuel) { return true }
            return false
        case .dictionary(let entries):
            for (_, value) in entries where hasSecret(value, &fuel) { return true }
            return false
        default: return false
        }
    }

    private static func replacing(_ value: PlistValue) -> PlistValue {
        switch value {
        case .data(let bytes) where isCookies(bytes): hidden
        case .array(let elements): .array(elements.map(replacing))
        case .dictionary(let entries): .dictionary(PlistDictionary(entries.map { ($0.key, replacing($0.value)) }))
        default: value
        }
    }
}
