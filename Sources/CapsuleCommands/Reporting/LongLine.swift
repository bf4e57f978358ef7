import CapsuleCore
import CapsuleEngine

/// What `ls -l` says of an entry before its name: `-rw-r--r--        12 2023-11-14T22:13:20Z 0123456789ab `.
struct LongLine {
    private let isDigested: Bool
    /// How many of a digest's digits are shown.
    private let digits: Int
    /// Of all sizes together: wide enough for each.
    private let width: Int
    /// The last one, spelled out: neighbours mostly have the same.
    private var mode: (kind: EntryKind, value: FileMode, text: [UInt8])?

    private static let space = UInt8(ascii: " ")
    /// Enough to tell files apart, and to find one by its digest.
    private static let shortDigits = 12
    private static let allDigits = 64

    /// - Parameter isFull: whether digests are shown whole.
    init(for listing: ContainerListing, isFull: Bool) {
        isDigested = listing.isDigested
        digits = isFull ? Self.allDigits : Self.shortDigits
        width = String(listing.bytes).utf8.count
    }

    mutating func append(_ entry: TreeEntry, to report: inout [UInt8]) {
        report += modeText(of: entry)
        appendSize(of: entry, to: &report)
        report.append(Self.space)
        entry.modified.appendISO8601(to: &report)
        report.append(Self.space)
        if entry.kind.hasContent, isDigested {
            entry.digest.appendHex(to: &report)
            report.removeLast(Self.allDigits - digits)
        } else {
            report.append(UInt8(ascii: "-"))
            for _ in 1..<digits { report.append(Self.space) }
        }
        report.append(Self.space)
    }

    private func appendSize(of entry: TreeEntry, to report: inout [UInt8]) {
        if entry.kind.hasContent {
            report.appendDecimal(entry.size, width: width + 1, filler: Self.space)
        } else {
            for _ in 0..<width { report.append(Self.space) }
            report.append(UInt8(ascii: "-"))
        }
    }

    private mutating func modeText(of entry: TreeEntry) -> [UInt8] {
        if let mode, mode.kind == entry.kind, mode.value == entry.mode { return mode.text }
        let text = ModeText.bytes(of: entry)
        mode = (entry.kind, entry.mode, text)
        return text
    }
}
