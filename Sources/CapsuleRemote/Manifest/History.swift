package import CapsuleArchive
import CapsuleCore
import CapsuleHashing

/// The ends of the versions and the label records of a capsule, in the order of the file.
package struct History: Sendable {
    package typealias End = CapsuleConfig.End

    /// The number is nil for a label record.
    private let items: [(end: End, version: UInt32?)]

    package var ends: [End] { items.map(\.end) }
    package var length: UInt64 { items.last?.end.offset ?? 0 }
    package var newest: UInt32 { items.last { $0.version != nil }?.version ?? 0 }

    package init(_ config: CapsuleConfig) {
        items = (config.versions.map { ($0.end, $0.number) } + config.labels.map { ($0.end, nil) })
            .sorted { $0.end.offset < $1.end.offset }
    }

    /// - Parameter footers: those of a capsule, in the order of the file.
    package init(_ footers: some Sequence<Footer>) {
        items = footers.map { (End(offset: $0.end, footer: $0.digest), $0.isLabel ? nil : $0.version) }
    }

    /// The last version up to an end.
    package func version(upTo end: End?) -> UInt32? {
        end.flatMap { end in items.last { $0.version != nil && $0.end.offset <= end.offset }?.version }
    }

    /// The numbers of the versions after an end.
    package func versions(after end: End?) -> [UInt32] {
        items.filter { $0.end.offset > end?.offset ?? 0 }.compactMap(\.version)
    }

    /// The versions after an end in words, such as `version 4` or `versions 4 to 6`; the labels if there are none.
    package func shown(after end: End?) -> String {
        let numbers = versions(after: end)
        guard let first = numbers.first, let last = numbers.last else { return "labels" }
        return first == last ? "version \(first)" : "versions \(first) to \(last)"
    }
}

/// The relation of two capsules that may be the same file at different times. Each version's footer holds the digest of the one before,
/// so two capsules that have an end in common have all bytes before it in common.
package enum HistoryRelation: Hashable, Sendable {
    case same
    /// The other one has more, and begins with this one's bytes.
    case behind(History.End)
    /// This one has more, and begins with the other's bytes.
    case ahead(History.End)
    /// Both have something of their own after the last common end; nil if they have nothing in common.
    case parted(History.End?)

    /// Compares this capsule with another.
    package init(of own: History, with other: History) {
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
