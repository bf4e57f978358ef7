import CapsuleCore

/// The relation of two capsules that may be the same file at different times. Each version's footer holds the digest of the one before,
/// so two capsules that have an end in common have all bytes before it in common.
package enum HistoryRelation: Hashable, Sendable {
    case same
    /// The other one has more, and begins with this one's bytes.
    case behind(CapsuleConfig.End)
    /// This one has more, and begins with the other's bytes.
    case ahead(CapsuleConfig.End)
    /// Both have something of their own after the last common end; nil if they have nothing in common.
    case parted(CapsuleConfig.End?)

    /// Compares this capsule with another.
    package init(of own: CapsuleConfig, with other: CapsuleConfig) {
        let (own, other) = (own.ends, other.ends)
        let common = zip(own, other).prefix { $0 == $1 }
        let last = common.last?.0
        switch (own.count - common.count, other.count - common.count) {
        case (0, 0): self = .same
        case (0, _): self = last.map { .behind($0) } ?? .parted(nil)
        case (_, 0): self = last.map { .ahead($0) } ?? .parted(nil)
        default: self = .parted(last)
        }
    }
}

extension CapsuleConfig {
    /// The last version up to an end.
    package func version(upTo end: End?) -> UInt32? {
        end.flatMap { end in versions.last { $0.end.offset <= end.offset }?.number }
    }

    /// The versions after an end, such as `version 4` or `versions 4 to 6`; the labels if there are none.
    package func shown(after end: End?) -> String {
        let numbers = versions.filter { $0.end.offset > end?.offset ?? 0 }.map(\.number)
        guard let first = numbers.first, let last = numbers.last else { return "labels" }
        return first == last ? "version \(first)" : "versions \(first) to \(last)"
    }
}
