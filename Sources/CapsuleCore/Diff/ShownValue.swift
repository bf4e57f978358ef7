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

/// Secrets in the data of values: files of cookies, which apps keep in property lists and databases as well.
public enum SecretData {
    /// What binary cookies begin with.
    private static let cookies = Array("cook".utf8)
    /// Values that are looked at for secrets; what has more is taken to hold one.
    private static let fuel = 1 << 18

    /// What a secret is called where it is hidden.
    static let word = "cookie"
    /// What stands in place of a secret.
    private static let hidden = PlistValue.string("hidden (cookie)")
    /// What stands in place of a value that has too many values to look for secrets in.
    private static let unsearched = PlistValue.string("hidden (too large to look for cookies)")

    /// Whether bytes are a file of cookies.
    public static func isCookies(_ bytes: some Sequence<UInt8>) -> Bool { bytes.starts(with: cookies) }

    /// Whether a value stands in place of one whose parts are not known.
    static func hidesParts(_ value: PlistValue) -> Bool { value == unsearched }

    /// A change with its secrets hidden, and a note of the sides that had some.
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

    /// A value without its secrets; nil for one that has none.
    private static func hiding(in value: PlistValue) -> PlistValue? {
        var left = fuel
        guard hasSecret(value, &left) else { return nil }
        return left > 0 ? replacing(value) : unsearched
    }

    // Stacks of their own below, so that depth costs no call stack.

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

    /// - Returns: nil for a container, which is on the stack now.
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
