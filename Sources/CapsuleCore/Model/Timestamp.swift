/// A moment: whole seconds since 1970-01-01T00:00:00Z, and nanoseconds after them.
public struct Timestamp: Hashable, Comparable, Sendable {
    public let seconds: Int64
    /// 0 to 999,999,999; time goes on from `seconds`, also before 1970.
    public let nanoseconds: UInt32

    /// - Returns: nil for a billion nanoseconds and over.
    public init?(seconds: Int64, nanoseconds: UInt32) {
        guard nanoseconds < 1_000_000_000 else { return nil }
        self.seconds = seconds
        self.nanoseconds = nanoseconds
    }

    /// A whole second.
    public init(seconds: Int64) {
        self.seconds = seconds
        nanoseconds = 0
    }

    public static let epoch = Timestamp(seconds: 0)

    public static func < (lhs: Timestamp, rhs: Timestamp) -> Bool {
        lhs.seconds != rhs.seconds ? lhs.seconds < rhs.seconds : lhs.nanoseconds < rhs.nanoseconds
    }
}

extension Timestamp {
    /// Seconds from 1970 to 2001-01-01, where property lists count from.
    public static let referenceDateOffset: Int64 = 978_307_200

    /// The moment as a property list's date: seconds since 2001-01-01, without the nanoseconds that XML cannot hold.
    public var plistDate: Double { Double(seconds &- Self.referenceDateOffset) }

    /// The moment of a property list's date; nil beyond what fits.
    public init?(plistDate: Double) {
        let whole = plistDate.rounded(.down)
        guard whole.isFinite, let since2001 = Int64(exactly: whole) else { return nil }
        let (seconds, overflow) = since2001.addingReportingOverflow(Self.referenceDateOffset)
        if overflow { return nil }
        self.init(seconds: seconds, nanoseconds: UInt32(min((plistDate - whole) * 1e9, 999_999_999)))
    }

    /// ISO 8601 in UTC, `2023-11-14T22:13:20Z`, with nine digits of fraction if asked for.
    public func iso8601(fraction: Bool = false) -> String {
        let date = CivilDate(secondsSince1970: seconds)
        var text = date.iso8601Seconds
        if fraction {
            let digits = String(nanoseconds)
            text += "." + String(repeating: "0", count: 9 - digits.utf8.count) + digits
        }
        return text + "Z"
    }
}
