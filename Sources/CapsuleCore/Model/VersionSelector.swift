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
