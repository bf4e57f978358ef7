/// Which version of a capsule is meant: what follows `@` in `FILE@VERSION`.
public enum VersionSelector: Hashable, Sendable {
    /// The version with this number.
    case number(UInt32)
    /// The version with this label.
    case label(VersionLabel)
    /// The newest but `n`: `~0` is `latest`, `~1` the one before.
    case beforeLatest(UInt32)
    /// The oldest version that is there.
    case first

    /// The newest version.
    public static let latest = VersionSelector.beforeLatest(0)

    /// - Returns: nil for what selects nothing.
    public init?(_ text: String) {
        if text == "latest" {
            self = .latest
        } else if text == "first" {
            self = .first
        } else if text.hasPrefix("~"), !text.hasPrefix("~+"), let back = UInt32(text.dropFirst()) {
            self = .beforeLatest(back)
        } else if text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }), let number = UInt32(text) {
            self = .number(number)
        } else if let label = VersionLabel(text) {
            self = .label(label)
        } else {
            return nil
        }
    }

    /// Several, as `1,3,latest`; nil if one of them selects nothing.
    public static func list(_ text: String) -> [VersionSelector]? {
        var selectors: [VersionSelector] = []
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            guard let selector = VersionSelector(String(part)) else { return nil }
            selectors.append(selector)
        }
        return selectors
    }

    /// As messages have it: a label in quotes, since it may be any word.
    public var spelled: String {
        if case .label(let label) = self { "'\(label.text)'" } else { text }
    }

    /// As it is written after `@`.
    public var text: String {
        switch self {
        case .number(let number): String(number)
        case .label(let label): label.text
        case .beforeLatest(0): "latest"
        case .beforeLatest(let back): "~\(back)"
        case .first: "first"
        }
    }
}

/// A version's name of the user's choice: `[A-Za-z0-9._-]+`, not digits only, not `latest` or `first`.
public struct VersionLabel: Hashable, Sendable {
    /// The label as it is written.
    public let text: String

    /// - Returns: nil for what is no label.
    public init?(_ text: String) {
        let isSpelledRight = text.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"):
                true
            default: false
            }
        }
        let isNumber = text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        guard !text.isEmpty, isSpelledRight, !isNumber, text != "latest", text != "first" else { return nil }
        self.text = text
    }
}

/// The numbers of some versions, told to people.
public struct VersionNumbers: Hashable, Sendable, CustomStringConvertible {
    /// Rising, without gaps within a range.
    private let ranges: [ClosedRange<UInt32>]

    /// Takes numbers in any order.
    public init(_ numbers: some Sequence<UInt32>) {
        var ranges: [ClosedRange<UInt32>] = []
        for number in Set(numbers).sorted() {
            if let last = ranges.last, number > 0, last.upperBound == number - 1 {
                ranges[ranges.count - 1] = last.lowerBound...number
            } else {
                ranges.append(number...number)
            }
        }
        self.ranges = ranges
    }

    /// Whether it is a single version.
    public var isOne: Bool { ranges.count == 1 && ranges[0].count == 1 }

    /// `version 3`, `versions 1 and 2`, `versions 1 to 4, 7 and 9`
    public var description: String {
        let parts = ranges.flatMap { range in
            range.count > 2 ? ["\(range.lowerBound) to \(range.upperBound)"] : range.map { String($0) }
        }
        let text = parts.count > 1 ? parts.dropLast().joined(separator: ", ") + " and " + parts[parts.count - 1] : parts.joined()
        return (isOne ? "version " : "versions ") + text
    }

    /// As `--keep` takes them: `1,2,3`
    public var list: String { ranges.flatMap { range in range.map { String($0) } }.joined(separator: ",") }
}
