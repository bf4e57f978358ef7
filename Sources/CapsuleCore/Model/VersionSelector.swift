/// A selection of one version of a capsule: the text after `@` in `FILE@VERSION`.
package enum VersionSelector: Hashable, Sendable {
    case number(UInt32)
    case label(VersionLabel)
    /// The version `n` before the newest: `~0` is `latest`, and `~1` is the version before it.
    case beforeLatest(UInt32)
    case first

    package static let latest = VersionSelector.beforeLatest(0)

    package init?(_ text: String) {
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

    package static func list(_ text: String) -> [VersionSelector]? {
        var selectors: [VersionSelector] = []
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            guard let selector = VersionSelector(String(part)) else { return nil }
            selectors.append(selector)
        }
        return selectors
    }

    /// The selector as messages show it. A label is in quotes, because it may be any word.
    package var spelled: String {
        if case .label(let label) = self { "'\(label.text)'" } else { text }
    }

    package var text: String {
        switch self {
        case .number(let number): String(number)
        case .label(let label): label.text
        case .beforeLatest(0): "latest"
        case .beforeLatest(let back): "~\(back)"
        case .first: "first"
        }
    }
}

/// A version's label, chosen by the user: `[A-Za-z0-9._-]+`, but not only digits, `latest` or `first`.
package struct VersionLabel: Hashable, Sendable {
    package let text: String

    package init?(_ text: String) {
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

/// The numbers of several versions, as messages show them.
package struct VersionNumbers: Hashable, Sendable, CustomStringConvertible {
    private let ranges: [ClosedRange<UInt32>]

    package init(_ numbers: some Sequence<UInt32>) {
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

    package var isOne: Bool { ranges.count == 1 && ranges[0].count == 1 }

    /// The numbers in words: `version 3`, `versions 1 and 2`, `versions 1 to 4, 7 and 9`.
    package var description: String {
        let parts = ranges.flatMap { range in
            range.count > 2 ? ["\(range.lowerBound) to \(range.upperBound)"] : range.map { String($0) }
        }
        let text = parts.count > 1 ? parts.dropLast().joined(separator: ", ") + " and " + parts[parts.count - 1] : parts.joined()
        return (isOne ? "version " : "versions ") + text
    }

    /// The numbers as `--keep` accepts them: `1,2,3`.
    package var list: String { ranges.flatMap { range in range.map { String($0) } }.joined(separator: ",") }
}
