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
    /// The number of values that are searched for secrets. A value that contains more is assumed to have a secret.
    private static let fuel = 1 << 18

    /// The word for a secret that is hidden.
    static let word = "cookie"
    /// The value that replaces a secret.
    private static let hidden = PlistValue.string("hidden (cookie)")
    /// The value that replaces one that has too many values to search for secrets.
    private static let unsearched = PlistValue.string("hidden (too large to look for cookies)")

    /// Returns true if the bytes begin like a cookies file.
    public static func isCookies(_ bytes: some Sequence<UInt8>) -> Bool { bytes.starts(with: cookies) }

    /// Returns true if a value replaces one whose parts are not known.
    static func hidesParts(_ value: PlistValue) -> Bool { value == unsearched }

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
    private static func hiding(in value: PlistValue) -> PlistValue? {
        var left = fuel
        guard hasSecret(value, &left) else { return nil }
        return left > 0 ? replacing(value) : unsearched
    }

    // The functions below use explicit stacks, so that deep values don't use the call stack.

    private static func hasSecret(_ value: PlistValue, _ fuel: inout Int) -> Bool {
        var pending = [value]
        while let value = pending.popLast() {
            guard fuel > 0 else { return true }
            fuel -= 1
            switch value {
            case .data(let bytes): if isCookies(bytes) { return true }
            case .array(let elements): pending += elements.prefix(fuel + 1).reversed()
            case .dictionary(let entries): pending += entries.prefix(fuel + 1).map(\.value).reversed()
            default: break
            }
        }
        return false
    }

    /// A container whose values are replaced one by one.
    private struct Frame {
        let keys: [PlistString]?
        var left: ArraySlice<PlistValue>
        var done: [PlistValue] = []

        var result: PlistValue {
            keys.map { .dictionary(PlistDictionary(zip($0, done))) } ?? .array(done)
        }
    }

    private static func replacing(_ value: PlistValue) -> PlistValue {
        var frames: [Frame] = []
        var result = begin(value, &frames)
        while let top = frames.indices.last {
            if let child = frames[top].left.popFirst() {
                result = begin(child, &frames)
            } else {
                result = frames.removeLast().result
            }
            if let finished = result, let outer = frames.indices.last { frames[outer].done.append(finished) }
        }
        return result ?? value
    }

    /// Starts replacing a value.
    ///
    /// - Returns: the result, or nil for a container, which is pushed onto the stack.
    private static func begin(_ value: PlistValue, _ frames: inout [Frame]) -> PlistValue? {
        switch value {
        case .data(let bytes) where isCookies(bytes): return hidden
        case .array(let elements): frames.append(Frame(keys: nil, left: elements[...]))
        case .dictionary(let entries): frames.append(Frame(keys: Array(entries.keys), left: entries.map(\.value)[...]))
        default: return value
        }
        return nil
    }
}
